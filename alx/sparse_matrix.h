// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// The links of a matrix, all of value 1, by row (CSR). Ids are 0-based and ascend within a row.
struct SparseMatrix {
    std::int32_t rows = 0;
    std::int32_t columns = 0;
    std::vector<std::int64_t> offsets{0}; ///< [rows + 1]: row r is ids[offsets[r], offsets[r + 1])
    std::vector<std::int32_t> ids;        ///< [links]: the columns of the links
    /// The rows that their source names, also without links, in its order; empty where these are
    /// just the rows with links, ascending.
    std::vector<std::int32_t> listed = {};

    std::int64_t links() const { return offsets.back(); }
    std::int64_t length(std::int32_t row) const
    {
        return offsets[static_cast<std::size_t>(row) + 1] - offsets[static_cast<std::size_t>(row)];
    }
    const std::int32_t* begin(std::int32_t row) const
    {
        return ids.data() + offsets[static_cast<std::size_t>(row)];
    }
    const std::int32_t* end(std::int32_t row) const { return begin(row) + length(row); }
};

/// [columns x rows], ids ascending.
SparseMatrix transpose(const SparseMatrix& matrix);

/// The same with at most `longest` links in a row, its first ones.
SparseMatrix first_links(const SparseMatrix& matrix, std::int64_t longest);

/// The rows with at least one link, ascending.
std::vector<std::int32_t> linked_rows(const SparseMatrix& matrix);

/// Those that training solves for, in the order in which they are batched: the listed ones, else
/// the linked ones.
std::vector<std::int32_t> example_rows(const SparseMatrix& matrix);

} // namespace alxsim::alx
