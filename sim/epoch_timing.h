// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/costs/breakdown.h"

namespace alxsim::sim {

/// When an epoch was over on the last device, and where its time went.
struct EpochTiming {
    Picoseconds finish{0};
    model::Breakdown breakdown;
};

} // namespace alxsim::sim
