// SPDX-License-Identifier: Apache-2.0
#include "model/graph_estimate.h"

#include "model/graph/for_each_op.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

/// Iterations of a loop in which members meet that are looked at, unless they become periodic.
constexpr std::int64_t most_iterations = 16;
/// For so many ops under way at once the calendar has room from the beginning.
constexpr std::size_t usually_under_way = 16;

template <class T>
std::vector<T> with_room_for(std::size_t count)
{
    std::vector<T> empty;
    empty.reserve(count);
    return empty;
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
    : context_(context),
      slowest_speed_(slowest_speed(context.machine)),
      slots_(starts.size() * graph.ops.size()),
      members_(starts.size()),
      calendar_(std::greater<>(), with_room_for<Finish>(usually_under_way * starts.size()))
{
    for (std::size_t member = 0; member < starts.size(); ++member) {
        Member& each = members_[member];
        each.graph = &graph;
        each.first_slot = member * graph.ops.size();
        each.begin = each.finish = starts[member];
    }
    add_times(graph);
    run();
    keep_the_hbm_busy();
}

GraphEstimate::GraphEstimate(const std::vector<std::shared_ptr<const CompiledGraph>>& roles,
                             std::vector<int> devices, EstimateContext& context)
    : context_(context),
      members_are_roles_(true),
      slowest_speed_(slowest_speed(context.machine)),
      devices_(std::move(devices)),
      members_(roles.size())
{
    std::size_t ops = 0;
    for (std::size_t role = 0; role < roles.size(); ++role) {
        members_[role].graph = roles[role].get();
        members_[role].first_slot = members_[role].first_time = ops;
        ops += roles[role]->ops.size();
        add_times(*roles[role]);
    }
    slots_.resize(ops);
    run();
    keep_the_hbm_busy();
}

/// Whether a repeat of a role keeps synchronous collectives of several roles waiting, or waits for
/// them: as a whole, where the simulator lets them in between its ops.
bool GraphEstimate::occupies_units(const CompiledGraph& body) const
{
    return any_op(body, [this](const CompiledOp& op) {
        const std::size_t group = unit_group(op, context_.machine);
        return op.schedule ? group == all_units : group != no_unit;
    });
}

void GraphEstimate::add_times(const CompiledGraph& graph)
{
    times_.reserve(times_.size() + graph.ops.size());
    for (const CompiledOp& op : graph.ops) {
        times_.push_back(time_of(op));
        times_.back().group = members_are_roles_ && op.body && occupies_units(*op.body)
                                  ? static_cast<std::size_t>(Unit::mxu)
                                  : unit_group(op, context_.machine);
    }
}

// --- Time
// -----------------------------------------------------------------------------------------

void GraphEstimate::begin(int which)
{
    Member& member = at(which);
    member.ops = member.graph->ops.data();
    member.times = times_.data() + member.first_time;
    member.slots = slots_.data() + member.first_slot;
    const int ops = static_cast<int>(member.graph->ops.size());
    std::array<int, unit_groups> of_group{};
    for (int op = 0; op < ops; ++op) {
        ++of_group[timed(which, op).group];
    }
    member.ready.make_room(of_group);
    for (int op = 0; op < ops; ++op) {
        Slot& each = slot(which, op);
        each.waiting = compiled(which, op).predecessors;
        each.ready = member.begin;
        if (each.waiting == 0) {
            make_ready(which, op);
        }
    }
    if (std::any_of(member.graph->ops.begin(), member.graph->ops.end(),
                    [](const CompiledOp& op) { return op.traffic != nullptr; })) {
        member.hbm = std::make_unique<SharedRates>(1.0 / context_.machine.devices_per_chip);
    }
    calendar_.push({member.begin, order_++, which, nobody});
}

void GraphEstimate::run()
{
    for (int member = 0; member < static_cast<int>(members_.size()); ++member) {
        begin(member);
    }
    std::vector<int> awake = with_room_for<int>(usually_under_way);
    while (!calendar_.empty()) {
        const Picoseconds now = calendar_.top().time;
        awake.clear();
        for (; !calendar_.empty() && calendar_.top().time == now; calendar_.pop()) {
            const Finish finish = calendar_.top();
            if (finish.event == Event::start_transfer) {
                start_transfer(finish.member, finish.op, now);
            } else if (finish.event == Event::transferred) {
                end_transfers(finish.member, now);
            } else if (finish.op != nobody) {
                complete(finish.member, finish.op, now);
            }
            if (awake.empty() || awake.back() != finish.member) {
                awake.push_back(finish.member);
            }
        }
        for (const int member : awake) {
            issue(member, now);
        }
    }
}

void GraphEstimate::make_ready(int member, int op)
{
    at(member).ready.push(timed(member, op).group, op);
}

void GraphEstimate::issue(int which, Picoseconds now)
{
    Member& member = at(which);
    while (const UnitGroups can_start = member.ready.groups() & member.units.startable()) {
        start(which, member.ready.pop_first_of(can_start), now);
    }
}

void GraphEstimate::start(int member, int op, Picoseconds now)
{
    hold_units(member, op, now);
    const CompiledOp& compiled_op = compiled(member, op);
    for (const int successor : compiled_op.start_successors) {
        release(member, successor, slot(member, op).held_up_by, now);
    }
    if (compiled_op.traffic && !shares_hbm(member, op)) {
        calendar_.push(
            {now + compiled_op.cost.launch, order_++, member, op, Event::start_transfer});
    }
    if (meets_others(compiled_op)) {
        compiled_op.meeting    ? enter_meeting(member, op, now)
        : compiled_op.schedule ? enter_collective(member, op, now)
                               : enter_repeat(member, op, now);
        return;
    }
    slot(member, op).member = member;
    slot(member, op).op = op;
    const Picoseconds finish = now + total_of(member, op);
    if (finish == now) {
        complete(member, op, now);
        return;
    }
    shares_hbm(member, op) ? start_beside_collectives(member, op, now)
                           : finish_at(member, op, finish);
}

/// Whether several roles meet in it, or members that have one graph: the devices of a role are
/// alike.
bool GraphEstimate::meets_others(const CompiledOp& op) const
{
    return op.meeting ? op.meeting->of_several_roles
                      : !members_are_roles_ && members_.size() > 1 && communicates(op);
}

void GraphEstimate::hold_units(int member, int op, Picoseconds now)
{
    Slot& held = slot(member, op);
    held.start = now;
    const HeldUnits<int>::Release last =
        at(member).units.hold(timed(member, op).group, {held.ready, nobody});
    held.held_up_by = last.by == nobody ? held.released_by : last.by;
}

void GraphEstimate::finish_at(int member, int op, Picoseconds time)
{
    calendar_.push({time, order_++, member, op});
}

void GraphEstimate::complete(int which, int op, Picoseconds now)
{
    slot(which, op).finish = now;
    at(which).finish = std::max(at(which).finish, now);
    at(which).units.release(timed(which, op).group, op, now);
    for (const int successor : compiled(which, op).successors) {
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

// --- Where collectives move bytes beside ops

bool GraphEstimate::shares_hbm(int member, int op) const
{
    const CompiledOp& moves = compiled(member, op);
    if (moves.traffic && (!moves.traffic->holds || members_.size() > 1)) {
        return false; // nothing waits for its bytes
    }
    return at(member).hbm && !moves.body && moves.hbm_on(0).bytes > Bytes(0);
}

/// It is done when its unit is and its bytes have moved.
void GraphEstimate::start_beside_collectives(int member, int op, Picoseconds now)
{
    const CompiledOp& moves = compiled(member, op);
    const OpTime alone = op_time(moves.cost, context_.machine, slowest_speed_);
    const Picoseconds unit = moves.traffic ? moves.schedule_time : alone.fill() + alone.unit;
    slot(member, op).finish = now + alone.launch + unit; // of the unit
    calendar_.push(
        {now + alone.launch + alone.latency, order_++, member, op, Event::start_transfer});
}

void GraphEstimate::start_transfer(int member, int op, Picoseconds now)
{
    at(member).hbm->start(shares_hbm(member, op) ? op : nobody, compiled(member, op).hbm_on(0),
                          now);
    wait_for_transfers(member);
}

void GraphEstimate::end_transfers(int member, Picoseconds now)
{
    if (at(member).hbm_next != now) {
        return; // others have come since, or it has been told
    }
    std::vector<int> over;
    at(member).hbm->finish(now, over);
    wait_for_transfers(member);
    over.erase(std::remove(over.begin(), over.end(), nobody), over.end());
    for (const int op : over) {
        const Picoseconds unit_done = slot(member, op).finish;
        unit_done > now ? finish_at(member, op, unit_done) : complete(member, op, now);
    }
}

void GraphEstimate::wait_for_transfers(int which)
{
    Member& member = at(which);
    member.hbm_next = member.hbm->next().value_or(Picoseconds(-1));
    if (member.hbm_next >= Picoseconds(0)) {
        calendar_.push({member.hbm_next, order_++, which, nobody, Event::transferred});
    }
}

// --- Where members meet
// ---------------------------------------------------------------------------

void GraphEstimate::enter_collective(int member, int op, Picoseconds now)
{
    Meeting& meeting = meetings_[{nullptr, op}];
    if (meeting.times == nullptr) {
        meeting.times = std::make_unique<MemberTimes>(context_.plan_of(compiled(member, op)));
    }
    std::vector<MemberDone> done;
    meeting.times->enter(member, now + compiled(member, op).cost.launch, done);
    for (const MemberDone& one : done) {
        slot(one.member, op).member = one.cause;
        slot(one.member, op).op = op;
        finish_at(one.member, op, one.time);
    }
}

/// A role is done when all that it waits for have entered, and what they send has come.
void GraphEstimate::enter_meeting(int member, int op, Picoseconds now)
{
    const RoleMeeting& roles = *compiled(member, op).meeting;
    Meeting& meeting = meetings_[{&roles, met_[{&roles, member}]++}];
    meeting.entered.resize(members_.size());
    meeting.ops.resize(members_.size(), nobody);
    meeting.entered[static_cast<std::size_t>(member)] = now;
    meeting.ops[static_cast<std::size_t>(member)] = op;
    for (int role = 0; role < static_cast<int>(members_.size()); ++role) {
        const auto& waits = roles.waits_for[static_cast<std::size_t>(role)];
        const bool concerned =
            std::any_of(waits.begin(), waits.end(),
                        [member](const RoleMeeting::Wait& wait) { return wait.role == member; });
        const bool all_are_in =
            std::all_of(waits.begin(), waits.end(), [&meeting](const RoleMeeting::Wait& wait) {
                return meeting.ops[static_cast<std::size_t>(wait.role)] != nobody;
            });
        if (concerned && all_are_in) {
            leave_meeting(meeting, role, waits);
        }
    }
}

void GraphEstimate::leave_meeting(const Meeting& meeting, int role,
                                  const std::vector<RoleMeeting::Wait>& waits)
{
    const int op = meeting.ops[static_cast<std::size_t>(role)];
    Slot& own = slot(role, op);
    own.member = role;
    own.op = op;
    Picoseconds done(0);
    for (const RoleMeeting::Wait& wait : waits) {
        const int others = meeting.ops[static_cast<std::size_t>(wait.role)];
        const Picoseconds took =
            wait.sends ? total_of(wait.role, others) : compiled(wait.role, others).cost.launch;
        const Picoseconds time = meeting.entered[static_cast<std::size_t>(wait.role)] + took;
        if (time > done) {
            done = time;
            own.member = wait.role;
            own.op = others;
        }
    }
    finish_at(role, op, done);
}

/// Iterations follow each other on each member by itself; only the first waits for all.
void GraphEstimate::enter_repeat(int member, int op, Picoseconds now)
{
    Meeting& meeting = meetings_[{nullptr, op}];
    meeting.entered.resize(members_.size());
    meeting.entered[static_cast<std::size_t>(member)] = now;
    if (++meeting.members < static_cast<int>(members_.size())) {
        return;
    }
    const CompiledOp& repeat = compiled(member, op);
    const std::int64_t times = slowest_iterations(*as_repeat(repeat), context_.counts);
    std::vector<Picoseconds> reached = meeting.entered;
    std::vector<Picoseconds> before;
    std::vector<Picoseconds> took(reached.size());
    for (std::int64_t done = 1; done <= times; ++done) {
        std::vector<Picoseconds> begin = reached;
        for (Picoseconds& time : begin) {
            time += repeat.cost.launch;
        }
        const GraphEstimate iteration(*repeat.body, context_, begin);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const Picoseconds finish = iteration.finish_of(static_cast<int>(i));
            took[i] = finish - reached[i];
            reached[i] = finish;
        }
        if (done < times && (took == before || done == most_iterations)) {
            for (std::size_t i = 0; i < reached.size(); ++i) {
                reached[i] += repeated(took[i], times - done);
            }
            done = times;
        }
        before = took;
        turns_[static_cast<std::size_t>(timed(member, op).turns)] = iteration.breakdown();
    }
    const auto turns = static_cast<std::size_t>(timed(member, op).turns);
    uses_[turns].add(turns_[turns].use(), times);
    for (int each = 0; each < static_cast<int>(reached.size()); ++each) {
        slot(each, op).member = member;
        slot(each, op).op = op;
        finish_at(each, op, std::max(now, reached[static_cast<std::size_t>(each)]));
    }
}

} // namespace alxsim::model
