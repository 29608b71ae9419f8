// SPDX-License-Identifier: Apache-2.0
#include "alx/training/training.h"

#include "base/input_error.h"

#include "matrices.h"
#include "model/graph/op_graph.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

AlxConfig training_config()
{
    AlxConfig config;
    config.dim = 16;
    config.epochs = 3;
    config.batch = {64, 4, 24};
    config.column_batch = {256, 4, 24};
    return config;
}

/// Runs a job to its end.
std::unique_ptr<TrainingRun> train(const AlxConfig& config, const Dataset& data, int devices,
                                   HostPool& pool)
{
    auto run = std::make_unique<TrainingRun>(config, data, devices, pool);
    while (run->next()) {
    }
    return run;
}

std::vector<float> real_rows(const FactorTable& table)
{
    std::vector<float> values = table.to_floats();
    values.resize(static_cast<std::size_t>(table.count() * table.dim()));
    return values;
}

float largest(const std::vector<float>& values)
{
    float most = 0;
    for (const float value : values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b)
{
    float most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
    }
    return most;
}

TEST(Training, SameBitsForAnyNumberOfThreads)
{
    const Dataset data = split(power_law_matrix(700, 300, 1), {});
    HostPool alone(1);
    const auto reference = train(training_config(), data, 4, alone);
    for (const int threads : {2, 4}) {
        HostPool pool(threads);
        const auto run = train(training_config(), data, 4, pool);
        EXPECT_EQ(run->rows().to_floats(), reference->rows().to_floats());
        EXPECT_EQ(run->columns().to_floats(), reference->columns().to_floats());
        EXPECT_EQ(run->column_gramian(), reference->column_gramian());
        EXPECT_EQ(run->quality().back().objective, reference->quality().back().objective);
        EXPECT_EQ(run->quality().back().ranking->at(0), reference->quality().back().ranking->at(0));
    }
}

TEST(Training, SameBitsForEveryGatherStrategy)
{
    const Dataset data = without_split(power_law_matrix(500, 200, 2));
    HostPool pool(2);
    AlxConfig config = training_config();
    const auto looped = train(config, data, 8, pool);
    config.gather = "all_reduce";
    const auto at_once = train(config, data, 8, pool);
    EXPECT_EQ(looped->rows().to_floats(), at_once->rows().to_floats());
    EXPECT_EQ(looped->columns().to_floats(), at_once->columns().to_floats());
}

TEST(Training, DevicesAgreeUpToTheGramiansRounding)
{
    const Dataset data = without_split(power_law_matrix(700, 300, 3));
    HostPool pool(2);
    AlxConfig config = training_config();
    config.solver = "cholesky";
    config.table_dtype = model::DType::f32;
    const std::vector<float> rows = real_rows(train(config, data, 1, pool)->rows());
    const std::vector<float> columns = real_rows(train(config, data, 1, pool)->columns());
    for (const int devices : {2, 3, 8, 16, 64}) {
        const auto run = train(config, data, devices, pool);
        EXPECT_LT(largest_difference(real_rows(run->rows()), rows), 1e-4F * largest(rows))
            << devices;
        EXPECT_LT(largest_difference(real_rows(run->columns()), columns), 1e-4F * largest(columns))
            << devices;
    }
}

TEST(Training, BatchGeometryDoesNotChangeOneBit)
{
    const Dataset data = without_split(power_law_matrix(500, 200, 4));
    HostPool pool(1);
    AlxConfig config = training_config();
    const auto narrow = train(config, data, 2, pool);
    config.batch = {512, 16, 100};
    config.column_batch = {100, 32, 7};
    const auto wide = train(config, data, 2, pool);
    EXPECT_EQ(narrow->rows().to_floats(), wide->rows().to_floats());
}

TEST(Training, TheObjectiveFallsEveryEpoch)
{
    const Dataset data = without_split(power_law_matrix(500, 200, 5));
    HostPool pool(1);
    AlxConfig config = training_config();
    config.table_dtype = model::DType::f32;
    TrainingRun run(config, data, 3, pool);
    double before = run.objective();
    while (run.next()) {
    }
    ASSERT_EQ(run.quality().size(), 3u);
    for (const EpochQuality& quality : run.quality()) {
        EXPECT_LT(quality.objective, before);
        EXPECT_FALSE(quality.ranking);
        before = quality.objective;
    }
}

TEST(Training, RecallBeatsPopularityOnAPlantedMatrix)
{
    const Dataset data = split(planted_matrix(1500, 400, 10, 12, 6), {0.2, 0.25, 5, 1});
    HostPool pool(2);
    const auto run = train(training_config(), data, 4, pool);
    EXPECT_GT(run->quality().back().ranking->at(0), 0.3);
    EXPECT_GT(run->quality().back().ranking->at(0), 3 * run->popularity()->at(0));
}

