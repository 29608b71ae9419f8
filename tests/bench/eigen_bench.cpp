// SPDX-License-Identifier: Apache-2.0
// What alxsim's epochs are held against: the same algorithm, as one writes it with Eigen, compiled
// for the host's own CPU.
#include "ials_job.h"

#include <Eigen/Cholesky>
#include <benchmark/benchmark.h>

namespace alxsim::alx {
namespace {

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
