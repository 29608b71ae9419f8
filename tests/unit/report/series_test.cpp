// SPDX-License-Identifier: Apache-2.0
#include "report/series.h"

#include "fake_report.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

TEST(Gains, AreWhatAStepBringsOfTheIdeal)
{
    // Perfect; then 4 times the cores for 2 times the speed: (2 - 1)/(4 - 1); then slower than
    // before.
    const std::vector<Gain> gains = gains_of({{8, 8.0}, {16, 4.0}, {64, 2.0}, {128, 2.5}});
    ASSERT_EQ(gains.size(), 3u);
    EXPECT_DOUBLE_EQ(gains[0].gain, 1.0);
    EXPECT_DOUBLE_EQ(gains[1].gain, 1.0 / 3);
    EXPECT_DOUBLE_EQ(gains[2].gain, -0.2);
    EXPECT_EQ(gains[1].from, 16);
    EXPECT_EQ(gains[1].to, 64);
}

TEST(SweetSpot, LiesWhereTheNextStepGainsLessThanHalf)
{
    // Gains 1, 0.6, 0.25, 1: what comes after a failed step no longer counts.
    const SweetSpot found = sweet_spot_of({{8, 8.0}, {16, 4.0}, {32, 2.5}, {64, 2.0}, {128, 1.0}});
    EXPECT_EQ(found.cores, 32);
    EXPECT_EQ(found.at_edge, "");
    EXPECT_EQ(found.gains.size(), 4u);
}

TEST(SweetSpot, AGainOfExactlyHalfIsEnough)
{
    EXPECT_EQ(sweet_spot_of({{8, 3.0}, {16, 2.0}, {32, 2.0}}).cores, 16);
}

TEST(SweetSpot, SaysAtWhichEdgeItLies)
{
    const SweetSpot low = sweet_spot_of({{8, 8.0}, {16, 7.0}, {32, 3.5}});
    EXPECT_EQ(low.cores, 8);
    EXPECT_EQ(low.at_edge, "low");
    const SweetSpot high = sweet_spot_of({{8, 8.0}, {16, 4.0}, {32, 2.0}});
    EXPECT_EQ(high.cores, 32);
    EXPECT_EQ(high.at_edge, "high");
}

TEST(Phases, ThatDoNotShrinkAreThoseThatBendTheCurve)
{
    const Point first =
        fake_point(16, {{"gather", 1.0}, {"solve", 16.0}, {"launch", 0.001}, {"infeed", 1.0}});
    const Point last =
        fake_point(64, {{"gather", 0.9}, {"solve", 4.0}, {"launch", 0.001}, {"infeed", 0.49}});
    const std::vector<PhaseChange> found = phases_that_do_not_shrink(first, last);
    ASSERT_EQ(found.size(), 1u) << "solve is ideal, launch is tiny, infeed halves and more";
    EXPECT_EQ(found[0].phase, "gather");
    EXPECT_DOUBLE_EQ(found[0].seconds_first, 1.0);
    EXPECT_DOUBLE_EQ(found[0].share_of_last, 0.9 / 5.391);
}

TEST(Phases, OverOneDoublingPerfectScalingIsNoFault)
{
    const Point first = fake_point(16, {{"gather", 1.0}, {"solve", 16.0}});
    const Point last = fake_point(32, {{"gather", 0.9}, {"solve", 8.0}});
    EXPECT_EQ(phases_that_do_not_shrink(first, last).size(), 1u);
}

TEST(MakeSeries, DerivesSpeedupsFromTheSmallestFittingPoint)
{
    ReportParts parts = fake_parts({fake_point(64, 2.0), too_large_point(8), fake_point(16, 6.0)});
    const Json series = json_of(make_series(parts.series[0], parts.points));
    EXPECT_DOUBLE_EQ(parts.points.at(0).result->speedup.value(), 3.0);
    EXPECT_DOUBLE_EQ(parts.points.at(0).result->efficiency.value(), 0.75);
    EXPECT_DOUBLE_EQ(parts.points.at(2).result->speedup.value(), 1.0);
    EXPECT_FALSE(parts.points.at(1).result);
    EXPECT_EQ(series.at("sweet_spot").at("cores"), 64);
    EXPECT_EQ(series.at("sweet_spot").at("gains").size(), 1u);
    EXPECT_EQ(series.at("fastest"), 0);
    EXPECT_FALSE(series.contains("cheapest"));
    EXPECT_FALSE(series.contains("fit")) << "two points tell no three terms";
}

