// SPDX-License-Identifier: Apache-2.0
#include "model/compiled_graph.h"

#include "base/input_error.h"
#include "model/schedules/routed_load.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace alxsim::model {
namespace {

/// What collectives in which the same devices meet have in common.
struct MetCollective {
    TimedSchedule best;
    /// By whether its operand, and its result, stand in VMEM, and whether it is synchronous:
    /// unless it is unknown.
    std::map<std::array<bool, 3>, std::shared_ptr<const CollectiveTraffic>> traffic;
};

/// What ops of one compilation share.
struct Compilation {
    const BufferPlacement& placement;
    const topologies::Machine& machine;
    PhaseNames& phases;
    ScheduleBook& schedules;
    StreamRates& streams;
    const RoleMeetings* meetings = nullptr; ///< of a graph with roles
    int role = 0;
    /// Devices of several roles enter one schedule.
    std::map<const RoleMeeting*, MetCollective>* met = nullptr;
    /// Bodies that several repeats of a role have, as those of microbatches.
    std::map<const OpGraph*, std::shared_ptr<CompiledGraph>>* bodies = nullptr;
    /// Likewise: those that have their costs again, and whether they are ordered as before.
    std::map<const CompiledGraph*, bool>* ordered_alike = nullptr;
};

void compile_graph(const OpGraph& graph, Compilation& shared, CompiledGraph& compiled);
void mark_repeats_beside_others(CompiledGraph& graph, const topologies::Machine& machine);

/// Costs of an op that is not the same on all devices; in `cost` those of the slowest.
void add_costs_of_devices(CompiledOp& compiled, Compilation& shared)
{
    const Op& op = *compiled.op;
    const double speed = slowest_speed(shared.machine);
    compiled.cost_of_device.clear();
    Picoseconds longest(-1);
    for (const Work& work : *op.work_of_device) {
        compiled.cost_of_device.push_back(
            op_cost(op, work, shared.placement, shared.machine, shared.streams));
        const Picoseconds time =
            op_time(compiled.cost_of_device.back(), shared.machine, speed).total();
        if (time > longest) {
            longest = time;
            compiled.cost = compiled.cost_of_device.back();
        }
    }
}

std::shared_ptr<const CollectiveTraffic>
traffic_in(const CompiledOp& compiled, const Collective& collective, Compilation& shared)
{
    return traffic_of(
        collective_access(*compiled.op, collective, *compiled.schedule, shared.placement),
        {compiled.schedule_time, unit_group(compiled, shared.machine) == all_units,
         done_together(collective)},
        shared.machine, shared.streams);
}

/// The same for all that meet there, and each time that they do.
void add_schedule_of_roles(CompiledOp& compiled, const Collective& collective, Compilation& shared)
{
    if (compiled.meeting == nullptr) {
        compiled.meeting = shared.meetings->meeting_of(*compiled.op, shared.role);
    }
    MetCollective& met = (*shared.met)[compiled.meeting.get()];
    if (met.best.schedule == nullptr) {
        met.best = shared.schedules.best(shared.meetings->collective_of(*compiled.op, shared.role));
    }
    compiled.schedule = met.best.schedule;
    compiled.schedule_time = met.best.time;
    const auto [traffic, is_new] =
        met.traffic.try_emplace({in_vmem(compiled.op->reads, shared.placement),
                                 in_vmem(compiled.op->writes, shared.placement),
                                 unit_group(compiled, shared.machine) == all_units});
    if (is_new) {
        traffic->second = traffic_in(compiled, collective, shared);
    }
    compiled.traffic = traffic->second;
}

void add_schedule(CompiledOp& compiled, const Collective& collective, Compilation& shared)
{
    if (shared.meetings != nullptr) {
        add_schedule_of_roles(compiled, collective, shared);
        return;
    }
    const TimedSchedule best = shared.schedules.best(collective);
    compiled.schedule = best.schedule;
    compiled.schedule_time = best.time;
    compiled.traffic = traffic_in(compiled, collective, shared);
}

/// What the machine's numbers decide.
void add_costs(CompiledOp& compiled, Compilation& shared)
{
    const Op& op = *compiled.op;
    compiled.cost = op_cost(op, op.work, shared.placement, shared.machine, shared.streams);
    if (op.work_of_device) {
        add_costs_of_devices(compiled, shared);
    }
    if (const Collective* collective = std::get_if<Collective>(&op.work)) {
        add_schedule(compiled, *collective, shared);
    }
}

/// Numbers of its phase and axes, as they are now.
void number_phase(CompiledOp& compiled, Compilation& shared)
{
    const Op& op = *compiled.op;
    compiled.axes = PhaseNames::no_axes;
    compiled.phase = compiled.phase_beside = shared.phases.index_of(op.phase);
    if (const auto* collective = std::get_if<Collective>(&op.work)) {
        compiled.axes = shared.phases.axes().number_of(*collective, shared.machine);
        compiled.phase = shared.phases.index_of(op.phase, compiled.axes);
    }
}

/// Adds which op it is, unless that is known.
[[noreturn]] void refuse_duration_of(const Op& op, std::size_t number, const DurationError& error)
{
    const std::string name = op.name.text().empty() ? "" : " '" + op.name.text() + "'";
    throw error.of().empty() ? DurationError(error.seconds(), "op " + std::to_string(number) + name)
                             : error;
}

/// As a new one, but for the memory of its lists and its body.
void start_over(CompiledOp& compiled)
{
    compiled.predecessors = 0;
    compiled.successors.clear();
    compiled.start_successors.clear();
    compiled.cost_of_device.clear();
    compiled.beside_others = false;
    compiled.iterations_before = 0;
    compiled.schedule = nullptr;
    compiled.schedule_time = Picoseconds(0);
    compiled.traffic = nullptr;
    compiled.meeting = nullptr;
}

void compile_op(const Op& op, Compilation& shared, CompiledOp& compiled)
{
    start_over(compiled);
    compiled.op = &op;
    add_costs(compiled, shared);
    number_phase(compiled, shared);
    const Repeat* const repeat = std::get_if<Repeat>(&op.work);
    if (repeat == nullptr) {
        compiled.body = nullptr;
        return;
    }
    if (shared.bodies != nullptr) {
        std::shared_ptr<CompiledGraph>& known = (*shared.bodies)[repeat->body.get()];
        if (known != nullptr) {
            compiled.body = known;
            return;
        }
        known = compiled.body = std::make_shared<CompiledGraph>();
    } else if (compiled.body == nullptr) {
        compiled.body = std::make_shared<CompiledGraph>();
    }
    compile_graph(*repeat->body, shared, *compiled.body);
}

/// What of the HBM's time others can feel.
struct HbmUse {
    bool moves = false;   ///< bytes
    bool traffic = false; ///< those of collectives, beside whatever runs

