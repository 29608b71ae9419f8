// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/claims.h"

#include <vector>

namespace alxsim::report {

/// A median gain of at least this, up to the sweet spot, is called "nearly linear".
constexpr double nearly_linear_gain = 0.75;

/// The claim of a study's authors: true if the sweet spot lies inside (at no edge), the median gain
/// up to it is at least `nearly_linear_gain`, and every later gain is below `enough_gain`. A curve
/// whose every step gains enough is "not flat yet".
Judgement judge_linear_then_flat(const Hypothesis& hypothesis, const Series& series,
                                 const std::vector<Point>& points);

/// Whether a curve, fewest cores first, is what linear_then_flat claims; false for less than three
/// points.
bool is_linear_then_flat(const std::vector<CoreTime>& curve);

} // namespace alxsim::report
