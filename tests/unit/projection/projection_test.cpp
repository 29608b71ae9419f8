// SPDX-License-Identifier: Apache-2.0
#include "workloads/projection/kind.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "base/npy.h"
#include "model/estimate.h"
#include "tests/temporary_folder.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::projection {
namespace {

/// A study's job with what it leaves out.
Json job(const Json& fields)
{
    Json all = {{"method", "tt_rademacher"},
                {"n", {8, 8}},
                {"m", {4, 4}},
                {"vectors", 2},
                {"dtype", "f64"},
                {"draws", 1},
                {"stream", 1000}};
    all.merge_patch(fields);
    return {{"workload", {{"projection", all}}}};
}

std::unique_ptr<workloads::Workload> made(const Json& fields, int devices = 1)
{
    return projection_kind().make(job(fields), "study.json", model::machine_of("tpu_v5e", devices));
}

/// All numbers and words that a run gives.
struct Outcome {
    std::vector<double> projected;
    Json results, counters;
    std::vector<double> ratios;

    friend bool operator==(const Outcome& a, const Outcome& b)
    {
        return a.projected == b.projected && a.results == b.results && a.counters == b.counters &&
               a.ratios == b.ratios;
    }
};

Outcome outcome_of(const workloads::Workload& workload, workloads::RunOptions options = {},
                   int stop_after = 1 << 30)
{
    const TemporaryFolder folder;
    options.threads = 2;
    options.export_folder = folder.path("exports");
    const auto run = workload.start(options);
    for (int step = 0; step < stop_after && run->next(); ++step) {
    }
    run->write_exports();
    Outcome outcome{
        read_npy(folder.path("exports/projected.npy")).values, run->results(), run->counters(), {}};
    for (const workloads::IntervalMetrics& of : run->metrics()) {
        outcome.ratios.push_back(*of.metrics.front().value);
    }
    return outcome;
}

TEST(Projection, OfAFixedDrawIsTheReferences)
{
    const Json golden =
        load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/projection.json").at("fixed");
    const Json fields = {{"stream", golden.at("R_streams").at(0)}};
    for (const int devices : {1, 4}) {
        const std::vector<double> found = outcome_of(*made(fields, devices)).projected;
        ASSERT_EQ(found.size(), 32U);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found[i], golden.at("f").at(i / 16).at(i % 16).get<double>(), 1e-12);
        }
    }
}

TEST(Projection, HasTheSameBitsHoweverItIsSharded)
{
    for (const std::string method : {"tt_rademacher", "tt_gaussian", "gaussian", "very_sparse"}) {
        for (const std::string dtype : {"bf16", "f32", "f64"}) {
            const Json fields = {{"method", method}, {"dtype", dtype}, {"n", {16, 5, 3}},
                                 {"m", {4, 2, 3}},   {"vectors", 7},   {"draws", 2}};
            const Outcome one = outcome_of(*made(fields, 1));
            for (const int devices : {4, 16}) {
                const Outcome sharded = outcome_of(*made(fields, devices));
                EXPECT_EQ(sharded.projected, one.projected) << method << " " << dtype << devices;
                EXPECT_EQ(sharded.results, one.results);
                EXPECT_EQ(sharded.ratios, one.ratios);
            }
        }
    }
}

/// A draw is drawn anew, so that a projection differs from the one before.
TEST(Projection, DrawsOtherMatricesInEachStep)
{
    const Outcome two = outcome_of(*made({{"draws", 2}}));
    ASSERT_EQ(two.ratios.size(), 2U);
    EXPECT_NE(two.ratios[0], two.ratios[1]);
    EXPECT_EQ(outcome_of(*made({{"stream", 1002}})).projected, two.projected);
}

TEST(Projection, GoesOnFromACheckpointAsIfItHadNeverStopped)
{
    const TemporaryFolder folder;
    const auto workload = made({{"draws", 4}, {"dtype", "bf16"}}, 4);
    const Outcome whole = outcome_of(*workload);
    workloads::RunOptions options;
    options.checkpoint = folder.path("checkpoint");
    outcome_of(*workload, options, 2);
    options.resume = true;
    EXPECT_TRUE(outcome_of(*workload, options) == whole);
}

TEST(Projection, CountsTheElementsThatItsCollectivesMove)
{
    const auto workload = made({{"draws", 3}, {"vectors", 5}}, 4);
    const Json of_draw = workload->describe().counters;
    const Json expected = {{"calls", 1}, {"elements", 5 * 16}};
    ASSERT_EQ(of_draw.at("collectives").size(), 1U);
    EXPECT_EQ(of_draw.at("collectives").begin().value(), expected);
    const Json run = outcome_of(*workload).counters;
    EXPECT_EQ(run.at("collectives").begin().value(), (Json{{"calls", 3}, {"elements", 240}}));
    EXPECT_EQ(run.at("collectives").begin().key(), of_draw.at("collectives").begin().key());
}

