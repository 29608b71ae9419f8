// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/critical_path.h"
#include "sim/epoch_timing.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::sim {

/// An activity of some epoch; what it points to lives until the epoch is closed.
struct ActivityRef {
    int epoch = 0;
    std::int64_t index = model::Activity::no_cause;
};

/// Keeps what every device did, epoch by epoch, and turns each finished epoch into its breakdown.
class Recorder {
public:
    explicit Recorder(int devices) : devices_(devices) {}

    /// Notes an activity of `epoch` that `cause` let start.
    ActivityRef add(int epoch, model::Activity activity, ActivityRef cause);
    /// Notes that a device leaves out `times` iterations like the one that began with `since` and
    /// ended with `cause`; `left_out` is all of them, with the same `skip` on all devices.
    ActivityRef add_repetition(int epoch, model::Activity left_out, std::int64_t times,
                               std::int64_t skip, ActivityRef since, ActivityRef cause);
    /// A device has finished its last step of `epoch`; the last one closes it.
    void leave_epoch(int epoch, const std::vector<std::string>& phases);

    const std::vector<EpochTiming>& epochs() const { return closed_; }
    std::int64_t activities() const { return activities_; }

private:
    struct OpenEpoch {
        std::vector<model::Activity> activities;
        std::vector<model::Repetition> repetitions;
        Picoseconds finish{0}; ///< of the last activity
        int devices_that_left = 0;
    };

    OpenEpoch& open(int epoch);

    int devices_;
    std::map<int, OpenEpoch> open_; ///< by epoch
    int recent_epoch_ = 0;          ///< the last one asked for, to find it without a search
    OpenEpoch* recent_ = nullptr;
    std::vector<EpochTiming> closed_;
    std::int64_t activities_ = 0;
};

} // namespace alxsim::sim
