// SPDX-License-Identifier: Apache-2.0
#include "experiments/host_work.h"

#include "model/collectives/collective.h"
#include "model/graph/for_each_op.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// On a core of 2.1 to 3 GHz, in CPU time.
constexpr double seconds_per_point = 1e-3;
constexpr double seconds_per_estimated_op = 1e-6;
constexpr double seconds_per_simulated_op = 1.2e-6;
constexpr double seconds_per_message = 0.13e-6;
/// Draws of all unknowns, and each unknown by itself.
constexpr double estimates_of_band = 350;
/// Of those equal, until SystemC leaves the others out.
constexpr std::int64_t most_equal = 20;
/// Of those that a sample takes of one kind.
constexpr std::int64_t most_sampled = 30;

std::int64_t simulated_steps(const model::StepGroup& group, const PointStudy& study)
{
    return study.numerics                        ? group.times
           : study.fidelity == Fidelity::sampled ? std::min(group.times, most_sampled)
                                                 : std::min(group.times, most_equal);
}

/// Adds `steps` of a graph on all devices.
void add_simulated(const model::StepGroup& group, std::int64_t steps, const PointStudy& study,
                   model::AnalyticModel& model, HostWork& work)
{
    const int devices = model.machine().devices;
    const auto rounds = [&](const model::Repeat& repeat) {
        const std::int64_t all = model::slowest_iterations(repeat, group.step.counts);
        return study.numerics ? all : std::min(all, most_equal);
    };
    const auto graph = model.compiled(group.step.graph);
    model::for_each_op(
        *graph, static_cast<double>(steps), rounds, [&](const model::CompiledOp& op, double times) {
            work.simulated_ops += times * devices;
            if (op.schedule && study.numerics) {
                work.messages +=
                    times * static_cast<double>(model::message_count(*op.schedule, devices));
            }
        });
}

double ops_of(const model::Program& program)
{
    double ops = 0;
    for (const model::StepGroup& group : program) {
        model::for_each_op(*group.step.graph, [&ops](const model::Op&) { ++ops; });
    }
    return ops;
}

} // namespace

HostWork host_work(const workloads::Workload& workload, const PointStudy& study,
                   model::AnalyticModel& model)
{
    HostWork work;
    const model::Program& program = workload.program();
    work.estimated_ops = ops_of(program) * (study.band ? estimates_of_band : 1);
    if (study.numerics) {
        work.numbers = workload.host_time();
    }
    if (study.fidelity != Fidelity::analytic) {
        const int intervals = study.numerics ? workload.intervals() : 1;
        for (const model::StepGroup& group : program) {
            add_simulated(group, intervals * simulated_steps(group, study), study, model, work);
        }
    }
    return work;
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
                   work.simulated_ops * seconds_per_simulated_op +
                   work.messages * seconds_per_message) +
           work.numbers;
}

} // namespace alxsim::experiments
