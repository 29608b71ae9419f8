// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/schedules/ring_schedules.h"

#include <optional>
#include <vector>

namespace alxsim::model {

/// Groups of several axes whose devices follow each other on one ring of neighbours.
struct OneRing {
    CollectiveGroup group; ///< of one axis, the ring; on_one_ring() sets its rate
    std::vector<NetworkAxis> network;
    std::shared_ptr<const RankGroups> ranks;
};

/// One device a chip: a closed walk through all chips of a box of links, which there is where a
/// side is even. Two: along the first ones of all chips, and back along the second ones, which
/// needs no way back over links ("folded", as the TPU compiler lays rings on v3). With `directions`
/// 2 each link of a folded ring carries two streams one way. Nothing for other groups.
std::optional<OneRing> one_ring(const Collective& collective, const CollectiveGroup& group,
                                const topologies::Machine& machine, int directions);

/// A schedule on `ring`: a part of the payload for each of `orders`, all of them along its axis.
CollectiveSchedule on_one_ring(const Collective& collective, const OneRing& ring,
                               const std::vector<RingOrder>& orders);

/// Sets the colours of such a schedule, and the rate that they see, for the bytes of `collective`
/// and the rates of the ring's network, in place of those for others.
void set_one_ring_colours(const Collective& collective, const OneRing& ring,
                          const std::vector<RingOrder>& orders, CollectiveSchedule& schedule);

/// For all-gather, reduce-scatter and all-reduce: all devices on one ring, used both ways, or by
/// a colour each way.
std::vector<CollectiveSchedule> one_ring_schedules(const Collective& collective,
                                                   const CollectiveGroup& group,
                                                   const topologies::Machine& machine);

/// The ring with the rates of a network's axes, of which the slowest counts. Where `sharing`
/// streams are on a link, one sends while the others' messages are on their way: a step with
/// messages of `shard` takes max(L + shard/w, sharing x shard/w), and so the rate is such that it
/// does.
NetworkAxis ring_axis(NetworkAxis ring, const std::vector<int>& along,
                      const std::vector<NetworkAxis>& network, Bytes shard);

} // namespace alxsim::model
