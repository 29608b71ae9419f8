// SPDX-License-Identifier: Apache-2.0
#include "alx/step_graph.h"

#include "alx/gather.h"
#include "alx/graph_parts.h"
#include "alx/solver.h"

namespace alxsim::alx {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::DType;
using model::Infeed;
using model::Matmul;
using model::OpGraph;
using model::RowScatter;

constexpr int id_bytes = 4;

Bytes gramian_bytes(const AlxConfig& config)
{
    const DType dtype = config.table_dtype == DType::f64 ? DType::f64
                        : config.gramian_in_bf16()       ? DType::bf16
                                                         : DType::f32;
    return model::size_of(dtype) * (std::int64_t{config.dim} * config.dim);
}

/// Builds the graph of one half step, op by op.
class HalfStepBuilder {
public:
    HalfStepBuilder(const AlxConfig& config, const HalfShape& half, int devices)
        : config_(config),
          half_(half),
          devices_(devices),
          slots_(half.geometry.lines * half.geometry.line_length)
    {
        graph_.name = "half step of the " + half.own;
    }

    OpGraph build(const HalfEffects& effects)
    {
        const int fed = add_infeed();
        const GatherShape gather{devices_,
                                 slots_,
                                 config_.dim,
                                 config_.table_dtype,
                                 half_.fixed_shard_rows,
                                 "tables." + half_.fixed};
        const int ids = add_id_exchange(graph_, gather, fed);
        const int rows = gather_strategies()
                             .create(config_.gather)
                             ->add_ops(graph_, gather, ids, effects.gather);
        const int systems = add_statistics(rows);
        const int solved =
            solvers()
                .create(config_.solver)
                ->add_ops(graph_, config_, half_.geometry.rows, systems, effects.solve);
        add_scatter(solved, fed, effects.scatter);
        return std::move(graph_);
    }

private:
    std::int64_t lines() const { return half_.geometry.lines; }
    std::int64_t systems() const { return half_.geometry.rows; }
    std::int64_t dim() const { return config_.dim; }
    /// Statistics are in the solver's dtype. (The solvers' own ops are those of f32.)
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

    /// The ids of the lines, the lines' row slots, the rows' ids and lengths.
    int add_infeed()
    {
        const Bytes bytes((slots_ + lines() + 2 * systems()) * id_bytes);
        return graph_.add({"infeed batch",
                           "infeed",
                           Infeed{bytes},
                           {},
                           {{"batch.ids", Bytes(slots_ * id_bytes)},
                            {"batch.line_slots", Bytes(lines() * id_bytes)},
                            {"batch.rows", Bytes(2 * systems() * id_bytes)}},
                           {},
                           nullptr});
    }

    /// Outer products line by line, summed over the lines of each row; then the weighted Gramian
    /// and the regularizer. Returns the last op.
    int add_statistics(int rows)
    {
        const std::int64_t square = dim() * dim();
        const int widened =
            graph_.add(vector_op("widen rows to f32", "statistics", slots_ * dim(), 1,
                                 {{"gather.rows", in_table(slots_ * dim())}},
                                 {{"statistics.rows", in_solver(slots_ * dim())}}, {rows}));
        const int products =
            graph_.add({"outer products",
                        "statistics",
                        outer_products(),
                        {{"statistics.rows", in_solver(slots_ * dim())}},
                        {{"statistics.line_gramians", in_solver(lines() * square)}},
                        {widened},
                        nullptr});
        const int sums = graph_.add(
            vector_op("sums of rows", "statistics", slots_ * dim(), 1,
                      {{"statistics.rows", in_solver(slots_ * dim())}},
                      {{"statistics.line_sums", in_solver(lines() * dim())}}, {widened}));
        const int summed = add_segment_sum("sum outer products by row", "statistics.line_gramians",
                                           "statistics.gramians", square, products);
        const int rhs = add_segment_sum("sum rows by row", "statistics.line_sums", "statistics.rhs",
                                        dim(), sums);
        return graph_.add(
            vector_op("add alpha G and regularizer", "statistics", systems() * square, 2,
                      {{"statistics.gramians", in_solver(systems() * square)},
                       {"gramian." + half_.fixed, gramian_bytes(config_)},
                       {"batch.rows", Bytes(2 * systems() * id_bytes)}},
                      {{"statistics.gramians", in_solver(systems() * square)}}, {summed, rhs}));
    }

    /// Rows of a bf16 table lose nothing in a bf16 product; those of an f32 table need passes.
    Matmul outer_products() const
    {
        const bool narrow =
            config_.table_dtype == DType::bf16 || config_.solve_dtype == DType::bf16;
        return {lines(),
                dim(),
                half_.geometry.line_length,
                dim(),
                narrow ? DType::bf16 : DType::f32,
                narrow ? 1 : config_.hardware_passes(),
                true};
    }

    /// A segment sum over the lines: a serial read-modify-write of windows of `numbers`.
    int add_segment_sum(const std::string& name, const std::string& from, const std::string& to,
                        std::int64_t numbers, int after)
    {
        return graph_.add({name,
                           "statistics",
                           RowScatter{lines(), in_solver(numbers), systems(), true},
                           {{from, in_solver(lines() * numbers)},
                            {"batch.line_slots", Bytes(lines() * id_bytes)}},
                           {{to, in_solver(systems() * numbers)}},
                           {after},
                           nullptr});
    }

