// SPDX-License-Identifier: Apache-2.0
#include "alx/shard_map.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace alxsim::alx {
namespace {

/// Rows of each shard.
std::vector<std::int64_t> sizes_of(const std::vector<std::int32_t>& owners, int shards)
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(shards));
    for (const std::int32_t owner : owners) {
        if (owner < 0 || owner >= shards) {
            throw std::logic_error("a row's owner is no shard");
        }
        ++sizes[static_cast<std::size_t>(owner)];
    }
    return sizes;
}

} // namespace

ShardMap::ShardMap(std::int64_t count, int shards, std::int64_t shard_rows)
    : count_(count),
      shards_(shards),
      shard_rows_(shard_rows)
{
}

ShardMap ShardMap::contiguous(std::int64_t count, int shards)
{
    return ShardMap(count, shards, alx::shard_rows(count, shards));
}

ShardMap::ShardMap(std::vector<std::int32_t> owners, int shards)
    : ShardMap(contiguous(static_cast<std::int64_t>(owners.size()), shards))
{
    std::vector<std::int64_t> sizes = sizes_of(owners, shards);
    shard_rows_ = std::max(shard_rows_, *std::max_element(sizes.begin(), sizes.end()));
    if (padded_rows() > std::numeric_limits<std::int32_t>::max()) {
        throw std::logic_error("shards hold more than 2^31 - 1 rows");
    }
    owners_ = std::move(owners);
    add_phantom_rows(std::move(sizes));
    list_rows();
}

void ShardMap::add_phantom_rows(std::vector<std::int64_t> sizes)
{
    owners_.reserve(static_cast<std::size_t>(padded_rows()));
    for (std::int32_t shard = 0; shard < shards_; ++shard) {
        const std::int64_t free = shard_rows_ - sizes[static_cast<std::size_t>(shard)];
        owners_.insert(owners_.end(), static_cast<std::size_t>(free), shard);
    }
}

void ShardMap::list_rows()
{
    if (std::is_sorted(owners_.begin(), owners_.end())) {
        owners_ = {};
        return;
    }
    rows_.resize(owners_.size());
    std::iota(rows_.begin(), rows_.end(), 0);
    std::stable_sort(rows_.begin(), rows_.end(), [this](std::int32_t a, std::int32_t b) {
        return owners_[static_cast<std::size_t>(a)] < owners_[static_cast<std::size_t>(b)];
    });
}

std::vector<std::int32_t> ShardMap::rows_of(int shard) const
{
    std::vector<std::int32_t> rows(static_cast<std::size_t>(shard_rows_));
    for (std::size_t slot = 0; slot < rows.size(); ++slot) {
        rows[slot] = static_cast<std::int32_t>(row_at(shard, static_cast<std::int64_t>(slot)));
    }
    return rows;
}

} // namespace alxsim::alx
