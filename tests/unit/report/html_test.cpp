// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "base/inputs/sha256.h"
#include "fake_report.h"
#include "report/page/page_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace alxsim::report {
namespace {

std::string page_of(const std::string& name)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0), fake_point(32, 3.0)});
    parts.study["study"] = name;
    return html_page(make_report(parts));
}

std::size_t count(const std::string& text, const std::string& word)
{
    std::size_t times = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++times;
    }
    return times;
}

TEST(Html, RefersToNothingOutside)
{
    const std::string page = page_of("a study");
    const std::regex reference(
        R"((src|href|action|data|srcset)\s*=\s*["']|url\s*\(|@import|importScripts|new Worker)");
    EXPECT_FALSE(std::regex_search(page, reference));
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos)
        << "and a browser would refuse it";
}

TEST(Html, LetsABrowserRunItsOwnScriptsAlone)
{
    const std::string page = page_of("a study");
    const std::size_t begin = page.find("script-src ");
    const std::string allowed = page.substr(begin, page.find(';', begin) - begin);
    EXPECT_EQ(allowed.find("unsafe"), std::string::npos);
    std::size_t scripts = 0;
    for (std::size_t at = page.find("<script>"); at != std::string::npos;
         at = page.find("<script>", at + 1)) {
        const std::size_t text = at + std::string("<script>").size();
        const std::string script = page.substr(text, page.find("</script>", text) - text);
        EXPECT_NE(allowed.find("'sha256-" + sha256_base64(script) + "'"), std::string::npos);
        ++scripts;
    }
    EXPECT_EQ(scripts, 3U);
    EXPECT_EQ(count(allowed, "sha256-"), 3U);
}

TEST(Html, APageOfInferHoldsItsResultAndRefersToNothingOutside)
{
    const std::string page = inferred_page({{"survivors", 7}}, "what <must> be true");
    EXPECT_NE(page.find("{\"survivors\":7}"), std::string::npos);
    EXPECT_NE(page.find("what &lt;must&gt; be true"), std::string::npos);
    const std::regex reference(R"((src|href)\s*=\s*["']|url\s*\(|@import)");
    EXPECT_FALSE(std::regex_search(page, reference));
}

TEST(Html, HoldsTheReport)
{
    const std::string page = page_of("a study");
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos);
    const std::size_t end = page.find("</script>", at);
    const Json report = Json::parse(page.substr(at + begin.size(), end - at - begin.size()));
    EXPECT_EQ(report.at("points").size(), 2u);
    EXPECT_FALSE(report.contains("details_left_out"));
}

Json report_of_points(int points)
{
    std::vector<Point> all;
    for (int i = 0; i < points; ++i) {
        all.push_back(with_exchange(1 + i));
        all.back().result->drawn.emplace().seconds = {1.0, 2.0};
    }
    return to_json(make_report(fake_parts(std::move(all))));
}

TEST(Html, LeavesOutTheDrawsWhichItDoesNotShow)
{
    const Json data = Json::parse(page_data(report_of_points(3)));
    for (const Json& point : data.at("points")) {
        EXPECT_FALSE(point.contains("drawn"));
        EXPECT_TRUE(point.contains("traffic"));
    }
}

TEST(Html, OfALargeReportKeepsTheDetailsOfThePointsThatSeriesName)
{
    const Json report = report_of_points(20);
    const Json data = Json::parse(page_data(report, 1000));
    const Json& series = report.at("series").at(0);
    std::vector<Json> points;
    for_each_point(data.at("points"), "page",
                   [&](Json point) { points.push_back(std::move(point)); });
    ASSERT_EQ(points.size(), 20U);
    for (const auto& [number, point] : data.at("detailed_points").items()) {
        points.at(std::stoul(number)) = point;
    }
    std::size_t with_details = 0;
    for (std::size_t i = 0; i < 20; ++i) {
        const Json& point = points.at(i);
        EXPECT_EQ(point.at("epoch_seconds"), report.at("points").at(i).at("epoch_seconds"));
        with_details += point.contains("traffic") ? 1 : 0;
    }
    EXPECT_EQ(data.at("details_left_out"), 20 - with_details);
    EXPECT_GE(with_details, 2u);
    EXPECT_LE(with_details, 5u);
    EXPECT_TRUE(points.at(series.at("fastest").get<std::size_t>()).contains("traffic"));
    EXPECT_TRUE(points.at(19).contains("traffic"));
}

TEST(Html, HoldsTheGlossaryWhole)
{
    std::ifstream file(std::string(ALXSIM_SOURCE_DIR) + "/docs/glossary.md");
    std::stringstream glossary;
    glossary << file.rdbuf();
    ASSERT_FALSE(glossary.str().empty());
    for (const std::string& page : {page_of("a study"), inferred_page({{"survivors", 7}}, "x")}) {
        EXPECT_NE(page.find(">" + glossary.str() + "</script>"), std::string::npos);
    }
}

TEST(Html, DrawsTheMetricsOfAnyWorkload)
{
    for (const char* script :
         {"machine_words.js", "points.js", "charts.js", "colours.js", "phases.js", "metrics.js",
          "results.js", "quantities.js", "input_and_bill.js", "axes.js", "heat.js", "details.js",
          "series.js", "gantt.js", "contents.js", "claims.js", "notes.js", "answer.js",
          "page.js"}) {
        std::ifstream file(std::string(ALXSIM_SOURCE_DIR) + "/report/page/" + script);
        std::stringstream text;
        text << file.rdbuf();
        ASSERT_FALSE(text.str().empty());
        for (const char* of_one_workload : {"recall", "objective", "popularity", "an epoch"}) {
            EXPECT_EQ(text.str().find(of_one_workload), std::string::npos)
                << script << " names " << of_one_workload;
        }
        EXPECT_NE(page_of("a study").find(text.str()), std::string::npos);
    }
}

TEST(Html, ScriptEndsInNamesAreHarmless)
{
    const std::size_t ends = count(page_of("a study"), "</script");
    const std::string page = page_of("</script><!-- {{data}} & <b>");
    EXPECT_EQ(count(page, "</script"), ends);
    EXPECT_NE(page.find("\\u003c/script>\\u003c!-- {{data}} & \\u003cb>"), std::string::npos);
    EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;!-- {{data}} &amp; &lt;b&gt;"),
              std::string::npos);
}

} // namespace
} // namespace alxsim::report
