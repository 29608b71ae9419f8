// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/graph/buffer_placement.h"
#include "model/graph/op_graph.h"
#include "model/hbm/hbm_rates.h"

#include <memory>

namespace alxsim::model {

/// What a collective moves in the HBM of a device, spread over its time on the network.
struct CollectiveTraffic {
    HbmAccess access;
    HbmCost cost; ///< `alone` is what the collective takes, or longer
    /// Whether the collective is over no sooner than they have moved. Not where devices are done at
    /// different times, each with messages of its own.
    bool holds = true;
};

/// How long a collective takes that nothing disturbs, and how its devices go through it.
struct CollectivePace {
    Picoseconds time{0};
    bool synchronous = false; ///< the device does nothing else meanwhile
    bool together = true;     ///< all are done at once
};

/// Devices of a permute, of messages and of what has a root have each their own to do.
inline bool done_together(const Collective& collective)
{
    return !collective.messages && !has_root(collective.kind) &&
           collective.kind != CollectiveKind::permute;
}

/// Whether all that is named stands in VMEM.
bool in_vmem(const std::vector<BufferUse>& uses, const BufferPlacement& placement);

/// Bytes that a device of a group of n reads and writes in its HBM, of V as in Collective and R = V
/// (n-1)/n:
///   all-gather               writes R: what it receives; its own shard is there
///   reduce-scatter           reads 2R, writes R: both summands and the sum
///   all-reduce               reads 2R, writes 2R: a reduce-scatter and an all-gather; so do those
///                            that run as one
///   all-to-all               reads R, writes R
///   permute, messages        reads what it sends, writes what it receives, of the device with most
///   broadcast; reduce        writes V; reads 2V, writes V
/// What a chip passes on goes from link to link. Buffers that the op names and that stand in VMEM
/// are left out.
HbmAccess collective_access(const Op& op, const Collective& collective,
                            const CollectiveSchedule& schedule, const BufferPlacement& placement);

/// Null where nobody can feel it: no bytes, or a synchronous collective that takes longer than they
/// do.
std::shared_ptr<const CollectiveTraffic> traffic_of(const HbmAccess& access,
                                                    const CollectivePace& pace,
                                                    const topologies::Machine& machine,
                                                    StreamRates& streams);

} // namespace alxsim::model
