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

/// Throws InputError, with the nearest right name, if there is none.
const Series& series_named(const std::string& name, const std::vector<Series>& all_series);

} // namespace alxsim::report
