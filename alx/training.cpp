// SPDX-License-Identifier: Apache-2.0
#include "alx/training.h"

#include "alx/half_batches.h"
#include "alx/half_run.h"
#include "model/effects.h"

#include <utility>

namespace alxsim::alx {
namespace {

/// Keys of the tables' initial values.
constexpr std::uint64_t row_table_key = 1;
constexpr std::uint64_t column_table_key = 2;

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

/// Training never solves for a row without links. Zero is what it would be solved to.
void zero_unlinked(FactorTable& table, const SparseMatrix& links)
{
    for (std::int32_t row = 0; row < links.rows; ++row) {
        if (links.length(row) == 0) {
            table.set_zero(row);
        }
    }
}

std::shared_ptr<const model::OpGraph> gramian_graph(const AlxConfig& config,
                                                    const std::string& name,
                                                    const FactorTable& table,
                                                    ShardedGramian& gramian)
{
    return std::make_shared<model::OpGraph>(
        gramian_step_graph(config, name, table.shard_rows(), table.devices(),
                           {gramian.partial_effect(), gramian.combine_effect()}));
}

} // namespace

struct TrainingRun::State {
    State(const AlxConfig& run_config, const Dataset& run_data, int devices, HostPool& run_pool)
        : config(run_config),
          data(run_data),
          pool(run_pool),
          by_column(transpose(run_data.training)),
          rows(run_data.training.rows, run_config.dim, devices, run_config.table_dtype),
          columns(run_data.training.columns, run_config.dim, devices, run_config.table_dtype),
          row_gramian(rows),
          column_gramian(columns),
          row_half(
              config,
              {"rows", "columns", data.training, rows, columns, column_gramian, columns.count()},
              batch_rows(config, data.training, devices)),
          column_half(
              config,
              {"columns", "rows", by_column, columns, rows, row_gramian, data.training_row_count()},
              batch_columns(config, by_column, devices)),
          row_gramian_graph(gramian_graph(config, "rows", rows, row_gramian)),
          column_gramian_graph(gramian_graph(config, "columns", columns, column_gramian))
    {
    }

    void fill_tables(const InitialTables* initial);
    std::int64_t steps_of_epoch() const { return row_half.steps() + column_half.steps() + 2; }
    /// Runs the numerics of the epoch's step k.
    model::Step run_step(std::int64_t k);
    model::Step run_half_step(HalfRun& half, std::int64_t k);
    model::Step run_graph(std::shared_ptr<const model::OpGraph> graph);
    double objective() const;
    Recommendations recommend() const;
    void finish_epoch();

    AlxConfig config;
    const Dataset& data;
    HostPool& pool;
    SparseMatrix by_column;
    FactorTable rows;
    FactorTable columns;
    ShardedGramian row_gramian;
    ShardedGramian column_gramian;
    HalfRun row_half;
    HalfRun column_half;
    std::shared_ptr<const model::OpGraph> row_gramian_graph;
    std::shared_ptr<const model::OpGraph> column_gramian_graph;
    std::vector<EpochQuality> quality;
    Progress progress;
    int epoch = 1;
    std::int64_t step = 0; ///< of the epoch
};

void TrainingRun::State::fill_tables(const InitialTables* initial)
{
    if (initial) {
        rows.assign(initial->rows);
        columns.assign(initial->columns);
    } else {
        rows.initialize(config.initial_stddev, config.seed, row_table_key, pool);
        columns.initialize(config.initial_stddev, config.seed, column_table_key, pool);
        zero_unlinked(rows, data.training);
        zero_unlinked(columns, by_column);
    }
    row_gramian.compute(pool);
    column_gramian.compute(pool);
}

model::Step TrainingRun::State::run_graph(std::shared_ptr<const model::OpGraph> graph)
{
    model::run_effects(*graph, rows.devices(), pool);
    return {std::move(graph), {}, epoch};
}

model::Step TrainingRun::State::run_half_step(HalfRun& half, std::int64_t k)
{
    if (k == 0) {
        half.begin();
    }
    half.prepare(k);
    model::Step result = run_graph(half.graph());
    result.counts = half.count();
    return result;
}

model::Step TrainingRun::State::run_step(std::int64_t k)
{
    if (k < row_half.steps()) {
        return run_half_step(row_half, k);
    }
    k -= row_half.steps();
    if (k == 0) {
        return run_graph(row_gramian_graph);
    }
    --k;
    if (k < column_half.steps()) {
        return run_half_step(column_half, k);
    }
    return run_graph(column_gramian_graph);
}

double TrainingRun::State::objective() const
{
    const TrainingLinks links{&data.training, &by_column, data.training_row_count(),
                              columns.count()};
    return alx::objective(config, links, rows.store(), columns.store(), pool);
}

Recommendations TrainingRun::State::recommend() const
{
    NormalEquations equations(config);
    equations.fix(column_gramian.matrix(), columns.count());
    return alx::recommend(data, equations, columns, config.evaluation.top_k, pool);
}

void TrainingRun::State::finish_epoch()
{
    if (epoch % config.evaluation.every == 0 || epoch == config.epochs) {
        EpochQuality entry{epoch, objective(), std::nullopt};
        if (!data.test_rows.empty()) {
            entry.recall = recall(data, recommend());
        }
        quality.push_back(entry);
    }
    ++epoch;
    step = 0;
}

TrainingRun::TrainingRun(const AlxConfig& config, const Dataset& data, int devices, HostPool& pool,
                         const InitialTables* initial)
    : state_(std::make_unique<State>(config, data, devices, pool))
{
    state_->fill_tables(initial);
}

TrainingRun::~TrainingRun() = default;

std::optional<model::Step> TrainingRun::next()
{
    if (state_->epoch > state_->config.epochs) {
        return std::nullopt;
    }
    const int epoch = state_->epoch;
    model::Step result = state_->run_step(state_->step++);
    const auto done =
        static_cast<double>(state_->step) / static_cast<double>(state_->steps_of_epoch());
    if (state_->step == state_->steps_of_epoch()) {
        state_->finish_epoch();
    }
    if (state_->progress) {
        state_->progress(epoch, done);
    }
    return result;
}

void TrainingRun::on_progress(Progress progress)
{
    state_->progress = std::move(progress);
}

const std::vector<EpochQuality>& TrainingRun::quality() const
{
    return state_->quality;
}

std::optional<Recall> TrainingRun::popularity() const
{
    const Dataset& data = state_->data;
    if (data.test_rows.empty()) {
        return std::nullopt;
    }
    return recall(data,
                  recommend_popular(data, state_->by_column, state_->config.evaluation.top_k));
}

Recommendations TrainingRun::recommendations() const
{
    return state_->recommend();
}

double TrainingRun::objective() const
{
    return state_->objective();
}

TrainingCounters TrainingRun::counters() const
{
    return {state_->data.training.links(), half_counters(state_->row_half),
            half_counters(state_->column_half)};
}

const FactorTable& TrainingRun::rows() const
{
    return state_->rows;
}
const FactorTable& TrainingRun::columns() const
{
    return state_->columns;
}
std::vector<float> TrainingRun::row_gramian() const
{
    return state_->row_gramian.to_floats();
}
std::vector<float> TrainingRun::column_gramian() const
{
    return state_->column_gramian.to_floats();
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
