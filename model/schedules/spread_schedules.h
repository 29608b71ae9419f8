// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <vector>

namespace alxsim::model {

/// For a broadcast: the root sends to all others along one axis after the other, each passing on
/// what it has got. For a reduce its mirror in time: along the same axes in reverse, each passing
/// on the sum of its own and of what it has got. In C chunks, which follow each other like the
/// stages of a pipeline: with V bytes, bandwidth w, hop latency L and the sum H of the hops from
/// the root to the farthest member along each axis it takes H (L + V/(C w)) + (C-1) V/(C w). C is
/// 1, 2, 4, ... 64, up to 512 where H is long, with chunks of a packet at least. The chunks take
/// the axes in one order, or take turns with its rotations, which spares links farther on. On rings
/// each chunk goes both ways, to whom that way is the nearest, or all round, every other chunk the
/// other way: V/2 on each link of the root and twice the hops. Not for a twisted torus, whose axes
/// have no ends.
std::vector<CollectiveSchedule> spreading_schedules(const Collective& collective,
                                                    const CollectiveGroup& group);

/// The quickest of these by closed_form_time(), of equally quick ones the first; no other is built.
CollectiveSchedule quickest_spreading_schedule(const Collective& collective,
                                               const CollectiveGroup& group);

} // namespace alxsim::model
