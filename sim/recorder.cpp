// SPDX-License-Identifier: Apache-2.0
#include "sim/recorder.h"

#include <algorithm>

namespace alxsim::sim {

Recorder::OpenEpoch& Recorder::open(int epoch)
{
    const std::size_t index = static_cast<std::size_t>(epoch) - closed_.size();
    while (open_.size() <= index) {
        open_.push_back({{}, devices_});
    }
    return open_[index];
}

ActivityRef Recorder::add(int epoch, model::Activity activity, ActivityRef cause)
{
    std::vector<model::Activity>& activities = open(epoch).activities;
    // What an earlier epoch let start began before this epoch does: the walk never gets there.
    activity.cause = cause.epoch == epoch ? cause.index : model::Activity::no_cause;
    activities.push_back(activity);
    ++activities_;
    return {epoch, static_cast<std::int64_t>(activities.size()) - 1};
}

void Recorder::leave_epoch(int epoch, const std::vector<std::string>& phases)
{
    OpenEpoch& left = open(epoch);
    if (--left.devices_left > 0) {
        return;
    }
    const Picoseconds from = closed_.empty() ? Picoseconds(0) : closed_.back().finish;
    EpochTiming timing;
    for (const model::Activity& activity : left.activities) {
        timing.finish = std::max(timing.finish, activity.finish);
    }
    timing.breakdown = model::critical_path(left.activities, phases, from);
    closed_.push_back(std::move(timing));
    open_.pop_front();
}

} // namespace alxsim::sim
