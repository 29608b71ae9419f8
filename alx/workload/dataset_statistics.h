// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/generator/generate.h"
#include "alx/data/matrix_rows.h"
#include "alx/data/matrix_statistics.h"
#include "alx/sparse_matrix.h"
#include "base/json_document.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// What is said of a matrix, taken up row by row: memory follows rows and columns alone.
class MatrixSummary {
public:
    explicit MatrixSummary(const MatrixSize& size);

    /// The next row; `ids` ascend.
    void add(const std::vector<std::int32_t>& ids);
    /// After the last row: what makes a matrix like it, with the locality that is nearest to its
    /// own among those that rows of such lengths can have.
    GenerateConfig config_like() const;
    /// After the last row: as matrix_statistics() has it.
    Json statistics() const;

private:
    double locality() const;

    MatrixSize size_;
    Neighbourhood near_;
    std::vector<std::int64_t> row_lengths_;
    std::vector<std::int64_t> column_lengths_;
    std::int64_t near_links_ = 0;
    std::int64_t self_links_ = 0;
};

/// Sizes, lengths of rows and columns with the power laws of their tails, self-links, locality, and
/// under `generate` the fields with which a study makes a matrix like it.
Json matrix_statistics(const SparseMatrix& matrix);

} // namespace alxsim::alx
