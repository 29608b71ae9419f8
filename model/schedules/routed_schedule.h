// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <vector>

namespace alxsim::model {

/// Every message by itself over the routers, all at once: those of the collective, of a permute of
/// ranks one from each to the next, or of an equal all-to-all one from each device to each other of
/// its group, where everybody goes round the others, beginning somewhere else. A message to oneself
/// is left out. Throws InputError for messages that the group does not allow, and for an equal
/// all-to-all of more than 2^20 of them (1024 devices).
CollectiveSchedule routed_schedule(const Collective& collective, const CollectiveGroup& group,
                                   const topologies::Machine& machine);

} // namespace alxsim::model
