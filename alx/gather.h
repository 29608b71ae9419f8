// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/registry.h"
#include "model/op_graph.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::alx {

/// The gather of one batch step: every device needs `slots` rows of a table that is cut into
/// shards.
struct GatherShape {
    int devices = 1;
    std::int64_t slots = 0; ///< ids per batch, padding included: lines * line_length
    int dim = 0;
    model::DType dtype = model::DType::bf16; ///< of the table
    std::int64_t shard_rows = 0;
    std::string table; ///< the buffer of the shard

    Bytes row_bytes() const { return model::size_of(dtype) * dim; }
    Bytes table_bytes() const { return row_bytes() * shard_rows; }
    /// The rows of one device's batch.
    Bytes batch_bytes() const { return row_bytes() * slots; }
    std::int64_t batch_numbers() const { return slots * dim; }
};

/// How the rows of the fixed table come to the devices that need them. All variants yield the same
/// numbers: what differs are the ops, and with them time and memory.
class GatherStrategy {
public:
    virtual ~GatherStrategy() = default;

    /// Adds the ops, which follow op `after`: they read the shard and the ids ("gather.ids", or
    /// "batch.ids" on one device) and write "gather.rows", the batch's rows in the table's dtype.
    /// `effect` goes on the op that completes the rows. Returns the index of the last op.
    virtual int add_ops(model::OpGraph& graph, const GatherShape& shape, int after,
                        std::shared_ptr<const model::Effect> effect) const = 0;
};

const Registry<GatherStrategy>& gather_strategies();

/// Adds the all-gather of the batches' ids if there is more than one device; returns the op to wait
/// for.
int add_id_exchange(model::OpGraph& graph, const GatherShape& shape, int after);

/// Adds a device's look-up of `slots` ids in its own shard, `owned` of which are its own, and the
/// multiplication by the ownership mask; writes `output`. The released code clamps ids that a
/// device does not own, so that those look-ups hit the shard's edge rows. Returns the index of the
/// last op.
int add_masked_lookup(model::OpGraph& graph, const GatherShape& shape, std::int64_t slots,
                      std::int64_t owned, const std::string& output, std::vector<int> after);

} // namespace alxsim::alx
