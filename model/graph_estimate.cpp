// SPDX-License-Identifier: Apache-2.0
#include "model/graph_estimate.h"

#include "model/for_each_op.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

/// Iterations of a loop in which members meet that are looked at, unless they become periodic.
constexpr std::int64_t most_iterations = 16;

bool communicates(const CompiledOp& op)
{
    return op.schedule || (op.body && op.body->has_collectives);
}

template <class Units, class Visit>
void for_units(Units& units, std::size_t group, Visit visit)
{
    if (group < units.size()) {
        visit(units[group]);
    } else if (group == all_units) {
        std::for_each(units.begin(), units.end(), visit);
    }
}

} // namespace

const MemberPlan& EstimateContext::plan_of(const CompiledOp& op)
{
    const auto found = plans.find(op.schedule.get());
    return found != plans.end()
               ? found->second
               : plans
                     .emplace(op.schedule.get(), MemberPlan(*op.schedule, places, op.schedule_time))
                     .first->second;
}

GraphEstimate::GraphEstimate(const CompiledGraph& graph, EstimateContext& context,
                             std::vector<Picoseconds> starts)
    : graph_(graph),
      context_(context),
      ops_(graph.ops.size()),
      slowest_speed_(slowest_speed(context.machine)),
      starts_(std::move(starts)),
      finishes_(starts_),
      slots_(starts_.size() * ops_),
      members_(starts_.size())
{
    times_.reserve(ops_);
    groups_.reserve(ops_);
    for (const CompiledOp& op : graph.ops) {
        times_.push_back(time_of(op));
        groups_.push_back(unit_group(op, context.machine));
    }
    run();
    keep_the_hbm_busy();
}

// --- Time
// -----------------------------------------------------------------------------------------

void GraphEstimate::run()
{
    for (int member = 0; member < static_cast<int>(members_.size()); ++member) {
        const Picoseconds begin = starts_[static_cast<std::size_t>(member)];
        for (int op = 0; op < static_cast<int>(ops_); ++op) {
            slot(member, op).waiting = compiled(op).predecessors;
            slot(member, op).ready = begin;
            if (compiled(op).predecessors == 0) {
                make_ready(member, op);
            }
        }
        calendar_.push({begin, order_++, member, nobody});
    }
    std::vector<int> awake;
    while (!calendar_.empty()) {
        const Picoseconds now = calendar_.top().time;
        awake.clear();
        for (; !calendar_.empty() && calendar_.top().time == now; calendar_.pop()) {
            const Finish finish = calendar_.top();
            if (finish.op != nobody) {
                complete(finish.member, finish.op, now);
            }
            awake.push_back(finish.member);
        }
        for (const int member : awake) {
            issue(member, now);
        }
    }
}

void GraphEstimate::make_ready(int member, int op)
{
    const auto which = static_cast<std::size_t>(op);
    members_[static_cast<std::size_t>(member)].ready[groups_[which]].push(op);
}

bool GraphEstimate::can_start(const Member& member, std::size_t group) const
{
    bool can = true;
    for_units(member.units, group, [&](const UnitState& unit) {
        can = can && (unit.holders == 0 || (unit.by_collectives && is_for_collectives(group)));
    });
    return can;
}

void GraphEstimate::issue(int which, Picoseconds now)
{
    Member& member = members_[static_cast<std::size_t>(which)];
    while (true) {
        Earliest<int>* best = nullptr;
        for (std::size_t group = 0; group < unit_groups; ++group) {
            Earliest<int>& ready = member.ready[group];
            if (!ready.empty() && (best == nullptr || ready.top() < best->top()) &&
                can_start(member, group)) {
                best = &ready;
            }
        }
        if (best == nullptr) {
            return;
        }
        const int op = best->top();
        best->pop();
        start(which, op, now);
    }
}

void GraphEstimate::start(int member, int op, Picoseconds now)
{
    hold_units(member, op, now);
    const CompiledOp& compiled_op = compiled(op);
    for (const int successor : compiled_op.start_successors) {
        release(member, successor, slot(member, op).held_up_by, now);
    }
    if (members_.size() > 1 && communicates(compiled_op)) {
        compiled_op.schedule ? enter_collective(member, op, now) : enter_repeat(member, op, now);
        return;
    }
    slot(member, op).member = member;
    const Picoseconds finish = now + total_of(op);
    finish == now ? complete(member, op, now) : finish_at(member, op, finish);
}

