// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/pictures.h"

#include "base/input_error.h"
#include "fake_report.h"
#include "report/csv.h"

#include <gtest/gtest.h>

#include <regex>

namespace alxsim::report {
namespace {

Report report_with(const std::vector<Point>& points, const std::string& name = "a study")
{
    ReportParts parts = fake_parts(points);
    parts.study["study"] = name;
    return make_report(parts);
}

/// What a pattern with one group finds, in order.
std::vector<std::string> found(const std::string& text, const std::string& pattern)
{
    const std::regex regex(pattern);
    std::vector<std::string> all;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), regex);
         at != std::sregex_iterator(); ++at) {
        all.push_back((*at)[1]);
    }
    return all;
}

TEST(ScalingPicture, HasPointsWhereTheirLogarithmsSay)
{
    // Two steps of four times the cores: the second point stands in the middle of the axis.
    const std::string svg = scaling_picture(
        report_with({fake_point(1, 8.0), fake_point(4, 4.0), fake_point(16, 2.0)}), {});
    const std::vector<std::string> x = found(svg, R"re(<circle cx="([0-9.]+)")re");
    EXPECT_EQ(x, (std::vector<std::string>{"100.0", "400.0", "700.0"}));
    std::vector<double> y;
    for (const std::string& text : found(svg, R"re(<circle cx="[0-9.]+" cy="([0-9.]+)")re")) {
        y.push_back(std::stod(text));
    }
    ASSERT_EQ(y.size(), 3U);
    EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.11) << "equal ratios are equally long";
    EXPECT_LT(y[0], y[1]) << "less time stands lower";
}

TEST(ScalingPicture, DrawsPerfectScalingWhereOnlyTheCoresAreSwept)
{
    const std::vector<Point> points{fake_point(8, 8.0), fake_point(16, 4.0)};
    EXPECT_NE(scaling_picture(report_with(points), {}).find("stroke-dasharray"), std::string::npos);

    std::vector<Point> with_more_work = points;
    with_more_work[1].sweep.set("/workload/dataset/shape/links", 2e6);
    EXPECT_EQ(scaling_picture(report_with(with_more_work), {}).find("stroke-dasharray"),
              std::string::npos);
}

TEST(ScalingPicture, IsTheSameEachTimeAndHoldsNamesAsText)
{
    const Report report =
        report_with({fake_point(8, 8.0), fake_point(16, 4.0)}, "<script>&\"\x01 study");
    const std::string svg = scaling_picture(report, {});
    EXPECT_EQ(svg, scaling_picture(report, {}));
    EXPECT_NE(svg.find("&lt;script&gt;&amp;&quot;  study"), std::string::npos);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(ScalingPicture, RefusesWhatHasNoCurve)
{
    const Report one = report_with({fake_point(8, 8.0), too_large_point(4)});
    EXPECT_THROW(scaling_picture(one, {}), InputError);
    EXPECT_THROW(scaling_picture(one, {"base"}), InputError);
    EXPECT_THROW(scaling_picture(one, {"bass"}), InputError);
}

TEST(PartsPicture, BarsOfAPointAreAsHighAsItsShares)
{
    const Report report = report_with({fake_point(8, {{"gather", 3.0}, {"solve", 1.0}})});
    for (const Parts parts : {Parts::phases, Parts::resources}) {
        const std::string svg = parts_picture(report, "base", parts);
        // All but the background and the squares of the legend.
        const std::vector<std::string> heights =
            found(svg, R"re(width="420\.0" height="([0-9.]+)")re");
        ASSERT_GE(heights.size(), 2U) << svg;
        EXPECT_EQ(heights[0], parts == Parts::phases ? "277.5" : "92.5") << svg;
        EXPECT_EQ(heights[1], parts == Parts::phases ? "92.5" : "277.5") << svg;
    }
}

TEST(PartsPicture, PutsSmallPartsTogether)
{
    const std::string svg = parts_picture(
        report_with({fake_point(8, {{"gather", 0.01}, {"infeed", 0.01}, {"solve", 1.0}})}), "base",
        Parts::phases);
    EXPECT_NE(svg.find(">other<"), std::string::npos);
    EXPECT_EQ(svg.find(">gather<"), std::string::npos);
}

TEST(PointsTable, HasChosenColumnsRounded)
{
    const Report report = report_with({fake_point(8, 1.2345678), too_large_point(4)});
    EXPECT_EQ(points_table(report, {"cores", "epoch_seconds", "phases.solve"}),
              "cores  epoch_seconds  phases.solve\n"
              "    8         1.23 s        1.23 s\n"
              "    4\n");
    EXPECT_THROW(points_table(report, {"core"}), InputError);
}

} // namespace
} // namespace alxsim::report
