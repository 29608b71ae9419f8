// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/steps/planned_step.h"
#include "model/graph/op_graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::alx {

struct HalfShape;

/// Rows of tables below HBM, of one device, that a step moves.
struct HostMoves {
    std::int64_t old_rows_in = 0;     ///< of the own table: those that the step replaces
    std::int64_t solved_rows_out = 0; ///< of the own table: those that the step before solved
    /// Rows of the fixed table that the batches of the next step ask of each device; a single
    /// number where all are alike.
    std::vector<std::int64_t> asked_rows_in = {};
    std::int64_t streamed_rows = 0; ///< of a fixed table in storage, into host memory
    std::int64_t steps_at_once = 1; ///< whose asked rows of a table in storage wait there

    bool operator<(const HostMoves& other) const
    {
        const auto all = [](const HostMoves& moves) {
            return std::tie(moves.old_rows_in, moves.solved_rows_out, moves.asked_rows_in,
                            moves.streamed_rows, moves.steps_at_once);
        };
        return all(*this) < all(other);
    }
};

/// What moves in the steps of a half whose tables stand below HBM.
///
/// Each solved row leaves HBM once, beside the step after the one that solved it; the last ones
/// leave in a step of their own. Its old value comes in only where a row is written as
/// old + (new - old), see Residual::strict. Batches are taken to solve for rows of all shards
/// alike: a device moves the same number in each step, and in the last one what is left. The host
/// keeps the table in the order in which batches solve for its rows, which is the same in every
/// epoch, so that the rows of a step are a run of it that moves by DMA.
///
/// From a fixed table in host memory, the host picks the rows that a step's batches ask of a
/// device, each once, and sends them beside the step before. A fixed table in storage passes the
/// host's memory as a whole, block after block, once for as many steps as have room there for the
/// rows that they ask for: beside the steps before these, the first time in a step of its own.
///
/// What passes between the drives and the host's memory is a stream that does not stop with a step
/// (Copy::in_a_stream): the drives read ahead, and solved rows wait for more.
class HostMovePlan {
public:
    /// `steps` solve; `solved_rows`: of all shards together; `asked_rows`: that a step asks of a
    /// device.
    HostMovePlan(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh,
                 std::int64_t solved_rows, std::int64_t steps, std::int64_t asked_rows);

    /// But for the rows that are asked for.
    HostMoves at(const PlannedStep& step) const;
    /// Those of the last step that solves.
    std::int64_t last_rows_out() const { return rows_of(steps_ - 1); }
    /// Those of the step before the first.
    HostMoves before() const;
    /// The first steps that gather, beside which a fixed table in storage passes.
    std::int64_t streaming_steps() const { return streaming_steps_; }

private:
    void plan_streams(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh,
                      std::int64_t asked_rows);
    std::int64_t rows_of(std::int64_t solving_step) const;

    bool moves_;
    bool reads_old_rows_;
    std::int64_t steps_;
    std::int64_t rows_ = 0; ///< solved, of a device
    std::int64_t steps_at_once_ = 1;
    std::int64_t streaming_steps_ = 0;
    std::int64_t streamed_each_ = 0;
    std::int64_t streamed_first_ = 0;
};

/// Adds the ops and buffers of tables below HBM to the graphs of a half. All referenced objects
/// outlive it.
class HostMoveOps {
public:
    HostMoveOps(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh)
        : config_(config),
          half_(half),
          mesh_(mesh)
    {
    }

    /// Those of the half's tables that stand below HBM.
    void declare_tables(model::OpGraph& graph) const;
    /// `rows` solved rows from "window.leaving" to where the table stands.
    void add_rows_out(model::OpGraph& graph, std::int64_t rows) const;
    /// `rows` old rows into "window.rows". Returns the op.
    int add_old_rows_in(model::OpGraph& graph, std::int64_t rows) const;
    /// The next step's rows of the fixed table into "window.coming", and what passes the host's
    /// memory for later steps.
    void add_asked_rows_in(model::OpGraph& graph, const HostMoves& moves) const;

    /// The step before those of a half, in which the rows of its first step come; nothing where the
    /// fixed table stands in HBM.
    std::optional<model::OpGraph> before_half(const HostMoves& first) const;
    /// The step after them, in which its last rows leave; nothing where its own table stands in
    /// HBM.
    std::optional<model::OpGraph> after_half(const HostMovePlan& plan) const;

private:
    Bytes bytes_of(std::int64_t rows) const;
    bool in_storage() const { return config_.table_tier.fixed == topologies::Tier::storage; }

    const AlxConfig& config_;
    const HalfShape& half_;
    const DeviceMesh& mesh_;
};

/// A table below HBM.
model::Name table_below(const AlxConfig& config, const std::string& side);
/// The same, declared.
model::Buffer table_buffer_below(const AlxConfig& config, const std::string& side, Bytes bytes);

/// Rows of a shard that are looked at together, so that they need little memory.
inline constexpr std::int64_t chunk_rows = 65536;

/// A shard of a table below HBM that passes HBM chunk by chunk, one while the one before is worked
/// on: what stands there is two chunks, in the buffer `in_hbm`. All referenced objects outlive it.
class TableChunks {
public:
    static constexpr const char* in_hbm = "tables.chunk";

    /// `rows`: of a chunk.
    TableChunks(const AlxConfig& config, const DeviceMesh& mesh, std::string side,
                std::string phase, std::int64_t rows)
        : config_(config),
          mesh_(mesh),
          side_(std::move(side)),
          phase_(std::move(phase)),
          rows_(rows)
    {
    }

    /// The first one, which may be shorter. Returns the op that has it in HBM.
    int add_first(model::OpGraph& graph, std::int64_t rows, std::vector<int> after) const;
    /// One of those that follow. Returns the same.
    int add_next(model::OpGraph& graph) const;

private:
    int add(model::OpGraph& graph, std::int64_t rows, model::Copy from_storage,
            std::vector<int> after) const;
    Bytes bytes_of(std::int64_t rows) const;

    const AlxConfig& config_;
    const DeviceMesh& mesh_;
    std::string side_;
    std::string phase_;
    std::int64_t rows_;
};

/// The rows of the own table that one step solves for, in HBM: what its scatter writes. All
/// solutions of the step may be rows of one shard.
std::int64_t window_rows(const HalfShape& half, const DeviceMesh& mesh);

} // namespace alxsim::alx
