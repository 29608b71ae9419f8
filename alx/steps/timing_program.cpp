// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/timing_program.h"

#include "alx/steps/assumed_traffic.h"
#include "alx/steps/epoch_plan.h"
#include "alx/steps/half_plan.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/scatter.h"
#include "alx/tables/factor_table.h"
#include "base/input_error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace alxsim::alx {
namespace {

using Groups = model::Program;

void add(Groups& groups, std::shared_ptr<const model::OpGraph> graph, std::int64_t times)
{
    if (times > 0) {
        groups.push_back({{std::move(graph), {}, 1}, times});
    }
}

void add(Groups& groups, model::OpGraph graph, std::int64_t times)
{
    add(groups, std::make_shared<const model::OpGraph>(std::move(graph)), times);
}

/// With those before it, where their graph is the same.
void add_again(Groups& groups, const std::shared_ptr<const model::OpGraph>& graph,
               std::int64_t times)
{
    if (!groups.empty() && groups.back().step.graph == graph) {
        groups.back().times += times;
    } else {
        add(groups, graph, times);
    }
}

/// Returns the links of the mean batch, those that only fill up the last step among them.
std::int64_t links_of_batch(const SideBatches& side, const DeviceMesh& mesh)
{
    const std::int64_t batches = side.steps(mesh.devices) * mesh.devices;
    return std::llround(side.kept_links / static_cast<double>(std::max<std::int64_t>(1, batches)));
}

/// The steps of a half at which those that follow may differ from those before, and its end: the
/// first and the last two of those that gather and of those that solve, and the first beside which
/// no table passes the host.
std::vector<std::int64_t> changes_of_half(std::int64_t steps, std::int64_t depth,
                                          std::int64_t streaming_steps)
{
    std::vector<std::int64_t> changes{0, steps + depth, streaming_steps};
    for (const std::int64_t begin : {std::int64_t{0}, depth}) {
        for (const std::int64_t at : {begin, begin + 1, begin + steps - 1, begin + steps}) {
            if (0 < at && at < steps + depth) {
                changes.push_back(at);
            }
        }
    }
    std::sort(changes.begin(), changes.end());
    changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
    return changes;
}

/// The steps of a half whose batches are all like the mean.
void add_half(Groups& groups, const AlxConfig& config, const HalfShape& half,
              const SideBatches& batches, const DeviceMesh& mesh)
{
    const StepTraffic traffic = mean_traffic(batches.traffic, mesh);
    const std::int64_t steps = batches.steps(mesh.devices);
    const std::int64_t depth = std::min<std::int64_t>(config.prefetch_depth, steps);
    AlxConfig shortened = config;
    shortened.prefetch_depth = static_cast<int>(depth);
    const std::vector<std::int64_t> asked =
        config.table_tier.fixed_in_hbm() ? std::vector<std::int64_t>() : traffic.rows.leaving;
    const HostMovePlan moves(config, half, mesh, batches.solved_rows, steps, largest(asked));
    const auto moves_of = [&](const PlannedStep& planned) {
        HostMoves moved = moves.at(planned);
        if (planned.gathers != PlannedStep::nothing && planned.gathers + 1 < steps) {
            moved.asked_rows_in = asked;
        }
        return moved;
    };
    HostMoves first = moves.before();
    first.asked_rows_in = asked;
    if (auto before = before_half_graph(config, half, mesh, first)) {
        add(groups, std::move(*before), 1);
    }
    std::map<std::pair<StepPart, HostMoves>, std::shared_ptr<const model::OpGraph>> graphs;
    const std::vector<std::int64_t> changes =
        changes_of_half(steps, depth, moves.streaming_steps());
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
        const PlannedStep planned = planned_step(changes[i], steps, depth);
        const HostMoves moved = moves_of(planned);
        std::shared_ptr<const model::OpGraph>& graph = graphs[{part_of(planned), moved}];
        if (!graph) {
            graph = std::make_shared<const model::OpGraph>(half_step_graph(
                shortened, half, mesh, {}, {traffic, traffic, moved}, part_of(planned)));
        }
        add_again(groups, graph, changes[i + 1] - changes[i]);
    }
    if (auto after = HostMoveOps(config, half, mesh).after_half(moves)) {
        add(groups, std::move(*after), 1);
    }
}

void add_step(Groups& groups, HalfPlan& plan, std::int64_t k, std::int64_t times)
{
    add_again(groups, plan.graph(k), times);
}

