// SPDX-License-Identifier: Apache-2.0
// What alxsim's epochs are held against: the same algorithm, as one writes it with Eigen, compiled
// for the host's own CPU.
#include "ials_job.h"
#include "scores_job.h"

#include <Eigen/Cholesky>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace alxsim::alx {
namespace {

using Matrix = Eigen::MatrixXf; ///< a table is [dim x rows]: a row of it is a column here

/// Solves for every row of `own` from the rows of `fixed` that it links to.
void half(const AlxConfig& config, const SparseMatrix& links, const Matrix& fixed, Matrix& own,
          HostPool& pool)
{
    const Matrix gramian = static_cast<float>(config.alpha) * (fixed * fixed.transpose());
    pool.for_chunks(links.rows, 64, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> ids;
        Matrix gathered;
        Matrix system(config.dim, config.dim);
        for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
            const std::int64_t length = links.length(row);
            gathered.resize(config.dim, length);
            links.read(row, ids);
            for (std::int64_t i = 0; i < length; ++i) {
                gathered.col(i) = fixed.col(ids[static_cast<std::size_t>(i)]);
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

void epoch_on(DataOf data, benchmark::State& state)
{
    HostPool pool(static_cast<int>(state.range(1)));
    const AlxConfig config = config_of(static_cast<int>(state.range(0)), "cholesky");
    const SparseMatrix& by_row = data().training;
    const SparseMatrix by_column = transpose(by_row);
    Matrix rows = 0.1F * Matrix::Random(config.dim, by_row.rows);
    Matrix columns = 0.1F * Matrix::Random(config.dim, by_row.columns);
    for (auto run : state) {
        half(config, by_row, columns, rows, pool);
        half(config, by_column, rows, columns, pool);
    }
}

void eigen_epoch(benchmark::State& state)
{
    epoch_on(power_law_data, state);
}
BENCHMARK(eigen_epoch)
    ->ArgsProduct({{64, 128}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void eigen_movielens_epoch(benchmark::State& state)
{
    epoch_on(movielens_shape, state);
}
BENCHMARK(eigen_movielens_epoch)
    ->ArgsProduct({{64, 128}, {1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// The ids of the best of a query's scores.
std::vector<int> best_of(const float* scores, const ScoresJob& job)
{
    std::vector<int> ids(static_cast<std::size_t>(job.columns));
    std::iota(ids.begin(), ids.end(), 0);
    std::partial_sort(ids.begin(), ids.begin() + job.top, ids.end(),
                      [&](int a, int b) { return scores[a] > scores[b]; });
    ids.resize(static_cast<std::size_t>(job.top));
    return ids;
}

/// Products of the table and 64 queries at a time, then a partial sort for each.
void eigen_scores(benchmark::State& state)
{
    constexpr std::int64_t at_once = 64;
    const ScoresJob job;
    const Matrix columns = Matrix::Random(state.range(0), job.columns);
    const Matrix queries = Matrix::Random(state.range(0), job.queries);
    Matrix scores(job.columns, at_once);
    for (auto run : state) {
        for (std::int64_t q = 0; q < job.queries; q += at_once) {
            scores.noalias() = columns.transpose() * queries.middleCols(q, at_once);
            for (std::int64_t i = 0; i < at_once; ++i) {
                benchmark::DoNotOptimize(best_of(scores.col(i).data(), job));
            }
        }
    }
    state.counters["scores/s"] = benchmark::Counter(static_cast<double>(job.columns * job.queries),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(eigen_scores)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::alx
