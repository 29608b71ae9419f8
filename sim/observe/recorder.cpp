// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/recorder.h"

#include <algorithm>

namespace alxsim::sim {

Recorder::OpenEpoch& Recorder::open(int epoch)
{
    if (epoch != recent_epoch_) {
        recent_epoch_ = epoch;
        recent_ = &open_[epoch];
    }
    return *recent_;
}

void Recorder::keep(OpenEpoch& in, int epoch, const model::Activity& activity, ActivityRef cause)
{
    in.activities.push_back(activity);
    // What an earlier epoch let start began before this epoch does: the walk never gets there.
    in.activities.back().cause = cause.epoch == epoch ? cause.index : model::Activity::no_cause;
    in.finish = std::max(in.finish, activity.finish);
}

void Recorder::finished(const FinishedActivity& activity)
{
    const int epoch = activity.self.epoch;
    keep(open(epoch), epoch, activity.activity, activity.cause);
}

void Recorder::repeated(const RepeatedPart& part)
{
    OpenEpoch& kept = open(part.self.epoch);
    model::Activity left_out;
    left_out.start = part.run.start;
    left_out.finish = part.finish;
    left_out.device = part.run.device;
    left_out.repetition = static_cast<std::int32_t>(kept.repetitions.size());
    kept.activities[static_cast<std::size_t>(part.since.index)].repetition = left_out.repetition;
    kept.repetitions.push_back({part.self.index, part.rounds, part.skip});
    keep(kept, part.self.epoch, left_out, part.cause);
}

void Recorder::epoch_closed(const ClosedEpoch& epoch)
{
    const OpenEpoch& kept = open(epoch.epoch);
    const Picoseconds from = closed_.empty() ? Picoseconds(0) : closed_.back().finish;
    EpochTiming timing;
    timing.finish = kept.finish;
    timing.breakdown = model::critical_path(kept.activities, epoch.phases, from, kept.repetitions);
    closed_.push_back(std::move(timing));
    activities_ += static_cast<std::int64_t>(kept.activities.size());
    open_.erase(epoch.epoch);
    recent_epoch_ = 0;
}

void Recorder::declare_statistics(Statistics& statistics) const
{
    statistics.declare("activities", "Activities of devices from which critical paths were found.",
                       activities_);
}

} // namespace alxsim::sim
