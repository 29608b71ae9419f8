// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/dense_batches.h"
#include "alx/sparse_matrix.h"

namespace alxsim::alx {

/// The batches of the row half: the rows of `matrix` that have links.
/// Throws InputError for a row that does not fit a batch.
DenseBatches batch_rows(const AlxConfig& config, const SparseMatrix& matrix, int devices);

/// The batches of the column half; `columns` is the transposed matrix. Throws likewise.
DenseBatches batch_columns(const AlxConfig& config, const SparseMatrix& columns, int devices);

} // namespace alxsim::alx
