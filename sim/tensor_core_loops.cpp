// SPDX-License-Identifier: Apache-2.0
// How TensorCore runs loops, and leaves out iterations: see LoopMemo.
#include "model/graph/for_each_op.h"
#include "sim/kernel_time.h"
#include "sim/tensor_core.h"

#include <limits>
#include <variant>

namespace alxsim::sim {

using model::CompiledOp;
using model::Share;

void TensorCore::begin_repeat(int frame, int op, ActivityRef cause)
{
    const CompiledOp& repeat = compiled(frame, op);
    const std::int64_t times =
        model::iterations(*model::as_repeat(repeat), step_->step.counts, device_);
    if (times == 0) {
        op_finished(frame, op, cause);
        return;
    }
    const int opened = open_frame(*repeat.body, frame, op, times);
    if (links_.loops != nullptr && times > 2) { // one to see, one to skip, one to leave with
        Frame& loop = frames_[static_cast<std::size_t>(opened)];
        loop.loop = links_.loops->loop_of(repeat);
        report_iteration(loop);
    }
    begin_iteration(opened, cause);
}

void TensorCore::begin_iteration(int index, ActivityRef cause)
{
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    const CompiledOp& repeat = compiled(frame.parent, frame.parent_op);
    model::Activity control;
    control.start = now();
    control.finish = now() + repeat.cost.launch;
    control.device = device_;
    control.op = frame.parent_op;
    control.phase = static_cast<std::int16_t>(repeat.phase);
    control.body = Share::host;
    frame.last = links_.observers.finished(run_of(frame.parent, frame.parent_op, control.start),
                                           control, cause);
    if (frame.loop != nullptr) {
        frame.begun.add({frame.last, work_});
    }
    set_timer(control.finish, Alarm::start_iteration, index);
}

// --- Skipped iterations

/// Nothing runs and nothing will by itself.
bool TensorCore::at_rest() const
{
    return ready_groups_ == 0 && timers_.empty() && spare_running_.size() == running_.size();
}

/// When its last byte had moved; never, where some still do.
Picoseconds TensorCore::hbm_until() const
{
    return moving_aside_ > 0 ? Picoseconds(std::numeric_limits<std::int64_t>::max()) : hbm_until_;
}

void TensorCore::report_iteration(Frame& frame)
{
    if (frame.loop == nullptr || !at_rest()) {
        frame.follows = false;
        return;
    }
    const bool follows = frame.follows;
    frame.reported = true;
    frame.follows = true;
    links_.loops->report(*frame.loop, device_,
                         {step_index_, frame.iterations_left, follows, hbm_until()});
}

void TensorCore::start_iteration(int index)
{
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    if (frame.reported) {
        frame.reported = false;
        const LoopMemo::Skip skipped = links_.loops->begin(*frame.loop, device_);
        if (skipped.too_long) {
            return;
        }
        if (skipped.iterations > 0) {
            skip(index, skipped);
            return;
        }
    }
    start_frame(index, frame.last);
}

/// Counts and tells what is left out from now on.
template <class AllBegun>
ActivityRef TensorCore::leave_out(const OpRun& run, const AllBegun& begun,
                                  const LoopMemo::Skip& skip)
{
    const Begun& last = begun.last();
    const Begun& first = begun.before_last(skip.cycle);
    RepeatedPart part;
    part.run = run;
    part.cause = last.control;
    part.since = first.control;
    part.finish = run.start + skip.duration;
    part.iterations = skip.iterations;
    part.rounds = skip.iterations / static_cast<std::int64_t>(skip.cycle);
    part.skip = skip.number;
    const DeviceWork before = work_;
    work_.add(first.work, last.work, part.rounds);
    part.ops = work_.ops - before.ops;
    part.hbm_bytes = work_.hbm - before.hbm;
    work_.ops_repeated = before.ops_repeated + part.ops;
    links_.hbm.add_moved(part.hbm_bytes);
    return links_.observers.repeated(part);
}

/// Lets the iterations pass.
void TensorCore::skip(int index, const LoopMemo::Skip& skip)
{
    Frame& frame = frames_[static_cast<std::size_t>(index)];
    frame.last = leave_out(run_of(frame.parent, frame.parent_op, now()), frame.begun, skip);
    frame.iterations_left -= skip.iterations;
    set_timer(now() + skip.duration, Alarm::resume_iteration, index);
}

// --- Skipped steps

/// The device has left a step, and is about to wait for the next.
void TensorCore::report_step()
{
    const bool follows = steps_.again > 0 && steps_.loop != nullptr;
    steps_.again = step_->again;
    if (!follows) {
        const bool enough = links_.loops != nullptr && steps_.again > 1;
        steps_.loop = enough ? links_.loops->loop_of_steps(step_->graph) : nullptr;
        steps_.infeed = model::any_op(
            *step_->graph, [](const CompiledOp& op) { return op.cost.unit == model::Unit::host; });
        if (model::any_op(step_->graph->of_device(device_), model::is_without_launch)) {
            links_.network.expect_no_launches();
        }
        steps_.first = step_index_;
        steps_.begun.clear();
    }
    if (steps_.loop != nullptr) {
        links_.loops->report(*steps_.loop, device_,
                             {steps_.first, steps_.again + 1, follows, hbm_until(),
                              host_.state(now(), steps_.infeed)});
    }
}

/// Lets the steps pass that are the current one once more, and runs that one after them.
void TensorCore::skip_steps(int frame, const LoopMemo::Skip& skip)
{
    const OpRun steps{device_, epoch_, step_index_, nullptr, now()};
    frames_[static_cast<std::size_t>(frame)].last = leave_out(steps, steps_.begun, skip);
    steps_.again -= skip.iterations;
    host_.skip(skip.duration, steps_.infeed);
    links_.feed.leave_out(skip.iterations, skip.number);
    set_timer(now() + skip.duration, Alarm::resume_iteration, frame);
}

} // namespace alxsim::sim
