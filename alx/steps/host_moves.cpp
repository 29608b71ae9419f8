// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/host_moves.h"

#include "alx/steps/step_graph.h"
#include "alx/strategies/exchange_ops.h"
#include "base/units.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using topologies::Tier;

constexpr const char* into_hbm = "table.in";
constexpr const char* out_of_hbm = "table.out";

/// What of a table in storage stands in the host's memory at once while it passes, or of solved
/// rows while they leave: two runs of many blocks, one that the drives work on and one that steps
/// do.
constexpr Bytes passing{std::int64_t{2} << 24};

/// Into how many pieces a step's rows are cut, so that the host picks some while others are under
/// way: at most so many, of at least so many rows.
constexpr std::int64_t most_pieces = 8;
constexpr std::int64_t rows_of_a_piece = 4096;

/// Bytes of a row's numbers that a device holds.
Bytes row_bytes(const AlxConfig& config, const DeviceMesh& mesh)
{
    return model::size_of(config.table_dtype) * (config.dim / mesh.embedding_shards);
}

/// Piece `i` of `pieces` of each number.
std::vector<std::int64_t> piece_of(const std::vector<std::int64_t>& numbers, std::int64_t i,
                                   std::int64_t pieces)
{
    std::vector<std::int64_t> parts;
    for (const std::int64_t number : numbers) {
        parts.push_back((i + 1) * number / pieces - i * number / pieces);
    }
    return parts;
}

/// A copy on the way into HBM, of so many rows of each device, or of all if it is a single number.
model::Op copy_of(const char* name, Tier from, Tier to, Bytes row,
                  const std::vector<std::int64_t>& rows)
{
    model::Op op{name, into_hbm, model::Copy{from, to, row * largest(rows)}, {}, {}, {}, nullptr};
    if (rows.size() > 1) {
        auto works = std::make_shared<std::vector<model::Work>>();
        for (const std::int64_t each : rows) {
            works->push_back(model::Copy{from, to, row * each});
        }
        op.work_of_device = std::move(works);
    }
    return op;
}

} // namespace

HostMovePlan::HostMovePlan(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh,
                           std::int64_t solved_rows, std::int64_t steps, std::int64_t asked_rows)
    : moves_(!config.table_tier.updated_in_hbm() && steps > 0),
      reads_old_rows_(config.semantics.residual == Residual::strict),
      steps_(steps),
      rows_(ceil_divide(solved_rows, mesh.row_shards))
{
    if (config.table_tier.fixed == Tier::storage && steps > 0) {
        plan_streams(config, half, mesh, asked_rows);
    }
}

/// The table passes as often as there are groups of steps; all but the first time beside the steps
/// of the groups before, evenly.
void HostMovePlan::plan_streams(const AlxConfig& config, const HalfShape& half,
                                const DeviceMesh& mesh, std::int64_t asked_rows)
{
    // Rows of one group are sent while those of the next are picked.
    const Bytes each = row_bytes(config, mesh) * (2 * std::max<std::int64_t>(1, asked_rows));
    const std::int64_t room = config.table_tier.host_bytes.count() / each.count();
    steps_at_once_ = std::clamp<std::int64_t>(room, 1, steps_);
    const std::int64_t groups = ceil_divide(steps_, steps_at_once_);
    const std::int64_t later = (groups - 1) * half.fixed_shard_rows;
    streaming_steps_ = (groups - 1) * steps_at_once_;
    streamed_each_ = streaming_steps_ == 0 ? 0 : later / streaming_steps_;
    streamed_first_ = half.fixed_shard_rows + later - streamed_each_ * streaming_steps_;
}

std::int64_t HostMovePlan::rows_of(std::int64_t solving_step) const
{
    if (!moves_) {
        return 0;
    }
    const std::int64_t each = rows_ / steps_;
    return solving_step < steps_ - 1 ? each : rows_ - each * (steps_ - 1);
}

