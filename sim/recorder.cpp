// SPDX-License-Identifier: Apache-2.0
#include "sim/recorder.h"

#include <algorithm>

namespace alxsim::sim {

ActivityRef Recorder::add(int epoch, model::Activity activity, ActivityRef cause)
{
    std::vector<model::Activity>& activities = open_[epoch].activities;
    // What an earlier epoch let start began before this epoch does: the walk never gets there.
    activity.cause = cause.epoch == epoch ? cause.index : model::Activity::no_cause;
    activities.push_back(activity);
    ++activities_;
    return {epoch, static_cast<std::int64_t>(activities.size()) - 1};
}

void Recorder::leave_epoch(int epoch, const std::vector<std::string>& phases)
{
    OpenEpoch& left = open_[epoch];
    if (++left.devices_that_left < devices_) {
        return;
    }
    const Picoseconds from = closed_.empty() ? Picoseconds(0) : closed_.back().finish;
    EpochTiming timing;
    for (const model::Activity& activity : left.activities) {
        timing.finish = std::max(timing.finish, activity.finish);
    }
    timing.breakdown = model::critical_path(left.activities, phases, from);
    closed_.push_back(std::move(timing));
    open_.erase(epoch);
}

} // namespace alxsim::sim