/// Each step as JSON, with its counts: all that its time depends on.
std::vector<std::string> steps_of(TrainingRun& run)
{
    std::vector<std::string> steps;
    while (const std::optional<model::Step> step = run.next()) {
        steps.push_back(model::to_json(*step->graph).dump() + Json(step->counts).dump());
    }
    return steps;
}

TEST(Training, AResumedJobHasTheStepsOfTheUnbrokenOneAlsoWhereTheyFollowTheDataAndGatherAhead)
{
    const Dataset data = without_split(power_law_matrix(500, 200, 7));
    HostPool pool(2);
    AlxConfig config = training_config();
    config.epochs = 3;
    config.gather = "all_to_all";
    config.scatter = "all_to_all";
    config.prefetch_depth = 2;
    TrainingRun unbroken(config, data, 4, pool);
    const TemporaryFolder folder;
    const std::string kept = folder.path("checkpoint");
    unbroken.on_epoch([&](int epoch) {
        if (epoch == 1) {
            unbroken.keep(kept, "this job");
        }
    });
    const std::vector<std::string> steps = steps_of(unbroken);
    TrainingRun resumed(config, data, 4, pool);
    resumed.resume(kept, "another job");
    resumed.resume(kept, "this job");
    EXPECT_EQ(steps_of(resumed), steps);
    EXPECT_EQ(resumed.rows().to_floats(), unbroken.rows().to_floats());
    EXPECT_EQ(resumed.columns().to_floats(), unbroken.columns().to_floats());
}

TEST(Training, KeepsItsBestEpochAlsoWhereItIsResumedBehindIt)
{
    const Dataset data = split(planted_matrix(300, 120, 6, 8, 3), {0.2, 0.25, 4, 1});
    AlxConfig config = training_config();
    config.epochs = 8;
    config.reg = 1e-6; // so that recall falls again
    config.evaluation.keep_best = true;
    config.evaluation.stop_after = 3;
    HostPool pool(1);
    const TemporaryFolder folder;
    const auto whole = [&] {
        TrainingRun run(config, data, 2, pool);
        run.on_epoch([&](int epoch) { run.keep(folder.path(std::to_string(epoch)), Json("job")); });
        while (run.next()) {
        }
        return std::pair(run.tables_digest(), run.quality().back().epoch);
    }();
    for (int epoch = 1; epoch <= whole.second; ++epoch) {
        TrainingRun run(config, data, 2, pool);
        run.resume(folder.path(std::to_string(epoch)), Json("job"));
        while (run.next()) {
        }
        EXPECT_EQ(run.tables_digest(), whole.first) << "resumed after epoch " << epoch;
        EXPECT_EQ(run.quality().back().epoch, whole.second);
    }
}

TEST(Training, StepsAreHalvesAndGramiansInTurn)
{
    const Dataset data = without_split(power_law_matrix(500, 200, 7));
    HostPool pool(1);
    AlxConfig config = training_config();
    config.epochs = 2;
    TrainingRun run(config, data, 4, pool);
    const TrainingCounters counters = run.counters();
    EXPECT_EQ(counters.rows.batches + counters.rows.padding_batches, 4 * counters.rows.steps);
    std::vector<std::string> names;
    while (const auto step = run.next()) {
        names.push_back(step->graph->name);
        if (step->graph->name.find("half step") == 0) {
            EXPECT_EQ(step->counts.at("cg_iterations").size(), 4u);
        }
        EXPECT_EQ(step->epoch, names.size() <= static_cast<std::size_t>(counters.rows.steps +
                                                                        counters.columns.steps + 2)
                                   ? 1
                                   : 2);
    }
    std::vector<std::string> epoch(static_cast<std::size_t>(counters.rows.steps),
                                   "half step of the rows");
    epoch.emplace_back("Gramian of the rows");
    epoch.insert(epoch.end(), static_cast<std::size_t>(counters.columns.steps),
                 "half step of the columns");
    epoch.emplace_back("Gramian of the columns");
    const std::size_t steps = epoch.size();
    epoch.resize(2 * steps);
    std::copy_n(epoch.begin(), steps, epoch.begin() + static_cast<std::ptrdiff_t>(steps));
    EXPECT_EQ(names, epoch);
    EXPECT_EQ(run.counters().rows.systems, 2 * counters.rows.solved_rows);
}

TEST(Training, RowsWithoutLinksAreZero)
{
    SparseMatrix matrix = power_law_matrix(300, 100, 8);
    matrix.columns = 110;
    const Dataset data = split(matrix, {0.2, 0.25, 3, 1});
    HostPool pool(1);
    const auto run = train(training_config(), data, 2, pool);
    std::vector<float> values(16);
    for (const std::int32_t row : data.test_rows) {
        run->rows().store().get(row, values.data());
        EXPECT_EQ(values, std::vector<float>(16, 0.0F));
    }
    run->columns().store().get(105, values.data());
    EXPECT_EQ(values, std::vector<float>(16, 0.0F));
}

