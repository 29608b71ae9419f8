// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/hbm/dram_channel.h"

namespace alxsim::model {

/// The clock of HBM channels in simulated time: whole picoseconds, without drift, as every edge is
/// worked out from its number.
class DramTime {
public:
    explicit DramTime(double clock_hz) : period_(1e12 / clock_hz) {}

    Picoseconds rising(DramClock clock) const
    {
        return Picoseconds(rounded_up(static_cast<double>(clock) * period_));
    }
    /// The first clock whose rising edge is not before `time`.
    DramClock from(Picoseconds time) const
    {
        auto clock = static_cast<DramClock>(static_cast<double>(time.count()) / period_);
        while (clock > 0 && rising(clock - 1) >= time) {
            --clock;
        }
        while (rising(clock) < time) {
            ++clock;
        }
        return clock;
    }

private:
    double period_; ///< picoseconds
};

} // namespace alxsim::model
