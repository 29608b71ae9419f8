// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement.h"

namespace alxsim::alx {
namespace {

ShardMap dealt(std::int32_t count, int shards)
{
    std::vector<std::int32_t> owners(static_cast<std::size_t>(count));
    for (std::int32_t id = 0; id < count; ++id) {
        owners[static_cast<std::size_t>(id)] = id % shards;
    }
    return ShardMap(std::move(owners), shards);
}

/// Id modulo shards.
class CyclicPlacement : public RowPlacement {
public:
    TablePlacement place(const SparseMatrix& rows, const SparseMatrix& columns, int shards,
                         std::uint64_t /*seed*/) const override
    {
        return {dealt(rows.rows, shards), dealt(columns.rows, shards)};
    }

    PlacementAssumption assumption(const PlacedLengths& lengths, int shards) const override
    {
        return random_assumption(lengths, shards);
    }
};

} // namespace

std::unique_ptr<const RowPlacement> make_cyclic_placement()
{
    return std::make_unique<CyclicPlacement>();
}

} // namespace alxsim::alx
