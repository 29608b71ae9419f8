// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "base/sha256.h"
#include "fake_report.h"

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

TEST(Html, HoldsTheWholeReport)
{
    const std::string page = page_of("a study");
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos);
    const std::size_t end = page.find("</script>", at);
    const Json report = Json::parse(page.substr(at + begin.size(), end - at - begin.size()));
    EXPECT_EQ(report.at("points").size(), 2u);
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
    for (const char* script : {"charts.js", "metrics.js", "details.js", "series.js", "page.js"}) {
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
