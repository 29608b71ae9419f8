// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

namespace alxsim::model {

/// schedule_time() of messages that go by themselves, packet by packet over `messages_over`: a
/// device's messages queue at its links, and routers hold each other up, of which the closed form
/// knows nothing.
Picoseconds message_schedule_time(const CollectiveSchedule& schedule);

} // namespace alxsim::model
