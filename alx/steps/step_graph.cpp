// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/step_graph.h"

#include "alx/solvers/solver.h"
#include "alx/steps/host_moves.h"
#include "alx/steps/step_memory.h"
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "spmd/linear/op_parts.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using model::CollectiveKind;
using model::OpGraph;
using topologies::Tier;

/// Buffers of a batch: what is gathered ahead and what was gathered in an earlier step must not be
/// one.
struct BatchBuffers {
    model::Name ids;
    model::Name rows;
    model::Name line_slots;
    model::Name row_ids;
    model::Name weights;
};
const BatchBuffers present{"batch.ids", "gather.rows", "batch.line_slots", "batch.rows",
                           "batch.weights"};
const BatchBuffers ahead{"ahead.ids", "ahead.rows", "ahead.line_slots", "ahead.row_ids",
                         "ahead.weights"};
const BatchBuffers earlier{"earlier.ids", "earlier.rows", "earlier.line_slots", "earlier.row_ids",
                           "earlier.weights"};

/// Builds the graph of one half step, op by op.
class HalfStepBuilder {
public:
    HalfStepBuilder(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh,
                    const HalfTraffic& traffic, StepPart part)
        : config_(config),
          half_(half),
          mesh_(mesh),
          traffic_(traffic),
          part_(part),
          slots_(half.geometry.lines * half.geometry.line_length),
          gather_(gather_strategies().create(config.gather)),
          scatter_(scatter_strategies().create(config.scatter)),
          statistics_(statistics_strategies().create(config.statistics)),
          host_(config, half, mesh),
          released_(is_released_step(config, half, mesh)),
          relays_(released_ && relays_tables(config)),
          relays_own_(relays_ && config.table_tier.updated_in_hbm())
    {
        graph_.name = "half step of the " + half.own;
        if (part == StepPart::gather_ahead) {
            graph_.name = "first gather for the " + half.own;
        } else if (part == StepPart::solve_gathered) {
            graph_.name = "last half step of the " + half.own;
        }
    }

    OpGraph build(const HalfEffects& effects)
    {
        graph_.ops.reserve(24);
        add_moves();
        if (part_ == StepPart::whole) {
            const int fed = add_infeed(present);
            add_solve(present, {add_gather(present, fed)}, {fed}, effects);
            return std::move(graph_);
        }
        // What solves comes first in the program: collectives of a device keep this order.
        if (part_ != StepPart::gather_ahead) {
            add_solve(earlier, {}, {}, effects);
        }
        if (part_ != StepPart::solve_gathered) {
            add_gather(ahead, add_infeed(ahead));
        }
        if (config_.prefetch_depth > 1) {
            graph_.buffers.push_back(
                {"ahead.waiting",
                 (in_table(slots_ * dim()) + batch_ids_bytes()) * (config_.prefetch_depth - 1),
                 model::Residency::hbm});
        }
        return std::move(graph_);
    }

    std::optional<OpGraph> before_half() const
    {
        return gather_->before_half(gather_shape(present, traffic_.gathered));
    }

private:
    std::int64_t lines() const { return half_.geometry.lines; }
    std::int64_t systems() const { return half_.geometry.rows; }
    std::int64_t dim() const { return config_.dim; }
    std::int64_t shard_dim() const { return dim() / mesh_.embedding_shards; }
    bool updated_in_hbm() const { return config_.table_tier.updated_in_hbm(); }
    bool fixed_in_hbm() const { return config_.table_tier.fixed_in_hbm(); }
    bool cut_columns() const { return mesh_.embedding_shards > 1; }
    Bytes in_solver(std::int64_t numbers) const
    {
        return model::size_of(config_.solve_dtype) * numbers;
    }
    Bytes exchanged(std::int64_t numbers) const
    {
        return model::size_of(config_.exchange_dtype()) * numbers;
    }
    Bytes in_table(std::int64_t numbers) const
    {
        return model::size_of(config_.table_dtype) * numbers;
    }
    Bytes batch_ids_bytes() const { return Bytes((lines() + 2 * systems()) * id_bytes); }

    /// Counts the rows that a device asks for whose HBM has no more of the fixed table.
    static std::int64_t asked_rows(const StepTraffic& traffic)
    {
        return std::max<std::int64_t>(1, largest(traffic.rows.leaving));
    }

    /// What goes between HBM and the memories below it beside the rest of the step.
    void add_moves()
    {
        if (!updated_in_hbm()) {
            host_.declare_tables(graph_);
        }
        if (traffic_.moved.solved_rows_out > 0) {
            host_.add_rows_out(graph_, traffic_.moved.solved_rows_out);
        }
        host_.add_asked_rows_in(graph_, traffic_.moved);
    }

