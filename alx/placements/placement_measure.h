// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/placements/placement.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// A quantity of each shard of a table.
struct ShardSpread {
    std::int64_t least = 0;
    double mean = 0;
    std::int64_t most = 0;

    /// The most over the mean; 1 where all is zero.
    double imbalance() const { return mean > 0 ? static_cast<double>(most) / mean : 1; }
};

struct TableMeasure {
    ShardSpread rows; ///< owned, phantom rows not counted
    /// Links of the rows owned. The work of the half that solves this table's rows where their
    /// owners do; in the other half, how often the shard's rows are looked up (how hot it is).
    ShardSpread links;
    /// Rows that the shards have room for, together, over the table's rows.
    double padding = 1;
};

/// What a placement does to a matrix.
struct PlacementMeasure {
    TableMeasure rows;
    TableMeasure columns;
    double local_share = 0; ///< of the links: row and column on one shard; 1 without links
};

/// `by_row` is the training matrix, `by_column` its transpose.
PlacementMeasure measure_placement(const TablePlacement& placement, const SparseMatrix& by_row,
                                   const SparseMatrix& by_column);

} // namespace alxsim::alx
