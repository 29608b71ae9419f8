// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace alxsim::experiments {

/// The ends of a band.
constexpr double low_share = 0.05;
constexpr double high_share = 0.95;

/// A distance to the prior from which an unknown is constrained.
constexpr double constrained_distance = 0.15;

/// Which worlds agree with all statements, and how much each counts.
struct Survivors {
    std::vector<std::size_t> worlds;
    std::vector<double> weights; ///< [worlds]

    /// So many worlds of equal weight would tell as much (Kish).
    double effective() const;
};

/// The value below which a share of the weight lies. Throws std::invalid_argument for no values.
double weighted_quantile(const std::vector<double>& values, const std::vector<double>& weights,
                         double share);

/// Kolmogorov and Smirnov's distance between weighted quantiles of a prior and that prior itself,
/// which is even in (0, 1).
double distance_to_prior(const std::vector<double>& quantiles, const std::vector<double>& weights);

/// Pearson's, weighted; 0 where one of the two does not vary.
double correlation(const std::vector<double>& a, const std::vector<double>& b,
                   const std::vector<double>& weights);

} // namespace alxsim::experiments
