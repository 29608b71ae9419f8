// SPDX-License-Identifier: Apache-2.0
// How TensorCore issues ops to its units, and what follows when they are over.
#include "sim/kernel_time.h"
#include "sim/tensor_core.h"

#include <algorithm>

namespace alxsim::sim {

using model::CompiledOp;
using model::Share;
using model::Unit;

// --- Issue
// ----------------------------------------------------------------------------------------

template <class Visit>
void TensorCore::for_units(const CompiledOp& op, Visit visit) const
{
    const std::size_t group = model::unit_group(op, machine_);
    const bool all = group == model::all_units;
    const std::size_t end = all ? unit_count : std::min(group + 1, unit_count);
    for (std::size_t unit = all ? 0 : group; unit < end; ++unit) {
        visit(unit);
    }
}

bool TensorCore::units_free(std::size_t group) const
{
    const auto free = [group](const UnitState& unit) {
        return unit.holders == 0 || (unit.by_collectives && model::is_for_collectives(group));
    };
    if (group == model::all_units) {
        return std::all_of(units_.begin(), units_.end(), free);
    }
    return group == model::no_unit || free(units_[group]);
}

void TensorCore::hold_units(const CompiledOp& op)
{
    for_units(op, [&](std::size_t unit) {
        ++units_[unit].holders;
        units_[unit].by_collectives = op.schedule != nullptr;
    });
}

void TensorCore::release_units(const CompiledOp& op, ActivityRef by)
{
    for_units(op, [&](std::size_t unit) {
        --units_[unit].holders;
        units_[unit].released_at = now();
        units_[unit].released_by = by;
    });
}

/// An op that its unit kept waiting was let go by whatever held the unit last.
ActivityRef TensorCore::cause_of(const ReadyOp& ready, const CompiledOp& op) const
{
    ActivityRef cause = ready.cause;
    Picoseconds latest = ready.since;
    for_units(op, [&](std::size_t unit) {
        if (units_[unit].released_at > latest) {
            latest = units_[unit].released_at;
            cause = units_[unit].released_by;
        }
    });
    return cause;
}

TensorCore::ReadyOps* TensorCore::next_ready()
{
    ReadyOps* best = nullptr;
    for (std::size_t group = 0; group < ready_.size(); ++group) {
        if (!ready_[group].empty() && units_free(group) &&
            (best == nullptr || Sooner()(best->top(), ready_[group].top()))) {
            best = &ready_[group];
        }
    }
    return best;
}

void TensorCore::add_ready(int frame, int op, ActivityRef cause)
{
    ready_[model::unit_group(compiled(frame, op), machine_)].push(
        {frame, op, now(), cause, ready_order_++});
    ++ready_count_;
}

void TensorCore::issue_ready_ops()
{
    if (issuing_) {
        return;
    }
    issuing_ = true;
    while (ReadyOps* const next = next_ready()) {
        const ReadyOp op = next->top();
        next->pop();
        --ready_count_;
        issue(op);
    }
    issuing_ = false;
}

void TensorCore::issue(const ReadyOp& ready)
{
    const CompiledOp& op = compiled(ready.frame, ready.op);
    ++work_.ops;
    const ActivityRef cause = cause_of(ready, op);
    if (observer_ != nullptr) {
        observer_->op_started(run_of(ready.frame, ready.op, now()));
    }
    if (op.body) {
        begin_repeat(ready.frame, ready.op, cause);
        return;
    }
    const int index = take_slot(running_, spare_running_);
    running_[static_cast<std::size_t>(index)] = {ready.frame,    ready.op, 1,   now(),
                                                 Picoseconds(0), cause,    true};
    hold_units(op);
    for (const int successor : op.start_successors) {
        release(ready.frame, successor, cause);
    }
    const bool takes_part =
        !op.meeting || op.meeting->takes_part[static_cast<std::size_t>(device_)];
    if (op.schedule && takes_part) {
        issue_collective(index);
    } else if (op.cost.unit == Unit::host) {
        issue_infeed(index);
    } else {
        issue_local(index);
    }
}

void TensorCore::issue_local(int index)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const model::OpCost& cost = compiled(running.frame, running.op).cost_on(device_);
    const Picoseconds launched = running.start + cost.launch;
    const Picoseconds unit_time = model::unit_time(cost, speed_);
    running.unit_done = launched + cost.fill + unit_time;
    work_.add_unit_time(cost.unit, unit_time);
    set_timer(running.unit_done, Alarm::unit_done, index);
    if (cost.hbm.bytes > Bytes(0)) {
        running.parts_left = 2;
        set_timer(dma_start(running, cost), Alarm::start_dma, index);
    }
}

