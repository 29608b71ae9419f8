// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

/// `alxsim infer` from outside, and what takes its result.
namespace alxsim::testing {
namespace {

Json sparse_study(const Json& extra = Json::object())
{
    Json study{{"study", "sparse"},
               {"numerics", false},
               {"fidelity", "analytic"},
               {"machine", {{"chip", "tpu_v3"}, {"cores", 256}}},
               {"workload", {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"dim", 128}}}}}};
    study.merge_patch(extra);
    return study;
}

Json published(double seconds)
{
    return {{"statements",
             {{{"name", "an epoch"}, {"run", "pod"}, {"value", seconds}, {"tolerance", 0.1}}}}};
}

Outcome infer(const TemporaryFolder& folder, const Json& statements)
{
    return run_program({"infer", folder.write("study.json", sparse_study().dump()),
                        folder.write("statements.json", statements.dump()), "--draws", "400", "-o",
                        folder.path("inferred.json")});
}

double width_of(const TemporaryFolder& folder, const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"run", folder.path("study.json"), "-o", folder.path("out"),
                                       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json point = load_json(folder.path("out/report.json")).at("points").at(0);
    return point.at("epoch_seconds_high").get<double>() /
           point.at("epoch_seconds_low").get<double>();
}

TEST(Infer, GivesARunTheWorldsThatAgree)
{
    const TemporaryFolder folder;
    const Outcome outcome = infer(folder, published(1220));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("gather_row_s"), std::string::npos) << outcome.output;
    EXPECT_GT(width_of(folder, {}), 3);
    EXPECT_LT(width_of(folder, {"--given", folder.path("inferred.json")}), 1.5);
}

TEST(Infer, SaysThatNoWorldAgreesAndEndsWell)
{
    const TemporaryFolder folder;
    const Outcome outcome = infer(folder, published(100));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("No world agrees"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("gather_row_s beyond"), std::string::npos) << outcome.output;
    const Outcome given = run_program({"run", folder.path("study.json"), "-o", folder.path("out"),
                                       "--given", folder.path("inferred.json")});
    EXPECT_EQ(given.exit_code, 2);
    EXPECT_NE(given.errors.find("no world survived"), std::string::npos) << given.errors;
}

TEST(Infer, TellsWhereAStatementIsWrong)
{
    const TemporaryFolder folder;
    Json statements = published(1220);
    statements["statements"][0]["figure"] = "epoch_second";
    const Outcome misspelt = infer(folder, statements);
    EXPECT_EQ(misspelt.exit_code, 2);
    EXPECT_NE(misspelt.errors.find("/statements/0/figure: found 'epoch_second'; did you mean "
                                   "'epoch_seconds'?"),
              std::string::npos)
        << misspelt.errors;
    statements = published(1220);
    statements["statements"][0]["at"] = {{"machine", {{"core", 8}}}};
    const Outcome unknown = infer(folder, statements);
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.errors.find("/statements/0/at"), std::string::npos) << unknown.errors;
}

TEST(Compare, HasTheBandOfARatioFromDrawsThatAreTheSameWorlds)
{
    const TemporaryFolder folder;
    folder.write("study.json", sparse_study().dump());
    width_of(folder, {});
    const std::string first = folder.write("a.json", read_file(folder.path("out/report.json")));
    width_of(folder, {"--set", "/machine/overrides/collective_launch_s=2e-6"});
    const Outcome outcome = run_program({"compare", first, folder.path("out/report.json")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("in 90 % of the draws"), std::string::npos) << outcome.output;
    // Bands of 1.0 to 5.7 thousand seconds; that of the ratio is narrow.
    EXPECT_NE(outcome.output.find("0.98"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(" to 0.99"), std::string::npos) << outcome.output;
}

} // namespace
} // namespace alxsim::testing
