// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/costs/breakdown.h"

namespace alxsim::sim {

/// When an interval (an epoch, a training step) was over on the last device, and its time by part.
struct EpochTiming {
    Picoseconds finish{0};
    model::Breakdown breakdown;
};

} // namespace alxsim::sim
