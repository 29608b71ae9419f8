// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "topologies/machine.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace alxsim::model {

struct BufferPlacement;

/// What a device needs in HBM, and below it, at the worst moment of a job, against what it has.
struct MemoryFit {
    Bytes needed{0};
    Bytes capacity{0};                  ///< what a program may use
    std::map<std::string, Bytes> parts; ///< tables, gather, statistics, ... at that moment
    std::optional<Bytes> allocated; ///< by the compiler, packing included: it decides, not `needed`
    Bytes host_needed{0};           ///< in host memory, by a device
    Bytes host_capacity{0};         ///< its share of that; 0: not known
    Bytes storage_needed{0};        ///< on its host's drives, by a device
    Bytes storage_capacity{0};      ///< its share of that; 0: not known

    bool fits_hbm() const { return deciding() <= capacity; }
    bool fits_host() const { return host_capacity == Bytes(0) || host_needed <= host_capacity; }
    bool fits_storage() const
    {
        return storage_capacity == Bytes(0) || storage_needed <= storage_capacity;
    }
    bool fits() const { return fits_hbm() && fits_host() && fits_storage(); }
    Bytes deciding() const { return allocated.value_or(needed); }
    /// Within 0.5 % of the capacity, on either side: closer than the count of what stands there is.
    bool at_edge() const;
    /// The largest part: what to make smaller if the job does not fit; or host memory or storage,
    /// if that is what it does not fit in.
    std::string largest_part() const;
};

/// Buffers of equal names in several steps are the same; the steps run one after another. The
/// capacity is that of the device that faults leave least.
MemoryFit memory_fit(const Program& program, const topologies::Machine& machine);

/// Where the buffers of a graph stand.
using PlacementOf = std::function<const BufferPlacement&(const std::shared_ptr<const OpGraph>&)>;

/// The same without its parts, with placements on `machine` that are known already.
MemoryFit memory_sums(const Program& program, const topologies::Machine& machine,
                      const PlacementOf& placement_of);

} // namespace alxsim::model
