// SPDX-License-Identifier: Apache-2.0
#include "sim/tensor_core.h"

#include "sim/kernel_time.h"

#include <algorithm>

namespace alxsim::sim {

using model::CompiledOp;
using model::Share;

TensorCore::TensorCore(const sc_core::sc_module_name& name, int device,
                       const topologies::Machine& machine, DeviceLinks links)
    : sc_core::sc_module(name),
      device_(device),
      machine_(machine),
      links_(links),
      observer_(links.observers.looking_closely()),
      host_(machine),
      speed_(machine.faults.speed_of(device)),
      dispatch_phase_(links.feed.phases().index_of(model::dispatch_phase)),
      alarm_(links.alarms.add(*this))
{
    links_.alarms.wake_soon(alarm_);
}

std::string TensorCore::waiting_for() const
{
    for (const Running& running : running_) {
        if (running.used) {
            return "op '" + compiled(running.frame, running.op).op->name + "' of step " +
                   std::to_string(step_index_);
        }
    }
    return "step " + std::to_string(step_index_);
}

void TensorCore::add_live_activities(std::vector<ActivityRef>& live) const
{
    const auto add_begun = [&](const auto& begun) {
        for (const Begun& each : begun.all()) {
            live.push_back(each.control);
        }
    };
    live.push_back(last_activity_);
    add_begun(steps_.begun);
    for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
        const auto is_this = [&](int spare) { return static_cast<std::size_t>(spare) == frame; };
        if (std::none_of(spare_frames_.begin(), spare_frames_.end(), is_this)) {
            live.push_back(frames_[frame].last);
            add_begun(frames_[frame].begun);
        }
    }
    for (const Running& running : running_) {
        if (running.used) {
            live.push_back(running.cause);
        }
    }
    for (ReadyOps ready : ready_) { // copied: it shows its first one alone
        for (; !ready.empty(); ready.pop()) {
            live.push_back(ready.top().cause);
        }
    }
    for (const Units::Release& unit : units_.released()) {
        live.push_back(unit.by);
    }
}

const CompiledOp& TensorCore::compiled(int frame, int op) const
{
    return frames_[static_cast<std::size_t>(frame)].graph->ops[static_cast<std::size_t>(op)];
}

// --- Time
// -----------------------------------------------------------------------------------------

void TensorCore::act()
{
    if (step_index_ < 0) {
        enter_next_step();
    }
    while (!timers_.empty() && timers_.front().time <= now()) {
        std::pop_heap(timers_.begin(), timers_.end(), Later{});
        const Timer timer = timers_.back();
        timers_.pop_back();
        ring(timer);
    }
    issue_ready_ops();
    set_alarm();
}

/// After what HBM or network told: what is ready now is issued when they have told all.
void TensorCore::go_on()
{
    if (ready_groups_ != 0) {
        links_.alarms.wake_soon(alarm_);
    } else {
        set_alarm();
    }
}

void TensorCore::set_alarm()
{
    if (timers_.empty()) {
        links_.alarms.clear(alarm_);
    } else {
        links_.alarms.set(alarm_, timers_.front().time);
    }
}

/// What is timed goes before what HBM and network tell at the same moment, whichever of them the
/// simulation kernel wakes first.
void TensorCore::act_if_due()
{
    if (!timers_.empty() && timers_.front().time <= now()) {
        act();
    }
}

void TensorCore::set_timer(const Timer& timer)
{
    timers_.push_back(timer);
    std::push_heap(timers_.begin(), timers_.end(), Later{});
}

void TensorCore::ring(const Timer& timer)
{
    switch (timer.alarm) {
    case Alarm::start_step:
        start_step(timer.subject);
        return;
    case Alarm::start_iteration:
        start_iteration(timer.subject);
        return;
    case Alarm::resume_iteration:
        start_frame(timer.subject, frames_[static_cast<std::size_t>(timer.subject)].last);
        return;
    case Alarm::start_dma: {
        const Running& running = running_[static_cast<std::size_t>(timer.subject)];
        const model::CompiledOp& op = compiled(running.frame, running.op);
        const int subject = timer.subject;
        work_.hbm += op.hbm_on(device_).bytes;
        if (op.traffic && !op.traffic->holds) {
            move_aside(running, *op.traffic);
            return;
        }
        links_.hbm.transfer(op.access_on(device_), op.hbm_on(device_),
                            [this, subject] { transferred(subject); });
        return;
    }
    case Alarm::unit_done:
        work_done(timer.subject);
        return;
    }
}

