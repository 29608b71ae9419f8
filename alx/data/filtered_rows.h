// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/matrix_rows.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace alxsim::alx {

/// Which rows and columns of a matrix are kept. First self-links are dropped, if so asked. Then, in
/// each pass, what has too few links goes, all at once: the links of what goes are missing from the
/// counts of the next pass only, so that after one pass (as the WebGraph data were made) some rows
/// have fewer links than the minimum. Passes end early when nothing goes any more.
struct FilterConfig {
    std::int64_t min_out = 0; ///< links of a row
    std::int64_t min_in = 0;  ///< links of a column
    std::int64_t passes = 1;
    bool drop_self_links = false;
    /// Rows and columns are the same nodes: a node stays only if it has both, and keeps one id on
    /// both sides. Absent: nobody has said so yet, neither user nor file.
    std::optional<bool> same_nodes;

    bool drops_nodes() const { return min_out > 0 || min_in > 0; }
};

/// What is said of a matrix, or follows: sides that differ in size are not the same nodes, and
/// whoever drops self-links speaks of nodes. Throws InputError where nothing is said and the sides
/// are of one size, which may be chance.
bool has_same_nodes(const MatrixSize& size, const FilterConfig& config);

/// The old ids of what a filter kept, by the new ones, ascending; empty: all kept theirs.
struct KeptIds {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
};

/// The old id of a new one; -1 for a phantom column, which never had one.
inline std::int32_t source_id(const std::vector<std::int32_t>& kept, std::int32_t id)
{
    const auto place = static_cast<std::size_t>(id);
    return kept.empty() ? id : place < kept.size() ? kept[place] : -1;
}

/// What a filter leaves of rows, which it reads anew whenever it needs them: its memory follows
/// rows and columns, not links. Rows and columns that stay get new ids, in their old order and
/// without gaps, if a minimum is asked for.
class FilteredRows {
public:
    /// Calls its argument with each row.
    using EachRow = std::function<void(const TakeRow& row)>;

    /// Reads all rows once for each pass, and once more. Throws InputError for self-links where
    /// rows and columns are not the same nodes, and if nothing is left.
    FilteredRows(const MatrixSize& size, EachRow rows, const FilterConfig& config);

    MatrixSize size() const;
    bool keeps_all_nodes() const;
    KeptIds kept_ids() const;
    /// Calls `row` with what is left of each row that stays, in order.
    void for_each(const TakeRow& row) const;

private:
    struct Lengths {
        std::vector<std::int64_t> rows;
        std::vector<std::int64_t> columns;
    };
    /// Calls `row` with each row that stays and what stays of its links, in old ids.
    void for_each_left(
        const std::function<void(std::size_t id, std::vector<std::int32_t>& ids)>& row) const;
    /// Links of each row and column that stay.
    Lengths count();
    /// One pass. False if all stays.
    bool drop_nodes(const Lengths& lengths);

    EachRow all_rows_;
    FilterConfig config_;
    bool same_nodes_;
    std::vector<bool> rows_; ///< which stay
    std::vector<bool> columns_;
    std::int64_t links_ = 0; ///< that stay
};

} // namespace alxsim::alx