    /// Every device gets all solutions and writes those of its own rows.
    void add_scatter(int solved, int fed, std::shared_ptr<const model::Effect> effect)
    {
        const std::int64_t all = devices_ * systems();
        const int cast =
            graph_.add(vector_op("cast solutions", "scatter", systems() * dim(), 1,
                                 {{"solve.solutions", in_solver(systems() * dim())}},
                                 {{"scatter.cast", exchanged(systems() * dim())}}, {solved}));
        std::vector<int> ready{cast};
        std::string solutions = "scatter.cast";
        model::BufferUse ids{"batch.rows", Bytes(2 * systems() * id_bytes)};
        if (devices_ > 1) {
            solutions = "scatter.all_solutions";
            const model::BufferUse all_ids{"scatter.all_ids", Bytes(all * id_bytes)};
            ready = {add_all_gather("exchange solutions",
                                    {"scatter.cast", exchanged(systems() * dim())},
                                    {solutions, exchanged(all * dim())}, cast),
                     add_all_gather("exchange row ids", ids, all_ids, fed)};
            ids = all_ids;
        }
        const bool strict = config_.semantics.residual == Residual::strict;
        const int masked =
            strict ? add_residual({solutions, exchanged(all * dim())}, ids, ready)
                   : graph_.add(vector_op("mask rows of others", "scatter", all * dim(), 1,
                                          {{solutions, exchanged(all * dim())}, ids},
                                          {{"scatter.masked", in_table(all * dim())}}, ready));
        graph_.add({"write own rows",
                    "scatter",
                    RowScatter{all, in_table(dim()), half_.own_shard_rows, strict},
                    {{"scatter.masked", in_table(all * dim())}, ids},
                    {{"tables." + half_.own, in_table(half_.own_shard_rows * dim())}},
                    {masked},
                    std::move(effect)});
    }

    /// The released code adds what is new: it looks up all rows in its own shard, as the gather
    /// does, subtracts, masks, and adds.
    int add_residual(const model::BufferUse& solutions, const model::BufferUse& ids,
                     std::vector<int> ready)
    {
        const std::int64_t all = devices_ * systems();
        const Bytes bytes = in_table(all * dim());
        const int old =
            graph_.add({"look up old rows",
                        "scatter",
                        model::RowGather{all, in_table(dim()), half_.own_shard_rows,
                                         model::AccessPattern::clamped, systems()},
                        {{"tables." + half_.own, in_table(half_.own_shard_rows * dim())}, ids},
                        {{"scatter.old", bytes}},
                        ready,
                        nullptr});
        return graph_.add(vector_op("residuals of own rows", "scatter", all * dim(), 2,
                                    {solutions, {"scatter.old", bytes}, ids},
                                    {{"scatter.masked", bytes}}, {old}));
    }

    int add_all_gather(const std::string& name, const model::BufferUse& from,
                       const model::BufferUse& to, int after)
    {
        return graph_.add({name,
                           "scatter",
                           Collective{CollectiveKind::all_gather, to.bytes},
                           {from},
                           {to},
                           {after},
                           nullptr});
    }

    const AlxConfig& config_;
    const HalfShape& half_;
    int devices_;
    std::int64_t slots_;
    OpGraph graph_;
};

} // namespace

OpGraph half_step_graph(const AlxConfig& config, const HalfShape& half, int devices,
                        const HalfEffects& effects)
{
    return HalfStepBuilder(config, half, devices).build(effects);
}

OpGraph gramian_step_graph(const AlxConfig& config, const std::string& name,
                           std::int64_t shard_rows, int devices, const GramianEffects& effects)
{
    const std::int64_t dim = config.dim;
    const Bytes square = gramian_bytes(config);
    const bool narrow = config.table_dtype == DType::bf16;
    OpGraph graph;
    graph.name = "Gramian of the " + name;
    int last =
        graph.add({"Gramian of the shard",
                   "gramian",
                   Matmul{1, dim, shard_rows, dim, narrow ? DType::bf16 : DType::f32,
                          narrow ? 1 : config.hardware_passes(), true},
                   {{"tables." + name, model::size_of(config.table_dtype) * (shard_rows * dim)}},
                   {{"gramian.partial", square}},
                   {},
                   effects.partial});
    if (devices > 1) {
        last = graph.add({"sum over devices",
                          "gramian",
                          Collective{CollectiveKind::all_reduce, square},
                          {{"gramian.partial", square}},
                          {{"gramian.sum", square}},
                          {last},
                          nullptr});
    }
    const std::string sum = devices > 1 ? "gramian.sum" : "gramian.partial";
    last = graph.add(vector_op("keep Gramian", "gramian", dim * dim, 1, {{sum, square}},
                               {{"gramian." + name, square}}, {last}));
    graph.ops[static_cast<std::size_t>(last)].effect = effects.combine;
    return graph;
}

} // namespace alxsim::alx