    RowTransfer transfer() const { return released_ ? row_transfer(config_) : RowTransfer{}; }

    GatherShape gather_shape(const BatchBuffers& batch, const StepTraffic& traffic) const
    {
        GatherShape shape;
        shape.devices = mesh_.row_shards;
        shape.slots = slots_ * mesh_.embedding_shards;
        shape.dim = static_cast<int>(shard_dim());
        shape.dtype = config_.table_dtype;
        shape.shard_rows = fixed_in_hbm() ? half_.fixed_shard_rows : asked_rows(traffic);
        shape.table = fixed_in_hbm() ? model::Name("tables." + half_.fixed) : "window.asked";
        shape.mesh = &mesh_;
        shape.traffic = &traffic;
        shape.transfer = transfer();
        shape.ids = cut_columns() ? model::Name("gather.group_ids") : batch.ids;
        shape.rows = cut_columns() ? model::Name("gather.columns") : batch.rows;
        return shape;
    }

    /// The ids of the lines, the lines' row slots, the rows' ids and lengths.
    int add_infeed(const BatchBuffers& batch)
    {
        const Bytes more = gather_->extra_infeed(gather_shape(batch, traffic_.gathered));
        std::vector<model::BufferUse> writes{{batch.ids, Bytes(slots_ * id_bytes)},
                                             {batch.line_slots, Bytes(lines() * id_bytes)},
                                             {batch.row_ids, Bytes(2 * systems() * id_bytes)}};
        if (more > Bytes(0)) {
            writes.push_back({"batch.distinct_ids", more});
        }
        const std::int64_t weight = config_.weighs_links ? weight_bytes : 0;
        if (weight > 0) {
            writes.push_back({batch.weights, Bytes(slots_ * weight)});
        }
        return graph_.add(
            {"infeed batch",
             "infeed",
             model::infeed_of(Bytes(slots_ * (id_bytes + weight)) + batch_ids_bytes() + more,
                              Bytes(half_.batch_links * (record_id_bytes + weight)),
                              half_.batch_links),
             {},
             std::move(writes),
             {},
             nullptr});
    }

    /// A table in another layout, all of it.
    int relay(const char* name, const char* in_phase, const model::BufferUse& from,
              const model::BufferUse& to, int after)
    {
        const std::int64_t numbers =
            to.touched.count() / model::size_of(config_.table_dtype).count();
        return graph_.add(spmd::vector_op(name, in_phase, numbers, 1, {from}, {to}, {after}));
    }
    model::BufferUse as_stored(const std::string& side, std::int64_t rows) const
    {
        return {"tables." + side, in_table(rows * dim())};
    }
    model::BufferUse relaid(const std::string& side, std::int64_t rows) const
    {
        return {"tables." + side + "_relaid", relaid_table_bytes(rows, dim(), config_.table_dtype)};
    }

    int add_gather(const BatchBuffers& batch, int fed)
    {
        const GatherShape shape = gather_shape(batch, traffic_.gathered);
        if (relays_) {
            fed = relay("relay the fixed table", "gather.rows",
                        as_stored(half_.fixed, half_.fixed_shard_rows),
                        relaid(half_.fixed, half_.fixed_shard_rows), fed);
        }
        if (!cut_columns()) {
            return gather_->add_ops(graph_, shape, fed);
        }
        const int ids = graph_.add(
            {"exchange ids between embedding shards",
             "gather.ids",
             over_embedding(CollectiveKind::all_gather, Bytes(shape.slots * id_bytes), mesh_),
             {{batch.ids, Bytes(slots_ * id_bytes)}},
             {{shape.ids, Bytes(shape.slots * id_bytes)}},
             {fed},
             nullptr});
        const int columns = gather_->add_ops(graph_, shape, ids);
        return graph_.add({"join embedding columns",
                           "gather.combine",
                           over_embedding(CollectiveKind::all_to_all, shape.batch_bytes(), mesh_),
                           {{shape.rows, shape.batch_bytes()}},
                           {{batch.rows, in_table(slots_ * dim())}},
                           {columns},
                           nullptr});
    }

    /// After the ops that gather its rows and feed the batch, where these are of this step.
    void add_solve(const BatchBuffers& batch, std::vector<int> rows, const std::vector<int>& fed,
                   const HalfEffects& effects)
    {
        const int statistics = add_statistics(batch, std::move(rows), fed);
        const int solved =
            solvers()
                .create(config_.solver)
                ->add_ops(graph_, config_, {systems(), half_.expected_iterations(config_)},
                          statistics, effects.solve);
        add_scatter(batch, solved, fed, effects.scatter);
    }

