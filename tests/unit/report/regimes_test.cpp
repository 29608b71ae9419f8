// SPDX-License-Identifier: Apache-2.0
#include "report/regimes.h"

#include "fake_report.h"
#include "report/schema/report_schema.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

/// Points of two regimes: a mesh up to 64 cores, where gather takes 1 s, and a torus, where it
/// takes 0.25 s. Solve is shared out evenly, 64 s of it.
std::vector<Point> mesh_then_torus(std::int64_t largest)
{
    std::vector<Point> points;
    for (std::int64_t cores = 8; cores <= largest; cores *= 2) {
        const bool wraps = cores > 64;
        points.push_back(fake_point(
            cores, {{"gather", wraps ? 0.25 : 1.0}, {"solve", 64.0 / static_cast<double>(cores)}}));
        points.back().machine.wrap = {wraps, wraps};
    }
    return points;
}

Json series_of(const std::vector<Point>& points)
{
    const Json report = to_json(make_report(fake_parts(points)));
    EXPECT_NO_THROW(validate_report(report, "report"));
    return report.at("series").at(0);
}

TEST(Regimes, HaveAFitEach)
{
    const Json series = series_of(mesh_then_torus(1024));
    ASSERT_EQ(series.at("regimes").size(), 2u);
    const Json& mesh = series.at("regimes").at(0);
    const Json& torus = series.at("regimes").at(1);
    EXPECT_EQ(mesh.at("cores"), Json({8, 16, 32, 64}));
    EXPECT_EQ(torus.at("cores"), Json({128, 256, 512, 1024}));
    EXPECT_EQ(torus.at("wrap"), Json({true, true}));
    EXPECT_NEAR(mesh.at("fit").at("constant").get<double>(), 1.0, 1e-9);
    EXPECT_NEAR(torus.at("fit").at("constant").get<double>(), 0.25, 1e-9);
    EXPECT_NEAR(mesh.at("fit").at("a_over_n").get<double>(), 64, 1e-7);
    EXPECT_NEAR(torus.at("fit").at("a_over_n").get<double>(), 64, 1e-7);
    EXPECT_LT(series.at("fit").at("r2"), torus.at("fit").at("r2")) << "one curve cannot be both";
}

TEST(Regimes, OfTwoPointsHaveNone)
{
    const Json series = series_of(mesh_then_torus(256));
    ASSERT_EQ(series.at("regimes").size(), 2u);
    EXPECT_TRUE(series.at("regimes").at(0).contains("fit"));
    EXPECT_FALSE(series.at("regimes").at(1).contains("fit"));
}

TEST(Regimes, AreNotKnownOfPointsThatDoNotSayHowTheyWrap)
{
    std::vector<Point> points = mesh_then_torus(1024);
    points[3].machine.wrap.reset();
    const Json series = series_of(points);
    EXPECT_FALSE(series.contains("regimes"));
    EXPECT_TRUE(series.contains("fit"));
}

TEST(Regimes, SayWhatEachTermIsMadeOf)
{
    const Json phases = series_of(mesh_then_torus(64)).at("fit").at("by_phase");
    EXPECT_EQ(phases.size(), 2u);
    EXPECT_NEAR(phases.at("gather").at("constant").get<double>(), 1.0, 1e-9);
    EXPECT_NEAR(phases.at("gather").at("a_over_n").get<double>(), 0.0, 1e-7);
    EXPECT_NEAR(phases.at("solve").at("constant").get<double>(), 0.0, 1e-9);
    EXPECT_NEAR(phases.at("solve").at("a_over_n").get<double>(), 64, 1e-7);
}

} // namespace
} // namespace alxsim::report
