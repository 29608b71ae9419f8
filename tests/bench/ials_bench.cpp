// SPDX-License-Identifier: Apache-2.0
// Host time of an epoch, numbers and SystemC together; eigen_bench.cpp has the same job in plain
// Eigen.
#include "ials_job.h"
#include "sim/simulator.h"

#include <benchmark/benchmark.h>

namespace alxsim::alx {
namespace {

/// The first epoch of a training run.
class FirstEpoch : public model::StepSource {
public:
    explicit FirstEpoch(TrainingRun& training)
        : training_(training),
          left_(training.counters().rows.steps + training.counters().columns.steps + 2)
    {
    }

    std::optional<model::Step> next() override
    {
        return left_-- > 0 ? training_.next() : std::nullopt;
    }

private:
    TrainingRun& training_;
    std::int64_t left_;
};

void epoch_with(const char* solver, benchmark::State& state)
{
    const topologies::Machine machine = topologies::make_machine(
        topologies::Preset::load("tpu_v3"), topologies::SliceRequest{1, {}, {}, false});
    HostPool pool(static_cast<int>(state.range(1)));
    for (auto run : state) {
        state.PauseTiming();
        TrainingRun training(config_of(static_cast<int>(state.range(0)), solver), power_law_data(),
                             1, pool);
        FirstEpoch epoch(training);
        state.ResumeTiming();
        benchmark::DoNotOptimize(sim::Simulator(machine).run(epoch));
    }
}

void alxsim_epoch(benchmark::State& state)
{
    epoch_with("cholesky", state);
}
BENCHMARK(alxsim_epoch)
    ->ArgsProduct({{64, 128}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// The released solver, beside.
void alxsim_cg_epoch(benchmark::State& state)
{
    epoch_with("cg", state);
}
BENCHMARK(alxsim_cg_epoch)
    ->ArgsProduct({{64, 128}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace alxsim::alx
