// SPDX-License-Identifier: Apache-2.0
#include "alx/half_batches.h"

namespace alxsim::alx {

DenseBatches batch_rows(const AlxConfig& config, const SparseMatrix& matrix, int devices)
{
    return make_dense_batches({&matrix, linked_rows(matrix), "/workload/alx/batch/lines", "row"},
                              config.batch, config.semantics, devices);
}

DenseBatches batch_columns(const AlxConfig& config, const SparseMatrix& columns, int devices)
{
    return make_dense_batches(
        {&columns, linked_rows(columns), "/workload/alx/column_batch/lines", "column"},
        config.column_batch, config.semantics, devices);
}

} // namespace alxsim::alx
