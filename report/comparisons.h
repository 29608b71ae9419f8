// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/claims.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// A claim that compares a figure of a series, or of its points, with a number or another series.
/// Throws InputError where a series, a field or a comparison does not exist.
Judgement judge_comparisons(const Hypothesis& hypothesis, const std::vector<Series>& all_series,
                            const std::vector<Point>& points);

/// What was found where the claim fails first, or at its last point, and what was claimed:
/// "waiting_seconds/epoch_seconds is 0.080% at 64 cores; claimed > 10%". "" of what compares none.
std::string measured_in_words(const Judgement& judgement, const Hypothesis& hypothesis);

/// Throws InputError, with the nearest right name, if there is none.
const Series& series_named(const std::string& name, const std::vector<Series>& all_series);

} // namespace alxsim::report
