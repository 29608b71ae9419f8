// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report_fields.h"

#include <gtest/gtest.h>

#include <functional>

namespace alxsim::report {
namespace {

/// Written by this program when the schema's version was 1.
std::string path_of_version_1()
{
    return std::string(ALXSIM_SOURCE_DIR) + "/tests/unit/report/data/report_of_version_1.json";
}

/// The same with what this program writes and that one did not: nothing was measured of it.
Json with_newer_fields(Json report)
{
    for (Json& point : report.at("points")) {
        if (point.contains("idle_seconds")) {
            point["waiting_seconds"] = 0.0;
        }
        if (point.contains("uncertainty")) {
            for (Json& input : point.at("uncertainty").at("ranking")) {
                input["share_of_band"] = 0.0;
            }
        }
        for (const auto& [former, now] : {std::pair("low", "p05"), std::pair("high", "p95")}) {
            if (point.contains("epoch_seconds_" + std::string(former))) {
                point["epoch_seconds_" + std::string(now)] =
                    point.at("epoch_seconds_" + std::string(former));
            }
        }
        if (point.contains("quality") && !point.at("quality").empty()) {
            point["last_quality"] = Json(point.at("quality").back());
        }
    }
    return report;
}

TEST(AReportOfAnEarlierVersion, IsReadWithoutLosingAField)
{
    const Json written = load_json(path_of_version_1());
    // Compared without the order, which has the new ones between the others.
    const nlohmann::json read = to_json(report_of(written, "report.json"));
    EXPECT_EQ(read, nlohmann::json(with_newer_fields(written)));
}

TEST(AReportOfAnEarlierVersion, HasItsPointsAsTypes)
{
    const Report report = load_report(path_of_version_1());
    EXPECT_EQ(report.version, 1);
    EXPECT_EQ(report.seed(), 1u) << "a default that it does not spell out";
    ASSERT_EQ(report.points.size(), 5u);
    const Point& trained = report.points.at(0);
    EXPECT_EQ(trained.machine.cores, 2);
    ASSERT_TRUE(trained.result);
    double phases = 0;
    for (const auto& [phase, seconds] : trained.result->epoch.phases) {
        phases += seconds;
    }
    EXPECT_NEAR(phases, trained.seconds(), 1e-12 * trained.seconds());
    EXPECT_GT(trained.result->quality->back().metric("recall_at_20"), 0.0);
    EXPECT_EQ(trained.result->drawn->seconds.size(), 256u);
    EXPECT_FALSE(report.points.at(3).fits);
    EXPECT_FALSE(report.points.at(3).result);
    EXPECT_EQ(report.points.at(4).machine.faults, 1);
    EXPECT_EQ(report.series.at(0).sweet_spot->gains.size(), 2u);
    EXPECT_EQ(report.search->best_candidate().values.size(), 1u);
}

TEST(AReportOfAnEarlierVersion, BecomesAPageAndATable)
{
    const Report report = load_report(path_of_version_1());
    EXPECT_NE(html_page(report).find("of version 1"), std::string::npos);
    EXPECT_NE(points_csv(report).find("phases.solve"), std::string::npos);
}

std::string complaint_after(const std::function<void(Json&)>& damage)
{
    Json json = load_json(path_of_version_1());
    damage(json);
    try {
        report_of(json, "r.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ReadingAReport, RefusesAnIndexWithoutItsPoint)
{
    EXPECT_EQ(complaint_after([](Json& json) { json["series"][0]["fastest"] = 1000000000; }),
              "r.json: /series/0/fastest: found 1000000000; allowed: less than 5, as many as there "
              "are");
    EXPECT_NE(complaint_after([](Json& json) {
                  json["series"][1]["points"][0] = 5;
              }).find("/series/1/points/0"),
              std::string::npos);
    EXPECT_NE(complaint_after([](Json& json) { json["search"]["best"] = 2; }).find("/search/best"),
              std::string::npos);
}

TEST(ReadingAReport, ReadsOverFieldsOfALaterProgram)
{
    const Json earlier = load_json(path_of_version_1());
    Json later = earlier;
    later["mood"] = "good";
    later["points"][0]["colour"] = {{"red", 1}};
    later["points"][0]["machine"]["weight_kilograms"] = 3;
    later["points"][3]["colour"] = 1;
    later["series"][0]["sweet_spot"]["sweetness"] = 0.5;
    EXPECT_EQ(to_json(report_of(later, "later.json")), to_json(report_of(earlier, "earlier.json")));
}

TEST(ReadingAReport, RefusesAVersionThatItDoesNotKnow)
{
    EXPECT_NE(
        complaint_after([](Json& json) { json["schema_version"] = 3; }).find("/schema_version"),
        std::string::npos);
}

} // namespace
} // namespace alxsim::report
