// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "model/breakdown.h"
#include "model/program.h"
#include "topologies/machine.h"

#include <vector>

namespace alxsim::experiments {

/// What timing a job yields, whichever reader of the op graph did it.
struct Timing {
    model::Breakdown total;
    std::vector<Picoseconds> epoch_ends;
    Bytes link_bytes{0};         ///< on all ICI links, over the whole job
    double link_utilisation = 0; ///< busy share of all directed links
    Json counters = Json::object();
};

/// Every step through SystemC.
Timing simulate(model::StepSource& source, const topologies::Machine& machine);

/// The analytic model, step by step: their counts may differ.
Timing estimate_steps(model::StepSource& source, const topologies::Machine& machine);

/// The analytic model, one estimate for each run of equal steps.
Timing estimate_groups(const std::vector<model::StepGroup>& groups,
                       const topologies::Machine& machine);

} // namespace alxsim::experiments
