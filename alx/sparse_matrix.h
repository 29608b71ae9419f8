// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/id_lists.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::alx {

/// What the links of a matrix weigh, row by row, in the order of their ids.
struct LinkWeights {
    std::vector<float> values;
    std::vector<std::int64_t> begins{0}; ///< [rows + 1], of a row's values

    /// After the values of the next row.
    void end_row() { begins.push_back(static_cast<std::int64_t>(values.size())); }
    const float* of(std::int32_t row) const
    {
        return values.data() + begins[static_cast<std::size_t>(row)];
    }
};

/// The links of a matrix, by row. Ids are 0-based and ascend within a row.
struct SparseMatrix {
    std::int32_t rows = 0;
    std::int32_t columns = 0;
    IdLists lists = {}; ///< [rows]: the columns of each row's links
    /// The rows that their source names, also without links, in its order; empty where these are
    /// just the rows with links, ascending.
    std::vector<std::int32_t> listed = {};
    /// Null: all weigh 1.
    std::shared_ptr<const LinkWeights> weights = {};

    std::int64_t links() const { return lists.total(); }
    std::int64_t length(std::int32_t row) const { return lists.length(row); }
    /// The columns of a row's links, ascending.
    std::vector<std::int32_t> ids(std::int32_t row) const
    {
        std::vector<std::int32_t> ids;
        read(row, ids);
        return ids;
    }
    /// [length(row)], in the order of the ids; null: all are 1.
    const float* weights_of(std::int32_t row) const { return weights ? weights->of(row) : nullptr; }
    /// What the row's links weigh together.
    double weight(std::int32_t row) const;
    /// The same into a vector that is used again.
    void read(std::int32_t row, std::vector<std::int32_t>& ids) const
    {
        ids.resize(static_cast<std::size_t>(length(row)));
        lists.read(row, ids.data());
    }
    /// Adds a row, of ascending ids.
    void append(const std::vector<std::int32_t>& ids)
    {
        lists.append(ids.data(), static_cast<std::int64_t>(ids.size()));
        ++rows;
    }
};

/// [columns x rows], ids ascending. Takes an eighth of the links at a time, so that little more
/// memory is needed than both matrices keep.
SparseMatrix transpose(const SparseMatrix& matrix);

/// The same with at most `longest` links in a row, its first ones.
SparseMatrix first_links(const SparseMatrix& matrix, std::int64_t longest);

/// Links of each column, [columns].
std::vector<std::int64_t> column_lengths(const SparseMatrix& matrix);

/// The rows with at least one link, ascending.
std::vector<std::int32_t> linked_rows(const SparseMatrix& matrix);

/// Those that training solves for, in the order in which they are batched: the listed ones, else
/// the linked ones.
std::vector<std::int32_t> example_rows(const SparseMatrix& matrix);

} // namespace alxsim::alx
