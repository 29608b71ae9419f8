// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/explain/explanation.h"
#include "experiments/answers/explain/work.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Something that could be otherwise.
struct Change {
    std::string name;             ///< "links of twice the bandwidth"
    Settings set;                 ///< in a study
    Settings factors = {};        ///< the same relative to the preset, whose uncertainty stays
    bool machine_only = true;     ///< the job stays as it is
    bool is_told_by_runs = false; ///< workloads::Alternative
};

/// The values of a machine that matter to an epoch, each twice as good; and what the workload has
/// alternatives to. Values that this machine has as zero are left out.
std::vector<Change> changes_of(const RebuiltPoint& point);

/// A change that moves no epoch by this share, nor the sweet spot, changes nothing.
constexpr double least_influence = 1e-3;

/// What each change does to a curve, by the analytic model. There is no ratio where the changed job
/// does not fit, or is refused because the change does not go with the study's other choices.
/// `curve` has ascending core counts. Throws InputError.
WhatIfs what_ifs(const std::vector<RebuiltPoint>& curve);

/// The same of these changes alone.
WhatIfs what_ifs(const std::vector<RebuiltPoint>& curve, const std::vector<Change>& changes);

/// Adds to each change that has a ratio of the last point its band over the worlds of
/// drawn_seconds: 5, 50 and 95 %. Throws InputError.
void add_worlds(WhatIfs& what_ifs, const RebuiltPoint& last);

} // namespace alxsim::experiments