// --- Steps
// ----------------------------------------------------------------------------------------

void TensorCore::enter_next_step()
{
    ++step_index_;
    step_ = links_.feed.enter(step_index_);
    if (epoch_ > 0 && (step_ == nullptr || step_->step.epoch != epoch_)) {
        model::DeviceUse use;
        use.add_between(use_of_earlier_epochs_, work_.use, 1);
        use_of_earlier_epochs_ = work_.use;
        links_.observers.leave_epoch({epoch_, now(), links_.feed.phases(), use}, role_);
    }
    if (step_ == nullptr) {
        finished_ = true;
        return;
    }
    epoch_ = step_->step.epoch;
    role_ = step_->graph->roles.empty() ? Observers::no_role
                                        : step_->graph->role_of[static_cast<std::size_t>(device_)];
    left_last_step_ = now();
    report_step();
    const Picoseconds dispatched = std::max(now(), host_.dispatched(now()));
    const Picoseconds start = dispatched + to_picoseconds(machine_.device.program_overhead);
    const int frame = open_frame(step_->graph->of_device(device_), -1, 0, 1);
    set_timer(start, Alarm::start_step, frame);
}

void TensorCore::start_step(int frame)
{
    model::Activity waiting;
    waiting.start = left_last_step_;
    waiting.finish = now();
    waiting.device = device_;
    waiting.phase = static_cast<std::int16_t>(dispatch_phase_);
    waiting.body = Share::host;
    const OpRun dispatch{device_, epoch_, step_index_, nullptr, waiting.start};
    const ActivityRef waited = links_.observers.finished(dispatch, waiting, last_activity_);
    if (steps_.loop != nullptr) {
        steps_.begun.add({waited, work_});
        const LoopMemo::Skip skipped = links_.loops->begin(*steps_.loop, device_);
        if (skipped.too_long) {
            return;
        }
        if (skipped.iterations > 0) {
            skip_steps(frame, skipped);
            return;
        }
    }
    start_frame(frame, waited);
}

void TensorCore::leave_step()
{
    if (links_.feed.leave(step_index_)) {
        links_.observers.step_closed({step_index_, epoch_, now()});
    }
    step_ = nullptr;
    enter_next_step();
}

// --- Frames
// ---------------------------------------------------------------------------------------

int TensorCore::open_frame(const model::CompiledGraph& graph, int parent, int parent_op,
                           std::int64_t iterations)
{
    const int index = take_slot(frames_, spare_frames_);
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    frame.graph = &graph;
    frame.parent = parent;
    frame.parent_op = parent_op;
    frame.iterations_left = iterations;
    frame.loop = nullptr;
    frame.follows = false;
    frame.begun.clear();
    return index;
}

void TensorCore::start_frame(int index, ActivityRef cause)
{
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    const std::vector<CompiledOp>& ops = frame.graph->ops;
    frame.last = cause;
    frame.unfinished = static_cast<int>(ops.size());
    frame.synchronous = 0;
    frame.waiting.resize(ops.size());
    for (std::size_t op = 0; op < ops.size(); ++op) {
        frame.waiting[op] = ops[op].predecessors;
        if (ops[op].predecessors == 0) {
            add_ready(index, static_cast<int>(op), cause);
        }
    }
    if (ops.empty()) {
        close_frame(index);
    }
}

void TensorCore::close_frame(int index)
{
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    if (--frame.iterations_left > 0) {
        report_iteration(frame);
        begin_iteration(index, frame.last);
        return;
    }
    const int parent = frame.parent;
    const int parent_op = frame.parent_op;
    const ActivityRef last = frame.last;
    spare_frames_.push_back(index);
    if (parent < 0) {
        last_activity_ = last;
        leave_step();
    } else {
        op_finished(parent, parent_op, last);
    }
}

// --- Statistics
// ---------------------------------------------------------------------------------

void TensorCore::declare_statistics(Statistics& statistics) const
{
    work_.declare(device_, statistics);
}

} // namespace alxsim::sim
