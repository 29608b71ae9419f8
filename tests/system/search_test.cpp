// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>

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
    const Json& search = report["search"];
    ASSERT_EQ(search["candidates"].size(), 4U);
    const Json& best = search["candidates"][search["best"].get<std::size_t>()];
    for (const Json& candidate : search["candidates"]) {
        EXPECT_GE(best["recall_at_20"], candidate["recall_at_20"]);
    }
    EXPECT_EQ(report["study"]["workload"]["alx"]["reg"], best["values"]["/workload/alx/reg"]);
    EXPECT_EQ(report["study"]["workload"]["alx"]["alpha"], best["values"]["/workload/alx/alpha"]);
    EXPECT_LT(best["values"]["/workload/alx/reg"], 1) << "a regularizer of 10 drowns the data";
}

TEST(Search, ChoosesOnRowsThatTheTestRowsAreNotAmong)
{
    const TemporaryFolder folder;
    const Json study = small_study(folder, {{"sweep", Json::object()}});
    Json validation = study;
    validation["workload"]["split"]["validation"] = true;
    const Json tested = tuned_report(folder, study)["dataset"].front();
    const Json validated = tuned_report(folder, validation)["dataset"].front();
    const auto links = [](const Json& data) {
        return data["training_links"].get<int>() + data["history_links"].get<int>() +
               data["held_out_links"].get<int>();
    };
    // What is validated on comes out of the training links; the test rows' are in neither.
    EXPECT_EQ(links(validated), tested["training_links"]);
    EXPECT_GT(validated["test_rows"], 0);
}

TEST(Search, DrawsTheSameForTheSameSeedWithinTheGivenRange)
{
    const TemporaryFolder folder;
    const Json search = Json::parse(R"({"kind": "random", "points": 5, "maximize": "recall_at_50",
        "over": {"/workload/alx/reg": [1e-4, 1e-1]}})");
    const Json first = tuned_report(folder, tunable(folder, search))["search"];
    const Json again = tuned_report(folder, tunable(folder, search))["search"];
    EXPECT_EQ(first, again);
    ASSERT_EQ(first["candidates"].size(), 5U);
    for (const Json& candidate : first["candidates"]) {
        EXPECT_GE(candidate["values"]["/workload/alx/reg"], 1e-4);
        EXPECT_LE(candidate["values"]["/workload/alx/reg"], 1e-1);
    }
}

TEST(Search, WithoutASplitIsRefused)
{
    const TemporaryFolder folder;
    Json study = tunable(folder, grid);
    study["workload"].erase("split");
    const Outcome outcome =
        run_program({"run", folder.write("s.json", study.dump()), "-o", folder.path("out")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("/search"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("/workload/split"), std::string::npos) << outcome.errors;
}

} // namespace
} // namespace alxsim::testing
