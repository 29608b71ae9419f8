// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "report/point.h"
#include "topologies/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What a device moves below its HBM in an interval of `seconds`, batches of input aside.
struct PathUses {
    std::vector<report::PathUse> paths; ///< in the order in which the program first takes them
    std::optional<report::HostMemoryUse> host_memory; ///< where there are any
};

PathUses path_uses(const model::Program& interval, double seconds,
                   const topologies::Machine& machine);

/// Says that the host's memory would take longer than the interval; nothing where it does not.
std::optional<std::string> host_memory_note(const report::Result& result);

} // namespace alxsim::experiments
