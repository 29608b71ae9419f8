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

/// What no epoch can do without, whoever computes it: the lower triangles of outer products of all
/// gathered rows and of the Gramians, and the solves.
double least_operations(const AlxConfig& config, const TrainingCounters& counters)
{
    const double dim = config.dim;
    const auto solved =
        static_cast<double>(counters.rows.solved_rows + counters.columns.solved_rows);
    const auto iterations =
        static_cast<double>(counters.rows.iterations_sum + counters.columns.iterations_sum);
    const double triangles = (2 * static_cast<double>(counters.links) + solved) * dim * (dim + 1);
    const double direct = solved * (dim * dim * dim / 3 + 2 * dim * dim);
    return triangles + (iterations > 0 ? iterations * 2 * dim * dim : direct);
}

/// Gathered rows in bf16, once for each link and half.
double least_bytes(const AlxConfig& config, const TrainingCounters& counters)
{
    return 2.0 * static_cast<double>(counters.links) * config.dim * 2;
}

void epoch_with(const char* solver, DataOf data, benchmark::State& state)
{
    const topologies::Machine machine = topologies::make_machine(
        topologies::Preset::load("tpu_v3"), topologies::SliceRequest{1, {}, {}, false});
    const AlxConfig config = config_of(static_cast<int>(state.range(0)), solver);
    HostPool pool(static_cast<int>(state.range(1)));
    for (auto run : state) {
        state.PauseTiming();
        TrainingRun training(config, data(), 1, pool);
        FirstEpoch epoch(training);
        state.ResumeTiming();
        benchmark::DoNotOptimize(sim::Simulator(machine).run(epoch));
        state.PauseTiming();
        state.counters["least_flop"] = least_operations(config, training.counters());
        state.counters["least_bytes"] = least_bytes(config, training.counters());
        state.ResumeTiming();
    }
}

void alxsim_epoch(benchmark::State& state)
{
    epoch_with("cholesky", power_law_data, state);
}
BENCHMARK(alxsim_epoch)
    ->ArgsProduct({{64, 128}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// The released solver, beside.
void alxsim_cg_epoch(benchmark::State& state)
{
    epoch_with("cg", power_law_data, state);
}
BENCHMARK(alxsim_cg_epoch)
    ->ArgsProduct({{64, 128}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// An epoch, and then the ranking of all columns for all test rows.
void alxsim_epoch_to_evaluate(benchmark::State& state)
{
    epoch_with("cg", data_with_test_rows, state);
}
BENCHMARK(alxsim_epoch_to_evaluate)
    ->ArgsProduct({{64, 128}, {1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void alxsim_evaluation(benchmark::State& state)
{
    HostPool pool(static_cast<int>(state.range(1)));
    const Dataset& data = data_with_test_rows();
    TrainingRun training(config_of(static_cast<int>(state.range(0)), "cg"), data, 1, pool);
    while (training.next()) {
    }
    for (auto run : state) {
        benchmark::DoNotOptimize(training.recommendations());
    }
    const double pairs = static_cast<double>(data.history.rows) * data.history.columns;
    state.counters["pairs/s"] =
        benchmark::Counter(pairs, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(alxsim_evaluation)
    ->ArgsProduct({{64, 128}, {1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void alxsim_movielens_epoch(benchmark::State& state)
{
    epoch_with("cholesky", movielens_shape, state);
}
BENCHMARK(alxsim_movielens_epoch)
    ->ArgsProduct({{64, 128}, {1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace alxsim::alx
