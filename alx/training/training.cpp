// SPDX-License-Identifier: Apache-2.0
#include "alx/training/training.h"

#include "alx/steps/epoch_plan.h"
#include "alx/steps/half_batches.h"
#include "alx/training/half_run.h"
#include "base/input_error.h"
#include "model/graph/effects.h"
#include "spmd/checkpoint.h"

#include <utility>

namespace alxsim::alx {
namespace {

HalfCounters half_counters(const HalfRun& half)
{
    HalfCounters counters;
    const DenseBatches& batches = half.batches();
    counters.batches = batches.filled;
    counters.padding_batches = static_cast<std::int64_t>(batches.batches.size()) - batches.filled;
    counters.steps = half.steps();
    counters.density = batches.density();
    counters.solved_rows = static_cast<std::int64_t>(batches.examples.size());
    counters.iterations_max = half.iterations_max();
    counters.iterations_sum = half.iterations_sum();
    counters.systems = half.systems();
    return counters;
}

std::shared_ptr<const model::OpGraph> gramian_graph(const AlxConfig& config,
                                                    const std::string& name, const DeviceMesh& mesh,
                                                    const FactorTable& table,
                                                    const FactorTable& other,
                                                    ShardedGramian& gramian, HostPool& pool)
{
    return std::make_shared<model::OpGraph>(
        gramian_step_graph(config, name, table.shard_rows(), other.shard_rows(), mesh,
                           model::group_effect([&] { gramian.compute(pool); })));
}

} // namespace

struct TrainingRun::State {
    State(const AlxConfig& run_config, const Dataset& run_data, const DeviceMesh& run_mesh,
          HostPool& run_pool, std::shared_ptr<const PreparedHalves> run_halves)
        : config(run_config),
          data(run_data),
          mesh(run_mesh),
          pool(run_pool),
          halves(std::move(run_halves)),
          by_column(halves->prepared->by_column),
          tables(config, halves->prepared->placement),
          table_quality(config, data, by_column, tables, pool),
          row_half(config, mesh,
                   {"rows", "columns", halves->links.rows(), tables.rows, tables.columns,
                    tables.column_gramian, tables.columns.count()},
                   halves->rows),
          column_half(config, mesh,
                      {"columns", "rows", halves->links.columns(), tables.columns, tables.rows,
                       tables.row_gramian, trained_rows(config, data)},
                      halves->columns),
          plan(row_half.steps(), column_half.steps()),
          row_gramian_graph(gramian_graph(config, "rows", mesh, tables.rows, tables.columns,
                                          tables.row_gramian, pool)),
          column_gramian_graph(gramian_graph(config, "columns", mesh, tables.columns, tables.rows,
                                             tables.column_gramian, pool)),
          last_epoch(config.epochs)
    {
        if (config.evaluation.keep_best) {
            best_rows = tables.rows.store();
            best_columns = tables.columns.store();
        }
    }

    /// The numbers of both tables.
    std::vector<spmd::MemoryPart> memory()
    {
        RowStore& rows = tables.rows.store();
        RowStore& columns = tables.columns.store();
        std::vector<spmd::MemoryPart> parts{{rows.bytes(), rows.size()},
                                            {columns.bytes(), columns.size()}};
        for (RowStore* best : {&best_rows, &best_columns}) {
            if (config.evaluation.keep_best) {
                parts.push_back({best->bytes(), best->size()});
            }
        }
        return parts;
    }
    HalfRun& half_of(EpochPart part) { return of_rows(part) ? row_half : column_half; }
    std::shared_ptr<const model::OpGraph> gramian_of(EpochPart part) const
    {
        return of_rows(part) ? row_gramian_graph : column_gramian_graph;
    }
    /// Runs the numerics of the epoch's step k.
    model::Step run_step(std::int64_t k);
    model::Step run_half_step(HalfRun& half, std::int64_t k);
    model::Step run_graph(std::shared_ptr<const model::OpGraph> graph);
    /// The epoch's step k as it was when its numerics ran, before the checkpoint.
    model::Step replayed_step(std::int64_t k);
    model::Step replayed_half_step(HalfRun& half, std::size_t half_index, std::int64_t k);
    void finish_epoch();
    void finish_half();
    /// Keeps, among the epochs that are evaluated, the best, and stops where none is better for
    /// long.
    void judge();
    void stop_if_none_is_better();
    /// Puts the tables of the best epoch in place, once.
    void take_best();
    /// The tables are already those of the checkpoint.
    void go_on(const Json& kept);

