// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/answers/compare/comparison.h"
#include "experiments/answers/compare/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace alxsim::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two cores a chip.
report::Point point_of(const std::string& series, std::int64_t cores, double seconds,
                       const Settings& more = {})
{
    report::Point point;
    point.series = series;
    point.sweep = Settings{{"/machine/cores", cores}};
    point.sweep.set(more);
    point.machine.chip = series;
    point.machine.cores = cores;
    point.machine.chips = cores / 2;
    point.result.emplace();
    point.result->epoch.seconds = seconds;
    return point;
}

/// Its points in series by their names.
report::Report report_of_points(const std::vector<report::Point>& points)
{
    report::Report report;
    report.study = {{"study", "compared"}, {"seed", 1}};
    report.points = points;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto is_its = [&](const auto& series) { return series.name == points[i].series; };
        auto series = std::find_if(report.series.begin(), report.series.end(), is_its);
        if (series == report.series.end()) {
            report.series.emplace_back().name = points[i].series;
            series = std::prev(report.series.end());
        }
        series->points.push_back(i);
    }
    return report;
}

report::Report priced(report::Report report, const std::vector<double>& dollars)
{
    for (std::size_t i = 0; i < dollars.size(); ++i) {
        report.points[i].result->cost_usd = dollars[i];
    }
    return report;
}

TEST(Compare, PairsPointsWhoseSweepSetTheSame)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4), point_of("v3", 16, 2)});
    const report::Report b = report_of_points({point_of("v3", 16, 3), point_of("v3", 32, 1)});
    const Comparison comparison = compare_reports(a, b, {});
    ASSERT_EQ(comparison.pairs.size(), 1U);
    EXPECT_EQ(comparison.pairs[0].a.cores, 16);
    EXPECT_DOUBLE_EQ(comparison.pairs[0].ratio, 1.5);
    EXPECT_THAT(document_of(comparison).text(), HasSubstr("1 points in both (A has 2, B 2)"));
}

TEST(Compare, PairsTheOnlySeriesWhateverTheirNames)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4)});
    const report::Report b = report_of_points({point_of("v4", 8, 2)});
    EXPECT_EQ(compare_reports(a, b, {}).pairs.size(), 1U);
    const report::Report two = report_of_points({point_of("v4", 8, 2), point_of("v5e", 8, 3)});
    EXPECT_TRUE(compare_reports(a, two, {}).pairs.empty());
    const Comparison asked = compare_reports(a, two, {CompareBy::sweep, {{"v3", "v5e"}}});
    ASSERT_EQ(asked.pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(asked.pairs[0].ratio, 0.75);
}

TEST(Compare, ByChipsPairsMachinesOfOtherCoreCounts)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4), point_of("v3", 16, 2)});
    report::Report b = report_of_points({point_of("v5e", 4, 6), point_of("v5e", 8, 5)});
    b.points[0].machine.chips = 4; // one core a chip
    b.points[1].machine.chips = 8;
    const Comparison comparison = compare_reports(a, b, {CompareBy::chips, {}});
    ASSERT_EQ(comparison.pairs.size(), 2U);
    EXPECT_DOUBLE_EQ(comparison.pairs[0].ratio, 1.5);
    EXPECT_DOUBLE_EQ(comparison.pairs[1].ratio, 2.5);
    EXPECT_THAT(document_of(comparison).text(), HasSubstr("4 x v3 (8 cores)"));
}

