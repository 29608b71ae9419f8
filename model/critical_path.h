// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/breakdown.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::model {

/// One thing that a device did, and what it had waited for. `[start, finish]` is split from its
/// beginning into launch overhead (host), fill of the first tile (HBM), and the body.
struct Activity {
    static constexpr std::int64_t no_cause = -1;

    Picoseconds start{0}; ///< of a collective: when its last member arrived
    Picoseconds finish{0};
    Picoseconds launch{0};
    Picoseconds fill{0};
    std::int64_t cause = no_cause; ///< the earlier activity whose finish let this one start
    std::int32_t device = 0;
    std::int32_t op = 0; ///< program order, for ties
    /// The repetition that it stands for, or whose recorded iteration it begins; or -1.
    std::int32_t repetition = -1;
    std::int16_t phase = 0; ///< index into the phase names
    Share body = Share::compute;
};

/// Iterations of a periodic loop that nobody recorded, on one device. Its activity starts where the
/// last recorded iteration ended, which is its cause, and lasts for all of them. They were all like
/// the recorded one, which is where the path leaves a device at an activity that has the same skip.
struct Repetition {
    std::int64_t activity = 0;
    std::int64_t times = 0;
    std::int64_t skip = 0; ///< the same on all devices that left out the same iterations
};

/// Walks from the activity that finishes last (ties: lowest device, then op) back through the
/// causes to `from`, and gives every picosecond of [from, last finish] its phase and share; time
/// that no activity on the path explains is idle. A member that waited for a late peer is followed
/// to that peer, because a collective's `start` and `cause` are those of its last arrival. Through
/// `repetitions` the path is the one that it would be if they had been recorded.
Breakdown critical_path(const std::vector<Activity>& activities,
                        const std::vector<std::string>& phases, Picoseconds from,
                        const std::vector<Repetition>& repetitions = {});

} // namespace alxsim::model
