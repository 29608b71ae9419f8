// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/placements/placement_assumption.h"
#include "alx/registry.h"
#include "alx/shard_map.h"
#include "alx/sparse_matrix.h"

#include <cstdint>

namespace alxsim::alx {

/// Which shard owns which row of the two tables.
struct TablePlacement {
    ShardMap rows;
    ShardMap columns;
};

/// How rows are placed on shards. Every row is, also those without links: test rows, cold ones.
class RowPlacement {
public:
    virtual ~RowPlacement() = default;

    /// `rows` is the training matrix, `columns` its transpose; `shards` >= 1, also more than there
    /// are rows. The same arguments give the same placement.
    virtual TablePlacement place(const SparseMatrix& rows, const SparseMatrix& columns, int shards,
                                 std::uint64_t seed) const = 0;
    /// What the placement is taken to do where no links are known.
    virtual PlacementAssumption assumption(const PlacedLengths& lengths, int shards) const = 0;
};

const Registry<RowPlacement>& placements();

} // namespace alxsim::alx