/// The steps of a half of real batches. Of more than `most_steps` with both gather and solve, so
/// many stand for equal stretches of them; those before and after, of which there are few, are all
/// there.
void add_half(Groups& groups, HalfPlan& plan, std::int64_t most_steps)
{
    const std::int64_t first = plan.steps_before() + plan.prefetch_depth();
    const std::int64_t last = plan.steps_before() + plan.batch_steps();
    const std::int64_t whole = last - first;
    const std::int64_t parts = std::min(most_steps, whole);
    for (std::int64_t k = 0; k < first; ++k) {
        add_step(groups, plan, k, 1);
    }
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t begin = first + part * whole / parts;
        const std::int64_t end = first + (part + 1) * whole / parts;
        add_step(groups, plan, begin + (end - begin) / 2, end - begin);
    }
    for (std::int64_t k = last; k < plan.steps(); ++k) {
        add_step(groups, plan, k, 1);
    }
}

std::vector<std::int64_t> links_of_devices(const HalfPlan& plan, const SparseMatrix& links)
{
    const DenseBatches& batches = plan.batches();
    const auto devices = static_cast<std::size_t>(plan.mesh().devices);
    std::vector<std::int64_t> result(devices);
    for (std::size_t i = 0; i < batches.batches.size(); ++i) {
        for (const RowPiece& piece : batches.pieces(batches.batches[i], links)) {
            result[i % devices] += piece.links();
        }
    }
    return result;
}

/// The devices work on the batches that only pad the last step, too. No power law here; traffic,
/// which takes a look at every link, only if all steps are wanted.
SideBatches side_of(HalfPlan& plan, const SparseMatrix& links, std::int64_t shard_rows,
                    std::int64_t most_steps)
{
    const DenseBatches& batches = plan.batches();
    SideBatches side;
    side.geometry = batches.geometry;
    side.batches = static_cast<std::int64_t>(batches.batches.size());
    side.density = batches.density();
    side.kept_links = static_cast<double>(links.links());
    side.splits_rows = batches.splits_rows;
    side.solved_rows = static_cast<std::int64_t>(batches.examples.size());
    for (const BatchRange& range : batches.batches) {
        side.longest_chain =
            std::max(side.longest_chain, range.held_before / batches.geometry.slots() + 1);
    }
    if (plan.steps() <= most_steps) {
        side.traffic = plan.traffic_means();
        side.links_of_device = links_of_devices(plan, links);
    }
    side.shard_rows = shard_rows;
    return side;
}

/// With the batches that pad the devices in any case: the released code appends a whole step where
/// nothing is missing.
void pad(SideBatches& side, const AlxConfig& config, int devices)
{
    if (config.semantics.device_padding == DevicePadding::always) {
        side.batches += devices - side.batches % devices;
    }
}

/// Where batches stand at the owners of their rows, all wait for the owner that has most.
void add_imbalance(SideBatches& side, const AlxConfig& config, double imbalance)
{
    if (scatter_strategies().create(config.scatter)->at_owner()) {
        side.batches = std::llround(std::ceil(static_cast<double>(side.batches) * imbalance));
    }
}

/// Where the study wants it so.
void refuse_long_rows(const AlxConfig& config, const SideShape& side, const BatchGeometry& geometry,
                      const std::string& field, const std::string& kind)
{
    if (config.long_rows != LongRows::refuse || side.longest <= geometry.slots()) {
        return;
    }
    throw InputError("", "/workload/alx/" + field + "/lines",
                     "found " + std::to_string(geometry.lines) + ", but the longest " + kind +
                         " is taken to have " + std::to_string(side.longest) +
                         " links (/workload/dataset/shape/longest_" + kind +
                         " says otherwise) and a batch of " + std::to_string(geometry.lines) +
                         " lines of " + std::to_string(geometry.line_length) + " holds " +
                         std::to_string(geometry.slots()) + "; allowed are " +
                         std::to_string(ceil_divide(side.longest, geometry.line_length)) +
                         " lines or more, or " + long_rows_way_out);
}

/// Makes the Gramian of one half's table. `like`: see timing_program().
std::shared_ptr<const model::OpGraph> gramian_of(EpochPart part, const TimingProgram& program,
                                                 const AlxConfig& config, const DeviceMesh& mesh,
                                                 const TimingProgram* like)
{
    if (like != nullptr) {
        return of_rows(part) ? like->row_gramian : like->column_gramian;
    }
    const SideBatches& side = of_rows(part) ? program.rows : program.columns;
    const SideBatches& other = of_rows(part) ? program.columns : program.rows;
    return std::make_shared<const model::OpGraph>(gramian_step_graph(
        config, of_rows(part) ? "rows" : "columns", side.shard_rows, other.shard_rows, mesh));
}

