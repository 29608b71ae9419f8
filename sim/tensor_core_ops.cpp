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

std::size_t TensorCore::first_of(model::UnitGroups groups) const
{
    const auto lowest = [](model::UnitGroups of) {
        return static_cast<std::size_t>(__builtin_ctz(of));
    };
    std::size_t first = lowest(groups);
    for (groups &= groups - 1; groups != 0; groups &= groups - 1) {
        const std::size_t group = lowest(groups);
        first = Sooner()(ready_[first].top(), ready_[group].top()) ? group : first;
    }
    return first;
}

/// The same, but for work that an earlier device has put ahead of a synchronous collective.
std::size_t TensorCore::next_of(model::UnitGroups groups) const
{
    const model::UnitGroups of_core = (model::bit_of(model::device_units) - 1) &
                                      ~model::bit_of(static_cast<std::size_t>(Unit::network));
    const std::size_t first = first_of(groups);
    if (first != model::all_units || (groups & of_core) == 0) {
        return first;
    }
    const ReadyOp& collective = ready_[first].top();
    const Frame& frame = frames_[static_cast<std::size_t>(collective.frame)];
    model::UnitGroups ahead = 0;
    for (groups &= of_core; groups != 0; groups &= groups - 1) {
        const auto group = static_cast<std::size_t>(__builtin_ctz(groups));
        const ReadyOp& work = ready_[group].top();
        const bool is_ahead =
            work.frame == collective.frame &&
            links_.order.is_ahead({frame.graph, collective.op}, device_, work.op, now());
        ahead |= is_ahead ? model::bit_of(group) : 0;
    }
    return ahead == 0 ? first : first_of(ahead);
}

/// Tells those that come later what goes before the frame's next synchronous collective.
void TensorCore::keep_order(const ReadyOp& begun, std::size_t group)
{
    Frame& frame = frames_[static_cast<std::size_t>(begun.frame)];
    const std::vector<int>& collectives = frame.graph->synchronous;
    if (frame.synchronous == collectives.size()) {
        return;
    }
    const int next = collectives[frame.synchronous];
    if (group == model::all_units) {
        links_.order.begin({frame.graph, next}, device_, step_->devices_like(device_));
        ++frame.synchronous;
    } else if (begun.op > next && !model::is_for_collectives(group) && group != model::no_unit) {
        links_.order.put_ahead({frame.graph, next}, device_, begun.op, now());
    }
}

void TensorCore::add_ready(int frame, int op, ActivityRef cause)
{
    const CompiledOp& ready = compiled(frame, op);
    const std::size_t group = model::unit_group(ready, machine_);
    ready_[group].push({frame, op, ready.place, now(), cause});
    ready_groups_ |= model::bit_of(group);
}

void TensorCore::issue_ready_ops()
{
    if (issuing_) {
        return;
    }
    issuing_ = true;
    while (const model::UnitGroups groups = ready_groups_ & units_.startable()) {
        const std::size_t group = next_of(groups);
        ReadyOps& ready = ready_[group];
        const ReadyOp op = ready.top();
        ready.pop();
        ready_groups_ &= ready.empty() ? ~model::bit_of(group) : ~model::UnitGroups{0};
        issue(op, group);
    }
    issuing_ = false;
}

void TensorCore::issue(const ReadyOp& ready, std::size_t group)
{
    const CompiledOp& op = compiled(ready.frame, ready.op);
    ++work_.ops;
    keep_order(ready, group);
    if (observer_ != nullptr) {
        observer_->op_started(run_of(ready.frame, ready.op, now()));
    }
    // An op that its unit kept waiting was let go by whatever held the unit last.
    const ActivityRef cause = units_.hold(group, {ready.since, ready.cause}).by;
    if (op.body) {
        begin_repeat(ready.frame, ready.op, cause);
        return;
    }
    const int index = take_slot(running_, spare_running_);
    Running& running = running_[static_cast<std::size_t>(index)];
    running = {ready.frame, ready.op, true, static_cast<std::uint8_t>(group), now(), {}, cause, 0};
    for (const int successor : op.start_successors) {
        release(ready.frame, successor, cause);
    }
    const bool takes_part =
        !op.meeting || op.meeting->takes_part[static_cast<std::size_t>(device_)];
    if (op.schedule && takes_part) {
        issue_collective(index);
    } else if (op.cost.unit == Unit::host) {
        issue_infeed(index);
    } else if (op.cost.unit == Unit::storage_read || op.cost.unit == Unit::storage_write) {
        issue_storage(index);
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
    if (cost.beside > Picoseconds(0)) {
        work_.add_unit_time(cost.unit == Unit::mxu ? Unit::vpu : Unit::mxu,
                            model::at_speed(cost.beside, speed_));
    }
    if (cost.hbm.bytes > Bytes(0)) {
        running.order = order_++;
        set_timer(dma_start(running, cost), Alarm::start_dma, index);
    } else {
        set_timer(running.unit_done, Alarm::unit_done, index);
    }
}

void TensorCore::issue_infeed(int index)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const model::OpCost& cost = compiled(running.frame, running.op).cost_on(device_);
    running.unit_done = host_.delivered(running.start + cost.launch, cost.input);
    set_timer(running.unit_done, Alarm::unit_done, index);
}

/// The drives tell when its blocks have moved; the host's memory may be slower.
void TensorCore::issue_storage(int index)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const model::Op& op = *compiled(running.frame, running.op).op;
    const auto& copy = std::get<model::Copy>(
        op.work_of_device ? (*op.work_of_device)[static_cast<std::size_t>(device_)] : op.work);
    if (copy.bytes == Bytes(0)) {
        issue_local(index);
        return;
    }
    running.unit_done = now() + model::host_memory_time(copy, machine_);
    running.order = order_++;
    links_.drives.move(model::storage_queue_of(copy, machine_), copy.bytes, [this, index] {
        act_if_due();
        stored(index);
        go_on();
    });
}