    /// Gramians and right-hand sides of the batch's rows, with the weighted Gramian and the
    /// regularizer. Returns the last op.
    int add_statistics(const BatchBuffers& batch, std::vector<int> rows,
                       const std::vector<int>& fed)
    {
        if (config_.weighs_links) {
            rows.insert(rows.end(), fed.begin(), fed.end());
            rows = {weigh_rows(batch, std::move(rows))};
        }
        const bool begins = statistics_->adds_to_initial_sums();
        if (begins) {
            rows.insert(rows.end(), fed.begin(), fed.end());
            rows = {add_gramian(batch, "alpha G and regularizer", {}, std::move(rows))};
        }
        std::vector<int> summed = statistics_->add_ops(
            graph_, {config_, half_.geometry, batch.rows, batch.line_slots}, std::move(rows));
        summed = gather_->add_statistics(graph_, config_, gather_shape(batch, traffic_.solved),
                                         systems(), fed, std::move(summed));
        if (half_.splits_rows) {
            summed = {carry_sums(std::move(summed))};
        }
        if (begins) {
            return summed.front(); // of such sums, one op is the last
        }
        return add_gramian(batch, "add alpha G and regularizer",
                           {{"statistics.gramians", in_solver(systems() * dim() * dim())}},
                           std::move(summed));
    }

    /// Scales each row by the root of its link's weight: fused into what reads the rows, so that
    /// weights alone come from HBM, and a multiplication of each number is spent.
    int weigh_rows(const BatchBuffers& batch, std::vector<int> after)
    {
        return graph_.add(spmd::vector_op("weigh rows", "statistics", slots_ * dim(), 1,
                                          {{batch.weights, Bytes(slots_ * weight_bytes)}}, {},
                                          std::move(after)));
    }

    /// Writes alpha G + reg I of each row, and what it `adds` to.
    int add_gramian(const BatchBuffers& batch, const char* name, std::vector<model::BufferUse> adds,
                    std::vector<int> after)
    {
        const std::int64_t numbers = systems() * dim() * dim();
        adds.push_back({"gramian." + half_.fixed, config_.gramian_bytes()});
        adds.push_back({batch.row_ids, Bytes(2 * systems() * id_bytes)});
        return graph_.add(spmd::vector_op(name, "statistics", numbers, 2, std::move(adds),
                                          {{"statistics.gramians", in_solver(numbers)}},
                                          std::move(after)));
    }

    /// A row that goes on keeps its window, in f32 at least, for the device's next step. Returns
    /// the op to wait for.
    int carry_sums(std::vector<int> summed)
    {
        const std::int64_t numbers = window_numbers(config_);
        const model::BufferUse carried{
            "statistics.carried",
            std::max(in_solver(numbers), model::size_of(model::DType::f32) * numbers)};
        const model::BufferUse window{"statistics.gramians", in_solver(numbers)};
        graph_.buffers.push_back({carried.buffer, carried.touched, model::Residency::hbm});
        const int added =
            graph_.add(spmd::vector_op("add carried statistics", "statistics", numbers, 1,
                                       {carried, window}, {window}, std::move(summed)));
        return graph_.add(spmd::vector_op("keep statistics of a row that goes on", "statistics",
                                          numbers, 1, {window}, {carried}, {added}));
    }

    /// The step's result starts as a copy of the shard, in a buffer of its own. The compiler copies
    /// first of all and nothing beside it, so that where it stands moves no time: here between the
    /// solver and the scatter. Returns the op to wait for.
    int add_shard_copy(int solved)
    {
        if (relays_own_) { // what is written is a copy already
            return relay("relay the updated table", "scatter.copy",
                         as_stored(half_.own, half_.own_shard_rows),
                         relaid(half_.own, half_.own_shard_rows), solved);
        }
        if (config_.shard_copies() == 0) {
            return solved;
        }
        const std::string table = "tables." + half_.own;
        const Bytes shard = in_table(half_.own_shard_rows * shard_dim());
        return graph_.add({"copy of the shard",
                           "scatter.copy",
                           model::Copy{Tier::hbm, Tier::hbm, shard},
                           {{table, shard}},
                           {{table + "_updated", shard}},
                           {solved},
                           nullptr});
    }