    bool operator==(const HbmUse& other) const
    {
        return moves == other.moves && traffic == other.traffic;
    }
};

/// Without that of a body.
HbmUse own_hbm_use_of(const CompiledOp& op)
{
    return {op.hbm_on(0).bytes > Bytes(0), op.traffic != nullptr};
}

/// What the order of ops goes by, of one.
struct OrderedBy {
    explicit OrderedBy(const CompiledOp& op)
        : unit(op.cost.unit),
          use(own_hbm_use_of(op)),
          schedule(op.schedule)
    {
    }

    /// Whether it is the same by now.
    bool holds_of(const CompiledOp& op) const
    {
        return unit == op.cost.unit && use == own_hbm_use_of(op) &&
               (schedule == op.schedule ||
                (schedule->along() == op.schedule->along() && schedule->messages.empty() &&
                 op.schedule->messages.empty()));
    }

    Unit unit;
    HbmUse use;
    std::shared_ptr<const CollectiveSchedule> schedule; ///< of a collective
};

bool add_costs_again(CompiledGraph& graph, Compilation& shared);

bool add_costs_of_body_again(CompiledGraph& body, Compilation& shared)
{
    if (shared.ordered_alike == nullptr) {
        return add_costs_again(body, shared);
    }
    const auto [known, is_new] = shared.ordered_alike->try_emplace(&body);
    if (is_new) {
        known->second = add_costs_again(body, shared);
    }
    return known->second;
}

/// Whether the ops are ordered as before.
bool add_costs_again(CompiledGraph& graph, Compilation& shared)
{
    bool alike = true;
    for (CompiledOp& op : graph.ops) {
        const OrderedBy before(op);
        try {
            add_costs(op, shared);
        } catch (const DurationError& error) {
            refuse_duration_of(*op.op, static_cast<std::size_t>(&op - graph.ops.data()), error);
        }
        alike = before.holds_of(op) && alike;
        number_phase(op, shared);
        if (op.body) {
            alike = add_costs_of_body_again(*op.body, shared) && alike;
        }
    }
    return alike;
}

/// Whether collectives differ in bytes alone, or in what their order does not go by.
bool are_ordered_alike(const Collective& a, const Collective& b)
{
    const auto structure = [](const Collective& one) {
        return std::tie(one.kind, one.schedule.colours, one.schedule.directions,
                        one.schedule.algorithm, one.schedule.choice, one.group, one.messages,
                        one.after, one.across_chips, one.root, one.ranks, one.listed, one.mesh,
                        one.overlap, one.launched);
    };
    return structure(a) == structure(b);
}

bool are_ordered_alike(const OpGraph& a, const OpGraph& b);

bool are_ordered_alike(const Op& a, const Op& b)
{
    if (!same_kind(a.work, b.work) || a.after != b.after || a.phase != b.phase) {
        return false;
    }
    if (const auto* collective = std::get_if<Collective>(&a.work)) {
        return are_ordered_alike(*collective, std::get<Collective>(b.work));
    }
    const auto* repeat = std::get_if<Repeat>(&a.work);
    return repeat == nullptr || are_ordered_alike(*repeat->body, *std::get<Repeat>(b.work).body);
}

/// Whether collectives with these schedules follow others alike.
bool are_ordered_alike(const CollectiveSchedule& a, const CollectiveSchedule& b)
{
    return a.kind == b.kind && a.along() == b.along() && a.messages.empty() == b.messages.empty() &&
           a.messages_after.empty() == b.messages_after.empty();
}

/// Whether what compile() finds of them, but for costs and schedules, is the same.
bool are_ordered_alike(const OpGraph& a, const OpGraph& b)
{
    const auto alike = [](const Op& one, const Op& other) { return are_ordered_alike(one, other); };
    return a.roles.empty() && b.roles.empty() &&
           std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), alike);
}

