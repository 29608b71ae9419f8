// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/evaluation_program.h"

#include "alx/steps/step_graph.h"
#include "alx/strategies/gather.h"
#include "base/portable_math.h"
#include "spmd/linear/op_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::alx {
namespace {

using model::OpGraph;

constexpr const char* phase = "evaluation";
/// A compare-exchange of a score and its id: compare, two selects each.
constexpr double exchange_operations = 5;

/// Stages of a bitonic sort of so many numbers, each of which touches all of them.
double sort_stages(std::int64_t numbers)
{
    const double levels =
        std::ceil(portable::log2(static_cast<double>(std::max<std::int64_t>(2, numbers))));
    return levels * (levels + 1) / 2;
}

AlxConfig evaluation_config(AlxConfig config, const EvaluationBatch& batch, const DeviceMesh& mesh)
{
    config.prefetch_depth = 0;
    config.scatter = "all_gather";
    if (gather_strategies().create(config.gather)->needs(config, mesh).any()) {
        config.gather = "all_reduce";
        config.gather_options.clear();
    }
    config.batch = {batch.lines, config.batch.line_length, batch.rows};
    return config;
}

/// The graph without what writes solutions back.
OpGraph without_scatter(const OpGraph& half)
{
    OpGraph graph = half;
    graph.name = "evaluation of a batch";
    graph.ops.clear();
    graph.hbm_at_peak.clear(); // what was known of another program
    std::vector<int> place(half.ops.size(), -1);
    for (std::size_t i = 0; i < half.ops.size(); ++i) {
        const model::Op& op = half.ops[i];
        if (op.phase.text().rfind("scatter", 0) == 0) {
            continue;
        }
        model::Op kept = op;
        kept.after.clear();
        for (const int before : op.after) {
            if (place[static_cast<std::size_t>(before)] >= 0) {
                kept.after.push_back(place[static_cast<std::size_t>(before)]);
            }
        }
        place[i] = graph.add(std::move(kept));
    }
    return graph;
}

/// Adds the product with so many columns.
int add_product(OpGraph& graph, const AlxConfig& config, std::int64_t rows, std::int64_t columns,
                const model::Name& table, std::vector<int> after)
{
    const Bytes number = model::size_of(config.table_dtype);
    const bool narrow = config.table_dtype == model::DType::bf16;
    return graph.add({"score the shard's columns",
                      phase,
                      model::Matmul{1, rows, config.dim, columns,
                                    narrow ? model::DType::bf16 : model::DType::f32,
                                    narrow ? 1 : config.hardware_passes(), true},
                      {{"evaluation.rows", number * (rows * config.dim)},
                       {table, number * (columns * config.dim)}},
                      {{"evaluation.scores", number * (rows * columns)}},
                      std::move(after),
                      nullptr});
}

/// Adds those of a shard below HBM, chunk by chunk: one is scored while the next one comes.
int add_products_from_below(OpGraph& graph, const AlxConfig& config, const EvaluationSize& size,
                            const DeviceMesh& mesh, std::int64_t rows, int after)
{
    const std::int64_t chunk = std::min(size.column_shard, chunk_rows);
    const std::int64_t chunks = ceil_divide(size.column_shard, chunk);
    const std::int64_t first = size.column_shard - (chunks - 1) * chunk;
    const TableChunks in(config, mesh, "columns", phase, chunk);
    int last = in.add_first(graph, first, {after});
    if (chunks > 1) {
        auto body = std::make_shared<OpGraph>();
        body->name = "scores of a chunk of the columns";
        in.add_next(*body);
        add_product(*body, config, rows, chunk, TableChunks::in_hbm, {});
        last = graph.add({"score the shard's columns",
                          phase,
                          model::Repeat{chunks - 1, "", std::move(body)},
                          {},
                          {},
                          {last},
                          nullptr});
    }
    return add_product(graph, config, rows, first, TableChunks::in_hbm, {last});
}

/// Scores of the step's rows against the shard, the best of each, of all shards.
void add_ranking(OpGraph& graph, const AlxConfig& config, const EvaluationSize& size,
                 const DeviceMesh& mesh)
{
    const std::int64_t rows = config.batch.rows * mesh.devices;
    const std::int64_t number = model::size_of(config.table_dtype).count();
    const std::int64_t kept = config.evaluation.top_k;
    const Bytes solved(rows * config.dim * number);
    const Bytes scores(rows * size.column_shard * number);
    const Bytes best(rows * kept * 2 * id_bytes);
    const auto last = static_cast<int>(graph.ops.size()) - 1;
    int done = graph.add({"gather solved rows",
                          phase,
                          model::Collective{model::CollectiveKind::all_gather, solved},
                          {},
                          {{"evaluation.rows", solved}},
                          {last},
                          nullptr});
    graph.buffers.push_back({"evaluation.scores", scores, model::Residency::hbm});
    done = config.table_tier.fixed_in_hbm()
               ? add_product(graph, config, rows, size.column_shard, "tables.columns", {done})
               : add_products_from_below(graph, config, size, mesh, rows, done);
    const double stages = config.evaluation.approximate ? 1 : sort_stages(size.column_shard);
    done = graph.add(spmd::vector_op("best of the shard", phase, rows * size.column_shard,
                                     exchange_operations * stages, {{"evaluation.scores", scores}},
                                     {{"evaluation.best", best}}, {done}));
    const Bytes all = best * mesh.devices;
    done = graph.add({"gather the best of all shards",
                      phase,
                      model::Collective{model::CollectiveKind::all_gather, all},
                      {{"evaluation.best", best}},
                      {{"evaluation.all", all}},
                      {done},
                      nullptr});
    const std::int64_t candidates = kept * mesh.devices;
    graph.add(spmd::vector_op("merge them", phase, config.batch.rows * candidates,
                              exchange_operations * sort_stages(candidates),
                              {{"evaluation.all", all}}, {{"evaluation.best", best}}, {done}));
}

/// Counts, for a fixed table below HBM, the rows that the next batch asks for: one for each link.
HalfTraffic traffic_of(const AlxConfig& config, const HalfShape& half)
{
    HalfTraffic traffic;
    if (!config.table_tier.fixed_in_hbm()) {
        traffic.gathered.rows.leaving = {half.batch_links};
        traffic.moved.asked_rows_in = {half.batch_links};
    }
    return traffic;
}

} // namespace

model::Program evaluation_program(const AlxConfig& config, const EvaluationSize& size,
                                  const DeviceMesh& mesh)
{
    if (size.test_rows == 0 || config.evaluation.every == 0) {
        return {};
    }
    const AlxConfig evaluated =
        evaluation_config(config, config.evaluation.batch.value_or(EvaluationBatch{}), mesh);
    const BatchGeometry& batch = evaluated.batch;
    const double lines_of_row =
        std::ceil(size.mean_history / static_cast<double>(batch.line_length));
    const double rows_of_batch =
        std::min(static_cast<double>(batch.rows),
                 static_cast<double>(batch.lines) / std::max(1.0, lines_of_row));
    const auto batches = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(size.test_rows) / std::max(1.0, rows_of_batch)));
    HalfShape half{"rows", "columns", batch, size.row_shard, size.column_shard};
    half.batch_links = std::llround(size.mean_history * rows_of_batch);
    OpGraph graph =
        without_scatter(half_step_graph(evaluated, half, mesh, {}, traffic_of(config, half)));
    add_ranking(graph, evaluated, size, mesh);
    return {{{std::make_shared<const OpGraph>(std::move(graph)), {}, 1},
             ceil_divide(batches, mesh.devices)}};
}

} // namespace alxsim::alx
