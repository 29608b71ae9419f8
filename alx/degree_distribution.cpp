// SPDX-License-Identifier: Apache-2.0
#include "alx/degree_distribution.h"

#include "alx/random.h"
#include "base/input_error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace alxsim::alx {
namespace {

/// Terms summed one by one; beyond, the integral over [n - 1/2, n + 1/2] is right to 1e-7.
constexpr std::int64_t exact_terms = 4096;

/// Integral of x^-s.
double power_integral(double begin, double end, double s)
{
    if (std::abs(s - 1.0) < 1e-9) {
        return std::log(end / begin);
    }
    return (std::pow(end, 1.0 - s) - std::pow(begin, 1.0 - s)) / (1.0 - s);
}

/// Sum of n^-s over [first, last].
double power_sum(std::int64_t first, std::int64_t last, double s)
{
    const std::int64_t split = std::min(last, first + exact_terms);
    double sum = 0;
    for (std::int64_t n = first; n <= split; ++n) {
        sum += std::pow(static_cast<double>(n), -s);
    }
    if (split < last) {
        sum += power_integral(static_cast<double>(split) + 0.5, static_cast<double>(last) + 0.5, s);
    }
    return sum;
}

double mean_at(std::int64_t shortest, std::int64_t longest, double exponent)
{
    return power_sum(shortest, longest, exponent - 1.0) / power_sum(shortest, longest, exponent);
}

/// The mean falls as the exponent rises.
double exponent_for(std::int64_t shortest, std::int64_t longest, double mean)
{
    double low = 0;
    double high = 64;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (mean_at(shortest, longest, middle) > mean ? low : high) = middle;
    }
    return (low + high) / 2;
}

} // namespace

DegreeDistribution::DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean)
    : shortest_(shortest),
      longest_(longest),
      mean_(mean)
{
    const double largest = (static_cast<double>(shortest) + static_cast<double>(longest)) / 2;
    if (mean <= static_cast<double>(shortest) || mean >= largest) {
        throw InputError("found a mean length of " + std::to_string(mean) + ", a power law from " +
                         std::to_string(shortest) + " to " + std::to_string(longest) +
                         " links allows means above " + std::to_string(shortest) + " and below " +
                         std::to_string(largest));
    }
    exponent_ = exponent_for(shortest, longest, mean);
}

std::vector<std::int64_t> DegreeDistribution::sample(std::int64_t count, std::uint64_t seed) const
{
    std::vector<std::int64_t> lengths;
    lengths.reserve(static_cast<std::size_t>(count));
    // Walks through the lengths, pouring each one's mass into ranges of mass 1.
    const double scale = static_cast<double>(count) / power_sum(shortest_, longest_, exponent_);
    double room = 1;
    double sum = 0;
    for (std::int64_t n = shortest_; n <= longest_; ++n) {
        double mass = scale * std::pow(static_cast<double>(n), -exponent_);
        while (mass >= room) {
            lengths.push_back(std::llround(sum + room * static_cast<double>(n)));
            mass -= room;
            room = 1;
            sum = 0;
        }
        room -= mass;
        sum += mass * static_cast<double>(n);
    }
    // The last range is full up to rounding.
    lengths.resize(static_cast<std::size_t>(count), std::llround(sum / std::max(1 - room, 1e-9)));
    SplitMix64 random(mix64(seed));
    for (std::size_t i = lengths.size(); i > 1; --i) {
        std::swap(lengths[i - 1], lengths[random.below(i)]);
    }
    return lengths;
}

} // namespace alxsim::alx