void TensorCore::issue_infeed(int index)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const model::OpCost& cost = compiled(running.frame, running.op).cost_on(device_);
    running.unit_done = host_.delivered(running.start + cost.launch, cost.body);
    set_timer(running.unit_done, Alarm::unit_done, index);
}

void TensorCore::issue_collective(int index)
{
    const Running& running = running_[static_cast<std::size_t>(index)];
    const CompiledOp& op = compiled(running.frame, running.op);
    if (links_.loops != nullptr) {
        links_.loops->entering_collective();
    }
    links_.network.enter(
        device_, op.schedule, now(), now() + op.cost.launch, running.cause,
        [this, index](const CollectiveDone& done) {
            act_if_due();
            model::Activity activity = activity_of(running_[static_cast<std::size_t>(index)]);
            const Picoseconds met = std::max(activity.start, done.last_arrival);
            work_.waiting += met - activity.start;
            work_.communicating += activity.finish - met;
            activity.start = done.last_arrival;
            activity.launch = Picoseconds(0); // launching a collective is communication
            activity.body = Share::communication;
            finish_running(index, activity, done.last_cause);
            act_soon();
        },
        op.meeting.get());
}

// --- Completion
// -----------------------------------------------------------------------------------

model::Activity TensorCore::activity_of(const Running& running) const
{
    const CompiledOp& op = compiled(running.frame, running.op);
    model::Activity activity;
    activity.start = running.start;
    activity.finish = now();
    activity.launch = op.cost.launch;
    activity.fill = op.cost_on(device_).fill;
    activity.device = device_;
    activity.op = running.op;
    activity.phase = static_cast<std::int16_t>(op.phase);
    return activity;
}

OpRun TensorCore::run_of(int frame, int op, Picoseconds start) const
{
    return {device_, epoch_, step_index_, &compiled(frame, op), start};
}

Picoseconds TensorCore::dma_start(const Running& running, const model::OpCost& cost) const
{
    return running.start + cost.launch + (cost.fill - cost.first_tile);
}

void TensorCore::note_transfer(int index)
{
    const Running& running = running_[static_cast<std::size_t>(index)];
    const model::OpCost& cost = compiled(running.frame, running.op).cost_on(device_);
    const Picoseconds start = dma_start(running, cost);
    work_.transfers += now() - start;
    if (observer_ != nullptr) {
        const OpRun run = run_of(running.frame, running.op, running.start);
        observer_->hbm_moved({run, start, now(), cost.hbm.bytes});
    }
}

void TensorCore::part_done(int index)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    if (--running.parts_left > 0) {
        return;
    }
    const model::OpCost& cost = compiled(running.frame, running.op).cost_on(device_);
    model::Activity activity = activity_of(running);
    activity.body = model::body_share(cost, now() <= running.unit_done);
    finish_running(index, activity, running.cause);
}

void TensorCore::finish_running(int index, const model::Activity& activity, ActivityRef cause)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const int frame = running.frame;
    const int op = running.op;
    running.used = false;
    spare_running_.push_back(index);
    const ActivityRef noted =
        links_.observers.finished(run_of(frame, op, running.start), activity, cause);
    release_units(compiled(frame, op), noted);
    op_finished(frame, op, noted);
}

/// One op less that `op` waits for.
void TensorCore::release(int frame, int op, ActivityRef by)
{
    std::vector<int>& waiting = frames_[static_cast<std::size_t>(frame)].waiting;
    if (--waiting[static_cast<std::size_t>(op)] == 0) {
        add_ready(frame, op, by);
    }
}

void TensorCore::op_finished(int index, int op, ActivityRef activity)
{
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    frame.last = activity;
    for (int successor : frame.graph->ops[static_cast<std::size_t>(op)].successors) {
        release(index, successor, activity);
    }
    if (--frame.unfinished == 0) {
        close_frame(index);
    }
}

} // namespace alxsim::sim
