// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/recorder.h"

#include <algorithm>
#include <utility>

namespace alxsim::sim {

Recorder::Recorder(std::function<void()> much_is_kept, int devices)
    : much_is_kept_(std::move(much_is_kept)),
      much_(std::max(much, much_of_device * devices))
{
}

Recorder::OpenEpoch& Recorder::open(int epoch)
{
    if (epoch != recent_epoch_) {
        recent_epoch_ = epoch;
        recent_ = &open_[epoch];
        recent_->most = std::max(recent_->most, much_);
    }
    return *recent_;
}

void Recorder::keep(OpenEpoch& in, int epoch, const model::Activity& activity, ActivityRef cause)
{
    model::Activity kept = activity;
    // What an earlier epoch let start began before this epoch does: the walk never gets there.
    kept.cause = cause.epoch == epoch ? cause.index : model::Activity::no_cause;
    in.path.add(kept);
    most_kept_ = std::max(most_kept_, in.path.kept());
    if (in.path.kept() == in.most) {
        much_is_kept_();
    }
}

void Recorder::finished(const FinishedActivity& activity)
{
    const int epoch = activity.self.epoch;
    OpenEpoch& in = open(epoch);
    if (activity.run.op == nullptr) {
        in.steps[activity.run.step].dispatches.push_back(activity.self.index);
    }
    keep(in, epoch, activity.activity, activity.cause);
}

void Recorder::repeated(const RepeatedPart& part)
{
    OpenEpoch& in = open(part.self.epoch);
    model::Activity left_out;
    left_out.start = part.run.start;
    left_out.finish = part.finish;
    left_out.device = part.run.device;
    if (part.run.op != nullptr) {
        keep(in, part.self.epoch, left_out, part.cause);
        in.path.repeats(part.since.index, part.rounds, part.skip);
        return;
    }
    left_out.repetition = model::Activity::whole_steps;
    keep(in, part.self.epoch, left_out, part.cause);
    OpenStep& step = in.steps[part.run.step];
    step.left_out = part.iterations;
    step.rounds = part.rounds;
}

void Recorder::step_closed(const ClosedStep& step)
{
    OpenEpoch& in = open(step.epoch);
    const auto closed = in.steps.find(step.step);
    in.path.fold(closed->second.dispatches, from());
    if (closed->second.left_out > 0) {
        in.path.repeat_folds(closed->second.left_out / closed->second.rounds,
                             closed->second.rounds);
    }
    in.steps.erase(closed);
}

void Recorder::forget_all_but(const std::vector<ActivityRef>& live)
{
    for (auto& [epoch, in] : open_) {
        if (in.path.kept() < in.most) {
            continue;
        }
        std::vector<std::int64_t> numbers;
        for (const ActivityRef& ref : live) {
            if (ref.epoch == epoch) {
                numbers.push_back(ref.index);
            }
        }
        for (const auto& [number, step] : in.steps) {
            numbers.insert(numbers.end(), step.dispatches.begin(), step.dispatches.end());
        }
        in.path.forget_all_but(numbers);
        in.most = std::max(much_, 2 * in.path.kept());
    }
}

void Recorder::epoch_closed(const ClosedEpoch& epoch)
{
    const OpenEpoch& in = open(epoch.epoch);
    model::Breakdown breakdown = in.path.breakdown(epoch.phases, from());
    breakdown.set_use(epoch.use, epoch.phases.axes().names());
    closed_.push_back({in.path.finish(), std::move(breakdown)});
    activities_ += in.path.added();
    open_.erase(epoch.epoch);
    recent_epoch_ = 0;
}

void Recorder::declare_statistics(Statistics& statistics) const
{
    statistics.declare("activities", "Activities of devices from which critical paths were found.",
                       activities_);
    statistics.declare("activities_kept", "Of them, the most that were kept at one time.",
                       most_kept_);
}

} // namespace alxsim::sim
