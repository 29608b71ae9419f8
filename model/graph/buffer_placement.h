// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "topologies/machine.h"

#include <map>
#include <string>
#include <vector>

namespace alxsim::model {

/// Bytes of buffers by their names' part before the first '.'.
std::map<std::string, Bytes> parts_of(const std::vector<Buffer>& buffers);

/// In which tier of memory each buffer of a graph stands, and what the graph needs of them.
struct BufferPlacement {
    NameSet in_vmem;
    NameSet in_host;
    NameSet in_storage;
    Bytes vmem_peak{0};
    Bytes hbm_peak{0};               ///< at the op where most is alive
    Bytes host_peak{0};              ///< all that stands in host memory
    Bytes storage_peak{0};           ///< all that stands in storage
    std::vector<Buffer> hbm_at_peak; ///< what stands in HBM at that op

    std::map<std::string, Bytes> hbm_parts() const { return parts_of(hbm_at_peak); }
    bool vmem(Name buffer) const { return in_vmem.count(buffer) != 0; }
    topologies::Tier tier_of(Name buffer) const
    {
        return vmem(buffer)                    ? topologies::Tier::vmem
               : in_host.count(buffer) != 0    ? topologies::Tier::host
               : in_storage.count(buffer) != 0 ? topologies::Tier::storage
                                               : topologies::Tier::hbm;
    }
};

/// VMEM left for buffers: all of it but two double-buffered operand tiles for what streams from
/// HBM.
Bytes usable_vmem(const topologies::DeviceSpec& device);

/// Decides once, for model, simulator and memory fit. Buffers stand where they are declared to. Of
/// the others, only what the graph both writes and reads may stay in VMEM: what is read but never
/// written comes from outside the step, what is written but never read leaves it, and both stand in
/// HBM. Buffers with the most uses go first, then the smaller ones, each if it fits beside what is
/// alive at the same time; a repeat keeps alive whatever its body uses, but for what is used in its
/// body alone and `hbm_in_use`, or `vmem` and written first: that comes and goes in each iteration.
/// What does not fit stands in HBM where it holds what is read later: from a write of all of it to
/// the last use before the next one, in the body of a repeat, too.
/// Throws InputError if those declared to stay in VMEM do not fit there.
BufferPlacement place(const OpGraph& graph, Bytes vmem);
/// On a device: in what its VMEM leaves for buffers, and only those declared to stay there where
/// its compiler keeps no others between ops.
BufferPlacement place(const OpGraph& graph, const topologies::DeviceSpec& device);
/// The same in place of what `placement` was, whose memory it takes over.
void place(const OpGraph& graph, const topologies::DeviceSpec& device, BufferPlacement& placement);

} // namespace alxsim::model
