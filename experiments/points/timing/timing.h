// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"
#include "model/estimate.h"
#include "model/graph/program.h"
#include "report/point.h"
#include "sim/network_use.h"
#include "topologies/machine.h"

#include <optional>
#include <vector>

namespace alxsim::experiments {

class PointTrace; // trace/point_trace.h

/// What timing a job yields, whichever reader of the op graph did it.
struct Timing {
    model::Breakdown total;
    std::vector<Picoseconds> epoch_ends;
    Bytes link_bytes{0};                    ///< on all ICI links, over the whole job
    double link_utilisation = 0;            ///< busy share of all directed links
    std::optional<sim::NetworkUse> network; ///< of a simulation, over the whole job
    Named<std::int64_t> counters;
    std::vector<report::DeviceCounter> device_counters; ///< of a simulation
    std::optional<report::Confidence> confidence;       ///< of a sampled run
};

/// Every step through SystemC. `trace`: watches it; null: nobody does.
Timing simulate(model::StepSource& source, const topologies::Machine& machine,
                PointTrace* trace = nullptr);

/// The analytic model, step by step: their counts may differ.
Timing estimate_steps(model::StepSource& source, const topologies::Machine& machine);

/// The analytic model, one estimate for each run of equal steps.
Timing estimate_groups(const model::Program& groups, model::AnalyticModel& model);

/// Fills in the bytes on links and their utilisation, from `timing.total`.
void set_link_use(Timing& timing, Bytes link_bytes, const topologies::Machine& machine);

/// The links in a mean epoch. What only a simulation knows is left out of an estimate.
report::Ici ici_of(const Timing& timing, const topologies::Machine& machine);

/// Every distinct collective of an epoch's program and how it is run.
std::vector<report::CollectiveSchedule> schedules_of(const model::Program& epoch,
                                                     model::AnalyticModel& model);

} // namespace alxsim::experiments
