// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/half_batches.h"

#include "alx/strategies/scatter.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace alxsim::alx {

namespace {

/// Batches at the owners of their rows.
DenseBatches batch_at_owners(const BatchSource& source, const BatchGeometry& geometry,
                             const AlxConfig& config, const DeviceMesh& mesh, const ShardMap& map)
{
    const auto shards = static_cast<std::size_t>(mesh.row_shards);
    std::vector<std::vector<std::int32_t>> groups(shards);
    std::vector<std::vector<int>> holders(shards);
    for (const std::int32_t row : source.examples) {
        groups[static_cast<std::size_t>(map.owner(row))].push_back(row);
    }
    for (int device = 0; device < mesh.devices; ++device) {
        const DeviceMesh::Coordinates& at = mesh.coordinates[static_cast<std::size_t>(device)];
        holders[static_cast<std::size_t>(at.row_shard)].push_back(device);
    }
    return make_owner_batches(source, groups, holders, geometry, config.semantics, mesh.devices);
}

DenseBatches batch_side(const SparseMatrix& matrix, const BatchGeometry& geometry,
                        const std::string& field, const std::string& kind, const AlxConfig& config,
                        const DeviceMesh& mesh, const ShardMap& map)
{
    BatchSource source{&matrix,
                       example_rows(matrix),
                       "/workload/alx/" + field + "/lines",
                       kind,
                       std::string(", or ") + long_rows_way_out,
                       config.long_rows == LongRows::split};
    return scatter_strategies().create(config.scatter)->at_owner()
               ? batch_at_owners(source, geometry, config, mesh, map)
               : make_dense_batches(std::move(source), geometry, config.semantics, mesh.devices);
}

} // namespace

TablePlacement place_tables(const AlxConfig& config, const SparseMatrix& rows,
                            const SparseMatrix& columns, const DeviceMesh& mesh)
{
    return placements()
        .create(config.placement)
        ->place(rows, columns, mesh.row_shards, config.seed);
}

DenseBatches batch_rows(const AlxConfig& config, const SparseMatrix& matrix, const DeviceMesh& mesh,
                        const ShardMap& rows)
{
    return batch_side(matrix, config.batch, "batch", "row", config, mesh, rows);
}

DenseBatches batch_columns(const AlxConfig& config, const SparseMatrix& columns,
                           const DeviceMesh& mesh, const ShardMap& column_map)
{
    return batch_side(columns, config.column_batch, "column_batch", "column", config, mesh,
                      column_map);
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
