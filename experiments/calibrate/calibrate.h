// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/calibrate/points.h"
#include "experiments/study.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Fits the values of the study's chip named `keys` (none: all that are assumed and have a band) to
/// measured points, each within its low and high: least squares over log(estimated/measured) of
/// epochs and phases; an upper bound counts where it is exceeded. Yields
///     chip, points: [name],
///     values: [{key, unit, value, central, low, high, at: "low" | "inside" | "high"}],
///     figures: [{point, phase, measured, at_most, estimated, error, left_out_error}],
///     rms_error: of what was measured,
///     without_influence: [key], around its fitted value,
///     not_told_apart: [{effect, values: [{key, exponent}]}].
/// `left_out_error` is what a fit to the other points predicts, null where too few are left.
/// Throws InputError: an unknown key, more values than measured figures (naming the values with
/// most influence), a measured point that is wrong.
Json calibrate(const Study& study, const std::string& measured,
               const std::vector<std::string>& keys);

/// The preset `chip` (name or path) with the fitted values of `calibration`: kind `calibrated`, the
/// points and the old value in their sources. Obeys topologies/schema/preset.schema.json.
Json calibrated_preset(const std::string& chip, const Json& calibration);

/// The calibration as text.
std::string calibration_text(const Json& calibration);

} // namespace alxsim::experiments
