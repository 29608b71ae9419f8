// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/dense_batches.h"
#include "alx/split.h"

namespace alxsim::alx {

/// The batches of the row half: the examples of `matrix`.
/// Throws InputError for a row that does not fit a batch.
DenseBatches batch_rows(const AlxConfig& config, const SparseMatrix& matrix, int devices);

/// The batches of the column half; `columns` is the transposed matrix. Throws likewise.
DenseBatches batch_columns(const AlxConfig& config, const SparseMatrix& columns, int devices);

/// The batches of the test rows, by their place among them. Lines and rows follow from
/// config.evaluation.batch, else from its defaults, made as large as the longest test row needs.
DenseBatches batch_test_rows(const AlxConfig& config, const Dataset& data, int devices);
/// Ground-truth lines of a test batch.
std::int64_t ground_truth_lines(const AlxConfig& config, const Dataset& data);

} // namespace alxsim::alx
