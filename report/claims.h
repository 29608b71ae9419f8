// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <optional>

namespace alxsim::report {

/// A median gain of at least this, up to the sweet spot, is called "nearly linear".
constexpr double nearly_linear_gain = 0.75;

/// The claim of the ALX authors, judged on one series (as make_series() returns it): time falls
/// nearly linearly up to a sweet spot, then flattens. It holds if the sweet spot lies inside (at no
/// edge), the median gain up to it is at least `nearly_linear_gain`, and every later gain is below
/// `enough_gain`. None unless the series is over core counts with at least three fitting points.
std::optional<Json> judge_linear_then_flat(const Json& series, const Json& points);

/// A claim of the study's own: {name, claim, series, where, value, is, than}.
/// `value` is a field of the series ("sweet_spot.cores") or of its points ("phases.solve"), or the
/// ratio of two ("communication_seconds/epoch_seconds"); `where` is {min_cores, max_cores}; `than`
/// is a number or {series, value, times}, a field of another series or of its point with as many
/// cores. It holds if it is true of every fitting point in `where`; with nothing to compare,
/// `holds` is null. Throws InputError where a series, a field or a comparison does not exist.
Json judge_hypothesis(const Json& hypothesis, const Json& all_series, const Json& points);

/// The study's own claims in their order, then linear-then-flat of each series.
Json judge_all(const Json& study, const Json& all_series, const Json& points);

} // namespace alxsim::report
