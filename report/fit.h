// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace alxsim::report {

/// Epoch time at a core count.
struct CoreTime {
    std::int64_t cores;
    double seconds;
};

/// T(N) = a_over_n/N + constant + log*log2(N) + per_core*N, seconds; none is ever negative.
struct Fit {
    double a_over_n = 0;
    double constant = 0;
    double per_core = 0;
    /// Absent: the curve does not call for one. It does where the term at least halves the variance
    /// that is left per spare point, and there are at least `points_for_log` points.
    std::optional<double> log;
    /// By relative errors: 1 - what is left/what is left of the best constant. 1 says nothing where
    /// `spare_points` is 0: the curve then passes through all points.
    double r2 = 1;
    double largest_residual = 0;  ///< |T(N)/seconds - 1| at the worst point
    std::size_t spare_points = 0; ///< points beyond the terms that are not zero

    double at(double cores) const;
    /// What of T(N) is left when a_over_n/N is taken off: the part that more cores do not shrink.
    double floor_at(double cores) const;
};

constexpr std::size_t points_for_fit = 3;
constexpr std::size_t points_for_log = 5;

/// Least squares of relative errors (a small time counts as much as a large one) with coefficients
/// that are never negative. None for fewer than `points_for_fit` points. The curve has distinct
/// core counts.
std::optional<Fit> fit_of(const std::vector<CoreTime>& curve);

/// The same terms for a part of the curve: `seconds` that it takes of each point. Errors are
/// relative to the whole point, as in the fit of the whole, so that the fits of parts which add up
/// to the curve add up to the curve's fit, unless a part would need a negative term. r2 is the
/// part's own; `largest_residual` is relative to the whole point. `whole` is fit_of(curve).
Fit fit_part(const std::vector<CoreTime>& curve, const std::vector<double>& seconds,
             const Fit& whole);

} // namespace alxsim::report
