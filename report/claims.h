// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "report/fit.h"

#include <vector>

namespace alxsim::report {

/// A median gain of at least this, up to the sweet spot, is called "nearly linear".
constexpr double nearly_linear_gain = 0.75;

/// A claim that is true in this share of the draws is held.
constexpr double settled_share = 0.95;

/// What a study's hypothesis says in place of value, is and than.
constexpr const char* linear_then_flat = "linear_then_flat";

/// A claim of the study's own: {name, claim, series, where, value, is, than}.
/// `value` is a field of the series ("sweet_spot.cores") or of its points ("phases.solve"), or the
/// ratio of two ("communication_seconds/epoch_seconds"); `where` is {min_cores, max_cores}; `than`
/// is a number or {series, value, times}, a field of another series or of its point with as many
/// cores. It is true where it is true of every fitting point in `where`.
///
/// Or {name, claim: "linear_then_flat", series}, the claim of the ALX authors: time falls nearly
/// linearly up to a sweet spot, then flattens. It is true if the sweet spot lies inside (at no
/// edge), the median gain up to it is at least `nearly_linear_gain`, and every later gain is below
/// `enough_gain`. A curve whose every step gains enough is "not flat yet".
///
/// The result is {name, claim, series, verdict, holds, share, draws, figures}. Where the points
/// have draws, `share` is the share of draws in which the claim is true: "held" from settled_share
/// on, "refuted" where the opposite is as sure, "not flat yet" in at least half, else "undecided".
/// Without draws the verdict is that of the central values. With no point, "nothing to judge".
/// `holds` is true, false, and null for the others. Throws InputError where a series, a field or a
/// comparison does not exist.
Json judge_hypothesis(const Json& hypothesis, const Json& all_series, const Json& points);

/// Whether a curve, fewest cores first, is what linear_then_flat claims; false for less than three
/// points.
bool is_linear_then_flat(const std::vector<CoreTime>& curve);

/// All claims of the study, in their order.
Json judge_all(const Json& study, const Json& all_series, const Json& points);

} // namespace alxsim::report
