// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// A report that this program wrote before the study in it had its defaults.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

const std::string earlier_report =
    std::string(ALXSIM_SOURCE_DIR) + "/tests/unit/report/data/report_of_version_1.json";

TEST(AnEarlierReport, IsExplainedWithItsStudyBuiltAgain)
{
    const Outcome outcome =
        run_program({"explain", earlier_report, "--series", "trained", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json series = Json::parse(outcome.output).at("series").at(0);
    EXPECT_FALSE(series.contains("not_rebuilt")) << series.at("not_rebuilt");
    EXPECT_EQ(series.at("cores"), Json({2, 4, 8}));
    EXPECT_FALSE(series.at("what_ifs").at("ranked").empty());
}

TEST(AnEarlierReport, IsComparedDrawByDraw)
{
    const Outcome outcome = run_program({"compare", earlier_report, earlier_report});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("4 points in both (A has 5, B 5)"));
    EXPECT_THAT(outcome.output, HasSubstr("1.0000 to 1.0000")) << "seeds are both the default";
}

TEST(AnEarlierReport, BecomesATable)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program({"report", earlier_report, "-o", folder.path("t.csv")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(read_file(folder.path("t.csv")), HasSubstr("seconds_to_recall"));
}

TEST(AReport, HasItsStudyWithDefaults)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json told = load_json(folder.path("out/report.json"));
    EXPECT_EQ(told.at("schema_version"), 2);
    EXPECT_EQ(told.at("study").at("seed"), 1);
    EXPECT_EQ(told.at("study").at("workload").at("alx").at("scatter"), "all_gather");
    const std::string again = folder.write("again.json", told.at("study").dump());
    EXPECT_EQ(run_program({"check", again}).exit_code, 0) << "it is a study of its own";
}

/// Both forms hold the same, and whoever reads one reads the other.
TEST(ACompactReport, SaysWhatTheFullOneSays)
{
    const TemporaryFolder folder;
    Json study = small_study(folder);
    study["sweep"] = {{"/machine/cores", {1, 2, 4}}};
    const std::string path = folder.write("s.json", study.dump());
    const std::string full = folder.path("full"), compact = folder.path("compact");
    ASSERT_EQ(run_program({"run", path, "-o", full, "--quiet"}).exit_code, 0);
    ASSERT_EQ(run_program({"run", path, "-o", compact, "--quiet", "--compact"}).exit_code, 0);
    EXPECT_TRUE(load_json(compact + "/report.json").at("points").contains("shapes"));
    const std::string back = folder.path("back.json");
    ASSERT_EQ(run_program({"report", compact + "/report.json", "-o", back}).exit_code, 0);
    Json a = load_json(full + "/report.json"), b = load_json(back);
    a.erase("host");
    b.erase("host");
    EXPECT_EQ(a.dump(), b.dump());
    EXPECT_EQ(read_file(full + "/points.csv"), read_file(compact + "/points.csv"));
    for (const char* const command : {"explain", "compare"}) {
        const auto said = [&](const std::string& report) {
            std::vector<std::string> arguments{command, report};
            if (std::string(command) == "compare") {
                arguments.push_back(full + "/report.json");
            }
            const Outcome outcome = run_program(arguments);
            EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
            return outcome.output;
        };
        EXPECT_EQ(said(full + "/report.json"), said(compact + "/report.json"));
    }
    EXPECT_EQ(run_program({"report", back, "-o", folder.path("t.csv"), "--compact"}).exit_code, 2);
}

} // namespace
} // namespace alxsim::testing
