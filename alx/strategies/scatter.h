// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/step_traffic.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/registry.h"
#include "alx/strategies/row_transfer.h"
#include "alx/strategies/solved_step.h"
#include "model/graph/op_graph.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::alx {

/// The way of one step's solutions into the table that is solved for.
struct ScatterShape {
    std::int64_t systems = 0;                   ///< solutions that a device holds, padding included
    int dim = 0;                                ///< numbers of each that its shard keeps
    model::DType exchange = model::DType::bf16; ///< in which they travel
    model::DType dtype = model::DType::bf16;    ///< of the table
    std::int64_t shard_rows = 0;
    model::Name table; ///< the buffer of the shard
    bool adds = false; ///< old + (new - old), see Residual
    const DeviceMesh* mesh = nullptr;
    const RowExchange* solutions = nullptr;
    model::Name solved = "scatter.cast"; ///< the buffer of the device's solutions
    model::Name row_ids = "batch.rows";
    RowTransfer transfer; ///< of an old row that is looked up in the shard

    Bytes exchanged(std::int64_t rows) const { return model::size_of(exchange) * (rows * dim); }
    Bytes in_table(std::int64_t rows) const { return model::size_of(dtype) * (rows * dim); }
};

/// How solved rows come to the shards that hold them: numbers and ops. All variants write the same
/// rows: what differs is who receives what on the way.
class ScatterStrategy {
public:
    virtual ~ScatterStrategy() = default;

    /// Whether the ops' sizes follow who owns the rows that a batch solves for.
    virtual bool needs_solutions() const { return false; }
    /// Whether a device's batches hold rows of its own shard alone.
    virtual bool at_owner() const { return false; }

    /// Moves the solutions of a step to the devices that write them. What a device receives is what
    /// the ops' collectives bring it, each solution with its id.
    virtual ScatteredRows scatter(const SolvedStep& solved) const = 0;

    /// Adds the ops, which follow op `solved` and, where they need no more than the batch,
    /// `fed`. `effect` goes on the op that writes the rows.
    virtual void add_ops(model::OpGraph& graph, const ScatterShape& shape, int solved,
                         const std::vector<int>& fed,
                         std::shared_ptr<const model::Effect> effect) const = 0;
};

const Registry<ScatterStrategy>& scatter_strategies();

/// Rows that have come to a device.
struct ArrivedRows {
    std::int64_t rows = 0;           ///< the largest device's
    std::int64_t owned = 0;          ///< of these, those of its own shard
    std::vector<std::int64_t> sizes; ///< of each device, where they differ
    model::Name solutions;           ///< the buffers
    model::BufferUse ids;
    bool masked = false; ///< whether others' rows are among them

    /// Those that a scatter writes; 0: all. Ids below a shard are negative in it, wrap, and hit
    /// real rows, with nothing to add: as many again (libtpu 0.0.42.1).
    std::int64_t written() const { return masked ? std::min(rows, 2 * owned) : 0; }
};

/// Writes what has arrived into the shard, under a mask where others' rows are among it.
void add_writes(model::OpGraph& graph, const ScatterShape& shape, const ArrivedRows& arrived,
                std::vector<int> after, std::shared_ptr<const model::Effect> effect);

} // namespace alxsim::alx
