// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "topologies/machine.h"

#include <map>
#include <string>

namespace alxsim::experiments {

/// What a device's time at its memory goes to in an interval, by the closed forms of its ops. A
/// gather or scatter whose rows take longer to issue than their bytes to move waits for no
/// bandwidth.
struct MemoryTime {
    std::map<std::string, double> issue; ///< preset value -> seconds in which rows are issued by it
    double bytes = 0;                    ///< seconds in which bytes are moved

    double issue_seconds() const;
    /// Returns the share of both; 0 where no rows are issued.
    double issue_share() const;
};

/// Counts ops of all devices alike with the first one's rounds. Of an interval that issues no rows,
/// nothing.
MemoryTime memory_time(const model::Program& interval, const topologies::Machine& machine);

} // namespace alxsim::experiments
