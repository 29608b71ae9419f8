// SPDX-License-Identifier: Apache-2.0
// What the ops of GraphEstimate take by themselves, and how its time splits.
#include "model/graph/for_each_op.h"
#include "model/graph_estimate.h"
#include "model/unrolled_graph.h"

#include <algorithm>

namespace alxsim::model {

NumberedBreakdown time_of_one_device(const CompiledGraph& graph, EstimateContext& context)
{
    const auto estimate = [&context](const CompiledGraph& one) {
        return GraphEstimate(one, context, {Picoseconds(0)}).breakdown();
    };
    return graph.has_repeats_beside_others
               ? estimate(with_repeats_beside_others_written_out(graph, context.counts))
               : estimate(graph);
}

/// Times an op by itself.
GraphEstimate::TimedOp GraphEstimate::time_of(const CompiledOp& op)
{
    if (op.body) {
        return time_of_turns(op);
    }
    TimedOp time;
    if (op.schedule) {
        const Picoseconds moving =
            op.traffic ? hbm_time(op.traffic->cost, context_.machine) : Picoseconds(0);
        time.body = op.cost.launch + std::max(op.schedule_time, moving);
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

/// Times all turns of a repeat; nothing yet where members meet in it, see enter_repeat.
GraphEstimate::TimedOp GraphEstimate::time_of_turns(const CompiledOp& op)
{
    TimedOp time;
    time.turns = static_cast<int>(turns_.size());
    if (members_are_roles_) {
        const auto [known, is_new] = alike_.try_emplace(
            {op.body.get(), op.phase, op.cost.launch, iterations_left(op, context_.counts)},
            time.turns);
        if (!is_new) {
            time.turns = known->second;
            return time;
        }
    }
    turns_.emplace_back();
    uses_.emplace_back();
    if (members_.size() == 1 || members_are_roles_ || !op.body->has_collectives) {
        NumberedBreakdown turn = time_of_turn(*op.body);
        turn.add(op.phase, Share::host, op.cost.launch);
        turns_.back() = turn.scaled(iterations_left(op, context_.counts));
        uses_.back() = turns_.back().use();
    }
    return time;
}

NumberedBreakdown GraphEstimate::time_of_turn(const CompiledGraph& body)
{
    if (!members_are_roles_) {
        return time_of_one_device(body, context_);
    }
    const auto known = context_.turns.find(&body);
    return known != context_.turns.end()
               ? known->second
               : context_.turns.emplace(&body, time_of_one_device(body, context_)).first->second;
}

Picoseconds GraphEstimate::total_of(int member, int op) const
{
    const TimedOp& time = timed(member, op);
    return time.turns != nobody ? turns_[static_cast<std::size_t>(time.turns)].total()
                                : time.launch + time.fill + time.body;
}

void GraphEstimate::add_time(int member, int op, NumberedBreakdown& sum) const
{
    const TimedOp& time = timed(member, op);
    if (time.turns != nobody) {
        sum += turns_[static_cast<std::size_t>(time.turns)];
        return;
    }
    const int phase = compiled(member, op).phase;
    sum.add(phase, Share::host, time.launch);
    sum.add(phase, fill_share(time.share), time.fill);
    sum.add(phase, time.share, time.body);
}

/// What passed from the start of the member that the finish hung on.
void GraphEstimate::add_slot(int member, int op, NumberedBreakdown& sum) const
{
    const CompiledOp& done = compiled(member, op);
    if (!meets_others(done)) {
        add_time(member, op, sum);
        if (at(member).hbm) { // beside collectives it took longer
            const Picoseconds took = slot(member, op).finish - slot(member, op).start;
            sum.add(done.phase,
                    timed(member, op).share == Share::communication ? Share::communication
                                                                    : Share::hbm,
                    took - total_of(member, op));
        }
        return;
    }
    const Slot& here = slot(member, op);
    const Picoseconds took = here.finish - slot(here.member, here.op).start;
    if (done.body && total_of(member, op) > Picoseconds(0)) {
        sum += turns_[static_cast<std::size_t>(timed(member, op).turns)].stretched_to(took);
        return;
    }
    sum.add(done.phase, done.schedule ? Share::communication : Share::host, took);
}

Picoseconds GraphEstimate::hbm_busy(const CompiledOp& op)
{
    if (!op.body) {
        return op.traffic ? op.traffic->cost.busy : op.cost.hbm.busy;
    }
    if (!members_are_roles_) {
        return hbm_busy_in(*op.body) * iterations_left(op, context_.counts);
    }
    const auto [known, is_new] = context_.hbm_busy.try_emplace(op.body.get());
    if (is_new) {
        known->second = hbm_busy_in(*op.body);
    }
    return known->second * iterations_left(op, context_.counts);
}

Picoseconds GraphEstimate::hbm_busy_in(const CompiledGraph& body) const
{
    const RoundsOfSlowestDevice rounds{context_.counts};
    Picoseconds sum(0);
    for_each_op(body, std::int64_t{1}, rounds, [&sum](const CompiledOp& inner, std::int64_t times) {
        sum += inner.hbm_on(0).busy * times;
    });
    return sum;
}

/// Ops that move bytes at once share the HBM, which the closed form of each does not know.
void GraphEstimate::keep_the_hbm_busy()
{
    for (std::size_t first = 0; first < members_.size();) {
        const CompiledGraph& graph = *members_[first].graph;
        std::size_t end = first; // of those that have the same graph
        Picoseconds longest(0);
        for (; end < members_.size() && members_[end].graph == &graph; ++end) {
            longest = std::max(longest, members_[end].finish - members_[end].begin);
        }
        Picoseconds sum(0);
        Picoseconds most(0);
        int heaviest = 0;
        for (const CompiledOp& op : graph.ops) {
            const Picoseconds busy = hbm_busy(op);
            sum += busy;
            if (busy > most) {
                most = busy;
                heaviest = op.phase_beside;
            }
        }
        const Picoseconds least = sum * context_.machine.devices_per_chip;
        for (; first < end; ++first) {
            members_[first].waiting_for_hbm = std::max(Picoseconds(0), least - longest);
            members_[first].finish += members_[first].waiting_for_hbm;
            members_[first].heaviest = heaviest;
        }
    }
}

NumberedBreakdown GraphEstimate::breakdown() const
{
    NumberedBreakdown whole = path();
    whole.set_use(context_.tells_use ? mean_use(whole.total()) : DeviceUse());
    return whole;
}

NumberedBreakdown GraphEstimate::path() const
{
    NumberedBreakdown sum;
    int member = 0;
    int op = nobody;
    Picoseconds latest(0);
    for (int each = 0; each < static_cast<int>(members_.size()); ++each) {
        for (int i = 0; i < static_cast<int>(at(each).graph->ops.size()); ++i) {
            const Picoseconds finish = slot(each, i).finish + at(each).waiting_for_hbm;
            if (op == nobody || finish > latest) {
                member = each;
                op = i;
                latest = finish;
            }
        }
    }
    if (!members_.empty()) {
        sum.add(at(member).heaviest, Share::hbm, at(member).waiting_for_hbm);
    }
    while (op != nobody) {
        add_slot(member, op, sum);
        const Slot& here = slot(member, op);
        op = slot(here.member, here.op).held_up_by;
        member = here.member;
    }
    return sum;
}

// --- What devices do beside their work

namespace {

/// When any collective is under way: spans without overlap, in the order of time.
class Episodes {
public:
    void add(Picoseconds begin, Picoseconds end) { spans_.emplace_back(begin, end); }
    void join()
    {
        std::sort(spans_.begin(), spans_.end());
        std::size_t kept = 0;
        for (const Span& span : spans_) {
            if (kept > 0 && span.first <= spans_[kept - 1].second) {
                spans_[kept - 1].second = std::max(spans_[kept - 1].second, span.second);
            } else {
                spans_[kept++] = span;
            }
        }
        spans_.resize(kept);
    }
    bool meet(Picoseconds begin, Picoseconds end) const
    {
        const auto after = std::lower_bound(spans_.begin(), spans_.end(), Span(end, end));
        return after != spans_.begin() && std::prev(after)->second > begin;
    }

private:
    using Span = std::pair<Picoseconds, Picoseconds>;
    std::vector<Span> spans_;
};

} // namespace

DeviceUse GraphEstimate::use_of(int member) const
{
    DeviceUse use;
    DeviceUseMeter meter;
    Episodes episodes;
    const std::vector<CompiledOp>& ops = at(member).graph->ops;
    for (int op = 0; op < static_cast<int>(ops.size()); ++op) {
        const CompiledOp& each = compiled(member, op);
        if (each.body) {
            use.add(uses_[static_cast<std::size_t>(timed(member, op).turns)]);
        } else if (each.schedule) {
            const Slot& here = slot(member, op);
            const Picoseconds met = std::max(here.start, slot(here.member, here.op).start);
            meter.communicated(each.axes, late_member_of(each), here.start, met, here.finish);
            episodes.add(here.start, here.finish);
        }
    }
    episodes.join();
    for (int op = 0; op < static_cast<int>(ops.size()) && !meter.is_empty(); ++op) {
        const Slot& here = slot(member, op);
        const CompiledOp& each = compiled(member, op);
        // What is waited for in a loop is told by the loop.
        if ((computes(each) || each.body) && episodes.meet(here.start, here.finish)) {
            meter.worked(here.start, here.finish);
        }
    }
    meter.settle(at(member).finish, use);
    return use;
}

/// A role that is done waits for the others until the step is over.
DeviceUse GraphEstimate::mean_use(Picoseconds total) const
{
    DeviceUse sum;
    std::int64_t all = 0;
    for (int member = 0; member < static_cast<int>(members_.size()); ++member) {
        const std::int64_t devices =
            devices_.empty() ? 1 : devices_[static_cast<std::size_t>(member)];
        DeviceUse use = use_of(member);
        if (!devices_.empty()) {
            use.bubble += total - at(member).finish;
        }
        sum.add(use, devices);
        all += devices;
    }
    return all == 0 ? sum : sum.mean_of(all);
}

} // namespace alxsim::model
