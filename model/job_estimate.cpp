// SPDX-License-Identifier: Apache-2.0
#include "model/job_estimate.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

/// Throws DurationError where simulated time cannot hold the sum: each of the two it holds.
void check_sum(Picoseconds time, Picoseconds more)
{
    const double seconds = to_seconds(time).count() + to_seconds(more).count();
    if (!(seconds <= longest_seconds)) {
        refuse_duration(seconds);
    }
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
    const NumberedStepEstimate estimated = model_->numbered_step(step);
    // After so many equal steps the host is as far ahead as it gets, and every step is like the
    // last.
    const std::int64_t until_steady = 2 * machine_.host.prefetch_depth + 2;
    NumberedBreakdown last;
    for (std::int64_t i = 0; i < std::min(times, until_steady); ++i) {
        last = run(estimated);
    }
    if (times > until_steady) {
        const NumberedBreakdown rest = last.scaled(times - until_steady);
        check_sum(total_.total(), rest.total());
        total_ += rest;
        host_.skip(rest.total());
    }
    return estimated.on_device.total();
}

NumberedBreakdown JobEstimate::run(const NumberedStepEstimate& step)
{
    const Picoseconds free = total_.total();
    const Picoseconds start =
        std::max(free, host_.dispatched(free)) + to_picoseconds(machine_.device.program_overhead);
    NumberedBreakdown time = step.on_device;
    time.add(dispatch_, Share::host, start - free);
    if (step.infeed > Picoseconds(0)) {
        const Picoseconds asked = start + to_picoseconds(machine_.device.op_overhead);
        time.add(infeed_, Share::host, host_.delivered(asked, step.infeed) - asked);
    }
    check_sum(total_.total(), time.total());
    total_ += time;
    return time;
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
