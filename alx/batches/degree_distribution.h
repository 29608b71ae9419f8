// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// What lengths between a shortest and a longest one are taken to be like, by their mean.
enum class LengthLaw {
    power,   ///< p(n) ~ (n + shift)^-exponent
    lacking, ///< the mean is in the upper half: of how many links a row lacks to the longest
    equal    ///< the mean is at an end: all have it
};

/// Throws InputError unless shortest <= mean <= longest.
LengthLaw length_law(std::int64_t shortest, std::int64_t longest, double mean);

/// Lengths of rows where only their number and mean are known: p(n) ~ (n + shift)^-exponent on
/// [shortest, longest] (Zipf-Mandelbrot), or what LengthLaw has for dense and for regular data. An
/// assumption: web graphs follow such laws roughly, and nothing more is published of those that we
/// simulate.
class DegreeDistribution {
public:
    /// A plain power law, with the exponent at which the mean is the given one. Throws as
    /// length_law().
    DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean);
    /// The tail is given, too: with the shift at which the mean is the given one. Throws likewise.
    DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean, double exponent);

    /// 0 where all are equal.
    double exponent() const { return exponent_; }
    double mean() const { return mean_; }
    std::int64_t shortest() const { return shortest_; }
    std::int64_t longest() const { return longest_; }

    /// `count` lengths, each the rounded mean of one of `count` equal quantile ranges, the lowest
    /// range first: so that the sample has the distribution's mean although its tail is heavy.
    std::vector<std::int64_t> quantile_means(std::int64_t count) const;
    /// The same in random order, which the seed decides.
    std::vector<std::int64_t> sample(std::int64_t count, std::uint64_t seed) const;

private:
    std::vector<std::int64_t> power_law_means(std::int64_t count) const;

    std::int64_t shortest_;
    std::int64_t longest_;
    double mean_;
    LengthLaw law_;
    double exponent_ = 0;
    double shift_ = 0;
};

} // namespace alxsim::alx
