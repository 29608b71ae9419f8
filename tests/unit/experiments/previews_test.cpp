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
TEST(Previews, AreThePointsOfAnAnalyticRunWithItsRankingRoundThem)
{
    const std::vector<PointSpec> web = expand(study_of(Json::parse(R"({
        "study": "web", "numerics": false, "fidelity": "analytic", "band": true,
        "machine": {"chip": "tpu_v4", "cores": 64},
        "workload": {"dataset": {"shape": {"rows": 1e8, "columns": 1e6, "links": 5e9}},
                     "alx": {"dim": 128, "gather": "all_reduce_loop"}}})"),
                                                       "study.json"));
    const report::Point run = run_point(whole_study(web.front()), {}).point;
    preview_all(web, 1, [&](const PointSpec&, const Preview& preview) {
        EXPECT_DOUBLE_EQ(preview.point.seconds(), run.seconds());
    });
    for (const report::UncertainInput& input : run.result->uncertainty->ranking) {
        const auto [least, most] = std::minmax(input.seconds_at_low, input.seconds_at_high);
        EXPECT_LE(least, run.seconds() * 1.01) << input.name;
        EXPECT_GE(most, run.seconds() * 0.99) << input.name;
    }
}

TEST(Previews, TellThePointsBeforeTheFirstThatIsRefusedAndThenThrow)
{
    std::vector<PointSpec> points = many_points();
    for (const std::size_t bad : {70U, 40U}) {
        points[bad].study.machine.cores = 7; // no slice has so many
    }
    for (const int threads : {1, 4}) {
        std::size_t told = 0;
        try {
            preview_all(points, threads, [&](const PointSpec&, const Preview&) { ++told; });
            ADD_FAILURE() << "not refused";
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("(in point 'links"), std::string::npos)
                << error.what();
        }
        EXPECT_EQ(told, 40U) << threads;
    }
}

} // namespace
} // namespace alxsim::experiments
