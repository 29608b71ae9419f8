// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/tables/factor_table.h"
#include "base/host_pool.h"

#include <memory>
#include <vector>

namespace alxsim::alx {

/// The Gramian of a table, in f64 for an f64 table, else in f32: partial sums over fixed chunks of
/// each shard, added in the order of chunks and then of shards, so that the bits depend on the
/// devices but not on host threads. GramianDType::table rounds the devices' sums and their sum to
/// the table's dtype. GramianDType::f32 of exact products is summed in f64 and rounded once, so
/// that the placement of rows on shards does not show. config.gramian_sum adds what the devices'
/// have as its schedule does.
class ShardedGramian {
public:
    ShardedGramian(const AlxConfig& config, const FactorTable& table);
    ~ShardedGramian();
    ShardedGramian(const ShardedGramian&) = delete;
    ShardedGramian& operator=(const ShardedGramian&) = delete;

    /// From the table as it is.
    void compute(HostPool& pool);

    /// [dim x dim].
    const std::vector<double>& matrix() const;

    /// In one number format.
    class Sum;

private:
    std::unique_ptr<Sum> sum_;
};

} // namespace alxsim::alx
