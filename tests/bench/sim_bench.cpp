// SPDX-License-Identifier: Apache-2.0
#include "model/job_estimate.h"
#include "tests/device/running.h"

#include <benchmark/benchmark.h>

namespace alxsim::sim {
namespace {

using model::DType;
using topologies::Machine;

/// A step with an op of every kind and a loop, as a half epoch of ALX has them.
std::shared_ptr<const model::OpGraph> typical_step()
{
    return graph_of(
        {op_of(model::infeed_of(Bytes(100'000))),
         op_of(model::RowGather{4096, Bytes(256), 0, model::AccessPattern::uniform, 0}, {0}),
         op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1 << 20)}, {1}),
         op_of(model::Matmul{256, 16, 128, 128, DType::bf16, 1, true}, {2}),
         repeat_of(20,
                   {op_of(model::Vector{1 << 18, 2, DType::f32}),
                    op_of(model::Vector{1 << 14, 2, DType::f32}, {0})},
                   "", {3}),
         op_of(model::RowScatter{256, Bytes(256), 0, false}, {4})});
}

void simulated_ops(benchmark::State& state)
{
    const Machine machine = machine_of("tpu_v3", static_cast<int>(state.range(0)));
    const auto steps = steps_of(typical_step(), 10);
    std::int64_t ops = 0;
    for (auto run : state) {
        ops += simulate(machine, steps).statistics.value("ops_executed");
    }
    state.SetItemsProcessed(ops);
}
BENCHMARK(simulated_ops)->Arg(8)->Arg(128)->Unit(benchmark::kMillisecond);

void simulated_local_ops(benchmark::State& state)
{
    const Machine machine = machine_of("tpu_v3", 8);
    const auto steps =
        steps_of(graph_of({repeat_of(10'000, {op_of(model::Vector{1 << 18, 2, DType::f32})})}));
    std::int64_t ops = 0;
    for (auto run : state) {
        ops += simulate(machine, steps).statistics.value("ops_executed");
    }
    state.SetItemsProcessed(ops);
}
BENCHMARK(simulated_local_ops)->Unit(benchmark::kMillisecond);

/// Items are network messages.
void all_reduce(benchmark::State& state, const char* chip, int cores)
{
    const Machine machine = machine_of(chip, cores);
    const auto steps = steps_of(
        graph_of({op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(8 << 20)})}), 4);
    std::int64_t messages = 0;
    for (auto run : state) {
        messages += simulate(machine, steps).network.messages;
    }
    state.SetItemsProcessed(messages);
}
BENCHMARK_CAPTURE(all_reduce, v5e_16x16, "tpu_v5e", 256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce, v3_32x32, "tpu_v3", 2048)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(all_reduce, v3_16x16_mesh, "tpu_v3", 512)->Unit(benchmark::kMillisecond);

void schedule_time(benchmark::State& state, const char* chip, int cores)
{
    const Machine machine = machine_of(chip, cores);
    const model::CollectiveSchedule schedule =
        model::make_schedule({model::CollectiveKind::all_reduce, Bytes(8 << 20)}, machine);
    for (auto run : state) {
        benchmark::DoNotOptimize(model::schedule_time(schedule));
    }
}
BENCHMARK_CAPTURE(schedule_time, v5e_16x16_torus, "tpu_v5e", 256)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(schedule_time, v3_16x16_mesh, "tpu_v3", 512)->Unit(benchmark::kMicrosecond);

void estimated_programs(benchmark::State& state)
{
    const Machine machine = machine_of("tpu_v3", 128);
    const model::Program program{{{typical_step(), {}, 1}, 1000}};
    for (auto run : state) {
        benchmark::DoNotOptimize(model::estimate(program, machine));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimated_programs)->Unit(benchmark::kMicrosecond);

void estimated_steps(benchmark::State& state)
{
    const Machine machine = machine_of("tpu_v3", 128);
    model::AnalyticModel model(machine);
    const model::Step step{typical_step(), {}, 1};
    for (auto run : state) {
        benchmark::DoNotOptimize(model.step(step));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimated_steps)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace alxsim::sim
