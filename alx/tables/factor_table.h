// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/shard_map.h"
#include "alx/tables/row_store.h"
#include "base/host_pool.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Throws InputError at `pointer` if initial values have fewer rows than the table.
void refuse_too_few_rows(std::size_t rows, std::int64_t count, const std::string& pointer);

/// One factor matrix, [count x dim], cut into shards by rows. The map says which shard owns a row;
/// the rows themselves are kept by ascending id whatever it says. Rows beyond `count` that fill the
/// shards (phantom rows) keep their initial values: zeros, unless PhantomRows::random.
class FactorTable {
public:
    FactorTable(ShardMap map, int dim, model::DType dtype);
    /// In contiguous shards.
    FactorTable(std::int64_t count, int dim, int shards, model::DType dtype);

    const ShardMap& map() const { return map_; }
    std::int64_t count() const { return map_.count(); }
    std::int64_t shard_rows() const { return map_.shard_rows(); }
    std::int64_t padded_rows() const { return store_.rows(); }
    int shards() const { return map_.shards(); }
    /// The shards, where each device has one of its own.
    int devices() const { return shards(); }
    int dim() const { return store_.dim(); }
    int owner(std::int64_t row) const { return map_.owner(row); }

    /// Row g, column j becomes stddev * N(0, 1) drawn from (seed, table, g, j) alone, in the
    /// table's dtype: the same for every number of shards and threads, and every placement.
    void initialize(double stddev, std::uint64_t seed, std::uint64_t table, PhantomRows phantoms,
                    HostPool& pool);
    /// `values` is row-major with at least count() rows; phantom rows get those behind them, where
    /// there are some, and else stay as they are. Throws InputError naming `pointer` if there are
    /// fewer.
    void assign(const std::vector<double>& values, PhantomRows phantoms,
                const std::string& pointer);
    void set_zero(std::int64_t row);

    const RowStore& store() const { return store_; }
    RowStore& store() { return store_; }
    /// Row-major [padded_rows x dim].
    std::vector<float> to_floats() const;
    /// [count x dim]: no phantom rows.
    std::vector<double> own_rows() const;
    std::vector<double> to_doubles() const;

private:
    std::int64_t initial_rows(PhantomRows phantoms) const
    {
        return phantoms == PhantomRows::random ? padded_rows() : count();
    }

    ShardMap map_;
    RowStore store_;
};

} // namespace alxsim::alx