TEST(Compare, OfOtherMachinesNeedsAllElseThatIsSweptToBeEqual)
{
    const Settings dim_64{{"/workload/alx/dim", 64}};
    const Settings dim_128{{"/workload/alx/dim", 128}};
    const report::Report a = report_of_points({point_of("v3", 8, 4, dim_64)});
    const report::Report b =
        report_of_points({point_of("v4", 8, 2, dim_128), point_of("v4", 8, 3, dim_64)});
    const Comparison comparison = compare_reports(a, b, {CompareBy::cores, {}});
    ASSERT_EQ(comparison.pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(comparison.pairs[0].ratio, 0.75);
}

TEST(Compare, ByDollarsTakesTheFastestThatCostsNoMore)
{
    const report::Report a = priced(report_of_points({point_of("v3", 8, 4)}), {10});
    const report::Report b = priced(
        report_of_points({point_of("v4", 8, 5), point_of("v4", 16, 3), point_of("v4", 32, 2)}),
        {7, 10, 13});
    const Comparison comparison = compare_reports(a, b, {CompareBy::dollars, {}});
    ASSERT_EQ(comparison.pairs.size(), 1U);
    EXPECT_EQ(comparison.pairs[0].b.cores, 16);
    EXPECT_DOUBLE_EQ(comparison.pairs[0].ratio, 0.75);
}

TEST(Compare, SaysWhichChipsHaveNoPriceWhereDollarsStand)
{
    const report::Report a = priced(report_of_points({point_of("v3", 8, 4)}), {10});
    const report::Report b =
        priced(report_of_points({point_of("v4", 8, 3), point_of("7x", 8, 1)}), {7});
    const CompareOptions by_dollars{CompareBy::dollars, {{"v3", "v4"}}};
    const Comparison comparison = compare_reports(a, b, by_dollars);
    EXPECT_THAT(comparison.without_price, ::testing::ElementsAre("7x"));
    EXPECT_THAT(document_of(comparison).text(),
                HasSubstr("no price is known of 7x: its points are left out"));
    const CompareOptions by_cores{CompareBy::cores, {{"v3", "7x"}}};
    EXPECT_THAT(document_of(compare_reports(a, b, by_cores)).text(),
                HasSubstr("no price is known of 7x: no dollars are told of it"));
    EXPECT_TRUE(compare_reports(a, a, {CompareBy::dollars, {}}).without_price.empty());
}

TEST(Compare, TellsTheBandOfTheRatioWhereDrawsAreTheSameWorlds)
{
    report::Report a = report_of_points({point_of("v3", 8, 4)});
    report::Report b = report_of_points({point_of("v3", 8, 2)});
    a.points[0].result->drawn.emplace().seconds = {4, 8};
    b.points[0].result->drawn.emplace().seconds = {2, 4};
    const ComparedPair same = compare_reports(a, b, {}).pairs.at(0);
    EXPECT_DOUBLE_EQ(same.ratio_low.value(), 0.5);
    EXPECT_DOUBLE_EQ(same.ratio_high.value(), 0.5);
    b.study["seed"] = 2;
    EXPECT_FALSE(compare_reports(a, b, {}).pairs.at(0).ratio_low);
}

/// What a point keeps of a matrix of 2 x 1 numbers (x, 0), with signs that are all 1.
Json sketches_of(double x)
{
    const std::vector<double> numbers(4, x / 2);
    return {{{"matrix", "W"},
             {"rows", 2},
             {"columns", 1},
             {"kept", {2, 2}},
             {"norm", std::abs(x)},
             {"draws",
              {{{"stream", 0}, {"numbers", numbers}}, {{"stream", 2}, {"numbers", numbers}}}}}};
}

TEST(Compare, TellsHowFarTrainedMatricesAreApart)
{
    report::Report a = report_of_points({point_of("v3", 8, 4)});
    report::Report b = report_of_points({point_of("v3", 8, 2)});
    EXPECT_THAT(document_of(compare_reports(a, b, {})).text(), Not(HasSubstr("trained")));
    a.points[0].result->results["sketches"] = sketches_of(4);
    EXPECT_TRUE(compare_reports(a, b, {}).pairs.at(0).sketches.empty());
    b.points[0].result->results["sketches"] = sketches_of(3);
    const Comparison comparison = compare_reports(a, b, {});
    const workloads::SketchDistance& found = comparison.pairs.at(0).sketches.at(0);
    EXPECT_DOUBLE_EQ(found.distance.value(), 1);
    EXPECT_DOUBLE_EQ(found.relative.value(), 0.25);
    EXPECT_DOUBLE_EQ(found.standard_error.value(), 0);
    EXPECT_DOUBLE_EQ(found.largest_standard_error.value(), std::sqrt(3.0 / 2) / 2);
    EXPECT_THAT(document_of(comparison).text(),
                HasSubstr("v3 (cores 8) W        1      0.25  +- 0 %"));
    EXPECT_THAT(document_of(comparison).text(), HasSubstr("2 random projections of a matrix"));
    EXPECT_EQ(json_of(comparison.pairs).at(0).at("sketches").at(0).at("relative"), 0.25);
}

TEST(Compare, SaysWhyTrainedMatricesCannotBeCompared)
{
    report::Report a = report_of_points({point_of("v3", 8, 4)});
    report::Report b = report_of_points({point_of("v3", 8, 2)});
    a.points[0].result->results["sketches"] = sketches_of(4);
    b.points[0].result->results["sketches"] = sketches_of(4);
    b.points[0].result->results["sketches"].at(0)["rows"] = 3;
    EXPECT_THAT(document_of(compare_reports(a, b, {})).text(),
                HasSubstr("not comparable: A's has 2 x 1 numbers, B's 3 x 1"));
}

TEST(Compare, SaysWhyNothingCouldBePaired)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4)});
    const report::Report b = report_of_points({point_of("v4", 8, 5), point_of("v5e", 8, 3)});
    EXPECT_THAT(why_no_pair(a, b, {}), HasSubstr("'v3' (cores 8); B's: 'v4'"));
    EXPECT_THAT(why_no_pair(a, b, {CompareBy::dollars, {}}),
                HasSubstr("no point of A has a price"));
    EXPECT_THROW(compare_reports(a, b, {CompareBy::sweep, {{"v3", "v6"}}}), InputError);
}

