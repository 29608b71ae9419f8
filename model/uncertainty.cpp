// SPDX-License-Identifier: Apache-2.0
#include "model/uncertainty.h"

#include "base/numbers/mix64.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace alxsim::model {
namespace {

/// From `from` to `to` as `share` goes from 0 to 1.
double between(double from, double to, double share)
{
    return from > 0 ? from * portable::pow(to / from, share) : from + (to - from) * share;
}

/// A permutation of 0 ... count - 1 (Fisher and Yates); advances `state`.
std::vector<int> permutation(int count, std::uint64_t& state)
{
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
        state = mix64(state);
        std::swap(order[i - 1], order[state % i]);
    }
    return order;
}

} // namespace

double value_at(const UnknownNumber& unknown, double quantile)
{
    return quantile < 0.5 ? between(unknown.low, unknown.central, 2 * quantile)
                          : between(unknown.central, unknown.high, 2 * quantile - 1);
}

std::vector<double> latin_column(int samples, std::uint64_t seed, const std::string& name)
{
    std::uint64_t state = mix64(seed);
    for (const char letter : name) {
        state = mix64(state ^ static_cast<unsigned char>(letter));
    }
    const std::vector<int> range = permutation(samples, state);
    std::vector<double> column;
    for (const int begin : range) {
        state = mix64(state);
        const double inside = (static_cast<double>(state >> 11) + 0.5) * 0x1.0p-53;
        column.push_back((begin + inside) / samples);
    }
    return column;
}

double quantile_of(std::vector<double> values, double share)
{
    if (values.empty()) {
        throw std::invalid_argument("a quantile of no values");
    }
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, values.size() - 1);
    const double fraction = place - static_cast<double>(below);
    return values[below] + (values[above] - values[below]) * fraction;
}

} // namespace alxsim::model
