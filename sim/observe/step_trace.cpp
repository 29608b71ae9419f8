// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/step_trace.h"

#include "model/graph/collective_json.h"
#include "model/graph/work_json.h"

#include <algorithm>
#include <utility>

namespace alxsim::sim {
namespace {

/// As an op graph has it; of a collective its kind.
struct WorkName {
    model::Name operator()(const model::Matmul&) const { return "matmul"; }
    model::Name operator()(const model::Vector&) const { return "vector"; }
    model::Name operator()(const model::AlongRows& rows) const
    {
        return model::name_of(rows.operation);
    }
    model::Name operator()(const model::Fixed&) const { return "fixed"; }
    model::Name operator()(const model::Custom&) const { return "custom"; }
    model::Name operator()(const model::Copy&) const { return "copy"; }
    model::Name operator()(const model::RowGather&) const { return "row_gather"; }
    model::Name operator()(const model::RowScatter&) const { return "row_scatter"; }
    model::Name operator()(const model::Repeat&) const { return "repeat"; }
    model::Name operator()(const model::Collective& collective) const
    {
        return model::name_of(collective.kind);
    }
};

/// Whether the report counts the unit's time.
bool counts_as_busy(model::Unit unit)
{
    return unit == model::Unit::mxu || unit == model::Unit::vpu || unit == model::Unit::dma ||
           unit == model::Unit::sparse_core;
}

TimelineActivity activity_of(const OpRun& run, std::int64_t number)
{
    TimelineActivity told;
    told.step = number;
    told.device = run.device;
    told.unit = run.unit();
    told.issued = run.start;
    told.start = run.start;
    if (run.op == nullptr) {
        told.name = model::dispatch_phase;
        told.phase = model::dispatch_phase;
        return told;
    }
    const model::Op& op = *run.op->op;
    told.work = std::visit(WorkName(), op.work);
    told.name = op.name.text().empty() ? told.work : op.name;
    told.phase = op.phase;
    return told;
}

} // namespace

StepTrace::StepTrace(const topologies::Machine& machine, TracedSteps steps,
                     std::int64_t most_activities)
    : machine_(machine),
      wanted_(steps),
      most_activities_(most_activities)
{
}

StepTrace::Step* StepTrace::open(std::int64_t step)
{
    const std::int64_t number = numbers_.at(static_cast<std::size_t>(step));
    if (!wanted_.may_be(number)) {
        return nullptr;
    }
    const auto [at, is_new] = open_.try_emplace(step);
    at->second.step.number = number;
    return &at->second;
}

// --- What is told

void StepTrace::finished(const FinishedActivity& told)
{
    const OpRun& run = told.run;
    const std::optional<CollectiveMember> left = just_left(run);
    Step* const step = open(run.step);
    if (step == nullptr) {
        return;
    }
    TimelineActivity done = activity_of(run, step->step.number);
    done.self = told.self;
    done.cause = told.cause;
    done.op = told.activity.op;
    done.start = told.activity.start;
    done.finish = told.activity.finish;
    done.launch = told.activity.launch;
    done.fill = told.activity.fill;
    done.share = told.activity.body;
    if (left) {
        done.collective = left->collective;
        done.remembered = left->remembered;
        done.collective_bytes = std::get<model::Collective>(run.op->op->work).bytes;
    } else if (run.op != nullptr && run.op->body == nullptr) {
        const model::OpCost& cost = run.op->cost_on(run.device);
        done.hbm_bytes = cost.hbm.bytes;
        if (counts_as_busy(cost.unit)) {
            done.busy = model::unit_time(cost, machine_.faults.speed_of(run.device));
        }
    }
    step->activities.push_back(done);
}

void StepTrace::repeated(const RepeatedPart& part)
{
    Step* const step = open(part.run.step);
    if (step == nullptr) {
        return;
    }
    TimelineActivity left_out = activity_of(part.run, step->step.number);
    left_out.self = part.self;
    left_out.cause = part.cause;
    left_out.finish = part.finish;
    left_out.hbm_bytes = part.hbm_bytes;
    left_out.iterations = part.iterations;
    left_out.rounds = part.rounds;
    left_out.skip = part.skip;
    left_out.since = part.since;
    if (!left_out.is_loop()) { // the same on all devices
        step->step.repeats = part.iterations;
        step->skipped = part.finish - part.run.start;
    }
    step->activities.push_back(left_out);
}

void StepTrace::hbm_moved(const HbmTransfer& told)
{
    if (Step* const step = open(told.run.step)) {
        const TimelineActivity of = activity_of(told.run, step->step.number);
        step->transfers.push_back(
            {told.run.device, of.name, of.phase, told.start, told.finish, told.bytes});
    }
}

void StepTrace::link_carried(const LinkTransfer& told)
{
    for (auto& [step, kept] : open_) {
        kept.links[{told.axis, told.direction}].add(told.start, told.finish, told.busy.count());
        if (wanted_.which == TracedSteps::Which::range) {
            return; // the curves of all steps become one
        }
    }
}

void StepTrace::collective_left(const CollectiveMember& member)
{
    left_ = member;
}

/// A device that leaves a collective has finished its op: that is told next.
std::optional<CollectiveMember> StepTrace::just_left(const OpRun& run)
{
    const std::optional<CollectiveMember> left = std::exchange(left_, std::nullopt);
    return left && left->device == run.device && run.op != nullptr && run.op->schedule != nullptr
               ? left
               : std::nullopt;
}

// --- Steps

void StepTrace::step_closed(const ClosedStep& closed)
{
    const Picoseconds before = std::exchange(last_closed_, closed.time);
    const auto found = open_.find(closed.step);
    if (found == open_.end()) {
        return;
    }
    Step step = std::move(found->second);
    open_.erase(found);
    step.step.begin = before + step.skipped;
    step.step.end = closed.time;
    keep(std::move(step));
}

void StepTrace::keep(Step&& step)
{
    switch (wanted_.which) {
    case TracedSteps::Which::worst:
        if (!kept_.empty() && took(step) <= took(kept_.front())) {
            return;
        }
        [[fallthrough]];
    case TracedSteps::Which::last:
        kept_.clear();
        break;
    case TracedSteps::Which::first:
    case TracedSteps::Which::range:
        if (kept_activities_ >= most_activities_) {
            ++left_out_;
            return;
        }
        kept_activities_ += static_cast<std::int64_t>(step.activities.size());
        break;
    }
    kept_.push_back(std::move(step));
}

// --- The timeline

std::optional<Timeline> StepTrace::timeline() const
{
    if (kept_.empty()) {
        return std::nullopt;
    }
    Timeline timeline;
    std::map<Direction, LoadCurve> links;
    for (const Step& step : kept_) {
        timeline.steps.push_back(step.step);
        timeline.activities.insert(timeline.activities.end(), step.activities.begin(),
                                   step.activities.end());
        timeline.transfers.insert(timeline.transfers.end(), step.transfers.begin(),
                                  step.transfers.end());
        for (const auto& [direction, curve] : step.links) {
            links[direction].add(curve);
        }
    }
    std::sort(timeline.activities.begin(), timeline.activities.end(),
              [](const TimelineActivity& a, const TimelineActivity& b) { return a.self < b.self; });
    for (const auto& [direction, curve] : links) {
        timeline.links.push_back({direction.first, direction.second, curve});
    }
    timeline.steps_left_out = left_out_;
    return timeline;
}

} // namespace alxsim::sim