/// What another set of numbers changes beside costs and schedules.
struct NewNumbers {
    bool order = false;   ///< of collectives
    bool besides = false; ///< which repeats others may run beside
};

/// Adds the numbers of graphs that are ordered alike.
void add_numbers(CompiledGraph& compiled, const OpGraph& graph, Compilation& shared,
                 NewNumbers& changed)
{
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        CompiledOp& op = compiled.ops[i];
        const Unit unit = op.cost.unit;
        const HbmUse use = own_hbm_use_of(op);
        const std::shared_ptr<const CollectiveSchedule> schedule = std::move(op.schedule);
        op.op = &graph.ops[i];
        number_phase(op, shared);
        op.cost_of_device.clear();
        op.traffic = nullptr;
        try {
            add_costs(op, shared);
        } catch (const DurationError& error) {
            refuse_duration_of(*op.op, i, error);
        }
        changed.besides = changed.besides || unit != op.cost.unit || !(use == own_hbm_use_of(op));
        changed.order = changed.order || (schedule != nullptr && schedule != op.schedule &&
                                          !are_ordered_alike(*schedule, *op.schedule));
        if (op.body) {
            add_numbers(*op.body, *as_repeat(op)->body, shared, changed);
        }
    }
}

/// Whether a core computes nothing during a collective, or during one of a repeat's.
bool is_synchronous(const CompiledOp& op, const topologies::Machine& machine)
{
    return op.body ? std::any_of(op.body->ops.begin(), op.body->ops.end(),
                                 [&](const CompiledOp& inner) {
                                     return communicates(inner) && is_synchronous(inner, machine);
                                 })
                   : unit_group(op, machine) == all_units;
}

/// Which collectives of a graph wait for which.
class CollectiveOrder {
public:
    explicit CollectiveOrder(const topologies::Machine& machine) : machine_(machine) {}

