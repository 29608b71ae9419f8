// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <vector>

namespace alxsim::model {

/// For groups that are lists of devices and no boxes (on_network() in mesh.h): rings in the order
/// of the list, one way or both, and lines, as along an axis (ring_schedules.h,
/// spread_schedules.h). Where all are neighbours, they are as fast as an axis. Else a message to
/// the next goes the routers' way, and all groups at once: each has its share of the link on its
/// way that most of them pass, though they may not pass at one time. An all-to-all and a permute
/// (each to the next, the last to the first) are routed message by message. Throws InputError for
/// what a list cannot be asked for.
std::vector<CollectiveSchedule> rank_schedules(const Collective& collective,
                                               const topologies::Machine& machine);

/// See collective_bound(): what the busiest chip must take in or give out, over all its links; hops
/// between the members that are farthest apart (of a broadcast or reduce, from the root).
Seconds rank_bound(const Collective& collective, const topologies::Machine& machine);

} // namespace alxsim::model
