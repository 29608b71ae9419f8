// SPDX-License-Identifier: Apache-2.0
#include "alx/half_batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace alxsim::alx {

DenseBatches batch_rows(const AlxConfig& config, const SparseMatrix& matrix, int devices)
{
    return make_dense_batches({&matrix, example_rows(matrix), "/workload/alx/batch/lines", "row"},
                              config.batch, config.semantics, devices);
}

DenseBatches batch_columns(const AlxConfig& config, const SparseMatrix& columns, int devices)
{
    return make_dense_batches(
        {&columns, example_rows(columns), "/workload/alx/column_batch/lines", "column"},
        config.column_batch, config.semantics, devices);
}

namespace {

std::int64_t longest(const SparseMatrix& matrix)
{
    std::int64_t most = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        most = std::max(most, matrix.length(row));
    }
    return most;
}

EvaluationBatch evaluation_batch(const AlxConfig& config, const Dataset& data)
{
    if (config.evaluation.batch) {
        return *config.evaluation.batch;
    }
    const std::int64_t length = config.batch.line_length;
    EvaluationBatch batch;
    batch.lines = std::max(batch.lines, longest(data.history) / length + 1);
    batch.ground_truth_lines =
        std::max(batch.ground_truth_lines, longest(data.ground_truth) / length + 1);
    return batch;
}

} // namespace

DenseBatches batch_test_rows(const AlxConfig& config, const Dataset& data, int devices)
{
    const EvaluationBatch batch = evaluation_batch(config, data);
    std::vector<std::int32_t> places(data.test_rows.size());
    std::iota(places.begin(), places.end(), 0);
    BatchSource source{&data.history, std::move(places), "/workload/evaluation/batch/lines",
                       "test row"};
    source.ground_truth = &data.ground_truth;
    source.ground_truth_lines = batch.ground_truth_lines;
    return make_dense_batches(std::move(source),
                              {batch.lines, config.batch.line_length, batch.rows}, config.semantics,
                              devices);
}

std::int64_t ground_truth_lines(const AlxConfig& config, const Dataset& data)
{
    return evaluation_batch(config, data).ground_truth_lines;
}

} // namespace alxsim::alx
