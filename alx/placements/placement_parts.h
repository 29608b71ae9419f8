// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// The owner of a row that has none yet.
constexpr std::int32_t unplaced = -1;

/// Places the rows that no shard owns yet, by ascending id, each on a shard with the fewest rows,
/// ties to the lower shard. `owners` is [count].
void place_rest(std::vector<std::int32_t>& owners, int shards);

} // namespace alxsim::alx
