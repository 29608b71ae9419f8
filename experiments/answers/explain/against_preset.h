// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/explain/explanation.h"
#include "experiments/points/study/study.h"
#include "report/point.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace alxsim::experiments {

/// A series that sweeps values of a preset.
struct PresetSweep {
    std::size_t point = 0;             ///< with the preset's own values; of several the fastest
    std::vector<AgainstPreset> others; ///< in the order of the series
};

/// Finds, among points with times, the one that has what the preset has, and what the others take
/// against it, or against the one that has the preset's values and else agrees with them. Nothing
/// where the sweep changes no preset, or has no such point. `specs`: the study's points, empty
/// where it is not there; only with them is a value known to be the preset's.
std::optional<PresetSweep> against_preset(const std::vector<std::size_t>& fitting,
                                          const std::vector<report::Point>& points,
                                          const std::vector<PointSpec>& specs);

/// Says how long the others take.
void tell(Document& document, const std::vector<AgainstPreset>& others);

} // namespace alxsim::experiments
