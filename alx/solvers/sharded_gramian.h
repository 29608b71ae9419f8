// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/device_mesh.h"
#include "alx/tables/factor_table.h"
#include "base/host_pool.h"
#include "model/graph/op_graph.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::alx {

/// The Gramian of a table, in f64 for an f64 table, else in f32: partial sums over fixed chunks of
/// each shard, added in the order of chunks and then of shards, so that the bits depend on the
/// devices but not on host threads. GramianDType::table rounds the devices' sums and their sum to
/// the table's dtype. GramianDType::f32 of exact products is summed in f64 and rounded once, so
/// that the placement of rows on shards does not show.
class ShardedGramian {
public:
    ShardedGramian(const AlxConfig& config, const FactorTable& table);
    ~ShardedGramian();
    ShardedGramian(const ShardedGramian&) = delete;
    ShardedGramian& operator=(const ShardedGramian&) = delete;

    /// The sum of the partial Gramians of a device's shard; an item is one chunk. Of the devices
    /// that hold the same rows or parts of them, the first does the numerics of all.
    std::shared_ptr<const model::Effect> partial_effect(const DeviceMesh& mesh);
    /// Adds up all devices' chunks.
    std::shared_ptr<const model::Effect> combine_effect();
    /// Both, without a step.
    void compute(HostPool& pool);

    /// [dim x dim].
    const std::vector<double>& matrix() const;

    /// The chunks' sums in one number format.
    class Parts;

private:
    std::unique_ptr<Parts> parts_;
};

} // namespace alxsim::alx
