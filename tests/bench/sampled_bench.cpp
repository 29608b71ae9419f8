// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/point.h"

#include <benchmark/benchmark.h>

namespace alxsim::experiments {
namespace {

/// A point of the default fidelity without numbers, by cores: WebGraph-sparse. What replays of
/// collectives gave is known from the first.
void sampled_point(benchmark::State& state, const char* chip)
{
    const PointStudy study = point_study(
        {{"study", "bench"},
         {"numerics", false},
         {"band", false},
         {"machine", {{"chip", chip}, {"cores", state.range(0)}}},
         {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", Json::object()}}}},
        "bench");
    for (auto run : state) {
        benchmark::DoNotOptimize(run_point(study, {}));
    }
    state.SetComplexityN(state.range(0));
}
BENCHMARK_CAPTURE(sampled_point, v3_mesh, "tpu_v3")
    ->Arg(256)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sampled_point, 7x_torus, "tpu_7x")
    ->RangeMultiplier(2)
    ->Range(1024, 16384)
    ->Complexity()
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::experiments