    /// The next in program order: adds what it follows to `after`. Returns the one whose start it
    /// waits for, or -1.
    int add(const CompiledOp& op, int number, std::vector<int>& after)
    {
        if (!join_permutes(op, number, after)) {
            const auto own = static_cast<std::ptrdiff_t>(after.size());
            follow(op, number, after);
            permutes_ = {};
            if (is_permute_of_messages(op)) {
                permutes_ = {{after.begin() + own, after.end()},
                             ways_of_messages(op),
                             op.schedule->along(),
                             number};
            }
        }
        const int before = std::exchange(last_, number);
        const bool follows = std::find(after.begin(), after.end(), before) != after.end();
        const bool synchronous = is_synchronous(op, machine_);
        const bool in_order = std::exchange(last_is_synchronous_, synchronous) || synchronous;
        return in_order && !follows ? before : -1;
    }

private:
    /// Permutes in a row that pass no link in the same direction: nobody holds up another, and each
    /// device waits for its own messages alone. So they may be under way at once.
    struct Permutes {
        std::vector<int> after; ///< what all of them follow
        std::vector<std::size_t> ways;
        std::vector<int> group;
        int last = -1; ///< -1: there are none
    };

    /// Not: repeats, lists of ranks that are no boxes, and what has nobody to communicate with.
    static bool is_along_some_axes(const CompiledOp& op)
    {
        return op.schedule && !op.schedule->along().empty();
    }

    static bool is_permute_of_messages(const CompiledOp& op)
    {
        return is_along_some_axes(op) && op.schedule->kind == CollectiveKind::permute &&
               !op.schedule->messages.empty() && op.schedule->messages_after.empty();
    }

    const std::vector<std::size_t>& ways_of_messages(const CompiledOp& op)
    {
        const auto [known, is_new] = ways_.try_emplace(op.schedule.get());
        if (is_new) {
            known->second = ways_of(op.schedule->messages, machine_);
        }
        return known->second;
    }

    /// Adds what the permutes before it follow, if it may be under way with them.
    bool join_permutes(const CompiledOp& op, int number, std::vector<int>& after)
    {
        if (permutes_.last < 0 || permutes_.last != last_ || !is_permute_of_messages(op) ||
            op.schedule->along() != permutes_.group) {
            return false;
        }
        const std::vector<std::size_t>& own = ways_of_messages(op);
        std::vector<std::size_t> all;
        std::set_union(own.begin(), own.end(), permutes_.ways.begin(), permutes_.ways.end(),
                       std::back_inserter(all));
        if (all.size() < own.size() + permutes_.ways.size()) {
            return false;
        }
        after.insert(after.end(), permutes_.after.begin(), permutes_.after.end());
        permutes_.ways = std::move(all);
        permutes_.last = number;
        for (const int axis : op.schedule->along()) {
            last_along_[axis].push_back(number);
        }
        return true;
    }

    void follow(const CompiledOp& op, int number, std::vector<int>& after)
    {
        const auto add_all = [&after](const std::vector<int>& numbers) {
            after.insert(after.end(), numbers.begin(), numbers.end());
        };
        if (is_along_some_axes(op)) {
            for (const int axis : op.schedule->along()) {
                const auto found = last_along_.find(axis);
                add_all(found == last_along_.end() ? last_along_all_ : found->second);
                last_along_[axis] = {number};
            }
        } else {
            for (const auto& [axis, before] : last_along_) {
                add_all(before);
            }
            add_all(last_along_all_);
            last_along_.clear();
            last_along_all_ = {number};
        }
    }

    const topologies::Machine& machine_;
    bool last_is_synchronous_ = false;
    std::map<int, std::vector<int>> last_along_; ///< by axis of the network
    std::vector<int> last_along_all_;
    std::map<const CollectiveSchedule*, std::vector<std::size_t>> ways_;
    Permutes permutes_; ///< under way when the next comes
    int last_ = -1;
};

/// Which messages from role to role wait for which: on each way in the order of the program.
class MessageTurns {
public:
    explicit MessageTurns(const topologies::Machine& machine) : machine_(machine) {}

    void add(const CompiledOp& op, int number, std::vector<int>& after)
    {
        const auto [known, is_new] = ways_.try_emplace(op.schedule.get());
        if (is_new) {
            known->second = ways_of(op.schedule->messages, machine_);
        }
        for (const std::size_t way : known->second) {
            take(last_on_, way, number, after);
        }
        take(last_of_, op.meeting.get(), number, after);
    }

private:
    template <class Key, class Given>
    static void take(std::map<Key, int>& last, Given key, int number, std::vector<int>& after)
    {
        const auto [before, is_first] = last.try_emplace(key, number);
        if (!is_first) {
            after.push_back(std::exchange(before->second, number));
        }
    }

