// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/host_work.h"

#include "experiments/points/timing/overlapping_steps.h"
#include "model/collectives/collective.h"
#include "model/collectives/replays/routed_network.h"
#include "model/compiled_graph.h"
#include "model/graph/for_each_op.h"
#include "sim/one_chip.h"

#include <algorithm>
#include <cstdlib>

namespace alxsim::experiments {
namespace {

/// On a core of 2.1 to 3 GHz, in CPU time.
constexpr double seconds_per_point = 1e-3;
constexpr double seconds_per_estimated_op = 0.65e-6;
constexpr double seconds_per_schedule_phase = 0.06e-6;
constexpr double seconds_per_simulated_op = 1.2e-6;
constexpr double seconds_per_message = 0.11e-6;
constexpr Bytes bytes_of_core(65'000);
/// Draws of all unknowns, and each unknown by itself.
constexpr double estimates_of_band = 350;
/// Those of the 256 draws whose packets are not as long as the draw's before: candidates are built
/// anew (ScheduleBook::use). Counted on v4; a quarter of all draw the longest.
constexpr double draws_that_build = 192;
/// Turns of a loop, or equal steps, until SystemC has seen that they are periodic and leaves the
/// others out (sim/memo/loop_memo.h): of a loop whose devices never meet; of one with collectives,
/// which settle after some turns; and where they have settled in a loop inside already.
constexpr std::int64_t most_alone = 3;
constexpr std::int64_t most_meeting = 3;
constexpr std::int64_t most_outside = 4;
/// Those of equal steps that a sample takes (timing/sampling.h): mostly.
constexpr std::int64_t most_sampled = 4;
/// What a message of the turns that are simulated takes without numbers, over one with them:
/// measured, of loops on 512 cores. There most collectives are met for the first time.
constexpr double first_messages = 1.4;

/// Whether LoopMemo leaves turns alone: the host works ahead of them, or roles meet.
bool is_always_simulated(const model::CompiledGraph& body)
{
    return model::any_op(body, [](const model::CompiledOp& op) {
        return op.cost.unit == model::Unit::host || op.meeting != nullptr;
    });
}

bool has_loop_with_collectives(const model::CompiledGraph& graph)
{
    return model::any_op(
        graph, [](const model::CompiledOp& op) { return op.body && op.body->has_collectives; });
}

/// What is simulated of a point's steps.
class SimulatedWork {
public:
    SimulatedWork(const PointStudy& study, const topologies::Machine& machine, HostWork& work)
        : study_(study),
          machine_(machine),
          work_(work)
    {
    }

    /// A step, that many times: on all devices, or on those that tell what all do.
    void add_step(const model::CompiledGraph& graph, double times, const model::Counts& counts)
    {
        const bool by_one_chip = study_.fidelity == Fidelity::sampled && !study_.numerics &&
                                 sim::has_chips_alike(machine_) &&
                                 sim::has_chips_alike(graph, counts, machine_);
        devices_ = by_one_chip ? sim::devices_that_tell(machine_) : machine_.devices;
        add(graph, times, counts);
    }

    std::int64_t steps(const model::StepGroup& group, const model::CompiledGraph& graph) const
    {
        const std::int64_t times = std::abs(group.times); // what is taken off is simulated, too
        if (study_.numerics) {
            return times;
        }
        if (study_.fidelity == Fidelity::sampled) {
            return std::min(times, most_sampled);
        }
        const bool leaves_out = graph.roles.empty() && graph.has_collectives;
        return leaves_out ? std::min(times, most_outside) : times;
    }

private:
    /// On the devices that are simulated.
    void add(const model::CompiledGraph& graph, double times, const model::Counts& counts)
    {
        for (const model::CompiledOp& op : graph.ops) {
            work_.simulated_ops += times * devices_;
            if (op.schedule) {
                work_.messages +=
                    times * (study_.numerics ? 1 : first_messages) * messages_of(*op.schedule);
            }
            if (op.body) {
                add(*op.body, times * static_cast<double>(turns(op, counts)), counts);
            }
        }
        for (const auto& role : graph.roles) {
            add(*role.graph, times, counts);
        }
    }

    /// Counts those of lists that share links, packets from router to router: they go one by one.
    double messages_of(const model::CollectiveSchedule& schedule) const
    {
        if (schedule.has_rank_network()) {
            const Bytes packet = schedule.ranks->network->links.packet_bytes;
            return model::link_bytes(schedule, machine_.devices) / packet;
        }
        return static_cast<double>(model::message_count(schedule, machine_.devices)) * devices_ /
               machine_.devices;
    }

    std::int64_t turns(const model::CompiledOp& repeat, const model::Counts& counts) const
    {
        const std::int64_t all = model::slowest_iterations(*model::as_repeat(repeat), counts);
        if (study_.numerics || is_always_simulated(*repeat.body)) {
            return all;
        }
        const std::int64_t most = !repeat.body->has_collectives             ? most_alone
                                  : has_loop_with_collectives(*repeat.body) ? most_outside
                                                                            : most_meeting;
        return std::min(all, most);
    }

    const PointStudy& study_;
    const topologies::Machine& machine_;
    int devices_ = 0; ///< that are simulated
    HostWork& work_;
};

/// Counts the ops of all devices that an estimate tells apart.
double estimated_ops(const model::Program& program, model::AnalyticModel& model)
{
    double all = 0;
    for (const model::StepGroup& group : program) {
        double ops = 0;
        const auto graph = model.compiled(group.step.graph);
        if (graph->roles.empty()) {
            model::for_each_op(*graph, [&ops](const model::CompiledOp&) { ++ops; });
        } else { // their loops are written out
            const model::RoundsOfSlowestDevice rounds{group.step.counts};
            model::for_each_op(*graph, 1.0, rounds,
                               [&ops](const model::CompiledOp&, double times) { ops += times; });
        }
        all += ops * model.devices_apart(*graph);
    }
    return all;
}

/// Counts those of candidates for the collectives of one draw. Among lists with roots they are what
/// a draw takes most of: each root has collectives of its own, with a phase for each chunk and
/// axis.
double phases_of_draw(const model::Program& program, const topologies::Machine& machine)
{
    model::AnalyticModel drawn(machine, model::ScheduleTimes::closed_form);
    for (const model::StepGroup& group : program) {
        drawn.compiled(group.step.graph);
    }
    return static_cast<double>(drawn.phases_built());
}

} // namespace

HostWork host_work(const workloads::Workload& workload, const PointStudy& study,
                   model::AnalyticModel& model)
{
    HostWork work;
    const model::Program& program = workload.program();
    work.estimated_ops = estimated_ops(program, model) * (study.band ? estimates_of_band : 1);
    if (study.band) {
        work.schedule_phases = phases_of_draw(program, model.machine()) * draws_that_build;
    }
    if (study.numerics) {
        work.numbers = workload.host_time();
    }
    if (study.fidelity != Fidelity::analytic) {
        const bool each = study.numerics && !has_overlapping_steps(program);
        const int intervals = each ? workload.intervals() : 1;
        SimulatedWork simulated(study, model.machine(), work);
        for (const model::StepGroup& group : program) {
            const auto graph = model.compiled(group.step.graph);
            simulated.add_step(*graph,
                               static_cast<double>(intervals) *
                                   static_cast<double>(simulated.steps(group, *graph)),
                               group.step.counts);
        }
    }
    return work;
}

Bytes simulator_memory(const PointStudy& study)
{
    return study.fidelity == Fidelity::analytic ? Bytes(0)
                                                : bytes_of_core * study.machine.cores.value_or(0);
}

const char* host_work_kind(const PointStudy& study)
{
    return study.numerics                         ? "numbers"
           : study.fidelity == Fidelity::analytic ? "analytic"
                                                  : "SystemC";
}

Seconds host_seconds(const HostWork& work)
{
    return Seconds(seconds_per_point + work.estimated_ops * seconds_per_estimated_op +
                   work.schedule_phases * seconds_per_schedule_phase +
                   work.simulated_ops * seconds_per_simulated_op +
                   work.messages * seconds_per_message) +
           work.numbers;
}

} // namespace alxsim::experiments
