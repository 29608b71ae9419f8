// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/row_store.h"
#include "base/host_pool.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Rows of each device's shard: count / devices + 1, also where the division leaves no rest (ALX).
constexpr std::int64_t shard_rows(std::int64_t count, int devices)
{
    return count / devices + 1;
}

/// One factor matrix, [count x dim], cut into contiguous shards, one per device. The rows beyond
/// `count` that fill the last shards (phantom rows) keep their initial values: zeros, unless
/// PhantomRows::random.
class FactorTable {
public:
    FactorTable(std::int64_t count, int dim, int devices, model::DType dtype);

    std::int64_t count() const { return count_; }
    std::int64_t shard_rows() const { return shard_rows_; }
    std::int64_t padded_rows() const { return store_.rows(); }
    int devices() const { return devices_; }
    int dim() const { return store_.dim(); }
    int owner(std::int64_t row) const { return static_cast<int>(row / shard_rows_); }

    /// Row g, column j becomes stddev * N(0, 1) drawn from (seed, table, g, j) alone, in the
    /// table's dtype: the same for every number of devices and threads.
    void initialize(double stddev, std::uint64_t seed, std::uint64_t table, PhantomRows phantoms,
                    HostPool& pool);
    /// `values` is row-major with at least padded_rows() rows; the first ones are used. Throws
    /// InputError naming `pointer` if there are fewer.
    void assign(const std::vector<double>& values, PhantomRows phantoms,
                const std::string& pointer);
    void set_zero(std::int64_t row);

    const RowStore& store() const { return store_; }
    RowStore& store() { return store_; }
    /// Row-major [padded_rows x dim].
    std::vector<float> to_floats() const;
    std::vector<double> to_doubles() const;

private:
    std::int64_t initial_rows(PhantomRows phantoms) const
    {
        return phantoms == PhantomRows::random ? padded_rows() : count_;
    }

    std::int64_t count_;
    int devices_;
    std::int64_t shard_rows_;
    RowStore store_;
};

} // namespace alxsim::alx
