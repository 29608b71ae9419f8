// SPDX-License-Identifier: Apache-2.0
#include "model/estimate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace alxsim::model {
namespace {

constexpr int nobody = -1;

/// Iterations of the device that iterates most: the others wait for it at the next collective.
std::int64_t slowest_iterations(const Repeat& repeat, const Counts& counts)
{
    const auto found = repeat.counter.empty() ? counts.end() : counts.find(repeat.counter);
    if (found == counts.end() || found->second.empty()) {
        return repeat.times;
    }
    return *std::max_element(found->second.begin(), found->second.end());
}

/// Ops that wait for the same units alone, in the order in which they can start: those that were
/// ready when the units became free by program order, then those that become ready later.
class Waiting {
public:
    void add(std::size_t op, Picoseconds ready) { later_.push({ready, op}); }

    /// When the first one can start, and which it is; nothing where none waits. `free`: of the
    /// units, never earlier than before.
    std::optional<std::pair<Picoseconds, std::size_t>> first(Picoseconds free)
    {
        while (!later_.empty() && later_.top().first <= free) {
            ready_.push(later_.top().second);
            later_.pop();
        }
        if (!ready_.empty()) {
            return std::pair(free, ready_.top());
        }
        return later_.empty() ? std::nullopt : std::optional(later_.top());
    }

    /// Takes out the one that `first` named.
    void take() { ready_.empty() ? later_.pop() : ready_.pop(); }

private:
    template <class T>
    using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;
    Earliest<std::pair<Picoseconds, std::size_t>> later_;
    Earliest<std::size_t> ready_;
};

/// List scheduling of one graph on the units of one device, in the order in which the simulator's
/// sequencer issues: whatever can start first, ties by program order.
class GraphEstimate {
public:
    GraphEstimate(const CompiledGraph& graph, const Counts& counts,
                  const topologies::Machine& machine)
        : graph_(graph),
          counts_(counts),
          machine_(machine),
          slowest_speed_(slowest_speed(machine)),
          slots_(graph.ops.size())
    {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            slots_[i].waiting = graph.ops[i].predecessors;
            if (slots_[i].waiting == 0) {
                waiting_[unit_group(graph.ops[i], machine)].add(i, slots_[i].ready);
            }
        }
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            schedule(next());
        }
    }

    /// The critical path's parts, walked back from the op that finishes last.
    NumberedBreakdown breakdown() const
    {
        NumberedBreakdown sum;
        int op = nobody;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (op == nobody || slots_[i].finish > slots_[static_cast<std::size_t>(op)].finish) {
                op = static_cast<int>(i);
            }
        }
        while (op != nobody) {
            add_cost(static_cast<std::size_t>(op), sum);
            op = slots_[static_cast<std::size_t>(op)].cause;
        }
        // Ops that move bytes at once share the HBM, which the closed form of each does not know.
        const Traffic traffic = hbm_traffic();
        const Picoseconds least = traffic.busy * machine_.devices_per_chip;
        if (sum.total() < least) {
            sum.add(traffic.heaviest, Share::hbm, least - sum.total());
        }
        return sum;
    }