AlxConfig released_config()
{
    AlxConfig config = training_config();
    config.semantics = Semantics::alx(config.table_dtype);
    return config;
}

TEST(ReleasedCode, SameBitsForAnyNumberOfThreads)
{
    const Dataset data = split(power_law_matrix(700, 300, 1), {});
    HostPool alone(1);
    const auto reference = train(released_config(), data, 4, alone);
    HostPool pool(3);
    const auto run = train(released_config(), data, 4, pool);
    EXPECT_EQ(run->rows().to_floats(), reference->rows().to_floats());
    EXPECT_EQ(run->columns().to_floats(), reference->columns().to_floats());
    EXPECT_EQ(run->quality().back().ranking->at(1), reference->quality().back().ranking->at(1));
}

TEST(ReleasedCode, EmptyExamplesBecomeZeroAndAbsentRowsKeepTheirValues)
{
    SparseMatrix matrix = matrix_of({{0, 1}, {}, {1, 2}, {}, {0}}, 4);
    matrix.listed = {0, 1, 2, 4}; // row 1 stands in the file without links, row 3 does not
    const Dataset data = without_split(matrix);
    HostPool pool(1);
    TrainingRun run(released_config(), data, 2, pool);
    const std::vector<double> before = run.rows().to_doubles();
    while (run.next()) {
    }
    const std::vector<double> after = run.rows().to_doubles();
    const auto row = [](const std::vector<double>& table, std::ptrdiff_t r) {
        return std::vector<double>(table.begin() + r * 16, table.begin() + (r + 1) * 16);
    };
    EXPECT_EQ(row(after, 1), std::vector<double>(16, 0.0));
    EXPECT_NE(row(before, 1), row(after, 1));
    EXPECT_EQ(row(before, 3), row(after, 3));
    EXPECT_EQ(row(before, 5), row(after, 5)); // a phantom row
    EXPECT_NE(row(after, 5), std::vector<double>(16, 0.0));
}

TEST(Training, WithoutEpochsTheInitialTablesAreEvaluated)
{
    const Dataset data = split(power_law_matrix(500, 200, 5), {});
    HostPool pool(1);
    AlxConfig config = training_config();
    config.epochs = 0;
    TrainingRun run(config, data, 2, pool);
    EXPECT_FALSE(run.next());
    ASSERT_EQ(run.quality().size(), 1u);
    EXPECT_EQ(run.quality()[0].epoch, 0);
    EXPECT_EQ(run.quality()[0].objective, run.objective());
}

TEST(Training, TiedTablesStartTheSameAndTheDivisorIsTheRootOfDim)
{
    const Dataset data = without_split(power_law_matrix(200, 200, 5));
    HostPool pool(1);
    AlxConfig config = training_config();
    config.semantics.phantom_rows = PhantomRows::random;
    config.table_dtype = model::DType::f64;
    config.initial.tied = true;
    const TrainingRun tied(config, data, 1, pool);
    EXPECT_EQ(tied.rows().to_doubles(), tied.columns().to_doubles());
    config.initial.divide_by_sqrt_dim = true;
    const TrainingRun divided(config, data, 1, pool);
    EXPECT_NEAR(divided.rows().to_doubles()[7] * 4, tied.rows().to_doubles()[7], 1e-15);
}

TEST(Training, EveryDTypeAndSolverRuns)
{
    const Dataset data = split(planted_matrix(600, 200, 10, 12, 6), {0.2, 0.25, 5, 1});
    HostPool pool(2);
    for (const model::DType table : {model::DType::bf16, model::DType::f32, model::DType::f64}) {
        for (const model::DType solve :
             {model::DType::bf16, model::DType::f32, model::DType::f64}) {
            AlxConfig config = training_config();
            config.table_dtype = table;
            config.solve_dtype = solve;
            config.matmul_passes = 3;
            const auto run = train(config, data, 2, pool);
            EXPECT_GT(run->quality().back().ranking->at(0),
                      solve == model::DType::bf16 ? 0.0 : 0.3);
        }
    }
}

TEST(Training, AColumnThatFitsNoBatchIsRefused)
{
    const Dataset data = without_split(power_law_matrix(500, 200, 9));
    HostPool pool(1);
    AlxConfig config = training_config();
    config.column_batch.lines = 1;
    config.long_rows = LongRows::refuse;
    EXPECT_THROW(TrainingRun(config, data, 1, pool), InputError);
}

} // namespace
} // namespace alxsim::alx