    void add_scatter(const BatchBuffers& batch, int solved, const std::vector<int>& fed,
                     std::shared_ptr<const model::Effect> effect)
    {
        std::vector<int> ready{add_shard_copy(solved)};
        if (traffic_.moved.old_rows_in > 0) {
            ready.push_back(host_.add_old_rows_in(graph_, traffic_.moved.old_rows_in));
        }
        const int cast = graph_.add(
            spmd::vector_op("cast solutions", "scatter", systems() * dim(), 1,
                            {{"solve.solutions", in_solver(systems() * dim())}},
                            {{"scatter.cast", exchanged(systems() * dim())}}, std::move(ready)));
        ScatterShape shape;
        shape.systems = systems() * mesh_.embedding_shards;
        shape.dim = static_cast<int>(shard_dim());
        shape.exchange = config_.exchange_dtype();
        shape.dtype = config_.table_dtype;
        shape.shard_rows = updated_in_hbm() ? half_.own_shard_rows : window_rows(half_, mesh_);
        shape.table = updated_in_hbm() ? model::Name("tables." + half_.own) : "window.rows";
        graph_.buffers.push_back(
            {shape.table, shape.in_table(shape.shard_rows), model::Residency::hbm});
        shape.adds = config_.semantics.residual == Residual::strict;
        shape.mesh = &mesh_;
        shape.solutions = &traffic_.solved.solutions;
        shape.row_ids = batch.row_ids;
        shape.transfer = updated_in_hbm() ? transfer() : RowTransfer{};
        if (cut_columns()) {
            const int parted = part_columns(shape, batch, cast);
            scatter_->add_ops(graph_, shape, parted, {parted}, std::move(effect));
        } else {
            scatter_->add_ops(graph_, shape, cast, fed, std::move(effect));
        }
        if (relays_own_) {
            relay("lay the result back", "scatter.copy", relaid(half_.own, half_.own_shard_rows),
                  as_stored(half_.own, half_.own_shard_rows),
                  static_cast<int>(graph_.ops.size()) - 1);
        }
    }

    /// Each member of the embedding group gets its columns of all members' solutions.
    int part_columns(ScatterShape& shape, const BatchBuffers& batch, int cast)
    {
        const Bytes all_ids(2 * shape.systems * id_bytes);
        const Bytes parts = shape.exchanged(shape.systems);
        const int parted = graph_.add({"part embedding columns",
                                       "scatter",
                                       over_embedding(CollectiveKind::all_to_all, parts, mesh_),
                                       {{"scatter.cast", exchanged(systems() * dim())}},
                                       {{"scatter.columns", parts}},
                                       {cast},
                                       nullptr});
        const int ids = graph_.add({"exchange row ids between embedding shards",
                                    "scatter",
                                    over_embedding(CollectiveKind::all_gather, all_ids, mesh_),
                                    {{batch.row_ids, Bytes(2 * systems() * id_bytes)}},
                                    {{"scatter.group_ids", all_ids}},
                                    {parted},
                                    nullptr});
        shape.solved = "scatter.columns";
        shape.row_ids = "scatter.group_ids";
        return ids;
    }

    const AlxConfig& config_;
    const HalfShape& half_;
    const DeviceMesh& mesh_;
    const HalfTraffic& traffic_;
    StepPart part_;
    std::int64_t slots_;
    std::unique_ptr<const GatherStrategy> gather_;
    std::unique_ptr<const ScatterStrategy> scatter_;
    std::unique_ptr<const StatisticsStrategy> statistics_;
    HostMoveOps host_;
    bool released_;   ///< see is_released_step()
    bool relays_;     ///< see relays_tables()
    bool relays_own_; ///< the updated one, too, which then stands in HBM
    OpGraph graph_;
};

} // namespace

const std::vector<std::string>& phase_names()
{
    static const std::vector<std::string> names{
        "dispatch", "infeed",       "gather.ids", "gather.rows", "gather.combine", "statistics",
        "solve",    "scatter.copy", "scatter",    "table.out",   "table.in",       "gramian"};
    return names;
}

TrafficNeeds needs_of(const AlxConfig& config, const DeviceMesh& mesh)
{
    TrafficNeeds needs = gather_strategies().create(config.gather)->needs(config, mesh);
    needs.rows = needs.rows || !config.table_tier.fixed_in_hbm();
    needs.solutions = scatter_strategies().create(config.scatter)->needs_solutions();
    return needs;
}

OpGraph half_step_graph(const AlxConfig& config, const HalfShape& half, const DeviceMesh& mesh,
                        const HalfEffects& effects, const HalfTraffic& traffic, StepPart part)
{
    OpGraph graph = HalfStepBuilder(config, half, mesh, traffic, part).build(effects);
    if (is_released_step(config, half, mesh)) {
        graph.hbm_at_peak = step_memory(config, half, mesh);
    }
    return graph;
}

std::optional<OpGraph> before_half_graph(const AlxConfig& config, const HalfShape& half,
                                         const DeviceMesh& mesh, const HostMoves& first)
{
    const HalfTraffic nothing;
    return config.table_tier.fixed_in_hbm()
               ? HalfStepBuilder(config, half, mesh, nothing, StepPart::whole).before_half()
               : HostMoveOps(config, half, mesh).before_half(first);
}

} // namespace alxsim::alx
