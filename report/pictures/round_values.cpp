// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/round_values.h"

#include "base/portable_math.h"

#include <cmath>

namespace alxsim::report {

std::vector<double> round_values_around(double low, double high)
{
    std::vector<double> all;
    const int first = static_cast<int>(std::floor(portable::log10(low)));
    const int last = static_cast<int>(std::floor(portable::log10(high))) + 1;
    for (int exponent = first; exponent <= last; ++exponent) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            all.push_back(factor * portable::pow(10, exponent));
        }
    }
    std::size_t begin = 0;
    while (begin + 1 < all.size() && all[begin + 1] <= low) {
        ++begin;
    }
    std::size_t end = all.size() - 1;
    while (end > begin + 1 && all[end - 1] >= high) {
        --end;
    }
    const bool many = end - begin > 9;
    std::vector<double> values;
    for (std::size_t i = begin; i <= end; ++i) {
        const bool is_power = i % 3 == 0;
        if (!many || is_power || i == begin || i == end) {
            values.push_back(all[i]);
        }
    }
    return values;
}

std::vector<double> even_values(double high)
{
    const double power = portable::pow(10, std::floor(portable::log10(high)));
    const double step = high / power >= 5 ? power : high / power >= 2 ? power / 2 : power / 5;
    std::vector<double> values;
    for (int i = 0; i * step <= high; ++i) {
        values.push_back(i * step);
    }
    return values;
}

} // namespace alxsim::report