TEST(MakeSeries, ComparesNoSpeedsWhereTheSweepIsNotOverCoresAlone)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0), fake_point(16, 3.0)});
    for (Point& point : parts.points) {
        point.sweep = {{"/workload/alx/dim", point.seconds()}};
    }
    const Json series = json_of(make_series(parts.series[0], parts.points));
    EXPECT_EQ(series.at("fastest"), 1);
    for (const Point& point : parts.points) {
        EXPECT_FALSE(point.result->speedup);
        EXPECT_FALSE(point.result->efficiency);
    }
}

/// A point of a paired sweep, whose epoch has so many useful operations.
Point paired_point(std::int64_t cores, double seconds, double operations)
{
    Point point = fake_point(cores, {{"solve", seconds}});
    point.sweep.set("/workload/links", operations);
    point.result->throughput.emplace().useful_operations = operations;
    return point;
}

TEST(WeakScaling, ComparesOperationsASecondAndIsPerfectWhereTheTimeStays)
{
    ReportParts parts = fake_parts(
        {paired_point(1, 2.0, 100), paired_point(4, 2.0, 400), paired_point(16, 4.0, 1600)});
    const Json series = json_of(make_series(parts.series[0], parts.points));
    EXPECT_EQ(series.at("scaling"), "weak");
    EXPECT_FALSE(series.contains("sweet_spot"));
    EXPECT_DOUBLE_EQ(parts.points[1].result->efficiency.value(), 1);
    EXPECT_DOUBLE_EQ(parts.points[2].result->speedup.value(), 8);
    EXPECT_DOUBLE_EQ(parts.points[2].result->efficiency.value(), 0.5);
}

TEST(WeakScaling, IsOnlyWhereTheWorkGrowsWithTheCores)
{
    const auto scaling = [](const std::vector<Point>& points) {
        ReportParts parts = fake_parts(points);
        return json_of(make_series(parts.series[0], parts.points)).value("scaling", "");
    };
    EXPECT_EQ(scaling({paired_point(1, 2.0, 100), paired_point(4, 2.0, 100)}), "");
    EXPECT_EQ(scaling({paired_point(4, 2.0, 100), paired_point(4, 2.0, 400)}), "");
    EXPECT_EQ(scaling({paired_point(1, 2.0, 100)}), "");
    std::vector<Point> of_unknown_work{paired_point(1, 2.0, 100), paired_point(4, 2.0, 400)};
    of_unknown_work[1].result->throughput.reset();
    EXPECT_EQ(scaling(of_unknown_work), "");
}

TEST(MakeSeries, NamesTheCheapestWhereThereAreCosts)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0), fake_point(64, 2.0)});
    parts.points[0].result->cost_usd = 1.0;
    EXPECT_FALSE(json_of(make_series(parts.series[0], parts.points)).contains("cheapest"));
    parts.points[1].result->cost_usd = 1.5;
    EXPECT_EQ(json_of(make_series(parts.series[0], parts.points)).at("cheapest"), 0);
}

TEST(MakeSeries, NamesTheCheapestForAsMuchWherePointsDoNotDoAsMuch)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0), fake_point(16, 7.0)});
    for (std::size_t i = 0; i < 2; ++i) {
        Result& result = *parts.points[i].result;
        const double tokens = i == 0 ? 100 : 400;
        result.cost_usd = result.epoch.seconds;
        result.throughput.emplace().per_interval = tokens;
        result.throughput->usd_per_million = *result.cost_usd / tokens * 1e6;
    }
    EXPECT_EQ(json_of(make_series(parts.series[0], parts.points)).at("cheapest"), 1);
    EXPECT_EQ(json_of(make_series(parts.series[0], parts.points)).at("fastest"), 0);
}

TEST(MakeSeries, ComparesCoreCountsOnlyWhereTheyAloneAreSwept)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0), fake_point(32, 3.0), fake_point(64, 2.0)});
    EXPECT_TRUE(json_of(make_series(parts.series[0], parts.points)).contains("sweet_spot"));
    parts.points[1].sweep.set("/workload/alx/gather", "all_to_all");
    EXPECT_FALSE(json_of(make_series(parts.series[0], parts.points)).contains("sweet_spot"));
    parts.points[1].sweep = {{"/workload/alx/dim", 64}};
    const Json series = json_of(make_series(parts.series[0], parts.points));
    EXPECT_FALSE(series.contains("sweet_spot"));
    EXPECT_FALSE(series.contains("fit"));
    EXPECT_EQ(series.at("fastest"), 2);
}

TEST(MakeSeries, WithNoFittingPointIsANameAndItsPoints)
{
    ReportParts parts = fake_parts({too_large_point(8)});
    EXPECT_EQ(json_of(make_series(parts.series[0], parts.points)),
              (Json{{"name", "base"}, {"points", {0}}}));
}

} // namespace
} // namespace alxsim::report
