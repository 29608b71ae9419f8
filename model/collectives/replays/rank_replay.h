// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

namespace alxsim::model {

/// schedule_time() of groups that are lists of devices, packet by packet over the machine's routers
/// as the simulator has them, since their messages may share links.
Picoseconds rank_schedule_time(const CollectiveSchedule& schedule);

} // namespace alxsim::model
