// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/pictures.h"

#include "base/input_error.h"
#include "fake_report.h"
#include "report/csv.h"
#include "report/pictures/labels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

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

/// Sweeps `pointer` in place of the cores.
Point swept(const std::string& pointer, const Json& value, double seconds)
{
    Point point = fake_point(8, {{"gather", seconds / 2}, {"solve", seconds / 2}});
    point.sweep = {};
    point.sweep.set(pointer, value);
    return point;
}

TEST(ScalingPicture, IsAgainstAnySweptNumber)
{
    const std::string svg =
        scaling_picture(report_with({swept("/workload/transformer/microbatches", 1, 4.0),
                                     swept("/workload/transformer/microbatches", 4, 2.0),
                                     swept("/workload/transformer/microbatches", 16, 3.0)}),
                        {});
    EXPECT_EQ(found(svg, R"re(<circle cx="([0-9.]+)")re"),
              (std::vector<std::string>{"100.0", "400.0", "700.0"}));
    EXPECT_NE(svg.find(">microbatches<"), std::string::npos);
    EXPECT_EQ(svg.find("stroke-dasharray"), std::string::npos) << "cores alone scale perfectly";
}

TEST(ScalingPicture, HasALineForEachOtherSweptValue)
{
    std::vector<Point> points;
    for (const int batch : {8, 32}) {
        for (const int cores : {1, 4}) {
            points.push_back(fake_point(cores, 8.0 / cores + batch));
            points.back().sweep.set("/workload/transformer/batch", batch);
        }
    }
    const std::string svg = scaling_picture(report_with(points), {});
    EXPECT_NE(svg.find(">base, batch 8<"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">base, batch 32<"), std::string::npos) << svg;
}

/// Two points of each batch, with a band.
Report banded(const std::vector<int>& batches)
{
    std::vector<Point> points;
    for (const int batch : batches) {
        for (const int cores : {1, 4}) {
            points.push_back(fake_point(cores, 8.0 / cores + batch));
            points.back().sweep.set("/workload/transformer/batch", batch);
            points.back().result->low_seconds = points.back().seconds() / 2;
            points.back().result->high_seconds = points.back().seconds() * 2;
        }
    }
    return report_with(points);
}

TEST(ScalingPicture, ShadesTheBandOfOneCurveAndDrawsThoseOfSeveralBesideEachOther)
{
    const std::string one = scaling_picture(banded({8}), {});
    EXPECT_NE(one.find("<polygon"), std::string::npos);
    EXPECT_NE(one.find(">shaded: 90 % of the draws<"), std::string::npos);

    const std::string several = scaling_picture(banded({8, 16, 32}), {});
    EXPECT_EQ(several.find("<polygon"), std::string::npos) << "areas hide each other";
    EXPECT_NE(several.find(">lines: 90 % of the draws<"), std::string::npos);
    const std::string upright = R"re(<polyline points="([0-9.]+),[0-9.]+ \1,[0-9.]+"[^>]*"1.5")re";
    const std::vector<std::string> places = found(several, upright);
    EXPECT_EQ(places.size(), 6U) << "a range at each point";
    EXPECT_EQ(std::set<std::string>(places.begin(), places.end()).size(), places.size())
        << "none hides another";
}

TEST(ScalingPicture, NamesCurvesWhereTheyEnd)
{
    const std::string svg = scaling_picture(banded({8, 32, 16}), {});
    EXPECT_EQ(found(svg, R"re(<text x="747.0" y="([0-9.]+)")re").size(), 3U);
    const auto place_of = [&](const std::string& name) {
        return std::stod(found(svg, R"re(y="([0-9.]+)" [^>]*>)re" + name + "<").at(0));
    };
    EXPECT_LT(place_of("base, batch 32"), place_of("base, batch 16"));
    EXPECT_LT(place_of("base, batch 16"), place_of("base, batch 8"));
}

TEST(Labels, AreSpreadOutInTheirOrderWithinTheirRoom)
{
    EXPECT_EQ(spread_out({10, 50, 90}, 20, 0, 100), (std::vector<double>{10, 50, 90}));
    EXPECT_EQ(spread_out({50, 48, 49}, 20, 0, 100), (std::vector<double>{88, 48, 68}));
    EXPECT_EQ(spread_out({98, 99}, 20, 0, 100), (std::vector<double>{80, 100}));
}

TEST(ScalingPicture, RefusesASweepWithoutNumbers)
{
    const Report report = report_with({swept("/workload/alx/gather", "released", 1.0),
                                       swept("/workload/alx/gather", "all_to_all", 2.0)});
    for (const std::vector<std::string>& series : {std::vector<std::string>{}, {"base"}}) {
        try {
            scaling_picture(report, series);
            FAIL();
        } catch (const InputError& error) {
            const std::string told = error.what();
            EXPECT_NE(told.find("is swept over words: no curve; --picture resources draws bars"),
                      std::string::npos)
                << told;
        }
    }
}

