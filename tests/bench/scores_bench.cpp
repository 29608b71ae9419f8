// SPDX-License-Identifier: Apache-2.0
// Scores a second of an evaluation, on one thread; eigen_bench.cpp has the same job in plain Eigen.
#include "scores_job.h"

#include "alx/evaluation/recommender.h"
#include "base/numbers/random.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace alxsim::alx {
namespace {

void alxsim_scores(benchmark::State& state)
{
    const ScoresJob job;
    AlxConfig config;
    config.dim = static_cast<int>(state.range(0));
    config.evaluation.top_k = job.top;
    HostPool pool(1);
    FactorTable columns(job.columns, config.dim, 1, model::DType::bf16);
    columns.initialize(1.0, 1, 0, PhantomRows::zero, pool);
    RowStore queries(job.queries, config.dim, model::DType::f32);
    std::vector<float> row(static_cast<std::size_t>(config.dim));
    for (std::int64_t q = 0; q < job.queries; ++q) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = static_cast<float>(normal(static_cast<std::uint64_t>(q) * row.size() + i));
        }
        queries.set(q, row.data());
    }
    SparseMatrix history;
    history.columns = static_cast<std::int32_t>(job.columns);
    while (history.rows < job.queries) {
        history.append({});
    }
    const Recommender recommender(config, history, columns);
    for (auto run : state) {
        benchmark::DoNotOptimize(recommender.recommend(queries, 0));
    }
    const auto scores = static_cast<double>(job.columns * job.queries);
    state.counters["least_flop"] = 2 * scores * config.dim;
    state.counters["least_bytes"] = 2.0 * static_cast<double>(job.columns) * config.dim; // in bf16
    state.counters["scores/s"] = benchmark::Counter(static_cast<double>(job.columns * job.queries),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(alxsim_scores)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::alx
