// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

/// Choosing parameters on validation rows, as a user does it.
namespace alxsim::testing {
namespace {

const Json grid = Json::parse(R"({"kind": "grid",
    "over": {"/workload/alx/reg": [1e-3, 10], "/workload/alx/alpha": [1e-2, 1e-1]}})");

/// A small study that can be tuned, with one point.
Json tunable(const TemporaryFolder& folder, const Json& search)
{
    return small_study(folder, {{"search", search}, {"sweep", Json::object()}});
}

Json tuned_report(const TemporaryFolder& folder, const Json& study)
{
    const Outcome outcome =
        run_program({"run", folder.write("s.json", study.dump()), "-o", folder.path("out")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(read_file(folder.path("out/report.json")));
}

TEST(Search, RunsThePointsWithTheBestCandidateOfTheGrid)
{
    const TemporaryFolder folder;
    const Json report = tuned_report(folder, tunable(folder, grid));
    const Json& search = report.at("search");
    ASSERT_EQ(search.at("candidates").size(), 4U);
    const Json& best = search.at("candidates").at(search.at("best").get<std::size_t>());
    for (const Json& candidate : search.at("candidates")) {
        EXPECT_GE(best.at("recall_at_20"), candidate.at("recall_at_20"));
    }
    EXPECT_EQ(report.at("study").at("workload").at("alx").at("reg"),
              best.at("values").at("/workload/alx/reg"));
    EXPECT_EQ(report.at("study").at("workload").at("alx").at("alpha"),
              best.at("values").at("/workload/alx/alpha"));
    EXPECT_LT(best.at("values").at("/workload/alx/reg"), 1)
        << "a regularizer of 10 drowns the data";
}

TEST(Search, ChoosesNoTablesThatAreZeros)
{
    const TemporaryFolder folder;
    const Json search{{"kind", "grid"}, {"over", {{"/workload/alx/reg", {1e20, 1e-2}}}}};
    const Json found = tuned_report(folder, tunable(folder, search)).at("search");
    EXPECT_TRUE(found.at("candidates").at(0).at("recall_at_20").is_null())
        << "they rank columns by their ids, whatever that reaches";
    EXPECT_EQ(found.at("best"), 1);
    const Json dead{{"kind", "grid"}, {"over", {{"/workload/alx/reg", {1e20, 1e21}}}}};
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", tunable(folder, dead).dump()), "-o", folder.path("dead")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr("or none that learned anything"));
}

TEST(Search, SaysThatItsBestLiesAtTheEdgeOfTheGrid)
{
    const TemporaryFolder folder;
    const auto searched = [&](const Json& regs) {
        const Json search{{"kind", "grid"}, {"over", {{"/workload/alx/reg", regs}}}};
        const Json study = tunable(folder, search);
        const Outcome outcome = run_program(
            {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        const bool told = outcome.output.find("is at the edge of the grid") != std::string::npos;
        const Json found = load_json(folder.path("out/report.json")).at("search");
        EXPECT_EQ(found.contains("at_edge"), told);
        return told;
    };
    EXPECT_TRUE(searched({1e-2, 10, 100, 1000})) << "less is better here";
    EXPECT_FALSE(searched({1e-2, 10})) << "one of two is always an end";
}

TEST(Search, ChoosesOnRowsThatTheTestRowsAreNotAmong)
{
    const TemporaryFolder folder;
    const Json study = small_study(folder, {{"sweep", Json::object()}});
    Json validation = study;
    validation["workload"]["split"]["validation"] = true;
    const Json tested = tuned_report(folder, study).at("dataset").front();
    const Json validated = tuned_report(folder, validation).at("dataset").front();
    const auto links = [](const Json& data) {
        return data.at("training_links").get<int>() + data.at("history_links").get<int>() +
               data.at("held_out_links").get<int>();
    };
    // What is validated on comes out of the training links; the test rows' are in neither.
    EXPECT_EQ(links(validated), tested.at("training_links"));
    EXPECT_GT(validated.at("test_rows"), 0);
}

TEST(Search, DrawsTheSameForTheSameSeedWithinTheGivenRange)
{
    const TemporaryFolder folder;
    const Json search = Json::parse(R"({"kind": "random", "points": 5, "maximize": "recall_at_50",
        "over": {"/workload/alx/reg": [1e-4, 1e-1]}})");
    const Json first = tuned_report(folder, tunable(folder, search)).at("search");
    const Json again = tuned_report(folder, tunable(folder, search)).at("search");
    EXPECT_EQ(first, again);
    ASSERT_EQ(first.at("candidates").size(), 5U);
    for (const Json& candidate : first.at("candidates")) {
        EXPECT_GE(candidate.at("values").at("/workload/alx/reg"), 1e-4);
        EXPECT_LE(candidate.at("values").at("/workload/alx/reg"), 1e-1);
    }
}

/// The lines of `text` that begin with `words`, without them.
std::vector<std::string> lines_after(const std::string& text, const std::string& words)
{
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(words, 0) == 0) {
            found.push_back(line.substr(words.size()));
        }
    }
    return found;
}

/// What a search of six candidates is told by while it runs and at its end.
struct ToldSearch {
    Outcome outcome;
    std::vector<std::string> best; ///< the table's lines, its heads first
};

ToldSearch told_search(const TemporaryFolder& folder, std::vector<std::string> more = {})
{
    const Json search = Json::parse(R"({"kind": "grid", "over": {
        "/workload/alx/reg": [1e-3, 1e-2, 10], "/workload/alx/alpha": [1e-2, 1e-1]}})");
    Json study = tunable(folder, search);
    study["workload"]["evaluation"]["keep_best"] = true;
    more.insert(more.begin(),
                {"run", folder.write("s.json", study.dump()), "-o", folder.path("out")});
    ToldSearch told{run_program(more), {}};
    EXPECT_EQ(told.outcome.exit_code, 0) << told.outcome.errors;
    told.best = lines_after(told.outcome.output, "  ");
    return told;
}