TEST(ScalingPicture, IsAgainstFactorsOfAnOverride)
{
    const std::string bandwidth = "/machine/overrides/ici_link_bw_oneway";
    const std::string svg =
        scaling_picture(report_with({swept(bandwidth, "x4", 1.0), swept(bandwidth, "x0.25", 4.0),
                                     swept(bandwidth, "x1", 2.0)}),
                        {});
    EXPECT_EQ(found(svg, R"re(<circle cx="([0-9.]+)")re"),
              (std::vector<std::string>{"100.0", "400.0", "700.0"}));
    EXPECT_NE(svg.find(">x0.25<"), std::string::npos) << svg;
    EXPECT_THROW(scaling_picture(
                     report_with({swept(bandwidth, "x4", 1.0), swept(bandwidth, 4e10, 2.0)}), {}),
                 InputError)
        << "a factor and a value are not along one axis";
}

/// Eight cores and sixteen, with twice the work.
TEST(ScalingPicture, DrawsTheTimeThatStaysWhereTheWorkGrowsWithTheCores)
{
    std::vector<Point> points{fake_point(8, 8.0), fake_point(16, 10.0)};
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].sweep.set("/workload/transformer/batch", 8 << i);
        points[i].result->throughput = Throughput{};
        points[i].result->throughput->useful_operations = 1e12 * (1 << i);
    }
    const std::string svg = scaling_picture(report_with(points), {});
    EXPECT_NE(svg.find(">dashed: time that stays<"), std::string::npos) << svg;
    const std::string dashed = R"re(<polyline points="[0-9.]+,([0-9.]+) [0-9.]+,\1"[^>]*dash)re";
    EXPECT_EQ(found(svg, dashed).size(), 1U) << "a flat line: " << svg;
}

TEST(ScalingPicture, NamesTheSecondsAtBothEndsOfItsAxis)
{
    const std::string svg = scaling_picture(
        report_with({fake_point(1, 3.1), fake_point(4, 0.9), fake_point(16, 0.022)}), {});
    EXPECT_EQ(found(svg, R"re(y="465.0" [^>]*text-anchor="end"[^>]*>([^<]*)<)re"),
              std::vector<std::string>{"20 ms"});
    EXPECT_EQ(found(svg, R"re(y="95.0" [^>]*text-anchor="end"[^>]*>([^<]*)<)re"),
              std::vector<std::string>{"5 s"});
}

TEST(PartsPicture, BarsMayBeAsLongAsTheirSeconds)
{
    const Report report = report_with({fake_point(8, 4.0), fake_point(16, 1.0)});
    const std::string svg = parts_picture(report, "base", Parts::resources, Bars::seconds);
    const std::vector<std::string> heights =
        found(svg, R"re(width="210\.0" height="([1-9][0-9.]*)")re");
    EXPECT_EQ(heights, (std::vector<std::string>{"370.0", "92.5"})) << svg;
}

TEST(PartsPicture, CallsWaitingByItsNames)
{
    Point point = fake_point(8, 4.0);
    point.result->epoch.share(Share::compute) = 1.0;
    point.result->epoch.share(Share::waiting) = 3.0;
    point.result->epoch.waiting = Waiting{2.0, 0.5, 0.5};
    const std::string svg = parts_picture(report_with({point}), "base", Parts::resources);
    for (const char* const name : {">bubble<", ">straggler<", ">late peer<"}) {
        EXPECT_NE(svg.find(name), std::string::npos) << svg;
    }
    EXPECT_EQ(svg.find(">waiting<"), std::string::npos);
}

