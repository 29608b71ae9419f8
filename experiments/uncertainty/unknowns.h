// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/alx_workload.h"
#include "model/breakdown.h"
#include "model/uncertainty.h"

#include <functional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A timed job whose unknowns can be set to other values and that is then estimated again by the
/// analytic model.
struct WhatIf {
    topologies::Preset preset;
    topologies::Slice slice;
    topologies::FaultPlan faults;
    alx::AlxConfig config;
    alx::DeviceMesh mesh;
    std::optional<alx::WorkloadShape> shape; ///< absent: the batches below are those of real links
    alx::SideBatches row_batches, column_batches;
    double hbm_clock = 1; ///< what the memory's clock is multiplied with
};

WhatIf what_if_of(const AlxWorkload& workload, const topologies::Machine& machine);

/// One epoch. Throws InputError for values that no machine has.
model::Breakdown estimate(const WhatIf& job);

/// Something that a result rests on and nobody knows exactly.
struct Unknown {
    std::string name;           ///< a preset's key, or words
    Json low, central, high;    ///< for people
    std::string unit;           ///< of these
    model::UnknownNumber range; ///< what `set` takes
    std::function<void(WhatIf&, double)> set;
};

/// What the epoch time of a job rests on: every value of the preset that has a band (but not one
/// that the study overrides), whether axes that do not wrap here wrap after all, batch geometry
/// where it is automatic, CG iterations and the longest row where no numbers are computed. Timing
/// of the DRAM banks is left at its central values: a draw would cost as much as a simulation.
std::vector<Unknown> unknowns_of(const WhatIf& job, bool automatic_batch);

} // namespace alxsim::experiments
