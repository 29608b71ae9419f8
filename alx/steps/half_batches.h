// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/device_mesh.h"
#include "alx/placements/placement.h"
#include "alx/shard_map.h"

namespace alxsim::alx {

/// Which row shard owns which row of the job's two tables, as config.placement has it. `columns` is
/// the transposed matrix. Throws InputError for an unknown placement.
TablePlacement place_tables(const AlxConfig& config, const SparseMatrix& rows,
                            const SparseMatrix& columns, const DeviceMesh& mesh);

/// The batches of the row half: the examples of `matrix`, in order; or, where the scatter wants
/// them there, at the owners of their rows.
/// Throws InputError for a row that does not fit a batch.
DenseBatches batch_rows(const AlxConfig& config, const SparseMatrix& matrix, const DeviceMesh& mesh,
                        const ShardMap& rows);

/// The batches of the column half; `columns` is the transposed matrix. Throws likewise.
DenseBatches batch_columns(const AlxConfig& config, const SparseMatrix& columns,
                           const DeviceMesh& mesh, const ShardMap& column_map);

/// The batches of the test rows, by their place among them. Lines and rows follow from
/// config.evaluation.batch, else from its defaults, made as large as the longest test row needs.
DenseBatches batch_test_rows(const AlxConfig& config, const Dataset& data, int devices);
/// Ground-truth lines of a test batch.
std::int64_t ground_truth_lines(const AlxConfig& config, const Dataset& data);

} // namespace alxsim::alx