void GraphEstimate::hold_units(int which, int op, Picoseconds now)
{
    Slot& held = slot(which, op);
    held.start = now;
    held.held_up_by = held.released_by;
    Picoseconds latest = held.ready;
    const std::size_t group = groups_[static_cast<std::size_t>(op)];
    for_units(members_[static_cast<std::size_t>(which)].units, group, [&](UnitState& unit) {
        if (unit.released_at > latest) {
            latest = unit.released_at;
            held.held_up_by = unit.released_by;
        }
        ++unit.holders;
        unit.by_collectives = is_for_collectives(group);
    });
}

void GraphEstimate::finish_at(int member, int op, Picoseconds time)
{
    calendar_.push({time, order_++, member, op});
}

void GraphEstimate::complete(int which, int op, Picoseconds now)
{
    slot(which, op).finish = now;
    Picoseconds& last = finishes_[static_cast<std::size_t>(which)];
    last = std::max(last, now);
    const std::size_t group = groups_[static_cast<std::size_t>(op)];
    for_units(members_[static_cast<std::size_t>(which)].units, group, [&](UnitState& unit) {
        --unit.holders;
        unit.released_at = now;
        unit.released_by = op;
    });
    for (const int successor : compiled(op).successors) {
        release(which, successor, op, now);
    }
}

/// One op less that `op` waits for.
void GraphEstimate::release(int member, int op, int by, Picoseconds now)
{
    Slot& next = slot(member, op);
    next.ready = now;
    next.released_by = by;
    if (--next.waiting == 0) {
        make_ready(member, op);
    }
}

// --- Where members meet
// ---------------------------------------------------------------------------

void GraphEstimate::enter_collective(int member, int op, Picoseconds now)
{
    Meeting& meeting = meetings_[op];
    if (meeting.times == nullptr) {
        meeting.times = std::make_unique<MemberTimes>(context_.plan_of(compiled(op)));
    }
    std::vector<MemberDone> done;
    meeting.times->enter(member, now + compiled(op).cost.launch, done);
    for (const MemberDone& one : done) {
        slot(one.member, op).member = one.cause;
        finish_at(one.member, op, one.time);
    }
}

/// Iterations follow each other on each member by itself; only the first waits for all.
void GraphEstimate::enter_repeat(int member, int op, Picoseconds now)
{
    Meeting& meeting = meetings_[op];
    meeting.entered.resize(members_.size());
    meeting.entered[static_cast<std::size_t>(member)] = now;
    if (++meeting.members < static_cast<int>(members_.size())) {
        return;
    }
    const CompiledOp& repeat = compiled(op);
    const std::int64_t times = slowest_iterations(*as_repeat(repeat), context_.counts);
    std::vector<Picoseconds> at = meeting.entered;
    std::vector<Picoseconds> before;
    std::vector<Picoseconds> took(at.size());
    for (std::int64_t done = 1; done <= times; ++done) {
        std::vector<Picoseconds> begin = at;
        for (Picoseconds& time : begin) {
            time += repeat.cost.launch;
        }
        const GraphEstimate iteration(*repeat.body, context_, begin);
        for (std::size_t i = 0; i < at.size(); ++i) {
            took[i] = iteration.finishes()[i] - at[i];
        }
        at = iteration.finishes();
        if (done < times && (took == before || done == most_iterations)) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                at[i] += repeated(took[i], times - done);
            }
            done = times;
        }
        before = took;
        turns_[static_cast<std::size_t>(times_[static_cast<std::size_t>(op)].turns)] =
            iteration.breakdown();
    }
    for (int each = 0; each < static_cast<int>(at.size()); ++each) {
        slot(each, op).member = member;
        finish_at(each, op, std::max(now, at[static_cast<std::size_t>(each)]));
    }
}

// --- What things cost
// -----------------------------------------------------------------------------

/// Of an op by itself.
GraphEstimate::TimedOp GraphEstimate::time_of(const CompiledOp& op)
{
    if (op.body) {
        return time_of_turns(op);
    }
    TimedOp time;
    if (op.schedule) {
        time.body = op.cost.launch + op.schedule_time;
        time.share = Share::communication;
        return time;
    }
    const OpTime alone = op_time(op.cost, context_.machine, slowest_speed_);
    time.launch = alone.launch;
    if (op.cost.unit == Unit::host) {
        return time; // the transfer itself was prefetched; the program sees what sticks out
    }
    time.fill = alone.fill();
    time.body = alone.body();
    time.share = body_share(op.cost, alone.unit_is_last());
    return time;
}