std::string told(const Comparison& comparison, const Gate& gate)
{
    Document document;
    tell_gate(document, comparison, gate);
    return document.text();
}

/// Held against each other by --fail-above `words`.
Gate gate_of(const report::Report& a, const report::Report& b, const std::string& words)
{
    return judge(compare_reports(a, b, {}), a, b, {gate_limit(words)});
}

TEST(CompareGate, FailsWhereAPointIsSlowerThanAllowed)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4), point_of("v3", 16, 2)});
    const report::Report b = report_of_points({point_of("v3", 8, 4.1), point_of("v3", 16, 2.2)});
    const Comparison comparison = compare_reports(a, b, {});
    const Gate gate = gate_of(a, b, "5%");
    EXPECT_FALSE(gate.passed);
    ASSERT_EQ(gate.exceeding.size(), 1u);
    EXPECT_EQ(gate.exceeding[0].pair, 1u);
    EXPECT_THAT(told(comparison, gate),
                HasSubstr("'v3', cores 16: epoch_seconds is 2.2 in B, 2 in A: 10 % more"));
    EXPECT_TRUE(gate_of(a, b, "10.1%").passed);
    EXPECT_TRUE(gate_of(b, a, "0%").passed) << "faster is no failure";
}

TEST(CompareGate, FailsWhereBLacksAPointAndPassesWhereItHasMore)
{
    const report::Report more = report_of_points({point_of("v3", 8, 4), point_of("v3", 16, 2)});
    report::Report less = report_of_points({point_of("v3", 8, 4)});
    const Comparison lost = compare_reports(more, less, {});
    EXPECT_FALSE(gate_of(more, less, "5%").passed);
    EXPECT_THAT(told(lost, gate_of(more, less, "5%")),
                HasSubstr("not in B: 'v3', cores 16: no such point"));
    const Comparison gained = compare_reports(less, more, {});
    EXPECT_TRUE(gate_of(less, more, "5%").passed);
    ASSERT_EQ(gained.only_b.size(), 1u);
    report::Report failed = more;
    failed.points[1].result.reset();
    failed.points[1].error = "killed";
    EXPECT_EQ(compare_reports(more, failed, {}).only_a.at(0).why, "it failed: killed");
}

