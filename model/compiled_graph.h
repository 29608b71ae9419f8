// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/breakdown.h"
#include "model/collective.h"
#include "model/hbm_rates.h"
#include "model/op_graph.h"
#include "model/placement.h"
#include "model/schedule_choice.h"
#include "topologies/machine.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::model {

/// The part of a device that an op occupies. `control` occupies none.
enum class Unit { mxu, vpu, dma, network, sparse_core, host, control };
/// Those that work on ops: all before `host`.
constexpr std::size_t working_units = 5;

/// What an op waits for: one working unit, all of them, or none.
constexpr std::size_t all_units = working_units;
constexpr std::size_t no_unit = working_units + 1;
constexpr std::size_t unit_groups = working_units + 2;

/// What an op costs on a machine by itself. It takes launch + fill + max(body, HBM time of the
/// bytes beyond the first tile); `fill` is there only if the op moves HBM bytes.
struct OpCost {
    Unit unit = Unit::control;
    Picoseconds launch{0}; ///< per-op overhead
    Picoseconds fill{0};   ///< DMA latency and the first tile
    Picoseconds body{0};   ///< unit busy: MXU or VPU cycles; issue of a gather's or scatter's rows
    HbmCost hbm;           ///< what it moves, granules rounded up
    HbmAccess access;      ///< where
    Picoseconds first_tile{0};    ///< of the HBM time, that in `fill`
    bool body_is_compute = false; ///< else the body is memory work (rows issued one after another)
    std::string_view limited_by;  ///< for people: which mechanism sets `body`
};

/// Time of an op's HBM traffic if every device of the chip moves as much: its share of the whole
/// chip's bandwidth, or what the access takes even alone.
Picoseconds hbm_time(const HbmCost& cost, const topologies::Machine& machine);
/// For people: which mechanism sets that time.
std::string_view hbm_limit(const HbmCost& cost, const topologies::Machine& machine);

struct CompiledGraph;

struct CompiledOp {
    const Op* op = nullptr;
    OpCost cost;                        ///< on the device where it takes longest
    std::vector<OpCost> cost_of_device; ///< empty if it is the same on all
    int phase = 0;                      ///< index into the phase names
    int predecessors = 0;
    std::vector<int> successors;
    /// Predecessors of theirs is this op, too, but they wait for no more than its start.
    std::vector<int> start_successors;
    std::shared_ptr<const CompiledGraph> body; ///< of a repeat
    /// Of a collective; equal ones of a compilation share it.
    std::shared_ptr<const CollectiveSchedule> schedule;
    Picoseconds schedule_time{0}; ///< of a collective that nothing disturbs

    const OpCost& cost_on(int device) const
    {
        return cost_of_device.empty() ? cost : cost_of_device[static_cast<std::size_t>(device)];
    }
};

/// The working unit that an op occupies, all_units or no_unit: a synchronous collective keeps every
/// unit of the device to itself, infeed and control occupy none.
std::size_t unit_group(const CompiledOp& op, const topologies::Machine& machine);

/// Whether only collectives wait for these units. Any number of them may hold a unit together.
inline bool is_for_collectives(std::size_t unit_group)
{
    return unit_group == all_units || unit_group == static_cast<std::size_t>(Unit::network);
}

/// A graph with everything about it that does not change from step to step.
struct CompiledGraph {
    std::vector<CompiledOp> ops;
    bool has_collectives = false; ///< here or in a repeat's body
};

/// Names of phases, numbered in the order in which they were first met.
class PhaseNames {
public:
    int index_of(Name phase);
    const std::vector<std::string>& names() const { return names_; }

private:
    NameNumbers numbers_;
    std::vector<std::string> names_;
};

/// Phase under which the wait for the host's dispatch and the per-program overhead are reported.
extern const char* const dispatch_phase;

/// Costs and orders the ops. Collectives of a graph whose groups share an axis of the network
/// follow each other in program order on every device (two devices that entered two of them in
/// different order would wait for each other for ever); so do repeats with collectives and all
/// other collectives. Those along different axes may run at once. Where the preset says that
/// collectives do not overlap compute, it keeps clear of them on the same device, and they begin in
/// program order: else one device might hold up, for a collective, compute that lets another one
/// begin a second, and the other way round. The graph must outlive the result. Throws InputError
/// for work that the machine cannot do, and for works of devices that are not one for each, of the
/// op's kind.
std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const Placement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleBook& schedules);
/// The same with schedules of its own.
std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const Placement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleTimes times = ScheduleTimes::exact);

/// Cost of one op where it does `work`; repeats and collectives have only their overheads here.
OpCost op_cost(const Op& op, const Work& work, const Placement& placement,
               const topologies::Machine& machine);
/// The same of the op's own work, not that of single devices.
inline OpCost op_cost(const Op& op, const Placement& placement, const topologies::Machine& machine)
{
    return op_cost(op, op.work, placement, machine);
}

/// What an op's unit takes on a device of `speed` times the clock: the MXU's and the VPU's work
/// stretches (rounded up to picoseconds), everything else keeps its time.
Picoseconds body_at_speed(const OpCost& cost, double speed);

/// Of all devices, of the clock.
double slowest_speed(const topologies::Machine& machine);

/// Time of an op by itself: launch, fill, and the longer of its unit's work and its HBM bytes.
Picoseconds time_alone(const OpCost& cost, const topologies::Machine& machine, double speed);

} // namespace alxsim::model
