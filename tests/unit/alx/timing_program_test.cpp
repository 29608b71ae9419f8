// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/timing_program.h"

#include "alx/batches/batch_geometry.h"
#include "alx/batches/counted_batches.h"
#include "alx/batches/degree_distribution.h"
#include "alx/batches/dense_batches.h"
#include "base/input_error.h"
#include "tests/unit/alx/matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace alxsim::alx {
namespace {

TEST(DegreeDistribution, HonoursTheMeanAndTheBounds)
{
    for (const double mean : {12.0, 73.0, 400.0}) {
        const DegreeDistribution lengths(10, 1000000, mean);
        const auto sample = lengths.sample(100000, 1);
        ASSERT_EQ(sample.size(), 100000u);
        const double sum = std::accumulate(sample.begin(), sample.end(), 0.0);
        EXPECT_NEAR(sum / 100000, mean, 0.005 * mean);
        EXPECT_EQ(*std::min_element(sample.begin(), sample.end()), 10);
        EXPECT_LE(*std::max_element(sample.begin(), sample.end()), 1000000);
    }
}

TEST(DegreeDistribution, RefusesAMeanBeyondItsEnds)
{
    EXPECT_THROW(DegreeDistribution(10, 100, 9.9), InputError);
    EXPECT_THROW(DegreeDistribution(10, 100, 100.1, 2), InputError);
}

TEST(DegreeDistribution, OfAMeanAtAnEndIsTheSameForAll)
{
    EXPECT_EQ(DegreeDistribution(3, 100, 3).sample(5, 1), std::vector<std::int64_t>(5, 3));
    EXPECT_EQ(DegreeDistribution(3, 100, 100, 2).sample(5, 1), std::vector<std::int64_t>(5, 100));
}

TEST(DegreeDistribution, OfMoreThanHalfFullRowsIsThatOfWhatTheyLack)
{
    for (const double exponent : {0.0, 2.0}) {
        const auto of = [exponent](double mean) {
            return exponent > 0 ? DegreeDistribution(1, 100, mean, exponent).quantile_means(1000)
                                : DegreeDistribution(1, 100, mean).quantile_means(1000);
        };
        std::vector<std::int64_t> lacking = of(101 - 56);
        std::reverse(lacking.begin(), lacking.end());
        std::transform(lacking.begin(), lacking.end(), lacking.begin(),
                       [](std::int64_t length) { return 101 - length; });
        EXPECT_EQ(of(56), lacking);
        const double sum = std::accumulate(lacking.begin(), lacking.end(), 0.0);
        EXPECT_NEAR(sum / 1000, 56, 0.3);
    }
}

TEST(DegreeDistribution, TheSeedChangesTheOrderAlone)
{
    const DegreeDistribution lengths(5, 1000, 20);
    auto one = lengths.sample(1000, 1);
    auto two = lengths.sample(1000, 2);
    EXPECT_NE(one, two);
    std::sort(one.begin(), one.end());
    std::sort(two.begin(), two.end());
    EXPECT_EQ(one, two);
}

TEST(WebGraph, TrainingLinksAreTheTrainingRowsShare)
{
    const WorkloadShape shape = webgraph_shape("in-dense");
    EXPECT_EQ(shape.rows, 443786);
    EXPECT_EQ(shape.columns, 491634);
    EXPECT_EQ(shape.min_links, 50);
    EXPECT_NEAR(static_cast<double>(shape.links), 0.12e9 * 443786 / (443786 + 47894), 1);
    EXPECT_THROW(webgraph_shape("in-dens"), InputError);
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> lengths)
{
    std::sort(lengths.begin(), lengths.end());
    return lengths;
}

TEST(SampledLengths, AreAskedForBySeedsInAnyOrder)
{
    const SideShape side = row_side(webgraph_shape("in-dense"));
    std::vector<std::vector<std::int64_t>> of_seed;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        of_seed.push_back(*sampled_lengths(side, seed));
        EXPECT_EQ(sorted(of_seed[seed]), sorted(of_seed[0]));
        EXPECT_EQ(of_seed[seed] == of_seed[0], seed == 0);
    }
    EXPECT_EQ(*sampled_lengths(side, 0), of_seed[0]);
    EXPECT_EQ(*sampled_lengths(side, 5), of_seed[5]);
}

