// SPDX-License-Identifier: Apache-2.0
// Points per second of the analytic model, as uncertainty, calibration and what-ifs use it.
#include "experiments/machine_request.h"
#include "experiments/uncertainty/unknowns.h"

#include <benchmark/benchmark.h>

namespace alxsim::experiments {
namespace {

void analytic_point(benchmark::State& state)
{
    const Json study = {
        {"study", "bench"},
        {"numerics", false},
        {"machine", {{"chip", "tpu_v3"}, {"cores", state.range(0)}}},
        {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"batch", "auto"}}}}}};
    const topologies::Machine machine = machine_of(study, "bench");
    WhatIf job = what_if_of(alx_workload_of(study, "bench", machine), machine);
    double gather_row = 9e-9;
    for (auto run : state) {
        gather_row += 1e-12; // no two points are the same
        job.preset.draw_value("gather_row_s", gather_row);
        benchmark::DoNotOptimize(estimate(job));
    }
    state.counters["points"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(analytic_point)->Arg(16)->Arg(256)->Arg(2048)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace alxsim::experiments