    const topologies::Machine& machine_;
    std::map<const CollectiveSchedule*, std::vector<std::size_t>> ways_;
    std::map<std::size_t, int> last_on_;        ///< by way
    std::map<const RoleMeeting*, int> last_of_; ///< by where roles meet
};

/// Messages from role to role, which wait for nobody but who sends them, and go beside what a
/// role's devices do among themselves.
bool holds_up_nobody(const CompiledOp& op, const topologies::Machine& machine)
{
    return op.schedule && joins_roles(op) && !op.schedule->messages.empty() &&
           op.schedule->messages_after.empty() && unit_group(op, machine) != all_units;
}

void compile_graph(const OpGraph& graph, Compilation& shared, CompiledGraph& compiled)
{
    compiled.has_collectives = compiled.joins_roles = false;
    compiled.synchronous.clear();
    CollectiveOrder order(shared.machine);
    MessageTurns turns(shared.machine);
    std::vector<int> after;
    compiled.ops.resize(graph.ops.size());
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const int number = static_cast<int>(i);
        CompiledOp& op = compiled.ops[i];
        try {
            compile_op(graph.ops[i], shared, op);
        } catch (const DurationError& error) {
            refuse_duration_of(graph.ops[i], i, error);
        }
        after = graph.ops[i].after;
        if (unit_group(op, shared.machine) == all_units) {
            compiled.synchronous.push_back(number);
        }
        if (communicates(op)) {
            compiled.has_collectives = true;
            compiled.joins_roles = compiled.joins_roles || joins_roles(op);
            if (holds_up_nobody(op, shared.machine)) {
                turns.add(op, number, after);
            } else if (const int before = order.add(op, number, after); before >= 0) {
                compiled.ops[static_cast<std::size_t>(before)].start_successors.push_back(number);
                ++op.predecessors;
            }
        }
        std::sort(after.begin(), after.end());
        after.erase(std::unique(after.begin(), after.end()), after.end());
        op.predecessors += static_cast<int>(after.size());
        for (int before : after) {
            compiled.ops[static_cast<std::size_t>(before)].successors.push_back(number);
        }
    }
    if (!compiled.joins_roles) { // else what is written out goes by where they meet
        mark_repeats_beside_others(compiled, shared.machine);
    }
}

/// Units that the ops of a graph occupy, bit by bit.
unsigned units_of(const CompiledGraph& graph, const topologies::Machine& machine);

unsigned units_of(const CompiledOp& op, const topologies::Machine& machine)
{
    if (op.body) {
        return units_of(*op.body, machine);
    }
    const std::size_t group = unit_group(op, machine);
    return group == no_unit ? 0U : group == all_units ? (1U << device_units) - 1 : 1U << group;
}

unsigned units_of(const CompiledGraph& graph, const topologies::Machine& machine)
{
    unsigned units = 0;
    for (const CompiledOp& op : graph.ops) {
        units |= units_of(op, machine);
    }
    return units;
}

HbmUse hbm_use_of(const CompiledOp& op)
{
    HbmUse use = own_hbm_use_of(op);
    for (std::size_t i = 0; op.body && i < op.body->ops.size(); ++i) {
        const HbmUse inner = hbm_use_of(op.body->ops[i]);
        use = {use.moves || inner.moves, use.traffic || inner.traffic};
    }
    return use;
}

/// Whether one of two ops beside each other holds the other up: by its units, or as a collective
/// that moves bytes.
bool hold_each_other_up(unsigned units_of_both, const HbmUse& one, const HbmUse& other)
{
    return units_of_both != 0 || (one.moves && other.traffic) || (one.traffic && other.moves);
}

/// [op]: whether it must be over before `repeat` begins, or begins after it is over; or is it.
std::vector<bool> in_a_row_with(std::size_t repeat, const CompiledGraph& graph)
{
    const auto leads_to = [&graph](std::size_t op, const std::vector<bool>& some) {
        const std::vector<int>& next = graph.ops[op].successors;
        return std::any_of(next.begin(), next.end(),
                           [&some](int one) { return some[static_cast<std::size_t>(one)]; });
    };
    std::vector<bool> before(graph.ops.size());
    before[repeat] = true;
    for (std::size_t op = repeat; op-- > 0;) {
        before[op] = leads_to(op, before);
    }
    std::vector<bool> all = before;
    for (std::size_t op = repeat; op < graph.ops.size(); ++op) {
        for (std::size_t i = 0; all[op] && i < graph.ops[op].successors.size(); ++i) {
            all[static_cast<std::size_t>(graph.ops[op].successors[i])] = true;
        }
    }
    return all;
}

