// SPDX-License-Identifier: Apache-2.0
#include "base/text/printed.h"

#include <cstdio>
#include <cstdlib>

namespace alxsim {

std::string printed(const char* format, std::optional<double> value)
{
    if (!value) {
        return "-";
    }
    char text[64];
    std::snprintf(text, sizeof text, format, *value);
    return text;
}

std::string printed_percent(const char* format, std::optional<double> share)
{
    return share ? printed(format, 100 * *share) + " %" : "-";
}

double rounded(const char* format, double value)
{
    return std::strtod(printed(format, value).c_str(), nullptr);
}

std::string in_thousands(std::int64_t number)
{
    std::string digits = std::to_string(number);
    for (int place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3) {
        digits.insert(static_cast<std::size_t>(place), ",");
    }
    return digits;
}

} // namespace alxsim