TEST(BatchSide, HoldsAtLeastTheLinks)
{
    const WorkloadShape shape = webgraph_shape("de-sparse");
    const BatchGeometry geometry{1024, 16, 200};
    const SideBatches side = batch_side(row_side(shape), geometry, Admission::exact, 1);
    const double slots = static_cast<double>(side.batches) * 1024 * 16;
    EXPECT_GE(slots, static_cast<double>(shape.links) * (1 - side.links_lost));
    EXPECT_NEAR(slots * side.density, static_cast<double>(shape.links) * (1 - side.links_lost),
                0.01 * static_cast<double>(shape.links));
    EXPECT_GT(side.exponent, 2);
    EXPECT_LT(side.exponent, 3);
}

TEST(BatchSide, AGivenTailKeepsTheMean)
{
    WorkloadShape shape = webgraph_shape("de-sparse");
    shape.row_exponent = 3.5;
    const SideBatches side = batch_side(row_side(shape), {1024, 16, 200}, Admission::exact, 1);
    EXPECT_EQ(side.exponent, 3.5);
    EXPECT_NEAR(static_cast<double>(side.batches) * 1024 * 16 * side.density,
                static_cast<double>(shape.links) * (1 - side.links_lost),
                0.01 * static_cast<double>(shape.links));
}

TEST(BatchSide, CutsRowsThatNoBatchHolds)
{
    const WorkloadShape shape = webgraph_shape("de-sparse"); // its longest row has 1e6 links
    const auto lost = [&](std::int64_t lines) {
        return batch_side(row_side(shape), {lines, 16, 200}, Admission::spare_line, 1).links_lost;
    };
    EXPECT_GT(lost(1024), 0.05);
    EXPECT_LT(lost(1024), 0.5);
    EXPECT_LT(lost(4096), lost(1024));
    EXPECT_EQ(lost(62500), 0) << "16 x 62,500 = 1e6";
}

TEST(BatchSide, SplitRowsLoseNoLink)
{
    const WorkloadShape shape = webgraph_shape("de-sparse"); // its longest row has 1e6 links
    for (const std::int64_t lines : {64, 1024, 62500}) {
        const SideBatches side =
            batch_side(row_side(shape), {lines, 16, lines}, Admission::exact, 1, LongRows::split);
        EXPECT_EQ(side.links_lost, 0);
        EXPECT_EQ(side.kept_links, static_cast<double>(shape.links));
        EXPECT_NEAR(static_cast<double>(side.batches * lines * 16) * side.density, side.kept_links,
                    0.01 * side.kept_links);
        EXPECT_EQ(side.splits_rows, lines < 62500);
        EXPECT_EQ(side.longest_chain, ceil_divide(62500, lines));
    }
}

/// However many devices there are: a row goes on in the batches of one of them.
TEST(BatchSide, NoHalfHasFewerStepsThanItsLongestRowHasBatches)
{
    const SideBatches side = batch_side(row_side(webgraph_shape("in-dense")), {64, 16, 64},
                                        Admission::exact, 1, LongRows::split);
    EXPECT_EQ(side.steps(1), side.batches);
    EXPECT_EQ(side.steps(1'000'000), side.longest_chain);
    EXPECT_GT(side.longest_chain, 1);
}