void mark_repeats_beside_others(CompiledGraph& graph, const topologies::Machine& machine)
{
    graph.has_repeats_beside_others = false;
    if (std::none_of(graph.ops.begin(), graph.ops.end(),
                     [](const CompiledOp& op) { return op.body != nullptr; })) {
        return;
    }
    std::vector<unsigned> units;
    std::vector<HbmUse> hbm;
    for (const CompiledOp& op : graph.ops) {
        units.push_back(units_of(op, machine));
        hbm.push_back(hbm_use_of(op));
    }
    for (std::size_t repeat = 0; repeat < graph.ops.size(); ++repeat) {
        CompiledOp& op = graph.ops[repeat];
        if (!op.body) {
            continue;
        }
        op.beside_others = false;
        const std::vector<bool> in_a_row = in_a_row_with(repeat, graph);
        for (std::size_t other = 0; other < graph.ops.size() && !op.beside_others; ++other) {
            op.beside_others = !in_a_row[other] && hold_each_other_up(units[other] & units[repeat],
                                                                      hbm[other], hbm[repeat]);
        }
        graph.has_repeats_beside_others = graph.has_repeats_beside_others || op.beside_others;
    }
}

void mark_again(CompiledGraph& graph, const topologies::Machine& machine)
{
    for (CompiledOp& op : graph.ops) {
        if (op.body) {
            mark_again(*op.body, machine);
        }
    }
    mark_repeats_beside_others(graph, machine);
}

/// From `next` on; returns the one after the last.
int number_places(CompiledGraph& graph, int next)
{
    for (CompiledOp& op : graph.ops) {
        op.place = next++;
        if (op.body) {
            next = number_places(*op.body, next);
        }
    }
    return next;
}

/// `shared` with what is a role's own. `met`: of all roles.
Compilation in_role(const Compilation& shared, const BufferPlacement& placement,
                    const CompiledGraph& compiled, int role,
                    std::map<const RoleMeeting*, MetCollective>& met)
{
    return {placement,      shared.machine,          shared.phases, shared.schedules,
            shared.streams, compiled.meetings.get(), role,          &met};
}

/// Each role by itself; where its devices meet others is the same for all.
std::unique_ptr<CompiledGraph> compile_roles(const OpGraph& graph, const Compilation& shared)
{
    std::map<const RoleMeeting*, MetCollective> met;
    auto compiled = std::make_unique<CompiledGraph>();
    compiled->meetings = std::make_shared<const RoleMeetings>(graph, shared.machine.devices);
    compiled->role_of.resize(static_cast<std::size_t>(shared.machine.devices));
    for (std::size_t role = 0; role < graph.roles.size(); ++role) {
        const OpGraph& own = *graph.roles[role].graph;
        const auto placement =
            std::make_shared<const BufferPlacement>(place(own, shared.machine.device));
        std::map<const OpGraph*, std::shared_ptr<CompiledGraph>> bodies;
        Compilation of_role = in_role(shared, *placement, *compiled, static_cast<int>(role), met);
        of_role.bodies = &bodies;
        auto ops = std::make_shared<CompiledGraph>();
        compile_graph(own, of_role, *ops);
        number_places(*ops, 0);
        compiled->has_collectives = compiled->has_collectives || ops->has_collectives;
        for (const int device : graph.roles[role].devices) {
            compiled->role_of[static_cast<std::size_t>(device)] = static_cast<int>(role);
        }
        compiled->roles.push_back({std::move(ops), placement});
    }
    return compiled;
}

/// Whether the ops are ordered as before, those of all roles.
bool add_costs_of_roles_again(CompiledGraph& compiled, const Compilation& shared)
{
    std::map<const RoleMeeting*, MetCollective> met;
    bool alike = true;
    for (std::size_t role = 0; role < compiled.roles.size(); ++role) {
        const CompiledGraph::Role& own = compiled.roles[role];
        Compilation of_role =
            in_role(shared, *own.placement, compiled, static_cast<int>(role), met);
        std::map<const CompiledGraph*, bool> ordered_alike;
        of_role.ordered_alike = &ordered_alike;
        alike = add_costs_again(*own.graph, of_role) && alike;
    }
    return alike;
}

} // namespace