HostMoves HostMovePlan::at(const PlannedStep& step) const
{
    HostMoves moves;
    if (step.solves != PlannedStep::nothing) {
        moves.old_rows_in = reads_old_rows_ ? rows_of(step.solves) : 0;
        moves.solved_rows_out = step.solves > 0 ? rows_of(step.solves - 1) : 0;
    }
    if (step.gathers != PlannedStep::nothing && step.gathers < streaming_steps_) {
        moves.streamed_rows = streamed_each_;
    }
    moves.steps_at_once = steps_at_once_;
    return moves;
}

HostMoves HostMovePlan::before() const
{
    HostMoves moves;
    moves.streamed_rows = streamed_first_;
    moves.steps_at_once = steps_at_once_;
    return moves;
}

model::Name table_below(const AlxConfig& config, const std::string& side)
{
    return (config.table_tier.fixed == Tier::storage ? "stored_tables." : "host_tables.") + side;
}

model::Buffer table_buffer_below(const AlxConfig& config, const std::string& side, Bytes bytes)
{
    return {table_below(config, side), bytes,
            config.table_tier.fixed == Tier::storage ? model::Residency::storage
                                                     : model::Residency::host};
}

Bytes TableChunks::bytes_of(std::int64_t rows) const
{
    return row_bytes(config_, mesh_) * rows;
}

int TableChunks::add_first(model::OpGraph& graph, std::int64_t rows, std::vector<int> after) const
{
    return add(graph, rows, {Tier::storage, Tier::host, bytes_of(rows)}, std::move(after));
}

int TableChunks::add_next(model::OpGraph& graph) const
{
    return add(graph, rows_, model::storage_stream(Tier::storage, Tier::host, bytes_of(rows_)), {});
}

int TableChunks::add(model::OpGraph& graph, std::int64_t rows, model::Copy from_storage,
                     std::vector<int> after) const
{
    const Bytes bytes = bytes_of(rows);
    model::Name from = table_below(config_, side_);
    if (config_.table_tier.fixed == Tier::storage) {
        const model::BufferUse in_host{"host_window.chunk", bytes};
        graph.buffers.push_back({in_host.buffer, bytes_of(2 * rows_), model::Residency::host});
        after = {graph.add({"chunk of the table from storage",
                            phase_,
                            from_storage,
                            {{from, bytes}},
                            {in_host},
                            std::move(after),
                            nullptr})};
        from = in_host.buffer;
    }
    graph.buffers.push_back({in_hbm, bytes_of(2 * rows_), model::Residency::hbm});
    return graph.add({"chunk of the table from the host",
                      phase_,
                      model::Copy{Tier::host, Tier::hbm, bytes},
                      {{from, bytes}},
                      {{in_hbm, bytes}},
                      std::move(after),
                      nullptr});
}

std::int64_t window_rows(const HalfShape& half, const DeviceMesh& mesh)
{
    return std::min(half.own_shard_rows, half.geometry.rows * mesh.devices);
}

Bytes HostMoveOps::bytes_of(std::int64_t rows) const
{
    return row_bytes(config_, mesh_) * rows;
}

void HostMoveOps::declare_tables(model::OpGraph& graph) const
{
    graph.buffers.push_back(table_buffer_below(config_, half_.own, bytes_of(half_.own_shard_rows)));
    if (!config_.table_tier.fixed_in_hbm()) {
        graph.buffers.push_back(
            table_buffer_below(config_, half_.fixed, bytes_of(half_.fixed_shard_rows)));
    }
}

void HostMoveOps::add_rows_out(model::OpGraph& graph, std::int64_t rows) const
{
    const Bytes bytes = bytes_of(rows);
    const model::Name own = table_below(config_, half_.own);
    const model::Name in_host = in_storage() ? model::Name("host_window.leaving") : own;
    graph.buffers.push_back(
        {"window.leaving", bytes_of(window_rows(half_, mesh_)), model::Residency::hbm});
    const int out = graph.add({"solved rows to the host",
                               out_of_hbm,
                               model::Copy{Tier::hbm, Tier::host, bytes},
                               {{"window.leaving", bytes}},
                               {{in_host, bytes}},
                               {},
                               nullptr});
    if (in_storage()) {
        graph.buffers.push_back({in_host, std::max(passing, bytes_of(window_rows(half_, mesh_))),
                                 model::Residency::host});
        graph.add({"solved rows to storage",
                   out_of_hbm,
                   model::storage_stream(Tier::host, Tier::storage, bytes),
                   {{in_host, bytes}},
                   {{own, bytes}},
                   {out},
                   nullptr});
    }
}

