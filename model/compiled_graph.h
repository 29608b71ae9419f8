// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/collective_traffic.h"
#include "model/collectives/role_meetings.h"
#include "model/costs/device_use.h"
#include "model/costs/op_cost.h"
#include "model/costs/phase_names.h"
#include "model/schedules/schedule_choice.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::model {

struct CompiledGraph;

struct CompiledOp {
    const Op* op = nullptr;
    OpCost cost;                        ///< on the device where it takes longest
    std::vector<OpCost> cost_of_device; ///< empty if it is the same on all
    int phase = 0;                      ///< index into the phase names; of a collective with axes
    int phase_beside = 0;               ///< the same without axes
    int axes = PhaseNames::no_axes;     ///< of a collective: as PhaseNames::axes() numbers them
    int place = 0;                      ///< in program order, ops of a repeat behind the repeat
    int predecessors = 0;
    std::vector<int> successors;
    /// Predecessors of theirs is this op, too, but they wait for no more than its start.
    std::vector<int> start_successors;
    /// The body of a repeat; repeats of one role share it that have the same. Nobody else holds it.
    std::shared_ptr<CompiledGraph> body;
    /// Whether something else may run at the same time as a repeat that needs a unit of its body's.
    bool beside_others = false;
    std::int64_t iterations_before = 0; ///< of a repeat: those that are written out before it
    /// The schedule of a collective; equal ones of a compilation share it.
    std::shared_ptr<const CollectiveSchedule> schedule;
    Picoseconds schedule_time{0}; ///< of a collective that nothing disturbs
    /// What a collective moves in HBM, where the device or others of its chip can feel it.
    std::shared_ptr<const CollectiveTraffic> traffic;
    /// The meeting of a collective in a graph with roles; else null, and all devices take part.
    std::shared_ptr<const RoleMeeting> meeting;

    const OpCost& cost_on(int device) const
    {
        return cost_of_device.empty() ? cost : cost_of_device[static_cast<std::size_t>(device)];
    }
    /// What it moves in the HBM of a device.
    const HbmCost& hbm_on(int device) const
    {
        return traffic ? traffic->cost : cost_on(device).hbm;
    }
    const HbmAccess& access_on(int device) const
    {
        return traffic ? traffic->access : cost_on(device).access;
    }
};

inline const CompiledGraph* body_of(const CompiledOp& op)
{
    return op.body.get();
}

/// The repeat that an op is; null if it is none.
inline const Repeat* as_repeat(const CompiledOp& op)
{
    return std::get_if<Repeat>(&op.op->work);
}

/// How often a repeat iterates on the device that iterates most, without what is written out.
std::int64_t iterations_left(const CompiledOp& repeat, const Counts& counts);

/// Whether a core computes while a collective is under way: as it says itself, or as the compiler
/// does with collectives of its kind. Broadcasts and reduces to a root are no single ops of XLA:
/// they do where all do.
bool overlaps_compute(const Collective& collective, const topologies::NetworkSpec& network);

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
    std::vector<int> synchronous;           ///< ops of its own: collectives that wait for all units
    bool has_collectives = false;           ///< here or in a repeat's body
    bool joins_roles = false;               ///< in a collective, here or in a repeat's body
    bool has_repeats_beside_others = false; ///< among its own ops
    struct Role {
        std::shared_ptr<CompiledGraph> graph; ///< nobody else changes it
        std::shared_ptr<const BufferPlacement> placement;
    };
    std::vector<Role> roles;                      ///< see OpGraph
    std::shared_ptr<const RoleMeetings> meetings; ///< of roles
    std::vector<int> role_of;                     ///< [device]; empty if there are no roles

    const CompiledGraph& of_device(int device) const
    {
        return roles.empty()
                   ? *this
                   : *roles[static_cast<std::size_t>(role_of[static_cast<std::size_t>(device)])]
                          .graph;
    }
};

/// Whether devices of several roles meet in an op.
inline bool joins_roles(const CompiledOp& op)
{
    return (op.meeting && op.meeting->of_several_roles) || (op.body && op.body->joins_roles);
}

/// Whether devices meet in an op.
inline bool communicates(const CompiledOp& op)
{
    return op.schedule || (op.body && op.body->has_collectives);
}

/// Whether a device computes in an op: whatever its units do but to copy and to communicate.
bool computes(const CompiledOp& op);

/// What a device waits for in a collective until it can begin.
LateMember late_member_of(const CompiledOp& collective);

/// A collective for which no program is launched.
inline bool is_without_launch(const CompiledOp& op)
{
    const auto* collective = std::get_if<Collective>(&op.op->work);
    return collective != nullptr && !collective->launched;
}

/// Costs and orders the ops. Collectives of a graph whose groups share an axis of the network
/// follow each other in program order on every device (two devices that entered two of them in
/// different order would wait for each other for ever); so do repeats with collectives and all
/// other collectives. Those along different axes may run at once, and so may permutes in a row
/// whose messages pass no link in the same direction. Compute keeps clear of collectives whose kind
/// does not overlap it (overlaps_compute) on the same device, and they begin in program order:
/// else one device might hold up, for a collective, compute that lets another one begin a second,
/// and the other way round. Graphs of roles are placed and compiled each by itself. The graph must
/// have passed check() and outlive the result. Throws InputError for work that the machine cannot
/// do.
std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const BufferPlacement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleBook& schedules);
/// The same in place of what `compiled` was, whose memory it takes over. Not of a graph with roles.
/// `streams`: of the machine's memory.
void compile_into(CompiledGraph& compiled, const OpGraph& graph, const BufferPlacement& placement,
                  const topologies::Machine& machine, PhaseNames& phases, ScheduleBook& schedules,
                  StreamRates& streams);
/// The same where it was compiled for a graph of the same structure on a machine that differs from
/// this one in numbers alone: costs and schedules anew, ops ordered as before. Returns false where
/// structures differ, or the order of collectives with these numbers: then it has to be compiled.
/// The graph that it was compiled for is still there.
bool set_to_numbers(CompiledGraph& compiled, const OpGraph& graph, const BufferPlacement& placement,
                    const topologies::Machine& machine, PhaseNames& phases, ScheduleBook& schedules,
                    StreamRates& streams);
/// Costs and schedules anew, on a machine that differs from that of compile() in numbers alone: its
/// slice, its devices, what overlaps and where buffers stand are the same. False where these
/// numbers change what the order of ops goes by, too: units, traffic, axes of collectives. Then the
/// graph has to be compiled anew. `placement`: of a graph without roles.
bool cost_again(CompiledGraph& compiled, const BufferPlacement& placement,
                const topologies::Machine& machine, PhaseNames& phases, ScheduleBook& schedules,
                StreamRates& streams);
/// The same as the first with schedules of its own.
std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const BufferPlacement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleTimes times = ScheduleTimes::exact);

} // namespace alxsim::model
