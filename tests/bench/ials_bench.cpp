// SPDX-License-Identifier: Apache-2.0
// Host time of an epoch, numbers and SystemC together, against a plain Eigen program for the same
// algorithm.
#include "alx/data/generate.h"
#include "alx/training.h"
#include "sim/simulator.h"

#include <Eigen/Cholesky>
#include <benchmark/benchmark.h>

#include <algorithm>

namespace alxsim::alx {
namespace {

const Dataset& power_law_data()
{
    static const Dataset data = [] {
        GenerateConfig config;
        config.rows = 30'000;
        config.columns = 20'000;
        config.links = 1'000'000;
        return without_split(generate(config, 1));
    }();
    return data;
}

AlxConfig config_of(int dim, const char* solver)
{
    AlxConfig config;
    config.dim = dim;
    config.epochs = 2; // of which the first is timed: the last is evaluated
    config.solver = solver;
    config.evaluation.every = 1000;
    config.batch = {4096, 16, 1024};
    config.column_batch = {4096, 16, 1024};
    return config;
}

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

using Matrix = Eigen::MatrixXf; ///< a table is [dim x rows]: a row of it is a column here

/// Solves for every row of `own` from the rows of `fixed` that it links to.
void half(const AlxConfig& config, const SparseMatrix& links, const Matrix& fixed, Matrix& own,
          HostPool& pool)
{
    const Matrix gramian = static_cast<float>(config.alpha) * (fixed * fixed.transpose());
    pool.for_chunks(links.rows, 64, [&](std::int64_t begin, std::int64_t end) {
        Matrix gathered;
        Matrix system(config.dim, config.dim);
        for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
            const std::int64_t length = links.length(row);
            gathered.resize(config.dim, length);
            for (std::int64_t i = 0; i < length; ++i) {
                gathered.col(i) = fixed.col(links.begin(row)[i]);
            }
            system = gramian;
            system.selfadjointView<Eigen::Lower>().rankUpdate(gathered);
            system.diagonal().array() +=
                static_cast<float>(config.reg * (static_cast<double>(length) +
                                                 config.alpha * static_cast<double>(fixed.cols())));
            own.col(row) =
                system.selfadjointView<Eigen::Lower>().llt().solve(gathered.rowwise().sum());
        }
    });
}

void eigen_epoch(benchmark::State& state)
{
    HostPool pool(static_cast<int>(state.range(1)));
    const AlxConfig config = config_of(static_cast<int>(state.range(0)), "cholesky");
    const SparseMatrix& by_row = power_law_data().training;
    const SparseMatrix by_column = transpose(by_row);
    Matrix rows = 0.1F * Matrix::Random(config.dim, by_row.rows);
    Matrix columns = 0.1F * Matrix::Random(config.dim, by_row.columns);
    for (auto run : state) {
        half(config, by_row, columns, rows, pool);
        half(config, by_column, rows, columns, pool);
    }
}
BENCHMARK(eigen_epoch)
    ->ArgsProduct({{64, 128}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace alxsim::alx