/// All parts of an epoch; `add_steps(part)` adds those of a half.
template <class AddSteps>
void add_epoch(TimingProgram& program, const AlxConfig& config, const DeviceMesh& mesh,
               const TimingProgram* like, KeptSteps* kept, AddSteps add_steps)
{
    for (const EpochPart part : epoch_parts) {
        if (is_half(part)) {
            add_steps(part);
            continue;
        }
        auto& gramian = of_rows(part) ? program.row_gramian : program.column_gramian;
        const auto make = [&] {
            Groups steps;
            add(steps, gramian_of(part, program, config, mesh, like), 1);
            return steps;
        };
        const Groups steps = kept ? kept->get(part, BatchGeometry(), make) : make();
        gramian = steps.front().step.graph;
        program.epoch.insert(program.epoch.end(), steps.begin(), steps.end());
    }
}

} // namespace

TimingProgram timing_program(const AlxConfig& config, const SideBatches& rows,
                             const SideBatches& columns, const DeviceMesh& mesh, KeptSteps* kept,
                             const TimingProgram* like)
{
    const HalfShape row_half{"rows",
                             "columns",
                             config.batch,
                             rows.shard_rows,
                             columns.shard_rows,
                             rows.splits_rows,
                             links_of_batch(rows, mesh)};
    const HalfShape column_half{"columns",
                                "rows",
                                config.column_batch,
                                columns.shard_rows,
                                rows.shard_rows,
                                columns.splits_rows,
                                links_of_batch(columns, mesh)};
    TimingProgram program{{}, rows, columns};
    const auto steps_of = [&](EpochPart part) {
        Groups steps;
        const SideBatches& side = of_rows(part) ? rows : columns;
        add_half(steps, config, of_rows(part) ? row_half : column_half, side, mesh);
        return steps;
    };
    add_epoch(program, config, mesh, like, kept, [&](EpochPart part) {
        const BatchGeometry& batches = of_rows(part) ? config.batch : config.column_batch;
        const Groups steps =
            kept ? kept->get(part, batches, [&] { return steps_of(part); }) : steps_of(part);
        program.epoch.insert(program.epoch.end(), steps.begin(), steps.end());
    });
    return program;
}

TimingProgram timing_program(const AlxConfig& config, const WorkloadShape& shape,
                             const DeviceMesh& mesh, KeptSteps* kept, const TimingProgram* like)
{
    const Admission admission = config.semantics.admission;
    const SideShape row = row_side(shape);
    const SideShape column = column_side(shape);
    refuse_long_rows(config, row, config.batch, "batch", "row");
    refuse_long_rows(config, column, config.column_batch, "column_batch", "column");
    SideBatches rows = batch_side(row, config.batch, admission, config.seed, config.long_rows);
    SideBatches columns =
        batch_side(column, config.column_batch, admission, config.seed + 1, config.long_rows);
    rows.shard_rows = shard_rows(shape.table_rows, mesh.row_shards);
    columns.shard_rows = shard_rows(shape.columns, mesh.row_shards);
    rows.solved_rows = row.rows;
    columns.solved_rows = column.rows;
    if (needs_of(config, mesh).any() || scatter_strategies().create(config.scatter)->at_owner()) {
        const PlacementAssumption placed = assumed_placement(config, shape, mesh);
        const double local = placed.local_share.central;
        rows.traffic = assumed_traffic(
            config, {row, column, rows.kept_links, placed.column_imbalance.central, local},
            rows.batches, mesh);
        columns.traffic = assumed_traffic(
            config, {column, row, columns.kept_links, placed.row_imbalance.central, local},
            columns.batches, mesh);
        add_imbalance(rows, config, placed.row_imbalance.central);
        add_imbalance(columns, config, placed.column_imbalance.central);
    }
    pad(rows, config, mesh.devices);
    pad(columns, config, mesh.devices);
    return timing_program(config, rows, columns, mesh, kept, like);
}

TimingProgram timing_program(const AlxConfig& config, std::shared_ptr<const PreparedLinks> links,
                             const DeviceMesh& mesh, std::int64_t most_steps)
{
    const TablePlacement& placement = links->placement;
    const auto halves = std::make_shared<const PreparedHalves>(config, std::move(links), mesh);
    const HalfLinks& of_halves = halves->links;
    HalfPlan rows(config, mesh,
                  {"rows", "columns", of_halves.rows(), placement.rows, placement.columns},
                  halves->rows);
    HalfPlan columns(config, mesh,
                     {"columns", "rows", of_halves.columns(), placement.columns, placement.rows},
                     halves->columns);
    TimingProgram program{
        {},
        side_of(rows, of_halves.rows(), placement.rows.shard_rows(), most_steps),
        side_of(columns, of_halves.columns(), placement.columns.shard_rows(), most_steps),
        halves};
    program.rows.links_lost = of_halves.lost_of_rows();
    program.columns.links_lost = of_halves.lost_of_columns();
    add_epoch(program, config, mesh, nullptr, nullptr, [&](EpochPart part) {
        add_half(program.epoch, of_rows(part) ? rows : columns, most_steps);
    });
    return program;
}

} // namespace alxsim::alx