TEST(BatchSide, CountsTheBatchesThatSplitRowsReallyFill)
{
    const SparseMatrix matrix = power_law_matrix(3000, 2000, 3);
    const SideLengths lengths = side_lengths(matrix, [] {
        AlxConfig config;
        config.long_rows = LongRows::split;
        return config;
    }());
    for (const std::int64_t lines : {1, 2, 8}) {
        const BatchGeometry geometry{lines, 4, 50};
        CountedBatches counted(geometry, Admission::exact, true);
        for (const std::int64_t length : lengths.sample) {
            counted.add(length);
        }
        BatchSource source{&matrix, example_rows(matrix), "", "row"};
        source.splits = true;
        const DenseBatches real = make_dense_batches(std::move(source), geometry, {}, 1);
        EXPECT_NEAR(static_cast<double>(counted.batches()) / static_cast<double>(real.filled), 1,
                    0.03);
        EXPECT_EQ(counted.links(), matrix.links());
    }
}

TEST(BatchSide, PaddingCountsTheBatchesThatFillTheDevices)
{
    SideBatches side;
    side.geometry = {4, 8, 4};
    side.batches = 10;
    side.kept_links = 160; // half of the slots of 10 batches
    EXPECT_DOUBLE_EQ(side.padding_share(1), 0.5);
    EXPECT_DOUBLE_EQ(side.padding_share(10), 0.5);
    EXPECT_DOUBLE_EQ(side.padding_share(20), 0.75);
}

TEST(TimingProgram, RefusesRowsThatNoBatchHoldsIfTold)
{
    AlxConfig config;
    config.batch = {1024, 16, 200};
    config.column_batch = {62500, 16, 200};
    config.long_rows = LongRows::refuse;
    const WorkloadShape shape = webgraph_shape("in-sparse");
    try {
        timing_program(config, shape, 8);
        FAIL() << "rows of 1e6 links do not fit 16,384";
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("/workload/alx/batch/lines"), std::string::npos) << message;
        EXPECT_NE(message.find("allowed are 62500 lines or more"), std::string::npos) << message;
    }
    config.long_rows = LongRows::truncate;
    EXPECT_GT(timing_program(config, shape, 8).rows.links_lost, 0);
}

TEST(BatchSide, ALighterTailWastesFewerSlots)
{
    WorkloadShape shape = webgraph_shape("de-sparse");
    const BatchGeometry geometry{64, 16, 200};
    shape.row_exponent = 2.1;
    const double heavy = batch_side(row_side(shape), geometry, Admission::exact, 1).density;
    shape.row_exponent = 6;
    EXPECT_GT(batch_side(row_side(shape), geometry, Admission::exact, 1).density, heavy);
}

TEST(DegreeDistribution, ATailThatIsGivenLeavesTheMeanAlone)
{
    for (const double exponent : {1.5, 2.0, 3.0}) {
        double sum = 0;
        for (const std::int64_t length :
             DegreeDistribution(10, 1000000, 80, exponent).sample(100000, 1)) {
            EXPECT_GE(length, 10);
            EXPECT_LE(length, 1000000);
            sum += static_cast<double>(length);
        }
        EXPECT_NEAR(sum / 100000, 80, 0.2) << exponent;
    }
}

TEST(TimingProgram, IsOneEpochOfFourStepGroups)
{
    AlxConfig config;
    config.batch = config.column_batch = {1024, 16, 64};
    config.long_rows = LongRows::truncate;
    const WorkloadShape shape = webgraph_shape("in-sparse");
    const TimingProgram eight = timing_program(config, shape, 8);
    const TimingProgram sixteen = timing_program(config, shape, 16);
    ASSERT_EQ(eight.epoch.size(), 4u);
    EXPECT_EQ(eight.epoch[0].times, ceil_divide(eight.rows.batches, 8));
    EXPECT_EQ(eight.epoch[1].times, 1);
    EXPECT_EQ(sixteen.epoch[2].times, ceil_divide(eight.columns.batches, 16));
    EXPECT_EQ(sixteen.rows.batches, eight.rows.batches) << "batches do not depend on the devices";
}

} // namespace
} // namespace alxsim::alx
