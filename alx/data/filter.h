// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
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
    /// both sides. Absent: if there are as many rows as columns.
    std::optional<bool> same_nodes;

    bool drops_nodes() const { return min_out > 0 || min_in > 0; }
};

bool has_same_nodes(const SparseMatrix& matrix, const FilterConfig& config);

/// The old ids of what a filter kept, by the new ones, ascending; empty: all kept theirs.
struct KeptIds {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
};

/// Rows and columns that stay get new ids, in their old order and without gaps, if a minimum is
/// asked for; `kept` is told the old ones. Throws InputError for self-links where rows and columns
/// are not the same nodes, and if nothing is left.
SparseMatrix filter(SparseMatrix matrix, const FilterConfig& config, KeptIds* kept = nullptr);

/// New ids in random order: one order for both sides where rows and columns are the same nodes,
/// which takes locality away and nothing else.
SparseMatrix permute(const SparseMatrix& matrix, bool same_nodes, std::uint64_t seed);

} // namespace alxsim::alx
