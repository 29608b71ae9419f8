// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Lengths of rows where only their number and mean are known: p(n) ~ (n + shift)^-exponent on
/// [shortest, longest] (Zipf-Mandelbrot). An assumption: web graphs follow such laws roughly, and
/// nothing more is published of those that we simulate.
class DegreeDistribution {
public:
    /// A plain power law, with the exponent at which the mean is the given one. Throws InputError
    /// unless shortest < mean < (shortest + longest) / 2, the mean at exponent 0.
    DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean);
    /// The tail is given, too: with the shift at which the mean is the given one. Throws likewise.
    DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean, double exponent);

    double exponent() const { return exponent_; }
    double mean() const { return mean_; }

    /// `count` lengths, each the rounded mean of one of `count` equal quantile ranges, the lowest
    /// range first: so that the sample has the distribution's mean although its tail is heavy.
    std::vector<std::int64_t> quantile_means(std::int64_t count) const;
    /// The same in random order, which the seed decides.
    std::vector<std::int64_t> sample(std::int64_t count, std::uint64_t seed) const;

private:
    std::int64_t shortest_;
    std::int64_t longest_;
    double mean_;
    double exponent_ = 0;
    double shift_ = 0;
};

} // namespace alxsim::alx
