// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Rows that each of `shards` contiguous shards holds: count / shards + 1, also where the division
/// leaves no rest (ALX).
constexpr std::int64_t shard_rows(std::int64_t count, int shards)
{
    return count / shards + 1;
}

/// Which shard of a table owns which row. Ids of phantom rows, those from `count` on, fill the
/// shards in ascending order up to `shard_rows` rows each. Shards may hold nothing else.
class ShardMap {
public:
    /// Contiguous ranges of count / shards + 1 ids, as the released code has them.
    static ShardMap contiguous(std::int64_t count, int shards);
    /// `owners` is [count]: a shard each. Shards have room for the largest one's rows, and for
    /// count / shards + 1 at least. Throws std::logic_error for an owner that is no shard, and for
    /// more than 2^31 - 1 rows in all shards.
    ShardMap(std::vector<std::int32_t> owners, int shards);

    std::int64_t count() const { return count_; }
    int shards() const { return shards_; }
    std::int64_t shard_rows() const { return shard_rows_; }
    std::int64_t padded_rows() const { return shards_ * shard_rows_; }
    /// Whether shard s owns the ids [s * shard_rows, (s + 1) * shard_rows).
    bool is_contiguous() const { return rows_.empty(); }
    /// Returns the owner of any id below padded_rows().
    int owner(std::int64_t id) const
    {
        return is_contiguous() ? static_cast<int>(id / shard_rows_)
                               : owners_[static_cast<std::size_t>(id)];
    }
    /// Ids of a shard in ascending order, phantom rows included: [shard_rows].
    std::vector<std::int32_t> rows_of(int shard) const;
    /// rows_of(shard)[slot].
    std::int64_t row_at(int shard, std::int64_t slot) const
    {
        const std::int64_t at = shard * shard_rows_ + slot;
        return is_contiguous() ? at : rows_[static_cast<std::size_t>(at)];
    }

private:
    ShardMap(std::int64_t count, int shards, std::int64_t shard_rows);
    void add_phantom_rows(std::vector<std::int64_t> sizes);
    void list_rows();

    std::int64_t count_;
    int shards_;
    std::int64_t shard_rows_;
    // Both [padded_rows]; empty where the map is contiguous.
    std::vector<std::int32_t> owners_; ///< by id
    std::vector<std::int32_t> rows_;   ///< by shard, ids ascending
};

} // namespace alxsim::alx