TEST(CompareGate, FailsWhereNoPointOfBFitsAndSaysHowMuchIsTooMuch)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4)});
    report::Report b = a;
    b.points[0].result.reset();
    b.points[0].fits = false;
    b.points[0].memory = report::PointMemory{};
    b.points[0].memory->bytes_per_core = 20'700'000'000;
    b.points[0].memory->capacity_bytes = 16'900'000'000;
    const Gate gate = gate_of(a, b, "5%");
    EXPECT_FALSE(gate.passed);
    EXPECT_TRUE(has_common_series(a, b, {}));
    EXPECT_THAT(told(compare_reports(a, b, {}), gate),
                HasSubstr("not in B: 'v3', cores 8: it does not fit (20.7 of 16.9 GB)"));
    EXPECT_THAT(why_no_pair(a, b, {}), Not(HasSubstr("--series")));
}

TEST(CompareGate, RefusesWhatCannotBeCompared)
{
    const report::Report a = report_of_points({point_of("v3", 8, 4)});
    for (const auto& change : {+[](report::Point& point) { point.result->fidelity = "analytic"; },
                               +[](report::Point& point) { point.result->interval = "step"; },
                               +[](report::Point& point) {
                                   point.left_out = report::LeftOut{0.25, "a quarter"};
                               }}) {
        report::Report b = a;
        change(b.points[0]);
        EXPECT_THROW(gate_of(a, b, "100%"), InputError);
    }
    for (const char* words : {"5", "0.05", "-1%", "%", "5 %x", "nan%", "", "=5%", "chips=5"}) {
        EXPECT_THROW(gate_limit(words), InputError) << words;
    }
    EXPECT_DOUBLE_EQ(gate_limit("2.5%").fail_above, 0.025);
    EXPECT_THROW(gate_limit("throughput.mfu=5%"), InputError) << "it would pass what falls";
    EXPECT_THROW(gate_limit("last_quality.recall_at_20=1%"), InputError);
    EXPECT_EQ(gate_limit("last_quality.objective=1%").column, "last_quality.objective");
}

TEST(CompareGate, JudgesAnyNumberOfPointsCsv)
{
    report::Report a = report_of_points({point_of("v3", 8, 4)});
    report::Report b = a;
    a.points[0].memory = report::PointMemory{};
    a.points[0].memory->bytes_per_core = 1000;
    b.points[0].memory = a.points[0].memory;
    b.points[0].memory->bytes_per_core = 1030;
    const Gate gate = gate_of(a, b, "memory.bytes_per_core=2%");
    ASSERT_EQ(gate.exceeding.size(), 1u);
    EXPECT_EQ(gate.exceeding[0].column, "memory.bytes_per_core");
    EXPECT_NEAR(gate.exceeding[0].above, 0.03, 1e-12);
    EXPECT_TRUE(gate_of(a, b, "memory.bytes_per_core=3%").passed);
    EXPECT_TRUE(gate_of(a, b, "0%").passed) << "takes as long";
    for (const char* column : {"memory.bytes_per_cor=1%", "machine.chip=1%"}) {
        EXPECT_THROW(gate_of(a, b, column), InputError) << column;
    }
}

/// A band that is wide says nothing to the gate, and the words say so.
TEST(CompareGate, SaysThatItJudgesCentralValuesAlone)
{
    report::Report a = report_of_points({point_of("v3", 8, 4)});
    report::Report b = report_of_points({point_of("v3", 8, 4.1)});
    a.points[0].result->high_seconds = 9;
    b.points[0].result->high_seconds = 90;
    const Comparison comparison = compare_reports(a, b, {});
    for (const char* limit : {"1%", "5%"}) {
        EXPECT_THAT(told(comparison, gate_of(a, b, limit)), HasSubstr("central values alone"));
    }
    EXPECT_TRUE(gate_of(a, b, "5%").passed);
}

} // namespace
} // namespace alxsim::experiments