TEST(Search, TellsOfEachCandidateTheMetricAndTheBestSoFar)
{
    const TemporaryFolder folder;
    const std::string errors = told_search(folder).outcome.errors;
    const std::regex line("\\[(\\d)/6\\] search, reg \\S+, alpha \\S+: recall_at_20 (\\S+) "
                          "\\(best so far (\\S+)\\)\n");
    double best = 0;
    int told = 0;
    for (std::sregex_iterator one(errors.begin(), errors.end(), line), end; one != end; ++one) {
        best = std::max(best, std::stod((*one)[2]));
        EXPECT_EQ(std::stod((*one)[3]), best);
        EXPECT_EQ(std::stoi((*one)[1]), ++told);
    }
    EXPECT_EQ(told, 6) << errors;
}

TEST(Search, ListsTheFiveBestCandidatesInRunAndExplain)
{
    const TemporaryFolder folder;
    const ToldSearch told = told_search(folder);
    const auto [head, first] = std::pair(told.best.at(0), told.best.at(1));
    EXPECT_TRUE(std::regex_match(head, std::regex("recall_at_20 +reg +alpha +epoch"))) << head;
    EXPECT_EQ(lines_after(told.outcome.output, "search: best of 6 by recall_at_20").size(), 1U);

    const Json report = load_json(folder.path("out/report.json")).at("search");
    std::vector<double> reached;
    for (const Json& candidate : report.at("candidates")) {
        reached.push_back(candidate.at("recall_at_20"));
    }
    std::sort(reached.rbegin(), reached.rend());
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(std::stod(told.best.at(i + 1)), reached.at(i), 5e-4) << told.best.at(i + 1);
    }
    const std::string path = folder.path("out/report.json");
    const Outcome text = run_program({"explain", path});
    EXPECT_NE(text.output.find("by recall_at_20 on validation rows, of 6 candidates"),
              std::string::npos)
        << text.output;
    EXPECT_NE(text.output.find(first), std::string::npos) << text.output;
    const Json explained = Json::parse(run_program({"explain", path, "--json"}).output);
    EXPECT_EQ(explained.at("search").at("candidates"), 6);
    ASSERT_EQ(explained.at("search").at("best").size(), 5U);
    EXPECT_EQ(explained.at("search").at("best").at(0),
              report.at("candidates").at(report.at("best").get<std::size_t>()));
}

TEST(Search, TellsTheSameWhereItsCandidatesAreTakenOver)
{
    const TemporaryFolder folder;
    const ToldSearch first = told_search(folder, {"--shard", "1/1"});
    const ToldSearch again = told_search(folder, {"--shard", "1/1", "--resume"});
    EXPECT_EQ(first.best, again.best);
    EXPECT_NE(again.outcome.errors.find("taken over, recall_at_20"), std::string::npos)
        << again.outcome.errors;
}

TEST(Search, WithoutASplitIsRefused)
{
    const TemporaryFolder folder;
    Json study = tunable(folder, grid);
    study.at("workload").erase("split");
    const Outcome outcome =
        run_program({"run", folder.write("s.json", study.dump()), "-o", folder.path("out")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("/search"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("/workload/split"), std::string::npos) << outcome.errors;
}

} // namespace
} // namespace alxsim::testing
