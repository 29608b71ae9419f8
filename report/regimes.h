// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/fit.h"
#include "report/point.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace alxsim::report {

/// The fit of a curve, and the same terms fitted to each phase.
struct CurveFit {
    Fit whole;
    Named<Fit> by_phase;
};

/// A run of consecutive points whose torus axes wrap alike. Messages take another way round a ring
/// than along a line, so one curve cannot be expected to hold for both.
struct Regime {
    std::vector<std::int64_t> cores; ///< of its points
    std::vector<bool> wrap;          ///< of each torus axis, whether its ends are joined
    std::optional<CurveFit> fit;     ///< none for too few points
};

/// The fit of points over core counts, with what each term is made of, phase by phase. `fitting` as
/// from fitting_points(). None for too few points.
std::optional<CurveFit> curve_fit_of(const std::vector<std::size_t>& fitting,
                                     const std::vector<Point>& points);

/// None where a point does not say how its axes wrap (a report of an earlier version).
std::vector<Regime> regimes_of(const std::vector<std::size_t>& fitting,
                               const std::vector<Point>& points);

} // namespace alxsim::report