void TensorCore::stored(int index)
{
    const Running& running = running_[static_cast<std::size_t>(index)];
    if (running.unit_done > now()) {
        set_timer({running.unit_done, running.order, Alarm::unit_done, index});
    } else {
        work_done(index);
    }
}

void TensorCore::issue_collective(int index)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const CompiledOp& op = compiled(running.frame, running.op);
    if (links_.loops != nullptr) {
        links_.loops->entering_collective();
    }
    ++communicating_;
    if (op.traffic) {
        running.moving = op.traffic->holds;
        running.order = order_++;
        set_timer(now() + op.cost.launch, Alarm::start_dma, index);
    }
    links_.network.enter(
        device_, op.schedule, now(), now() + op.cost.launch, running.cause,
        [this, index](const CollectiveDone& done) {
            act_if_due();
            communicated(index, done);
            go_on();
        },
        op.meeting.get());
}

/// Bytes for which nothing waits, but which others have beside theirs.
void TensorCore::move_aside(const Running& running, const model::CollectiveTraffic& traffic)
{
    ++moving_aside_;
    if (observer_ != nullptr) { // told ahead: the op may be gone when they have moved
        observer_->hbm_moved({run_of(running.frame, running.op, running.start), now(),
                              now() + traffic.cost.alone, traffic.cost.bytes});
    }
    links_.hbm.transfer(traffic.access, traffic.cost, [this] {
        --moving_aside_;
        hbm_until_ = now();
    });
}

/// Its bytes may still be on their way to HBM.
void TensorCore::communicated(int index, const CollectiveDone& done)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    running.done = done;
    running.met = true;
    if (!running.moving) {
        finish_collective(index);
    }
}

void TensorCore::finish_collective(int index)
{
    const Running& running = running_[static_cast<std::size_t>(index)];
    const CollectiveDone done = running.done;
    model::Activity activity = activity_of(running);
    const Picoseconds met = std::max(activity.start, done.last_arrival);
    work_.waiting += met - activity.start;
    work_.communicating += activity.finish - met;
    note_use(running, met);
    activity.start = done.last_arrival;
    activity.launch = Picoseconds(0); // launching a collective is communication
    activity.body = Share::communication;
    finish_running(index, activity, done.last_cause);
}

/// Notes the use of a collective that is over now.
void TensorCore::note_use(const Running& running, Picoseconds met)
{
    constexpr std::size_t many = 4096;
    const CompiledOp& op = compiled(running.frame, running.op);
    --communicating_;
    if (communicating_ == 0 && meter_.is_empty() && !is_computing()) { // as most are
        work_.use.add_wait(model::late_member_of(op), met - running.start);
        work_.use.add_alone(op.axes, now() - met);
        return;
    }
    meter_.communicated(op.axes, model::late_member_of(op), running.start, met, now());
    if (communicating_ == 0 || meter_.size() > many) {
        settle_use();
    }
}

bool TensorCore::is_computing() const
{
    return std::any_of(running_.begin(), running_.end(), [this](const Running& running) {
        return running.used && model::computes(compiled(running.frame, running.op));
    });
}

/// Up to now, or as far as all is known.
void TensorCore::settle_use()
{
    Picoseconds until = now();
    for (const Running& running : running_) {
        const bool is_over = running.met && !running.moving;
        if (!running.used || is_over) {
            continue;
        }
        const CompiledOp& op = compiled(running.frame, running.op);
        if (op.schedule) {
            until = std::min(until, running.start);
        } else if (model::computes(op)) {
            meter_.worked(running.start, now());
        }
    }
    meter_.settle(until, work_.use);
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
        const Bytes bytes = compiled(running.frame, running.op).hbm_on(device_).bytes;
        observer_->hbm_moved({run, start, now(), bytes});
    }
}

/// The bytes of an op have moved. Its unit may still work: then it is over when that is done, in
/// the order that this had when it was issued.
void TensorCore::transferred(int index)
{
    act_if_due();
    hbm_until_ = now();
    note_transfer(index);
    Running& running = running_[static_cast<std::size_t>(index)];
    if (running.moving) {
        running.moving = false;
        if (running.met) {
            finish_collective(index);
        }
    } else if (running.unit_done > now()) {
        set_timer({running.unit_done, running.order, Alarm::unit_done, index});
    } else {
        work_done(index);
    }
    go_on();
}

void TensorCore::work_done(int index)
{
    const Running& running = running_[static_cast<std::size_t>(index)];
    const model::OpCost& cost = compiled(running.frame, running.op).cost_on(device_);
    model::Activity activity = activity_of(running);
    activity.body = model::body_share(cost, now() <= running.unit_done);
    if (communicating_ > 0 && model::computes(compiled(running.frame, running.op))) {
        meter_.worked(running.start, now());
    }
    finish_running(index, activity, running.cause);
}

void TensorCore::finish_running(int index, const model::Activity& activity, ActivityRef cause)
{
    Running& running = running_[static_cast<std::size_t>(index)];
    const int frame = running.frame;
    const int op = running.op;
    const std::size_t group = running.group;
    running.used = false;
    spare_running_.push_back(index);
    const ActivityRef noted =
        links_.observers.finished(run_of(frame, op, running.start), activity, cause);
    units_.release(group, noted, now());
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
