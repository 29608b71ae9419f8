// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/half_links.h"

namespace alxsim::alx {
namespace {

/// Absent where no row is longer than a batch, or where such rows are refused or split.
std::optional<SparseMatrix> cut(const AlxConfig& config, const SparseMatrix& matrix,
                                const BatchGeometry& geometry)
{
    bool any = false;
    for (std::int32_t row = 0; row < matrix.rows && !any; ++row) {
        any = matrix.length(row) > geometry.slots();
    }
    if (config.long_rows != LongRows::truncate || !any) {
        return std::nullopt;
    }
    return first_links(matrix, geometry.slots());
}

} // namespace

HalfLinks::HalfLinks(const AlxConfig& config, const SparseMatrix& by_row,
                     const SparseMatrix& by_column)
    : by_row_(by_row),
      by_column_(by_column),
      cut_rows_(cut(config, by_row, config.batch)),
      cut_columns_(cut(config, by_column, config.column_batch))
{
}

double HalfLinks::lost(const SparseMatrix& whole, const SparseMatrix& cut)
{
    return whole.links() == 0
               ? 0.0
               : 1 - static_cast<double>(cut.links()) / static_cast<double>(whole.links());
}

} // namespace alxsim::alx
