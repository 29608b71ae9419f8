// SPDX-License-Identifier: Apache-2.0
#include "alx/sparse_matrix.h"

#include <algorithm>

#include <numeric>

namespace alxsim::alx {

SparseMatrix transpose(const SparseMatrix& matrix)
{
    SparseMatrix result;
    result.rows = matrix.columns;
    result.columns = matrix.rows;
    result.offsets.assign(static_cast<std::size_t>(matrix.columns) + 1, 0);
    result.ids.resize(matrix.ids.size());
    for (const std::int32_t column : matrix.ids) {
        ++result.offsets[static_cast<std::size_t>(column) + 1];
    }
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (const std::int32_t* column = matrix.begin(row); column != matrix.end(row); ++column) {
            result.ids[static_cast<std::size_t>(next[static_cast<std::size_t>(*column)]++)] = row;
        }
    }
    return result;
}

SparseMatrix first_links(const SparseMatrix& matrix, std::int64_t longest)
{
    SparseMatrix result{matrix.rows, matrix.columns, {0}, {}, matrix.listed};
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const std::int64_t kept = std::min(matrix.length(row), longest);
        result.ids.insert(result.ids.end(), matrix.begin(row), matrix.begin(row) + kept);
        result.offsets.push_back(static_cast<std::int64_t>(result.ids.size()));
    }
    return result;
}

std::vector<std::int32_t> linked_rows(const SparseMatrix& matrix)
{
    std::vector<std::int32_t> rows;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        if (matrix.length(row) > 0) {
            rows.push_back(row);
        }
    }
    return rows;
}

std::vector<std::int32_t> example_rows(const SparseMatrix& matrix)
{
    return matrix.listed.empty() ? linked_rows(matrix) : matrix.listed;
}

} // namespace alxsim::alx
