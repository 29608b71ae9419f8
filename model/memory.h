// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/program.h"
#include "topologies/machine.h"

#include <map>
#include <string>

namespace alxsim::model {

/// What a device needs in HBM at the worst moment of a job, against what it has.
struct MemoryFit {
    Bytes needed{0};
    Bytes capacity{0};
    std::map<std::string, Bytes> parts; ///< tables, gather, statistics, ... at that moment

    bool fits() const { return needed <= capacity; }
    /// The largest part: what to make smaller if the job does not fit.
    std::string largest_part() const;
};

/// Buffers of equal names in several steps are the same; the steps run one after another. The
/// capacity is that of the device that faults leave least.
MemoryFit memory_fit(const Program& program, const topologies::Machine& machine);

} // namespace alxsim::model
