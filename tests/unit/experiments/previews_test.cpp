// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/previews.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace alxsim::experiments {
namespace {

/// 2 x 100 points: some with real links, whose data they share, and some of sizes alone.
std::vector<PointSpec> many_points()
{
    std::vector<double> costs(100);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = 1e-8 * static_cast<double>(i + 1);
    }
    Json study = Json::parse(R"({
        "study": "many", "numerics": false, "fidelity": "analytic",
        "machine": {"chip": "tpu_v3", "cores": 8},
        "workload": {"dataset": {"generate": {"rows": 300, "columns": 250, "links": 4000, "locality": 0.5}},
                     "alx": {"dim": 16}},
        "series": [{"name": "links"},
                   {"name": "sizes", "set": {"/workload/dataset": {"webgraph": "in-dense"}}}]})");
    study["sweep"]["/machine/overrides/gather_row_s"] = costs;
    return expand(study_of(study, "study.json"));
}

struct Told {
    std::vector<std::string> series;
    std::vector<double> seconds;
};

Told told_of(const std::vector<PointSpec>& points, int threads)
{
    Told told;
    preview_all(points, threads, [&](const PointSpec& point, const Preview& preview) {
        told.series.push_back(point.series);
        told.seconds.push_back(preview.point.seconds());
    });
    return told;
}

TEST(Previews, AreToldInTheOrderOfThePointsAndAreTheSameForAnyThreads)
{
    const std::vector<PointSpec> points = many_points();
    ASSERT_EQ(points.size(), 200U);
    const Told alone = told_of(points, 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(alone.series[i], points[i].series);
    }
    EXPECT_GT(alone.seconds[99], alone.seconds[0]) << "a dearer gather takes longer";
    for (const int threads : {2, 5}) {
        EXPECT_EQ(told_of(points, threads).seconds, alone.seconds) << threads;
    }
}

/// On lines whose links several colours share, which closed forms of collectives do not know.
Json web_study()
{
    return Json::parse(R"({
        "study": "web", "numerics": false, "fidelity": "analytic", "band": true,
        "machine": {"chip": "tpu_v4", "cores": 64},
        "workload": {"dataset": {"shape": {"rows": 1e8, "columns": 1e6, "links": 5e9}},
                     "alx": {"dim": 128, "gather": "all_reduce_loop"}}})");
}

report::Point run_of(const Json& study)
{
    return run_point(whole_study(expand(study_of(study, "study.json")).front()), {}).point;
}

/// A job's batches are chosen for its longest column as it is taken to be: where that is another,
/// longer or shorter, they have more padding.
const std::string batches_are_chosen_for = "longest column";

TEST(Previews, AreThePointsOfAnAnalyticRunWithItsRankingRoundThem)
{
    const report::Point run = run_of(web_study());
    preview_all(expand(study_of(web_study(), "study.json")), 1,
                [&](const PointSpec&, const Preview& preview) {
                    EXPECT_DOUBLE_EQ(preview.point.seconds(), run.seconds());
                });
    constexpr double rounding = 1e-12;
    for (const report::UncertainInput& input : run.result->uncertainty->ranking) {
        const auto [least, most] = std::minmax(input.seconds_at_low, input.seconds_at_high);
        if (input.name != batches_are_chosen_for) {
            EXPECT_LE(least, run.seconds() * (1 + rounding)) << input.name;
        }
        EXPECT_GE(most, run.seconds() * (1 - rounding)) << input.name;
    }
}

/// The time at an end of the ranking is that of a run with that value and the job's own batches.
TEST(Ranking, OfTheLongestColumnIsARunWithTheSameBatches)
{
    const report::Point run = run_of(web_study());
    Json longest = web_study();
    longest["band"] = false;
    longest["workload"]["dataset"]["shape"]["longest_column"] = 31622777; // 1.5 decades up
    for (const char* batch : {"batch", "column_batch"}) {
        Json& given = longest["workload"]["alx"][batch];
        for (const char* field : {"lines", "line_length", "rows"}) {
            given[field] = run.result->geometry->at(batch).at(field);
        }
    }
    const auto& ranking = run.result->uncertainty->ranking;
    const auto found = std::find_if(ranking.begin(), ranking.end(), [](const auto& input) {
        return input.name == batches_are_chosen_for;
    });
    ASSERT_NE(found, ranking.end());
    EXPECT_GT(found->seconds_at_high, run.seconds());
    EXPECT_NEAR(found->seconds_at_high, run_of(longest).seconds(), 1e-3 * run.seconds());
}

/// No slice has so many cores.
void ask_for_seven_cores(PointSpec& point)
{
    point.study.machine.cores = 7;
}

TEST(Previews, TellRefusedPointsInTheirPlacesAndGoOn)
{
    std::vector<PointSpec> points = many_points();
    for (const std::size_t bad : {0U, 40U, 70U}) {
        ask_for_seven_cores(points[bad]);
    }
    for (const int threads : {1, 4}) {
        std::vector<std::size_t> refused;
        std::size_t told = 0;
        preview_all(points, threads, [&](const PointSpec& point, const Preview& preview) {
            EXPECT_EQ(&point, &points[told]);
            if (preview.point.error) {
                refused.push_back(told);
                EXPECT_NE(preview.point.error->find("/machine"), std::string::npos);
                EXPECT_EQ(preview.point.no_result->kind, "refused");
                EXPECT_EQ(preview.point.machine.cores, 7) << "as asked for";
            }
            ++told;
        });
        EXPECT_EQ(refused, (std::vector<std::size_t>{0, 40, 70})) << threads;
        EXPECT_EQ(told, points.size()) << threads;
    }
}

TEST(Previews, TellAllPointsAlsoWhereAllAreRefused)
{
    std::vector<PointSpec> points = many_points();
    for (PointSpec& point : points) {
        ask_for_seven_cores(point);
    }
    std::size_t told = 0;
    preview_all(points, 2, [&told](const PointSpec&, const Preview& preview) {
        EXPECT_EQ(preview.point.no_result->kind, "refused");
        EXPECT_FALSE(preview.point.fits);
        ++told;
    });
    EXPECT_EQ(told, points.size());
}

} // namespace
} // namespace alxsim::experiments
