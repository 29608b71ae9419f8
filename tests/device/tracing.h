// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/observe/step_trace.h"
#include "sim/observe/traced_source.h"
#include "tests/device/running.h"

#include <ostream>
#include <string>
#include <vector>

/// Jobs of one step with a trace of it.
namespace alxsim::sim {

struct TracedJob {
    std::string name;
    topologies::Machine machine;
    std::shared_ptr<const model::OpGraph> graph;

    friend std::ostream& operator<<(std::ostream& out, const TracedJob& job)
    {
        return out << job.name;
    }
};

/// A step with ops of every kind and loops that become periodic, one within the other.
inline std::shared_ptr<const model::OpGraph> step_of_all_kinds()
{
    using model::DType;
    const auto collective = [](std::int64_t bytes, std::vector<int> after) {
        return op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(bytes)},
                     std::move(after), "combine");
    };
    return graph_of(
        {op_of(model::infeed_of(Bytes(100'000)), {}, "infeed"),
         op_of(model::RowGather{4096, Bytes(256), 0, model::AccessPattern::uniform, 0}, {0},
               "gather"),
         collective(1 << 16, {1}),
         op_of(model::Matmul{256, 16, 128, 128, DType::bf16, 1, true}, {2}),
         repeat_of(60,
                   {op_of(model::Vector{1 << 18, 2, DType::f32}, {}, "solve"),
                    op_of(model::stream_of(Bytes(1 << 16), Bytes(0)), {0}, "solve"),
                    collective(1 << 12, {1})},
                   "", {3}),
         repeat_of(20,
                   {repeat_of(30, {op_of(model::Matmul{1, 16, 128, 128, DType::bf16, 1, true}, {},
                                         "gramian")}),
                    op_of(model::Vector{1 << 12, 2, DType::f32}, {0}, "solve")},
                   "", {4}),
         op_of(model::RowScatter{256, Bytes(256), 0, false}, {5}, "scatter")});
}

inline topologies::Machine with_slow_device(topologies::Machine machine, std::size_t device)
{
    machine.faults.device_speed.assign(static_cast<std::size_t>(machine.devices), 1.0);
    machine.faults.device_speed.at(device) = 0.5;
    return machine;
}

/// Jobs for each mechanism that a timeline has to get right.
inline std::vector<TracedJob> traced_jobs()
{
    std::vector<TracedJob> jobs;
    for (const auto& [chip, cores] :
         std::vector<std::pair<std::string, int>>{{"tpu_v3", 16}, {"tpu_v4", 16}, {"tpu_v5e", 8}}) {
        jobs.push_back({chip, machine_of(chip, cores), step_of_all_kinds()});
    }
    // A loop that swings: several iterations are one round.
    jobs.push_back(
        {"swinging", machine_of("tpu_v3", 128),
         graph_of({repeat_of(
             200, {op_of(model::stream_of(Bytes(1 << 14), Bytes(0))),
                   op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1 << 16)}, {0},
                         "combine")})})});
    // Late members.
    TracedJob slow{"slow_core", machine_of("tpu_v3", 16), step_of_all_kinds()};
    slow.machine = with_slow_device(slow.machine, 5);
    jobs.push_back(slow);
    return jobs;
}

struct Traced {
    SimulationResult result;
    Timeline timeline;
};

/// The job's one step.
inline Traced trace(const TracedJob& job, TracedSteps steps)
{
    ListedSteps listed({{job.graph, {}, 1}});
    StepTrace trace(job.machine, steps);
    TracedSource source(listed, trace, steps);
    Simulator simulator(job.machine);
    simulator.attach(trace);
    Traced traced{simulator.run(source), {}};
    traced.timeline = trace.timeline().value();
    return traced;
}

} // namespace alxsim::sim
