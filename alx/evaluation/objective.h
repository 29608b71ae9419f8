// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/sparse_matrix.h"
#include "alx/tables/row_store.h"
#include "base/host_pool.h"

#include <cstdint>

namespace alxsim::alx {

/// A training matrix with its transpose, and the numbers of rows and columns that take part.
struct TrainingLinks {
    const SparseMatrix* rows = nullptr;
    const SparseMatrix* columns = nullptr;
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
};

/// The iALS objective with frequency-scaled regularization (Rendle et al., RecSys 2022, eqs 1-5, nu
/// = 1; the form that ALX minimizes), in f64:
///     sum_links c (1 - u.v)^2 + alpha <U^T U, V^T V>
///     + reg sum_rows (len + alpha column_count) |u|^2 + reg sum_columns (len + alpha row_count)
///     |v|^2
/// with the links' weights c, 1 unless they have others, and len what those of a row or column add
/// up to; the last two sums over examples: rows with links, or all that are listed. The same bits
/// for any number of threads.
double objective(const AlxConfig& config, const TrainingLinks& links, const RowStore& rows,
                 const RowStore& columns, HostPool& pool);

} // namespace alxsim::alx