/// 2 B sum_k (prod_{i >= k} m_i) (prod_{i <= k} n_i) operations, the last mode first.
TEST(Projection, TakesTheOperationsOfItsModes)
{
    const auto workload = made({{"n", {12, 10, 6}}, {"m", {4, 3, 2}}, {"vectors", 7}});
    std::int64_t products = 0;
    for (const model::Op& op : workload->program().front().step.graph->ops) {
        const auto& work = std::get<model::Matmul>(op.work);
        products += work.batch * work.m * work.k * work.n;
    }
    EXPECT_EQ(products, 7 * (2 * 12 * 10 * 6 + 3 * 2 * 12 * 10 + 4 * 3 * 2 * 12));
}

TEST(Projection, StaysWithinItsExactDeviationOverManyDraws)
{
    const Json results = outcome_of(*made({{"draws", 2000}, {"vectors", 1}})).results;
    const Json& ratio = results.at("squared_norm_ratio");
    const double exact = ratio.at("exact_standard_deviation");
    EXPECT_NEAR(ratio.at("mean").get<double>(), 1, 4 * exact / std::sqrt(2000.0));
    EXPECT_NEAR(ratio.at("standard_deviation").get<double>(), exact, 0.2 * exact);
}

TEST(Projection, ReadsItsVectorsFromAFile)
{
    const TemporaryFolder folder;
    NpyMatrix x{3, 64, std::vector<double>(192)};
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        x.values[i] = static_cast<double>(i % 7) - 3;
    }
    write_npy(folder.path("x.npy"), x, NpyNumber::f8);
    const Json fields = {{"data", folder.path("x.npy")}};
    const std::vector<double> once = outcome_of(*made(fields)).projected;
    for (double& value : x.values) {
        value *= 2;
    }
    write_npy(folder.path("x.npy"), x, NpyNumber::f8);
    const std::vector<double> twice = outcome_of(*made(fields)).projected;
    ASSERT_EQ(once.size(), 32U);
    for (std::size_t i = 0; i < once.size(); ++i) {
        EXPECT_EQ(twice[i], 2 * once[i]);
    }
    const auto too_many = made({{"data", folder.path("x.npy")}, {"vectors", 4}});
    EXPECT_THROW(too_many->check_start(), InputError);
}

/// A vector of zeros stays one: nothing of it is lost.
TEST(Projection, KeepsVectorsOfZeros)
{
    const TemporaryFolder folder;
    write_npy(folder.path("x.npy"), {2, 64, std::vector<double>(128)}, NpyNumber::f8);
    const Outcome outcome = outcome_of(*made({{"data", folder.path("x.npy")}}));
    EXPECT_EQ(outcome.ratios, std::vector<double>{1});
    EXPECT_EQ(outcome.projected, std::vector<double>(32));
    EXPECT_EQ(outcome.results.at("squared_norm_ratio").at("exact_standard_deviation"), 0.0);
}

TEST(Projection, SaysThatZerosAreMultiplied)
{
    EXPECT_TRUE(made(Json::object())->notes().empty());
    EXPECT_EQ(made({{"method", "very_sparse"}})->notes().size(), 1U);
}

/// Twice the vectors, or numbers of a mode, take no less time.
TEST(Projection, TakesNoLessTimeForMore)
{
    const topologies::Machine machine = model::machine_of("tpu_v5e", 4);
    const auto time = [&](const Json& fields) {
        const auto workload = made(fields, 4);
        return model::AnalyticModel(machine)
            .step(workload->program().front().step)
            .on_device.total.count();
    };
    for (const std::string method : {"tt_rademacher", "gaussian"}) {
        const Json base = {{"method", method},
                           {"dtype", "bf16"},
                           {"n", {64, 64}},
                           {"m", {8, 8}},
                           {"vectors", 512}};
        for (const Json& more :
             {Json{{"vectors", 1024}}, Json{{"n", {128, 64}}}, Json{{"n", {64, 128}}},
              Json{{"m", {16, 8}}}, Json{{"m", {8, 16}}}}) {
            Json larger = base;
            larger.merge_patch(more);
            EXPECT_GE(time(larger), time(base)) << larger.dump();
        }
    }
}

TEST(Projection, RefusesModesThatDoNotFit)
{
    EXPECT_THROW(made({{"m", {4, 4, 4}}}), InputError);
    EXPECT_THROW(made({{"n", {6, 8}}}, 4), InputError);
    EXPECT_NO_THROW(made({{"n", {6, 8}}, {"method", "gaussian"}}, 4));
    for (const std::string method : {"tt_rademacher", "gaussian"}) {
        EXPECT_THROW(made({{"method", method}, {"n", {100000000, 100000000}}, {"m", {1000, 1000}}}),
                     InputError);
    }
}

} // namespace
} // namespace alxsim::projection