private:
    /// What an op takes by itself.
    struct OpTime {
        Picoseconds launch{0}; ///< the host's
        Picoseconds fill{0};   ///< the HBM's
        Picoseconds body{0};
        Share share = Share::hbm; ///< of the body
    };
    struct Slot {
        int waiting = 0;
        Picoseconds ready{0};
        int released_by = nobody;
        Picoseconds finish{0};
        int cause = nobody;
        OpTime time;  ///< of an op
        int body = 0; ///< of a repeat: index into bodies_
    };
    struct Traffic {
        Picoseconds busy{0}; ///< of the chip's HBM, for one device
        int heaviest = 0;    ///< phase of the op that keeps it busy longest
    };
    struct UnitState {
        Picoseconds free{0};
        int held_by = nobody;
    };

    /// When the units of a group are free, and which op holds them until then.
    UnitState state_of(std::size_t group) const
    {
        if (group == no_unit) {
            return {};
        }
        return group == all_units ? *std::max_element(units_.begin(), units_.end(),
                                                      [](const UnitState& a, const UnitState& b) {
                                                          return a.free < b.free;
                                                      })
                                  : units_[group];
    }

    std::size_t next()
    {
        std::optional<std::pair<Picoseconds, std::size_t>> best;
        std::size_t group = 0;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const auto first = waiting_[i].first(state_of(i).free);
            if (first && (!best || *first < *best)) {
                best = first;
                group = i;
            }
        }
        waiting_[group].take();
        return best->second;
    }

    void schedule(std::size_t i)
    {
        const CompiledOp& op = graph_.ops[i];
        Slot& slot = slots_[i];
        const std::size_t group = unit_group(op, machine_);
        const UnitState held = state_of(group);
        const bool waits_for_unit = held.free > slot.ready;
        slot.cause = waits_for_unit ? held.held_by : slot.released_by;
        slot.finish = std::max(held.free, slot.ready) + time_of(op, slot);
        const UnitState taken{slot.finish, static_cast<int>(i)};
        if (group == all_units) {
            units_.fill(taken);
        } else if (group != no_unit) {
            units_[group] = taken;
        }
        for (int successor : op.successors) {
            release(static_cast<std::size_t>(successor), i);
        }
    }

    /// One op less that `i` waits for.
    void release(std::size_t i, std::size_t by)
    {
        Slot& slot = slots_[i];
        if (slots_[by].finish >= slot.ready) {
            slot.ready = slots_[by].finish;
            slot.released_by = static_cast<int>(by);
        }
        if (--slot.waiting == 0) {
            waiting_[unit_group(graph_.ops[i], machine_)].add(i, slot.ready);
        }
    }

    Traffic hbm_traffic() const
    {
        Traffic traffic;
        Picoseconds most(0);
        for (const CompiledOp& op : graph_.ops) {
            const Picoseconds busy = hbm_busy(op);
            traffic.busy += busy;
            if (busy > most) {
                most = busy;
                traffic.heaviest = op.phase;
            }
        }
        return traffic;
    }

    Picoseconds hbm_busy(const CompiledOp& op) const
    {
        if (!op.body) {
            return op.cost.hbm.busy;
        }
        Picoseconds sum(0);
        for (const CompiledOp& inner : op.body->ops) {
            sum += hbm_busy(inner);
        }
        return sum * slowest_iterations(std::get<Repeat>(op.op->work), counts_);
    }

    /// Sets the op's parts, which add up to the result.
    Picoseconds time_of(const CompiledOp& op, Slot& slot)
    {
        if (op.body) {
            NumberedBreakdown turn = GraphEstimate(*op.body, counts_, machine_).breakdown();
            turn.add(op.phase, Share::host, op.cost.launch);
            slot.body = static_cast<int>(bodies_.size());
            bodies_.push_back(
                turn.scaled(slowest_iterations(std::get<Repeat>(op.op->work), counts_)));
            return bodies_.back().total();
        }
        slot.time = parts_of(op);
        return slot.time.launch + slot.time.fill + slot.time.body;
    }

    OpTime parts_of(const CompiledOp& op) const
    {
        if (op.schedule) {
            return {Picoseconds(0), Picoseconds(0), op.cost.launch + op.schedule_time,
                    Share::communication};
        }
        if (op.cost.unit == Unit::host) {
            // The transfer itself was prefetched; the program sees what sticks out.
            return {op.cost.launch, Picoseconds(0), Picoseconds(0), Share::host};
        }
        const Picoseconds hbm = hbm_time(op.cost.hbm, machine_) - op.cost.first_tile;
        const Picoseconds body = body_at_speed(op.cost, slowest_speed_);
        const bool compute = op.cost.body_is_compute && body >= hbm;
        return {op.cost.launch, op.cost.fill, std::max(body, hbm),
                compute ? Share::compute : Share::hbm};
    }

    void add_cost(std::size_t i, NumberedBreakdown& sum) const
    {
        const CompiledOp& op = graph_.ops[i];
        const Slot& slot = slots_[i];
        if (op.body) {
            sum += bodies_[static_cast<std::size_t>(slot.body)];
            return;
        }
        sum.add(op.phase, Share::host, slot.time.launch);
        sum.add(op.phase, Share::hbm, slot.time.fill);
        sum.add(op.phase, slot.time.share, slot.time.body);
    }

    const CompiledGraph& graph_;
    const Counts& counts_;
    const topologies::Machine& machine_;
    double slowest_speed_;
    std::vector<Slot> slots_;
    std::vector<NumberedBreakdown> bodies_; ///< of repeats, all their turns
    std::array<UnitState, working_units> units_;
    std::array<Waiting, unit_groups> waiting_; ///< by group
};

Picoseconds infeed_time(const CompiledGraph& graph, const Counts& counts)
{
    Picoseconds sum(0);
    for (const CompiledOp& op : graph.ops) {
        if (op.body) {
            sum += infeed_time(*op.body, counts) *
                   slowest_iterations(std::get<Repeat>(op.op->work), counts);
        } else if (op.cost.unit == Unit::host) {
            sum += op.cost.body;
        }
    }
    return sum;
}

Bytes traffic(const CompiledGraph& graph, const Counts& counts, int devices)
{
    Bytes sum(0);
    for (const CompiledOp& op : graph.ops) {
        if (op.body) {
            sum += traffic(*op.body, counts, devices) *
                   slowest_iterations(std::get<Repeat>(op.op->work), counts);
        } else if (op.schedule) {
            sum += model::link_bytes(*op.schedule, devices);
        }
    }
    return sum;
}

} // namespace

AnalyticModel::AnalyticModel(const topologies::Machine& machine, ScheduleTimes times)
    : machine_(machine),
      programs_(machine, phases_, times)
{
}

NumberedStepEstimate AnalyticModel::numbered_step(const Step& step)
{
    const auto graph = programs_.compiled(step.graph);
    return {GraphEstimate(*graph, step.counts, machine_).breakdown(),
            infeed_time(*graph, step.counts)};
}

StepEstimate AnalyticModel::step(const Step& step)
{
    const NumberedStepEstimate estimated = numbered_step(step);
    return {estimated.on_device.named(phases_.names()), estimated.infeed};
}

Bytes AnalyticModel::link_bytes(const Step& step)
{
    return traffic(*programs_.compiled(step.graph), step.counts, machine_.devices);
}

} // namespace alxsim::model
