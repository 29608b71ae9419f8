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
/// 1, 2, 4,
/// ... 64 with chunks of a packet at least. The chunks take the axes in one order, or take turns
/// with its rotations, which spares links farther on. All V bytes go over every link of the root,
/// whatever the order: with large arrays on two axes and more an all-reduce, which divides them,
/// may be quicker. Not for a twisted torus, whose axes have no ends.
std::vector<CollectiveSchedule> spreading_schedules(const Collective& collective,
                                                    const CollectiveGroup& group);

} // namespace alxsim::model