/// Of all turns of a repeat; nothing yet where members meet in it, see enter_repeat.
GraphEstimate::TimedOp GraphEstimate::time_of_turns(const CompiledOp& op)
{
    TimedOp time;
    time.turns = static_cast<int>(turns_.size());
    turns_.emplace_back();
    if (members_.size() == 1 || !op.body->has_collectives) {
        NumberedBreakdown turn = GraphEstimate(*op.body, context_, {Picoseconds(0)}).breakdown();
        turn.add(op.phase, Share::host, op.cost.launch);
        turns_.back() = turn.scaled(slowest_iterations(*as_repeat(op), context_.counts));
    }
    return time;
}

Picoseconds GraphEstimate::total_of(int op) const
{
    const TimedOp& time = times_[static_cast<std::size_t>(op)];
    return time.turns != nobody ? turns_[static_cast<std::size_t>(time.turns)].total()
                                : time.launch + time.fill + time.body;
}

void GraphEstimate::add_time(int op, NumberedBreakdown& sum) const
{
    const TimedOp& time = times_[static_cast<std::size_t>(op)];
    if (time.turns != nobody) {
        sum += turns_[static_cast<std::size_t>(time.turns)];
        return;
    }
    const int phase = compiled(op).phase;
    sum.add(phase, Share::host, time.launch);
    sum.add(phase, Share::hbm, time.fill);
    sum.add(phase, time.share, time.body);
}

/// What passed from the start of the member that the finish hung on.
void GraphEstimate::add_slot(int member, int op, NumberedBreakdown& sum) const
{
    if (members_.size() == 1 || !communicates(compiled(op))) {
        add_time(op, sum);
        return;
    }
    const Slot& here = slot(member, op);
    const Picoseconds took = here.finish - slot(here.member, op).start;
    if (compiled(op).body && total_of(op) > Picoseconds(0)) {
        const int turns = times_[static_cast<std::size_t>(op)].turns;
        sum += turns_[static_cast<std::size_t>(turns)].stretched_to(took);
        return;
    }
    sum.add(compiled(op).phase, compiled(op).schedule ? Share::communication : Share::host, took);
}

Picoseconds GraphEstimate::hbm_busy(const CompiledOp& op) const
{
    if (!op.body) {
        return op.cost.hbm.busy;
    }
    const RoundsOfSlowestDevice rounds{context_.counts};
    Picoseconds sum(0);
    for_each_op(*op.body, rounds(*as_repeat(op)), rounds,
                [&sum](const CompiledOp& inner, std::int64_t times) {
                    sum += inner.cost.hbm.busy * times;
                });
    return sum;
}

/// Ops that move bytes at once share the HBM, which the closed form of each does not know.
void GraphEstimate::keep_the_hbm_busy()
{
    Picoseconds sum(0);
    Picoseconds most(0);
    for (const CompiledOp& op : graph_.ops) {
        const Picoseconds busy = hbm_busy(op);
        sum += busy;
        if (busy > most) {
            most = busy;
            heaviest_ = op.phase;
        }
    }
    const Picoseconds least = sum * context_.machine.devices_per_chip;
    Picoseconds longest(0);
    for (std::size_t member = 0; member < starts_.size(); ++member) {
        longest = std::max(longest, finishes_[member] - starts_[member]);
    }
    waiting_for_hbm_ = std::max(Picoseconds(0), least - longest);
    for (Picoseconds& finish : finishes_) {
        finish += waiting_for_hbm_;
    }
}

NumberedBreakdown GraphEstimate::breakdown() const
{
    NumberedBreakdown sum;
    int member = 0;
    int op = nobody;
    for (int each = 0; each < static_cast<int>(members_.size()); ++each) {
        for (int i = 0; i < static_cast<int>(ops_); ++i) {
            if (op == nobody || slot(each, i).finish > slot(member, op).finish) {
                member = each;
                op = i;
            }
        }
    }
    while (op != nobody) {
        add_slot(member, op, sum);
        const int from = slot(member, op).member;
        op = slot(from, op).held_up_by;
        member = from;
    }
    sum.add(heaviest_, Share::hbm, waiting_for_hbm_);
    return sum;
}

} // namespace alxsim::model
