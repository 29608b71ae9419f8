// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/bill.h"

#include "base/input_error.h"
#include "experiments/points/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace alxsim::experiments {
namespace {

using ::testing::HasSubstr;

TEST(ExpectedSeconds, IsYoungsFirstOrderWhereFailuresAreRare)
{
    const double work = 100;
    const double restart = 30;
    const double between = 1e6;
    EXPECT_NEAR(expected_seconds(work, restart, between) - work,
                work / between * (work / 2 + restart), 1e-6);
}

TEST(ExpectedSeconds, IsTheMeanOfWhatHappens)
{
    const double work = 3;
    const double restart = 0.5;
    const double between = 2;
    std::mt19937_64 random(1);
    std::exponential_distribution<double> until_failure(1 / between);
    constexpr int jobs = 400'000;
    double sum = 0;
    for (int job = 0; job < jobs; ++job) {
        // Restarts may fail, too, and begin again.
        bool restarting = false;
        for (bool done = false; !done;) {
            const double whole = (restarting ? restart : 0) + work;
            const double failure = until_failure(random);
            done = failure >= whole;
            sum += done ? whole : failure;
            restarting = true;
        }
    }
    const double expected = expected_seconds(work, restart, between);
    EXPECT_NEAR(sum / jobs, expected, 0.01 * expected);
}

TEST(ExpectedSeconds, IsInfiniteWhereNoStretchIsEverDone)
{
    EXPECT_TRUE(std::isinf(expected_seconds(1e6, 0, 1)));
}

BillParts ten_intervals()
{
    BillParts parts;
    parts.intervals = 10;
    parts.interval_seconds = 100;
    parts.evaluation_seconds = 6;
    parts.evaluation_every = 3;
    parts.checkpoint_seconds = 5;
    parts.checkpoint_every = 4;
    parts.compile_seconds = 40;
    parts.load_seconds = 20;
    return parts;
}

TEST(BillSeconds, CountsWhatIsDone)
{
    const report::BillSeconds seconds = seconds_of(ten_intervals());
    EXPECT_EQ(seconds.compile, 40);
    EXPECT_EQ(seconds.load, 20);
    EXPECT_EQ(seconds.training, 1000);
    EXPECT_EQ(seconds.evaluation, 18);  // after 3, 6 and 9
    EXPECT_EQ(seconds.checkpoints, 10); // after 4 and 8
    EXPECT_EQ(seconds.lost_to_failures, 0);
    EXPECT_EQ(seconds.total(), 1088);
}

TEST(BillSeconds, LosesWhatWasDoneSinceTheLastCheckpoint)
{
    BillParts parts = ten_intervals();
    parts.evaluation_seconds = 0;
    parts.seconds_between_failures = 1e7;
    const auto first_order = [](double work) { return work / 1e7 * (work / 2 + 60); };
    EXPECT_NEAR(seconds_of(parts).lost_to_failures, 2 * first_order(405) + first_order(200), 1e-3);
    parts.checkpoint_every = 0;
    EXPECT_NEAR(seconds_of(parts).lost_to_failures, first_order(1000), 1e-3);
}

Json study_with(const Json& bill, const std::string& chip = "tpu_v5e")
{
    return {{"study", "bill"},
            {"numerics", false},
            {"fidelity", "analytic"},
            {"band", false},
            {"machine", {{"chip", chip}, {"cores", 16}}},
            {"workload",
             {{"dataset", {{"shape", {{"rows", 1e6}, {"columns", 1e5}, {"links", 2e7}}}}},
              {"split", {{"test_rows", 0.1}}},
              {"alx", {{"dim", 64}, {"epochs", 5}}}}},
            {"bill", bill}};
}

report::Result result_of(const Json& study)
{
    return run_point(point_study(study, "study.json"), {}).point.result.value();
}

TEST(Bill, IsToldWhereAStudyAsks)
{
    Json study = study_with({});
    study.erase("bill");
    EXPECT_FALSE(result_of(study).bill);
    const report::Result result = result_of(study_with(Json::object()));
    const report::Bill& bill = result.bill.value();
    EXPECT_EQ(bill.intervals, 5);
    EXPECT_DOUBLE_EQ(bill.seconds.training, 5 * result.epoch.seconds);
    EXPECT_GT(bill.seconds.evaluation, 0);
    EXPECT_EQ(bill.seconds.checkpoints, 0);
    EXPECT_DOUBLE_EQ(bill.hours, bill.seconds.total() / 3600);
    EXPECT_DOUBLE_EQ(bill.dollars.value(), bill.hours * 16 * 1.2); // of the list
}

TEST(Bill, MovesTheStateOverPcieAndToStorage)
{
    const report::Result result =
        result_of(study_with({{"evaluation", false},
                              {"epochs", 3},
                              {"compile_seconds", 7},
                              {"load_bytes_per_second", 1e9},
                              {"checkpoint", {{"every", 1}, {"bytes_per_second", 5e8}}}}));
    // Tables of 64 bf16 numbers a row, over 16 devices, 8 of a host, PCIe of 16 GB/s a chip.
    const double of_device = (1e6 / 16 + 1 + 1e5 / 16 + 1) * 64 * 2;
    const report::BillSeconds& seconds = result.bill.value().seconds;
    EXPECT_NEAR(seconds.load, of_device / 1.6e10 + 8 * of_device / 1e9, 1e-3 * seconds.load);
    EXPECT_NEAR(seconds.checkpoints, 3 * (of_device / 1.6e10 + 8 * of_device / 5e8),
                1e-3 * seconds.checkpoints);
    EXPECT_EQ(seconds.compile, 7);
    EXPECT_EQ(seconds.evaluation, 0);
}

TEST(Bill, TakesOnesOwnPrices)
{
    const report::Bill bill =
        result_of(study_with({{"prices",
                               {{"tpu_v5e", {{"on_demand", 2}, {"spot", 0.5}}},
                                {"tpu_v4", {{"committed", 1}}}}}}))
            .bill.value();
    EXPECT_DOUBLE_EQ(bill.dollars.value(), bill.hours * 16 * 2);
    EXPECT_DOUBLE_EQ(bill.dollars_spot.value(), bill.hours * 16 * 0.5);
    EXPECT_FALSE(bill.dollars_committed);
}

TEST(Bill, OfAMillionUnitsGoesByOnesOwnPrices)
{
    const report::Result result =
        result_of(study_with({{"prices", {{"tpu_v5e", {{"on_demand", 2}, {"spot", 0.5}}}}}}));
    const report::Throughput& throughput = result.throughput.value();
    const double chip_hours_a_million =
        16 * result.epoch.seconds / 3600 / throughput.per_interval * 1e6;
    EXPECT_DOUBLE_EQ(throughput.usd_per_million.value(), 2 * chip_hours_a_million);
    EXPECT_DOUBLE_EQ(result.cost_usd.value(), 2 * 16 * result.epoch.seconds / 3600)
        << "what ranks plans and points goes by them, too";
    EXPECT_DOUBLE_EQ(throughput.usd_per_million_spot.value(), 0.5 * chip_hours_a_million);
    EXPECT_FALSE(throughput.usd_per_million_committed);
}

TEST(Bill, SaysThatAChipHasNoPrice)
{
    const report::Result result = result_of(study_with(Json::object(), "tpu_7x"));
    EXPECT_FALSE(result.bill.value().dollars);
    EXPECT_FALSE(result.cost_usd);
    const report::Bill own =
        result_of(study_with({{"prices", {{"tpu_7x", {{"on_demand", 12}}}}}}, "tpu_7x"))
            .bill.value();
    EXPECT_DOUBLE_EQ(own.dollars.value(), own.hours * 8 * 12); // two cores a chip
}

TEST(Bill, RefusesWhatNeverEnds)
{
    const auto refusal = [](const Json& bill) {
        try {
            result_of(study_with(bill));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    EXPECT_THAT(refusal({{"target", {{"recall_at_20", 0.3}}}}),
                HasSubstr("study.json: /bill/target: found recall_at_20 without numbers"));
    EXPECT_THAT(refusal({{"epochs", 100000}, {"hours_between_failures", 1e-4}}),
                HasSubstr("/bill/hours_between_failures: found 0.0001"));
}

TEST(Bill, EndsAtItsTarget)
{
    Json study = study_with({{"target", {{"recall_at_20", 1e-4}}}});
    study["numerics"] = true;
    study["workload"]["dataset"] = {
        {"generate",
         {{"rows", 400}, {"columns", 300}, {"links", 8000}, {"min_links", 6}, {"locality", 0}}}};
    study["workload"]["split"] = {{"test_rows", 0.2}};
    study["workload"]["alx"] = {{"dim", 8}, {"epochs", 3}};
    const report::Result result = result_of(study);
    EXPECT_EQ(result.bill.value().intervals, 1);
    study["bill"]["target"] = {{"recall_at_20", 0.999}};
    EXPECT_FALSE(result_of(study).bill);
    study["bill"]["target"] = {{"loss", 1}};
    EXPECT_THROW(result_of(study), InputError);
}

} // namespace
} // namespace alxsim::experiments
