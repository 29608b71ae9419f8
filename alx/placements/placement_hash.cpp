// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement.h"
#include "base/numbers/mix64.h"

namespace alxsim::alx {
namespace {

ShardMap hashed(std::int32_t count, int shards, std::uint64_t seed)
{
    const std::uint64_t key = mix64(seed);
    std::vector<std::int32_t> owners(static_cast<std::size_t>(count));
    for (std::size_t id = 0; id < owners.size(); ++id) {
        owners[id] =
            static_cast<std::int32_t>(mix64(key ^ id) % static_cast<std::uint64_t>(shards));
    }
    return ShardMap(std::move(owners), shards);
}

/// A hash of id and seed, the same for both tables. Shards get as many rows as fall on them.
class HashPlacement : public RowPlacement {
public:
    TablePlacement place(const SparseMatrix& rows, const SparseMatrix& columns, int shards,
                         std::uint64_t seed) const override
    {
        return {hashed(rows.rows, shards, seed), hashed(columns.rows, shards, seed)};
    }

    PlacementAssumption assumption(const PlacedLengths& lengths, int shards) const override
    {
        return random_assumption(lengths, shards);
    }
};

} // namespace

std::unique_ptr<const RowPlacement> make_hash_placement()
{
    return std::make_unique<HashPlacement>();
}

} // namespace alxsim::alx