int HostMoveOps::add_old_rows_in(model::OpGraph& graph, std::int64_t rows) const
{
    const Bytes bytes = bytes_of(rows);
    model::Name from = table_below(config_, half_.own);
    std::vector<int> after;
    if (in_storage()) {
        after.push_back(graph.add({"old rows from storage",
                                   into_hbm,
                                   model::storage_stream(Tier::storage, Tier::host, bytes),
                                   {{from, bytes}},
                                   {{"host_window.old", bytes}},
                                   {},
                                   nullptr}));
        from = "host_window.old";
        graph.buffers.push_back({from, std::max(passing, bytes), model::Residency::host});
    }
    return graph.add({"old rows from the host",
                      into_hbm,
                      model::Copy{Tier::host, Tier::hbm, bytes},
                      {{from, bytes}},
                      {{"window.rows", bytes}},
                      std::move(after),
                      nullptr});
}

void HostMoveOps::add_asked_rows_in(model::OpGraph& graph, const HostMoves& moves) const
{
    const model::Name fixed = table_below(config_, half_.fixed);
    if (moves.streamed_rows > 0) {
        const Bytes streamed = bytes_of(moves.streamed_rows);
        graph.add({"fixed table past the host",
                   into_hbm,
                   model::storage_stream(Tier::storage, Tier::host, streamed),
                   {{fixed, streamed}},
                   {{"host_window.passing", passing}},
                   {},
                   nullptr});
        graph.buffers.push_back({"host_window.passing", passing, model::Residency::host});
    }
    const std::int64_t most = largest(moves.asked_rows_in);
    if (most == 0) {
        return;
    }
    const model::Name picked = "host_window.asked";
    graph.buffers.push_back({picked, bytes_of(most) * (in_storage() ? 2 * moves.steps_at_once : 1),
                             model::Residency::host});
    graph.buffers.push_back({"window.coming", bytes_of(most), model::Residency::hbm});
    const std::int64_t pieces = std::clamp<std::int64_t>(most / rows_of_a_piece, 1, most_pieces);
    for (std::int64_t i = 0; i < pieces; ++i) {
        const std::vector<std::int64_t> rows = piece_of(moves.asked_rows_in, i, pieces);
        const Bytes bytes = bytes_of(largest(rows));
        model::Op pick =
            copy_of("pick asked rows", Tier::host, Tier::host, row_bytes(config_, mesh_), rows);
        pick.reads = {{in_storage() ? picked : fixed, bytes}};
        pick.writes = {{picked, bytes}};
        const int done = graph.add(std::move(pick));
        model::Op send = copy_of("asked rows from the host", Tier::host, Tier::hbm,
                                 row_bytes(config_, mesh_), rows);
        send.reads = {{picked, bytes}};
        send.writes = {{"window.coming", bytes}};
        send.after = {done};
        graph.add(std::move(send));
    }
}

std::optional<model::OpGraph> HostMoveOps::before_half(const HostMoves& first) const
{
    if (config_.table_tier.fixed_in_hbm() || largest(first.asked_rows_in) == 0) {
        return std::nullopt;
    }
    model::OpGraph graph;
    graph.name = "first rows of the " + half_.fixed + " come";
    declare_tables(graph);
    add_asked_rows_in(graph, first);
    return graph;
}

std::optional<model::OpGraph> HostMoveOps::after_half(const HostMovePlan& plan) const
{
    if (plan.last_rows_out() == 0) {
        return std::nullopt;
    }
    model::OpGraph graph;
    graph.name = "last rows of the " + half_.own + " leave";
    declare_tables(graph);
    add_rows_out(graph, plan.last_rows_out());
    return graph;
}

} // namespace alxsim::alx
