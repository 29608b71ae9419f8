// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement_parts.h"

#include <functional>
#include <queue>
#include <utility>

namespace alxsim::alx {

void place_rest(std::vector<std::int32_t>& owners, int shards)
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(shards));
    for (const std::int32_t owner : owners) {
        if (owner != unplaced) {
            ++sizes[static_cast<std::size_t>(owner)];
        }
    }
    using Size = std::pair<std::int64_t, std::int32_t>; // rows, shard
    std::priority_queue<Size, std::vector<Size>, std::greater<>> smallest;
    for (std::int32_t shard = 0; shard < shards; ++shard) {
        smallest.emplace(sizes[static_cast<std::size_t>(shard)], shard);
    }
    for (std::int32_t& owner : owners) {
        if (owner == unplaced) {
            const auto [rows, shard] = smallest.top();
            smallest.pop();
            owner = shard;
            smallest.emplace(rows + 1, shard);
        }
    }
}

} // namespace alxsim::alx