    AlxConfig config;
    const Dataset& data;
    DeviceMesh mesh;
    HostPool& pool;
    std::shared_ptr<const PreparedHalves> halves;
    const SparseMatrix& by_column;
    TrainingTables tables;
    TableQuality table_quality;
    HalfRun row_half;
    HalfRun column_half;
    EpochPlan plan;
    std::shared_ptr<const model::OpGraph> row_gramian_graph;
    std::shared_ptr<const model::OpGraph> column_gramian_graph;
    std::vector<EpochQuality> quality;
    Progress progress;
    HalfDone half_done;
    std::function<void(int)> epoch_done;
    int resumed_epochs = 0; ///< whose steps are replayed
    Iterations iterations;
    std::int64_t halves_done = 0;
    int epoch = 1;
    std::int64_t step = 0; ///< of the epoch
    int last_epoch;        ///< after which training ends
    RowStore best_rows;    ///< of the best epoch so far, where it is kept
    RowStore best_columns;
    bool best_taken = false;
    bool began_as_zeros = false;
};

model::Step TrainingRun::State::run_graph(std::shared_ptr<const model::OpGraph> graph)
{
    model::run_effects(*graph, mesh.devices, pool);
    return {std::move(graph), {}, epoch};
}

model::Step TrainingRun::State::run_half_step(HalfRun& half, std::int64_t k)
{
    if (k == 0) {
        half.begin();
    }
    half.prepare(k);
    model::Step result = run_graph(half.graph(k));
    result.counts = half.count();
    if (k == 0) {
        iterations.emplace_back();
    }
    if (half.planned(k).solves != PlannedStep::nothing) {
        iterations.back().emplace_back(half.slowest().begin(), half.slowest().end());
    }
    return result;
}

model::Step TrainingRun::State::run_step(std::int64_t k)
{
    const EpochPlan::Position position = plan.at(k);
    if (is_half(position.part)) {
        return run_half_step(half_of(position.part), position.step);
    }
    model::Step result = run_graph(gramian_of(position.part));
    finish_half();
    return result;
}

model::Step TrainingRun::State::replayed_half_step(HalfRun& half, std::size_t half_index,
                                                   std::int64_t k)
{
    const std::int64_t solves = half.planned(k).solves;
    if (solves == PlannedStep::nothing) {
        return {half.graph(k), {}, epoch};
    }
    const auto& slowest = iterations.at(half_index).at(static_cast<std::size_t>(solves));
    return {half.graph(k), half.counts_of({slowest.begin(), slowest.end()}), epoch};
}

model::Step TrainingRun::State::replayed_step(std::int64_t k)
{
    const EpochPlan::Position position = plan.at(k);
    const auto half = static_cast<std::size_t>(2 * (epoch - 1) + (of_rows(position.part) ? 0 : 1));
    return is_half(position.part) ? replayed_half_step(half_of(position.part), half, position.step)
                                  : model::Step{gramian_of(position.part), {}, epoch};
}

void TrainingRun::State::finish_half()
{
    if (half_done) {
        half_done(halves_done);
    }
    ++halves_done;
}

void TrainingRun::State::finish_epoch()
{
    if (epoch % config.evaluation.every == 0 || epoch == config.epochs) {
        quality.push_back(table_quality.after(epoch));
        judge();
    }
    ++epoch;
    step = 0;
    if (epoch_done) {
        epoch_done(epoch - 1);
    }
}

void TrainingRun::State::judge()
{
    if (config.evaluation.keep_best && &best_of(config, quality) == &quality.back()) {
        best_rows = tables.rows.store();
        best_columns = tables.columns.store();
    }
    stop_if_none_is_better();
}

void TrainingRun::State::stop_if_none_is_better()
{
    const std::optional<int>& patience = config.evaluation.stop_after;
    if (patience && !quality.empty() &&
        quality.back().epoch - best_of(config, quality).epoch >= *patience) {
        last_epoch = quality.back().epoch;
    }
}

void TrainingRun::State::take_best()
{
    if (config.evaluation.keep_best && !std::exchange(best_taken, true) &&
        best_of(config, quality).epoch != last_epoch) {
        tables.rows.store() = best_rows;
        tables.columns.store() = best_columns;
        tables.compute_gramians(pool);
    }
}

void check_judged(const EvaluationConfig& evaluation, const Dataset& data)
{
    if (data.test_rows.empty() && (evaluation.keep_best || evaluation.stop_after)) {
        throw InputError("",
                         std::string("/workload/evaluation/") +
                             (evaluation.keep_best ? "keep_best" : "stop_after"),
                         "found, but no rows are tested on, so that no epoch is better than "
                         "another; allowed: with /workload/split, of data that leaves test rows");
    }
}

void check_training(const AlxConfig& config, const Dataset& data, const InitialTables& initial,
                    const TablePlacement& placement, const DeviceMesh& mesh)
{
    check_judged(config.evaluation, data);
    if (!data.test_rows.empty() && config.evaluation.batch) {
        batch_test_rows(config, data, mesh.devices); // refuses a row that fits no batch
    }
    check_initial_tables(initial, placement, config.dim);
}

TrainingRun::TrainingRun(const AlxConfig& config, const Dataset& data, const DeviceMesh& mesh,
                         HostPool& pool, const InitialTables* initial,
                         std::shared_ptr<const PreparedHalves> halves)
{
    if (!halves) {
        halves = std::make_shared<const PreparedHalves>(
            config, std::make_shared<const PreparedLinks>(config, data.training, mesh), mesh);
    }
    check_training(config, data, initial ? *initial : InitialTables{}, halves->prepared->placement,
                   mesh);
    state_ = std::make_unique<State>(config, data, mesh, pool, std::move(halves));
    state_->tables.fill(config, initial ? *initial : InitialTables{}, data.training,
                        state_->by_column, pool);
    state_->began_as_zeros = state_->table_quality.is_zero();
    if (config.epochs == 0) {
        state_->quality.push_back(state_->table_quality.after(0));
    }
}

TrainingRun::~TrainingRun() = default;

std::optional<model::Step> TrainingRun::next()
{
    tell_progress();
    if (state_->epoch > state_->last_epoch) {
        state_->take_best();
        return std::nullopt;
    }
    const int epoch = state_->epoch;
    const bool replays = epoch <= state_->resumed_epochs;
    const std::int64_t k = state_->step++;
    model::Step result = replays ? state_->replayed_step(k) : state_->run_step(k);
    if (state_->step == state_->plan.steps() && replays) {
        ++state_->epoch;
        state_->step = 0;
    } else if (state_->step == state_->plan.steps()) {
        state_->finish_epoch();
    }
    return result;
}

/// Steps handed out are done when the next one is asked for.
void TrainingRun::tell_progress() const
{
    if (state_->progress && state_->epoch > state_->last_epoch) {
        state_->progress(state_->config.epochs, 1);
    } else if (state_->progress) {
        state_->progress(state_->epoch, static_cast<double>(state_->step) /
                                            static_cast<double>(state_->plan.steps()));
    }
}

void TrainingRun::on_progress(Progress progress)
{
    state_->progress = std::move(progress);
}

void TrainingRun::on_epoch(std::function<void(int)> epoch_done)
{
    state_->epoch_done = std::move(epoch_done);
}

void TrainingRun::keep(const std::string& path, const Json& key) const
{
    const auto totals = [](const HalfRun& half) {
        return Json{half.iterations_max(), half.iterations_sum(), half.systems()};
    };
    Json quality = Json::array();
    for (const EpochQuality& entry : state_->quality) {
        quality.push_back(kept_json(entry));
    }
    const Json state{{"epochs", state_->epoch - 1},
                     {"quality", quality},
                     {"iterations", state_->iterations},
                     {"row_totals", totals(state_->row_half)},
                     {"column_totals", totals(state_->column_half)}};
    spmd::write_checkpoint(path, key, state, state_->memory());
}

void TrainingRun::resume(const std::string& path, const Json& key)
{
    const std::optional<Json> kept = spmd::read_checkpoint(path, key, state_->memory());
    if (kept) {
        state_->go_on(*kept);
    }
}

void TrainingRun::State::go_on(const Json& kept)
{
    const auto take_totals = [](HalfRun& half, const Json& totals) {
        half.set_totals(totals.at(0), totals.at(1), totals.at(2));
    };
    resumed_epochs = kept.at("epochs");
    halves_done = 2 * std::int64_t{resumed_epochs};
    iterations = kept.at("iterations").get<Iterations>();
    take_totals(row_half, kept.at("row_totals"));
    take_totals(column_half, kept.at("column_totals"));
    for (const Json& entry : kept.at("quality")) {
        quality.push_back(epoch_quality(entry));
    }
    stop_if_none_is_better();
    tables.compute_gramians(pool);
}

void TrainingRun::on_half(HalfDone half_done)
{
    state_->half_done = std::move(half_done);
}

const TrainingRun::Iterations& TrainingRun::iterations() const
{
    return state_->iterations;
}

const std::vector<EpochQuality>& TrainingRun::quality() const
{
    return state_->quality;
}

bool TrainingRun::began_as_zeros() const
{
    return state_->began_as_zeros;
}

const EpochQuality& TrainingRun::final_quality() const
{
    return state_->config.evaluation.keep_best ? best_of(state_->config, state_->quality)
                                               : state_->quality.back();
}

std::optional<std::vector<double>> TrainingRun::popularity() const
{
    return state_->table_quality.popularity();
}

Recommendations TrainingRun::recommendations() const
{
    return state_->table_quality.recommend();
}

Recommendations TrainingRun::recommendations(const SparseMatrix& history) const
{
    return state_->table_quality.recommend(history);
}

double TrainingRun::objective() const
{
    return state_->table_quality.objective();
}

TrainingCounters TrainingRun::counters() const
{
    TrainingCounters counters{state_->data.training.links(), half_counters(state_->row_half),
                              half_counters(state_->column_half)};
    counters.rows.links_lost = state_->halves->links.lost_of_rows();
    counters.columns.links_lost = state_->halves->links.lost_of_columns();
    return counters;
}

std::string TrainingRun::tables_digest() const
{
    return state_->tables.digest();
}

std::vector<workloads::MatrixSketch> TrainingRun::sketches() const
{
    return state_->tables.sketches(state_->pool);
}

const FactorTable& TrainingRun::rows() const
{
    return state_->tables.rows;
}
const FactorTable& TrainingRun::columns() const
{
    return state_->tables.columns;
}
const std::vector<double>& TrainingRun::row_gramian() const
{
    return state_->tables.row_gramian.matrix();
}
const std::vector<double>& TrainingRun::column_gramian() const
{
    return state_->tables.column_gramian.matrix();
}
const SparseMatrix& TrainingRun::links_by_column() const
{
    return state_->by_column;
}
const DenseBatches& TrainingRun::row_batches() const
{
    return state_->row_half.batches();
}
const DenseBatches& TrainingRun::column_batches() const
{
    return state_->column_half.batches();
}

} // namespace alxsim::alx
