// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/op_graph.h"
#include "topologies/machine.h"

#include <map>
#include <string>
#include <vector>

namespace alxsim::model {

/// Which buffers of a graph stay in VMEM, and what the graph needs in HBM.
struct Placement {
    NameSet in_vmem;
    Bytes vmem_peak{0};
    Bytes hbm_peak{0};                  ///< at the op where most is alive
    std::vector<BufferUse> hbm_at_peak; ///< what stands in HBM at that op

    bool vmem(Name buffer) const { return in_vmem.count(buffer) != 0; }
    /// What stands there, by the buffer name's part before the first '.'.
    std::map<std::string, Bytes> hbm_parts() const;
};

/// VMEM left for buffers: all of it but two double-buffered operand tiles for what streams from
/// HBM.
Bytes usable_vmem(const topologies::DeviceSpec& device);

/// Decides once, for model, simulator and memory fit. Only what the graph both writes and reads may
/// stay in VMEM (the rest comes from or goes to HBM), and nothing named "tables." or held. Buffers
/// with the most uses go first, then the smaller ones, each if it fits beside what is alive at the
/// same time; a repeat keeps alive whatever its body uses.
Placement place(const OpGraph& graph, Bytes vmem);

} // namespace alxsim::model