const char* const dispatch_phase = "dispatch";

bool cost_again(CompiledGraph& compiled, const BufferPlacement& placement,
                const topologies::Machine& machine, PhaseNames& phases, ScheduleBook& schedules,
                StreamRates& streams)
{
    Compilation shared{placement, machine, phases, schedules, streams};
    if (!compiled.roles.empty()) {
        return add_costs_of_roles_again(compiled, shared);
    }
    return add_costs_again(compiled, shared);
}

bool set_to_numbers(CompiledGraph& compiled, const OpGraph& graph, const BufferPlacement& placement,
                    const topologies::Machine& machine, PhaseNames& phases, ScheduleBook& schedules,
                    StreamRates& streams)
{
    const auto alike = [](const CompiledOp& one, const Op& other) {
        return are_ordered_alike(*one.op, other);
    };
    if (!compiled.roles.empty() || !graph.roles.empty() ||
        !std::equal(compiled.ops.begin(), compiled.ops.end(), graph.ops.begin(), graph.ops.end(),
                    alike)) {
        return false;
    }
    Compilation shared{placement, machine, phases, schedules, streams};
    NewNumbers changed;
    add_numbers(compiled, graph, shared, changed);
    if (changed.besides && !changed.order) {
        mark_again(compiled, machine);
    }
    return !changed.order;
}

std::int64_t iterations_left(const CompiledOp& repeat, const Counts& counts)
{
    return std::max<std::int64_t>(0, slowest_iterations(*as_repeat(repeat), counts) -
                                         repeat.iterations_before);
}

bool overlaps_compute(const Collective& collective, const topologies::NetworkSpec& network)
{
    if (collective.overlap) {
        return *collective.overlap == Overlap::async;
    }
    if (network.collectives_overlap_compute) {
        return true;
    }
    switch (collective.kind) {
    case CollectiveKind::all_gather:
        return network.all_gathers_overlap_compute;
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
        return network.reductions_overlap_compute;
    case CollectiveKind::permute:
        return network.permutes_overlap_compute;
    case CollectiveKind::all_to_all:
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
        return false;
    }
    return false;
}

std::size_t unit_group(const CompiledOp& op, const topologies::Machine& machine)
{
    if (op.cost.unit == Unit::control || op.cost.unit == Unit::host) {
        return no_unit;
    }
    const auto* const collective = std::get_if<Collective>(&op.op->work);
    return collective != nullptr && !overlaps_compute(*collective, machine.network)
               ? all_units
               : static_cast<std::size_t>(op.cost.unit);
}

bool computes(const CompiledOp& op)
{
    return !op.schedule && !op.body && op.cost.unit != Unit::control && !is_of_host(op.cost.unit) &&
           !std::holds_alternative<Copy>(op.op->work);
}

LateMember late_member_of(const CompiledOp& collective)
{
    if (!collective.meeting) {
        return LateMember::nobody;
    }
    const auto& work = std::get<Collective>(collective.op->work);
    return work.messages || work.kind == CollectiveKind::permute ? LateMember::message
                                                                 : LateMember::collective;
}

std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const BufferPlacement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleBook& schedules)
{
    StreamRates streams(machine.hbm);
    if (!graph.roles.empty()) {
        return compile_roles(graph, {placement, machine, phases, schedules, streams});
    }
    auto compiled = std::make_unique<CompiledGraph>();
    compile_into(*compiled, graph, placement, machine, phases, schedules, streams);
    return compiled;
}

void compile_into(CompiledGraph& compiled, const OpGraph& graph, const BufferPlacement& placement,
                  const topologies::Machine& machine, PhaseNames& phases, ScheduleBook& schedules,
                  StreamRates& streams)
{
    Compilation shared{placement, machine, phases, schedules, streams};
    compile_graph(graph, shared, compiled);
    number_places(compiled, 0);
}

std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const BufferPlacement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleTimes times)
{
    ScheduleBook schedules(machine, times);
    return compile(graph, placement, machine, phases, schedules);
}

} // namespace alxsim::model
