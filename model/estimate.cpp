// SPDX-License-Identifier: Apache-2.0
#include "model/estimate.h"

#include <algorithm>
#include <array>
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

/// List scheduling of one graph on the units of one device, in the order in which the simulator's
/// sequencer issues: whatever can start first, ties by program order.
class GraphEstimate {
public:
    GraphEstimate(const CompiledGraph& graph, const Counts& counts,
                  const std::vector<std::string>& phases, const topologies::Machine& machine)
        : graph_(graph),
          counts_(counts),
          phases_(phases),
          machine_(machine),
          slots_(graph.ops.size())
    {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            slots_[i].waiting = graph.ops[i].predecessors;
        }
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            schedule(next());
        }
    }

    /// The critical path's parts, walked back from the op that finishes last.
    Breakdown breakdown() const
    {
        Breakdown sum;
        int op = nobody;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (op == nobody || slots_[i].finish > slots_[static_cast<std::size_t>(op)].finish) {
                op = static_cast<int>(i);
            }
        }
        while (op != nobody) {
            sum += slots_[static_cast<std::size_t>(op)].cost;
            op = slots_[static_cast<std::size_t>(op)].cause;
        }
        // Ops that move bytes at once share the HBM, which the closed form of each does not know.
        const Traffic traffic = hbm_traffic();
        const Picoseconds least = traffic.busy * machine_.devices_per_chip;
        if (sum.total < least) {
            sum.add(phase_name(traffic.heaviest), Share::hbm, least - sum.total);
        }
        return sum;
    }

private:
    struct Slot {
        int waiting = 0;
        bool scheduled = false;
        Picoseconds ready{0};
        int released_by = nobody;
        Picoseconds finish{0};
        int cause = nobody;
        Breakdown cost;
    };
    struct Traffic {
        Picoseconds busy{0}; ///< of the chip's HBM, for one device
        int heaviest = 0;    ///< phase of the op that keeps it busy longest
    };
    struct UnitState {
        Picoseconds free{0};
        int held_by = nobody;
    };

    std::vector<UnitState*> all_units()
    {
        std::vector<UnitState*> all;
        for (UnitState& unit : units_) {
            all.push_back(&unit);
        }
        return all;
    }

    /// A synchronous collective keeps every unit of the device to itself.
    std::vector<UnitState*> units_of(const CompiledOp& op)
    {
        if (op.cost.unit == Unit::control || op.cost.unit == Unit::host) {
            return {};
        }
        if (op.cost.unit == Unit::network && !machine_.network.collectives_overlap_compute) {
            return all_units();
        }
        return {&units_[static_cast<std::size_t>(op.cost.unit)]};
    }

    /// When op `i` can start, and which op it waits for (nobody: for the step itself).
    std::pair<Picoseconds, int> start_of(std::size_t i)
    {
        std::pair<Picoseconds, int> start{slots_[i].ready, slots_[i].released_by};
        for (const UnitState* unit : units_of(graph_.ops[i])) {
            if (unit->free > start.first) {
                start = {unit->free, unit->held_by};
            }
        }
        return start;
    }

    std::size_t next()
    {
        std::size_t best = slots_.size();
        Picoseconds best_start(0);
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].scheduled || slots_[i].waiting > 0) {
                continue;
            }
            const Picoseconds start = start_of(i).first;
            if (best == slots_.size() || start < best_start) {
                best = i;
                best_start = start;
            }
        }
        return best;
    }

    void schedule(std::size_t i)
    {
        const CompiledOp& op = graph_.ops[i];
        Slot& slot = slots_[i];
        const auto [start, cause] = start_of(i);
        slot.scheduled = true;
        slot.cause = cause;
        slot.cost = cost_of(op);
        slot.finish = start + slot.cost.total;
        for (UnitState* unit : units_of(op)) {
            *unit = {slot.finish, static_cast<int>(i)};
        }
        for (int successor : op.successors) {
            Slot& later = slots_[static_cast<std::size_t>(successor)];
            --later.waiting;
            if (slot.finish >= later.ready) {
                later.ready = slot.finish;
                later.released_by = static_cast<int>(i);
            }
        }
    }

    const std::string& phase_name(int phase) const
    {
        return phases_[static_cast<std::size_t>(phase)];
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

    Breakdown cost_of(const CompiledOp& op) const
    {
        const std::string& phase = phase_name(op.phase);
        Breakdown cost;
        if (op.body) {
            const Repeat& repeat = std::get<Repeat>(op.op->work);
            cost = GraphEstimate(*op.body, counts_, phases_, machine_).breakdown();
            cost.add(phase, Share::host, op.cost.launch);
            return cost.scaled(slowest_iterations(repeat, counts_));
        }
        if (op.schedule) {
            cost.add(phase, Share::communication, op.cost.launch + op.schedule_time);
            return cost;
        }
        cost.add(phase, Share::host, op.cost.launch);
        if (op.cost.unit == Unit::host) {
            return cost; // the transfer itself was prefetched; the program sees what sticks out
        }
        cost.add(phase, Share::hbm, op.cost.fill);
        const Picoseconds hbm = hbm_time(op.cost.hbm, machine_) - op.cost.first_tile;
        const Picoseconds body = body_at_speed(op.cost, slowest_speed(machine_));
        const bool compute = op.cost.body_is_compute && body >= hbm;
        cost.add(phase, compute ? Share::compute : Share::hbm, std::max(body, hbm));
        return cost;
    }

    const CompiledGraph& graph_;
    const Counts& counts_;
    const std::vector<std::string>& phases_;
    const topologies::Machine& machine_;
    std::vector<Slot> slots_;
    std::array<UnitState, working_units> units_;
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

StepEstimate AnalyticModel::step(const Step& step)
{
    const auto graph = programs_.compiled(step.graph);
    return {GraphEstimate(*graph, step.counts, phases_.names(), machine_).breakdown(),
            infeed_time(*graph, step.counts)};
}

Bytes AnalyticModel::link_bytes(const Step& step)
{
    return traffic(*programs_.compiled(step.graph), step.counts, machine_.devices);
}

} // namespace alxsim::model
