// SPDX-License-Identifier: Apache-2.0
// Points per second of the analytic model, as uncertainty, calibration and what-ifs use it.
#include "experiments/points/study/machine_request.h"
#include "experiments/points/uncertainty/uncertainty.h"
#include "model/graph/op_graph.h"
#include "model/job_estimate.h"

#include <benchmark/benchmark.h>

#include <algorithm>

namespace alxsim::experiments {
namespace {

PointStudy point_on(std::int64_t cores)
{
    return point_study(
        {{"study", "bench"},
         {"numerics", false},
         {"machine", {{"chip", "tpu_v3"}, {"cores", cores}}},
         {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"batch", "auto"}}}}}},
        "bench");
}

/// As `alxsim run` has it: machine, batches and graphs of a study, and one epoch. What depends on
/// nothing of the point (rates of the memory's banks, samples of lengths) is known from the first.
void one_estimate(benchmark::State& state)
{
    const PointStudy study = point_on(state.range(0));
    for (auto run : state) {
        const Job job = job_of(study);
        benchmark::DoNotOptimize(model::estimate(job.workload->program(), job.machine));
    }
}
BENCHMARK(one_estimate)->Arg(16)->Arg(256)->Arg(2048)->Unit(benchmark::kMillisecond);

/// The point's 256 draws, and the 90 to 100 estimates that rank its unknowns: what the band adds.
void band_of_256_draws(benchmark::State& state)
{
    const UncertainJob job(job_of(point_on(state.range(0))));
    std::uint64_t seed = 0;
    for (auto run : state) {
        benchmark::DoNotOptimize(epoch_band(job, ++seed)); // no two draws are the same
    }
}
BENCHMARK(band_of_256_draws)->Arg(16)->Arg(256)->Arg(2048)->Unit(benchmark::kMillisecond);

/// One draw by itself.
void analytic_point(benchmark::State& state)
{
    const UncertainJob job(job_of(point_on(state.range(0))));
    const auto gather_row =
        std::find_if(job.unknowns().begin(), job.unknowns().end(),
                     [](const Unknown& unknown) { return unknown.name == "gather_row_s"; }) -
        job.unknowns().begin();
    double seconds = 9e-9;
    for (auto run : state) {
        seconds += 1e-12; // no two points are the same
        UncertainJob::Values values = job.as_it_is();
        values[static_cast<std::size_t>(gather_row)] = seconds;
        benchmark::DoNotOptimize(job.estimate(values));
    }
    state.counters["points"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(analytic_point)->Arg(16)->Arg(256)->Arg(2048)->Unit(benchmark::kMicrosecond);

/// One draw of all unknowns, with its memory, as `alxsim infer` has them.
void full_draw(benchmark::State& state)
{
    const UncertainJob job(job_of(point_on(state.range(0))));
    constexpr int worlds = 256;
    std::vector<UncertainJob::Values> drawn(worlds, job.as_it_is());
    for (std::size_t column = 0; column < job.unknowns().size(); ++column) {
        const Unknown& unknown = job.unknowns()[column];
        const std::vector<double> quantiles = model::latin_column(worlds, 1, unknown.name);
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            drawn[i][column] = unknown.at(quantiles[i]);
        }
    }
    std::size_t next = 0;
    for (auto run : state) {
        benchmark::DoNotOptimize(job.estimate_with_memory(drawn[next++ % drawn.size()]));
    }
    state.counters["draws"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(full_draw)->Arg(16)->Arg(256)->Arg(2048)->Unit(benchmark::kMicrosecond);

/// So many ops, every third of which waits for the one 100 places before it: linear in the ops.
void estimate_of_many_ops(benchmark::State& state)
{
    auto graph = std::make_shared<model::OpGraph>();
    for (int i = 0; i < state.range(0); ++i) {
        model::Op op;
        op.work = model::Vector{1024, 1, model::DType::f32};
        op.reads = {{"in" + std::to_string(i), Bytes(4096)}};
        op.writes = {{"out" + std::to_string(i), Bytes(4096)}};
        if (i >= 100 && i % 3 == 0) {
            op.after = {i - 100};
        }
        graph->add(op);
    }
    MachineRequest request;
    request.chip = "tpu_v3";
    request.cores = 2;
    const topologies::Machine machine = machine_of(request, "bench");
    for (auto run : state) {
        benchmark::DoNotOptimize(
            model::estimate({{{graph, {}, 1}, 1}}, machine, model::ScheduleTimes::exact));
    }
    state.SetComplexityN(state.range(0));
}
BENCHMARK(estimate_of_many_ops)
    ->RangeMultiplier(10)
    ->Range(1000, 100000)
    ->Complexity()
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::experiments
