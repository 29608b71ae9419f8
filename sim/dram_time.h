// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/hbm/dram_channel.h"

#include <cmath>

namespace alxsim::sim {

/// The clock of HBM channels in simulated time: whole picoseconds, without drift, as every edge is
/// worked out from its number. Requests pass at rising edges, commands issue at falling ones, so
/// that all of a clock's requests are there before any of its commands.
class DramTime {
public:
    explicit DramTime(double clock_hz)
        : period_(1e12 / clock_hz),
          half_(static_cast<std::int64_t>(period_ / 2))
    {
    }

    Picoseconds rising(model::DramClock clock) const
    {
        return Picoseconds(rounded_up(static_cast<double>(clock) * period_));
    }
    Picoseconds falling(model::DramClock clock) const { return rising(clock) + half_; }
    /// The first clock whose rising edge is not before `time`.
    model::DramClock from(Picoseconds time) const
    {
        auto clock = static_cast<model::DramClock>(static_cast<double>(time.count()) / period_);
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
    Picoseconds half_;
};

} // namespace alxsim::sim