TEST(PartsPicture, TellsRowIssueFromTheBandwidthOfTheHbm)
{
    Point point = fake_point(8, 4.0);
    point.result->epoch.share(Share::compute) = 1.0;
    point.result->epoch.share(Share::hbm) = 3.0;
    point.result->epoch.row_issue = 2.0;
    const std::string svg = parts_picture(report_with({point}), "base", Parts::resources);
    EXPECT_EQ(found(svg, R"re(height="([0-9.]+)" fill="#009e73")re").front(), "185.0")
        << "half of the bar: " << svg;
    EXPECT_NE(svg.find(">row issue<"), std::string::npos);
    EXPECT_NE(svg.find(">HBM bandwidth<"), std::string::npos);
}

TEST(PartsPicture, KeepsWhatIsWaitedForHoweverLittle)
{
    Point point = fake_point(8, 1000.0);
    point.result->epoch.share(Share::compute) = 990.0;
    point.result->epoch.share(Share::idle) = 9.0;
    point.result->epoch.share(Share::waiting) = 1.0;
    point.result->epoch.waiting = Waiting{0.0, 1.0, 0.0};
    const std::string svg = parts_picture(report_with({point}), "base", Parts::resources);
    EXPECT_NE(svg.find(">straggler<"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">other<"), std::string::npos) << "the others that are small";
    EXPECT_EQ(svg.find(">bubble<"), std::string::npos) << "there is none";
}

TEST(PartsPicture, WritesTotalsOnBarsThatAreAsLongAsTheirSeconds)
{
    const Report report = report_with({fake_point(8, 4.0), fake_point(16, 1.0)});
    const std::string svg = parts_picture(report, "base", Parts::resources, Bars::seconds);
    // The plot ends at 460; the shorter bar is 92.5 high.
    EXPECT_NE(svg.find(R"re(y="82.0" font-size="16.0" text-anchor="middle" fill="#222222">4 s<)re"),
              std::string::npos)
        << svg;
    EXPECT_NE(
        svg.find(R"re(y="359.5" font-size="16.0" text-anchor="middle" fill="#222222">1 s<)re"),
        std::string::npos)
        << svg;
}

TEST(Pictures, WriteNamesAndNumbersLargeEnoughForASlide)
{
    const std::regex small(R"re(<text [^>]*font-size="(?:[0-9]|1[0-5])\.[0-9]"[^>]*>([^<]*)<)re");
    Report report = banded({8, 32});
    report.series[0].name = "a series whose name has many words";
    for (const std::string& svg :
         {scaling_picture(report, {}),
          parts_picture(report, report.series[0].name, Parts::resources, Bars::seconds)}) {
        EXPECT_FALSE(std::regex_search(svg, small)) << svg;
    }
}

struct Box {
    std::string words;
    bool slanted = false;
    double left = 0, right = 0, top = 0, bottom = 0; ///< slanted: turned to lie flat
};

/// Returns boxes of all texts, as wide as in a usual sans-serif font.
std::vector<Box> boxes_of(const std::string& svg)
{
    const std::regex text(
        R"re(<text x="([0-9.]+)" y="([0-9.]+)" font-size="([0-9.]+)" text-anchor="(\w+)"([^>]*)>([^<]*)<)re");
    std::vector<Box> boxes;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), text); at != std::sregex_iterator();
         ++at) {
        const std::smatch& match = *at;
        Box box;
        box.words = match[6];
        box.slanted = match[5].str().find("rotate(-45") != std::string::npos;
        double x = std::stod(match[1]);
        double y = std::stod(match[2]);
        if (box.slanted) {
            const double half = std::sqrt(0.5);
            std::tie(x, y) = std::pair((x - y) * half, (x + y) * half);
        }
        const double size = std::stod(match[3]);
        const double width = 0.6 * size * static_cast<double>(box.words.size());
        const std::string anchor = match[4];
        box.left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2;
        box.right = box.left + width;
        box.top = y - 0.8 * size;
        box.bottom = y + 0.2 * size;
        boxes.push_back(box);
    }
    return boxes;
}

/// Those that lie over each other, or beyond the slide's right edge.
std::vector<std::string> overlaps(const std::string& svg)
{
    const std::vector<Box> boxes = boxes_of(svg);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Box& a = boxes[i];
        if (!a.slanted && a.right > 960) {
            found.push_back(a.words + " beyond the edge");
        }
        for (std::size_t j = i + 1; j < boxes.size(); ++j) {
            const Box& b = boxes[j];
            if (a.slanted == b.slanted && a.left < b.right && b.left < a.right &&
                a.top < b.bottom && b.top < a.bottom) {
                found.push_back(a.words + " over " + b.words);
            }
        }
    }
    return found;
}

/// Forty values that go together, as of a "zip".
Report zipped()
{
    std::vector<Point> points;
    for (int i = 0; i < 40; ++i) {
        points.push_back(swept("/workload/dataset/shape/links", 1000000 + 12345 * i, 4.0 + i));
        points.back().sweep.set("/workload/alx/gather", i % 2 == 0 ? "released" : "all_to_all");
    }
    return report_with(points, "a study with a name that is far too long for the slide that shows "
                               "it, as some people write them in a hurry");
}

Report with_many_phases()
{
    std::map<std::string, double> phases;
    for (int i = 0; i < 30; ++i) {
        phases["a_phase_with_a_long_name.number." + std::to_string(i)] = 1.0 + i;
    }
    return report_with({fake_point(8, phases), fake_point(16, phases)});
}

Report of_words()
{
    std::vector<Point> points;
    for (int i = 0; i < 12; ++i) {
        points.push_back(swept("/workload/transformer/recomputation",
                               "save_everything_but_" + std::to_string(i), 1.0 + i));
    }
    return report_with(points);
}

TEST(Pictures, HaveNoLabelOverAnother)
{
    std::vector<Point> cores;
    for (std::int64_t count = 1; count <= 65536; count *= 2) {
        cores.push_back(fake_point(count, 1000.0 / static_cast<double>(count) + 0.001));
    }
    for (const Report& report : {zipped(), with_many_phases(), of_words(), report_with(cores)}) {
        for (const Parts parts : {Parts::phases, Parts::resources}) {
            for (const Bars bars : {Bars::shares, Bars::seconds}) {
                EXPECT_EQ(overlaps(parts_picture(report, "base", parts, bars)),
                          std::vector<std::string>{});
            }
        }
    }
    EXPECT_EQ(overlaps(scaling_picture(zipped(), {})), std::vector<std::string>{});
    EXPECT_EQ(overlaps(scaling_picture(report_with(cores), {})), std::vector<std::string>{});
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
