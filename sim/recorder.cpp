// SPDX-License-Identifier: Apache-2.0
#include "sim/recorder.h"

#include <algorithm>

namespace alxsim::sim {

Recorder::OpenEpoch& Recorder::open(int epoch)
{
    if (recent_ == nullptr || epoch != recent_epoch_) {
        recent_epoch_ = epoch;
        recent_ = &open_[epoch];
    }
    return *recent_;
}

ActivityRef Recorder::add(int epoch, model::Activity activity, ActivityRef cause)
{
    OpenEpoch& added_to = open(epoch);
    std::vector<model::Activity>& activities = added_to.activities;
    // What an earlier epoch let start began before this epoch does: the walk never gets there.
    activity.cause = cause.epoch == epoch ? cause.index : model::Activity::no_cause;
    activities.push_back(activity);
    added_to.finish = std::max(added_to.finish, activity.finish);
    ++activities_;
    return {epoch, static_cast<std::int64_t>(activities.size()) - 1};
}

ActivityRef Recorder::add_repetition(int epoch, model::Activity left_out, std::int64_t times,
                                     std::int64_t skip, ActivityRef since, ActivityRef cause)
{
    OpenEpoch& added_to = open(epoch);
    left_out.repetition = static_cast<std::int32_t>(added_to.repetitions.size());
    added_to.activities[static_cast<std::size_t>(since.index)].repetition = left_out.repetition;
    const ActivityRef added = add(epoch, left_out, cause);
    added_to.repetitions.push_back({added.index, times, skip});
    return added;
}

void Recorder::leave_epoch(int epoch, const std::vector<std::string>& phases)
{
    OpenEpoch& left = open(epoch);
    if (++left.devices_that_left < devices_) {
        return;
    }
    const Picoseconds from = closed_.empty() ? Picoseconds(0) : closed_.back().finish;
    EpochTiming timing;
    timing.finish = left.finish;
    timing.breakdown = model::critical_path(left.activities, phases, from, left.repetitions);
    closed_.push_back(std::move(timing));
    open_.erase(epoch);
    recent_ = nullptr;
}

} // namespace alxsim::sim
