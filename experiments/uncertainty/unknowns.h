// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/alx_workload.h"
#include "model/breakdown.h"
#include "model/uncertainty.h"

#include <functional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Batches of a job whose geometry nobody gives.
struct DrawnBatches {
    double row_ids = 0;      ///< slots of a batch of the row half
    double column_ratio = 1; ///< those of a batch of the column half over these
    double line_length = 16;
    double lines_used = 0.95; ///< share of the lines
};

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
    BatchChoices batch_choices;
    double hbm_clock = 1;     ///< what the memory's clock is multiplied with
    Bytes edge_interleave{0}; ///< see topologies::HbmSpec; 0: the preset's
    /// Ids that a host reads and lays out a second; 0: as fast as PCIe takes them.
    double host_ids_per_second = 0;
    std::optional<DrawnBatches> batches; ///< of the halves whose geometry is not given
};

WhatIf what_if_of(const AlxWorkload& workload, const topologies::Machine& machine);

/// The machine with the job's values. Throws InputError for values that no machine has.
topologies::Machine machine_of(const WhatIf& job);

/// One epoch. Throws InputError for values that no machine has.
model::Breakdown estimate(const WhatIf& job);

/// The same, if it fits into memory.
struct DrawnEstimate {
    bool fits = false;
    model::Breakdown epoch;
};
DrawnEstimate estimate_with_memory(const WhatIf& job);

/// What an unknown belongs to: a machine and the code are the same for all that ran on them, a run
/// has its own data, batches and hosts.
enum class UnknownOf { machine, code, run };

/// Something that a result rests on and nobody knows exactly.
struct Unknown {
    std::string name;           ///< a preset's key, or words
    Json low, central, high;    ///< for people
    std::string unit;           ///< of these
    model::UnknownNumber range; ///< what `set` takes
    UnknownOf of = UnknownOf::machine;
    std::function<void(WhatIf&, double)> set;
    /// Of one that is either `range.low` or `range.high`: how likely the latter is.
    double likely_high = 0;

    /// The value below which a share `quantile` of our belief lies.
    double at(double quantile) const
    {
        return likely_high == 0             ? model::value_at(range, quantile)
               : quantile > 1 - likely_high ? range.high
                                            : range.low;
    }
};

/// What the epoch time of a job rests on: every value of the preset that has a band (but not one
/// that the study overrides), whether axes that do not wrap here wrap after all, what the released
/// code's compilation left of it (copies, passes, fusions), batches where the study does not give
/// them, CG iterations and the longest row where no numbers are computed. Timing of the DRAM banks
/// is left at its central values, but for the interleave of channels: a draw would cost as much as
/// a simulation.
std::vector<Unknown> unknowns_of(const WhatIf& job);

} // namespace alxsim::experiments
