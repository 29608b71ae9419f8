// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/sparse_matrix.h"

#include <optional>

namespace alxsim::alx {

/// The links that each half solves by: those of the matrix and of its transpose, of which a row
/// that is longer than a batch keeps its first links where config.long_rows truncates. The two
/// matrices outlive this.
class HalfLinks {
public:
    HalfLinks(const AlxConfig& config, const SparseMatrix& by_row, const SparseMatrix& by_column);

    const SparseMatrix& rows() const { return cut_rows_ ? *cut_rows_ : by_row_; }
    const SparseMatrix& columns() const { return cut_columns_ ? *cut_columns_ : by_column_; }
    /// Shares of all links that a half does without.
    double lost_of_rows() const { return lost(by_row_, rows()); }
    double lost_of_columns() const { return lost(by_column_, columns()); }

private:
    static double lost(const SparseMatrix& whole, const SparseMatrix& cut);

    const SparseMatrix& by_row_;
    const SparseMatrix& by_column_;
    std::optional<SparseMatrix> cut_rows_;
    std::optional<SparseMatrix> cut_columns_;
};

} // namespace alxsim::alx
