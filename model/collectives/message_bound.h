// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <vector>

namespace alxsim::model {

/// No routing of these messages along the axes of `group`, within whose groups they stay, takes
/// less than the largest of: what a chip sends or takes in over its links; what crosses a cut of
/// its group (a line between two neighbours, a ring into halves) over the cut's links; all bytes
/// times their hops over all links; the longest way; and what a device sends to others of its chip
/// over their path. Links at their nominal rate, nothing broken.
/// Throws InputError for messages of devices that the machine has not.
Seconds message_bound(const std::vector<PairMessage>& messages, const CollectiveGroup& group,
                      const topologies::Machine& machine);

/// Throws InputError for a message from or to a device that the machine has not.
void check_devices(const std::vector<PairMessage>& messages, const topologies::Machine& machine);

} // namespace alxsim::model
