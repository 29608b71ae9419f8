// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/factor_table.h"
#include "alx/lanes.h"
#include "base/host_pool.h"
#include "model/op_graph.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::alx {

/// The Gramian of a table in f32: partial sums over fixed chunks of each shard, added in the order
/// of chunks and then of shards, so that the bits depend on the devices but not on host threads.
class ShardedGramian {
public:
    explicit ShardedGramian(const FactorTable& table);

    /// The sum of the partial Gramians of a device's shard; an item is one chunk.
    std::shared_ptr<const model::Effect> partial_effect();
    /// Adds up all devices' chunks.
    std::shared_ptr<const model::Effect> combine_effect();
    /// Both, without a step.
    void compute(HostPool& pool);

    /// [padded(dim) x padded(dim)].
    const FloatBuffer& matrix() const { return matrix_; }
    /// [dim x dim].
    std::vector<float> to_floats() const;

private:
    void add_chunks(int device, std::int64_t begin, std::int64_t end);
    void combine();
    float* part(int device, std::int64_t chunk);

    const FactorTable& table_;
    std::int64_t chunks_; ///< of a shard
    std::size_t size_;    ///< padded(dim)^2
    FloatBuffer parts_;   ///< [devices x chunks x size]
    FloatBuffer matrix_;
};

} // namespace alxsim::alx
