// SPDX-License-Identifier: Apache-2.0
#include "model/job_estimate.h"

#include "base/work/stop.h"
#include "model/costs/op_cost.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

/// Equal steps after which each is taken to be like the last, though the host still gains or loses
/// on the device: by then by less than a thousandth of a step.
constexpr std::int64_t most_looked_at = 10'000;

/// Adds two times each of which simulated time can hold. Throws DurationError where it cannot hold
/// the sum.
Picoseconds checked_sum(Picoseconds time, Picoseconds more)
{
    const double seconds = to_seconds(time).count() + to_seconds(more).count();
    if (!(seconds <= longest_seconds)) {
        refuse_duration(seconds);
    }
    return time + more;
}

} // namespace

JobEstimate::JobEstimate(const topologies::Machine& machine, ScheduleTimes times)
    : JobEstimate(std::make_shared<AnalyticModel>(machine, times))
{
}

JobEstimate::JobEstimate(AnalyticModel& model)
    : JobEstimate(std::shared_ptr<AnalyticModel>(std::shared_ptr<void>(), &model)) // not owned
{
}

JobEstimate::JobEstimate(std::shared_ptr<AnalyticModel> model)
    : model_(std::move(model)),
      machine_(model_->machine()),
      host_(machine_),
      dispatch_(model_->phases().index_of(dispatch_phase)),
      infeed_(model_->phases().index_of("infeed"))
{
}

Picoseconds JobEstimate::add(const Step& step, std::int64_t times)
{
    link_bytes_ += model_->link_bytes(step) * times;
    return add_time(step, times);
}

Picoseconds JobEstimate::add_time(const Step& step, std::int64_t times)
{
    look_for_stop();
    const NumberedStepEstimate estimated = model_->numbered_step(step);
    if (times < 0) {
        total_ += with_waits(estimated.on_device, JobEstimate(model_).waits_of_step({}, {}))
                      .scaled(times);
        return estimated.on_device.total();
    }
    const std::int64_t most = std::min(times, most_looked_at);
    const bool fed = estimated.infeed.longest() > Picoseconds(0);
    const Picoseconds on_device = estimated.on_device.total();
    infeed_of_last_ = estimated.infeed;
    Picoseconds now = total_.total();
    StepWaits all;
    StepWaits last;
    std::vector<Picoseconds> ahead; // of the device: the host's state after a step
    std::int64_t looked_at = 0;
    for (bool steady = false; looked_at < most && !steady; ++looked_at) {
        last = waits_of_step(now, estimated.infeed);
        all += last;
        now = checked_sum(now, checked_sum(last.total(), on_device));
        if (looked_at + 2 >= HostLink::steps_until_steady(machine_)) {
            std::vector<Picoseconds> state = host_.state(now, fed);
            steady = state == ahead;
            ahead = std::move(state);
        }
    }
    if (looked_at > 0) {
        total_ += with_waits(estimated.on_device.scaled(looked_at), all);
    }
    if (times > looked_at) {
        const NumberedBreakdown rest =
            with_waits(estimated.on_device, last).scaled(times - looked_at);
        checked_sum(total_.total(), rest.total());
        total_ += rest;
        host_.skip(rest.total());
    }
    return on_device;
}

Breakdown JobEstimate::total() const
{
    return with_waiting(total_.named(model_->phases()), straggling_of(machine_));
}

JobEstimate::StepWaits JobEstimate::waits_of_step(Picoseconds now, const InputTimes& infeed)
{
    const Picoseconds start =
        std::max(now, host_.dispatched(now)) + to_picoseconds(machine_.device.program_overhead);
    StepWaits waits;
    waits.dispatch = start - now;
    if (infeed.longest() > Picoseconds(0)) {
        const Picoseconds asked = start + to_picoseconds(machine_.device.op_overhead);
        waits.infeed = host_.delivered(asked, infeed) - asked;
    }
    return waits;
}

NumberedBreakdown JobEstimate::with_waits(NumberedBreakdown steps, const StepWaits& waits) const
{
    steps.add(dispatch_, Share::host, waits.dispatch);
    steps.add(infeed_, Share::host, waits.infeed);
    return steps;
}

Breakdown estimate(const Program& program, const topologies::Machine& machine, ScheduleTimes times)
{
    AnalyticModel model(machine, times);
    return estimate(program, model);
}

Breakdown estimate(const Program& program, AnalyticModel& model)
{
    JobEstimate job(model);
    for (const StepGroup& group : program) {
        job.add_time(group.step, group.times);
    }
    return job.total();
}

} // namespace alxsim::model
