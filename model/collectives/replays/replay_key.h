// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

#include <cstdint>
#include <vector>

namespace alxsim::model {

/// All that a replay reads of a schedule: equal keys, equal times. Trees from roots that look alike
/// have the same.
std::vector<std::int64_t> replay_key(const CollectiveSchedule& schedule);

} // namespace alxsim::model
