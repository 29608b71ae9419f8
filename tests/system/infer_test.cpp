// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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
                        folder.write("statements.json", statements.dump()), "--draws", "2500", "-o",
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
    EXPECT_NE(outcome.output.find("dma_latency_s"), std::string::npos) << outcome.output;
    EXPECT_GT(width_of(folder, {}), 3);
    EXPECT_LT(width_of(folder, {"--given", folder.path("inferred.json")}), 1.5);
}

TEST(Infer, SaysThatNoWorldAgreesAndEndsWell)
{
    const TemporaryFolder folder;
    const Outcome outcome = infer(folder, published(100));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("No draw agrees"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("share of lines used [pod] beyond"), std::string::npos)
        << outcome.output;
    const Outcome given = run_program({"run", folder.path("study.json"), "-o", folder.path("out"),
                                       "--given", folder.path("inferred.json")});
    EXPECT_EQ(given.exit_code, 2);
    EXPECT_NE(given.errors.find("no draw survived"), std::string::npos) << given.errors;
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
    statements = published(1220);
    statements["statements"][0] = {{"name", "a curve"},
                                   {"run", "own"},
                                   {"at", {{"machine", true}}},
                                   {"cores", {8, 16}},
                                   {"claim", "linear_then_flat"}};
    const Outcome no_machine = infer(folder, statements);
    EXPECT_EQ(no_machine.exit_code, 2);
    EXPECT_NE(no_machine.errors.find("/statements/0/at/machine"), std::string::npos)
        << no_machine.errors;
}

TEST(Infer, RanksWhatCouldBeMeasuredForAPoint)
{
    const TemporaryFolder folder;
    const Json of_transformers{{"workload", {{"transformer", {{"batch", 8}}}}}};
    const Json candidates{{"measurements",
                           {{{"name", "a step of a transformer"}, {"at", of_transformers}},
                            {{"name", "a transfer that nothing hangs on"},
                             {"op", {{"work", "matmul"}, {"m", 1024}, {"k", 1024}, {"n", 1024}}}},
                            {{"name", "rows"},
                             {"op",
                              {{"work", "row_gather"},
                               {"rows", 1000000},
                               {"row_bytes", 256},
                               {"table_rows", 4000000}}}}}}};
    const std::vector<std::string> command{
        "infer",
        folder.write("study.json", sparse_study().dump()),
        folder.write("statements.json", Json{{"statements", Json::array()}}.dump()),
        "--draws",
        "400",
        "-o",
        folder.path("inferred.json"),
        "--html",
        folder.path("inferred.html"),
        "--measure",
        folder.write("candidates.json", candidates.dump())};
    const Outcome outcome = run_program(command);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json ranked = load_json(folder.path("inferred.json")).at("measurements");
    EXPECT_EQ(ranked.at("list").at(0).at("name"), "rows");
    EXPECT_EQ(ranked.at("left_out"), Json::array({"a step of a transformer"}));
    EXPECT_NE(outcome.output.find("of another workload: a step of a transformer"),
              std::string::npos);
    EXPECT_LT(ranked.at("list").at(0).at("expected_ratio").get<double>(),
              0.96 * ranked.at("ratio").get<double>());
    EXPECT_GT(ranked.at("list").at(1).at("expected_ratio").get<double>(),
              0.85 * ranked.at("ratio").get<double>());
    EXPECT_NE(read_file(folder.path("inferred.html")).find("a transfer that"), std::string::npos);
    std::vector<std::string> elsewhere = command;
    elsewhere.insert(elsewhere.end(), {"--point", "sparse@64"});
    const Outcome nowhere = run_program(elsewhere);
    EXPECT_EQ(nowhere.exit_code, 2);
    EXPECT_NE(nowhere.errors.find("--point: found 'sparse@64'"), std::string::npos)
        << nowhere.errors;
    EXPECT_NE(nowhere.errors.find("allowed: sparse@256"), std::string::npos) << nowhere.errors;
}

TEST(Infer, RanksAnAttentionKernelForCompiledProgramsAndSaysNothingOfNoStatements)
{
    const TemporaryFolder folder;
    const Json study{
        {"study", "step"},
        {"fidelity", "analytic"},
        {"workload",
         {{"program", {{"hlo", ALXSIM_SOURCE_DIR "/examples/jax/v5e_4x4/step.hlo.txt.gz"}}}}}};
    const Outcome outcome =
        run_program({"infer", folder.write("s.json", study.dump()),
                     folder.write("none.json", R"({"statements": []})"), "--draws", "200",
                     "--quiet", "--measure", "-o", folder.path("inferred.json")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("Statements:"), std::string::npos) << outcome.output;
    std::set<std::string> names;
    const Json inferred = load_json(folder.path("inferred.json"));
    for (const Json& one : inferred.at("measurements").at("list")) {
        names.insert(one.at("name").get<std::string>().substr(0, 19));
    }
    EXPECT_EQ(names, (std::set<std::string>{"an attention kernel", "one matmul of 4,096",
                                            "one all-gather of 6"}));
}

TEST(Infer, TakesTheMeasuredTimeOfAnOpAsAStatement)
{
    const TemporaryFolder folder;
    const Json statements{{"statements",
                           {{{"name", "my gather"},
                             {"run", "mine"},
                             {"value", 0.0146},
                             {"op",
                              {{"work", "row_gather"},
                               {"rows", 1000000},
                               {"row_bytes", 256},
                               {"table_rows", 4000000}}}}}}};
    ASSERT_EQ(infer(folder, statements).exit_code, 0);
    const Json result = load_json(folder.path("inferred.json"));
    // 14.6 ns a row: the latency of a DMA is 0.6 us (facts of the compiled gather).
    EXPECT_EQ(result.at("unknowns").at(0).at("name"), "dma_latency_s");
    EXPECT_NEAR(result.at("unknowns").at(0).at("posterior").at("p50").get<double>(), 0.6e-6,
                0.1e-6);
}

TEST(Infer, GivesAdviceAndExplanationsTheWorldsThatAgree)
{
    const TemporaryFolder folder;
    ASSERT_EQ(infer(folder, published(1220)).exit_code, 0);
    const Outcome advice =
        run_program({"advise", folder.path("study.json"), "--given", folder.path("inferred.json"),
                     "--choices", "gather", "--set", "/machine/cores=8", "--set",
                     R"(/workload/dataset={"shape":{"rows":1e6,"columns":1e6,"links":5e7}})", "-o",
                     folder.path("advice.json"), "--quiet"});
    ASSERT_EQ(advice.exit_code, 0) << advice.errors;
    double all = 0;
    const Json plans = load_json(folder.path("advice.json")).at("plans");
    for (const Json& plan : plans) {
        all += plan.at("best_in_draws").is_null() ? 0.0 : plan.at("best_in_draws").get<double>();
    }
    EXPECT_NEAR(all, 1, 1e-9);
    width_of(folder, {"--set", "/sweep={\"/machine/cores\":[64,256]}"});
    const Outcome plain = run_program({"explain", folder.path("out/report.json")});
    EXPECT_EQ(plain.output.find("of the draws that agree"), std::string::npos);
    const Outcome given = run_program(
        {"explain", folder.path("out/report.json"), "--given", folder.path("inferred.json")});
    ASSERT_EQ(given.exit_code, 0) << given.errors;
    EXPECT_NE(given.output.find("in 90 % of the draws that agree"), std::string::npos)
        << given.output;
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
    // In some worlds the hosts are what an epoch waits for, and launches change nothing.
    EXPECT_NE(outcome.output.find(" to 1.0000"), std::string::npos) << outcome.output;
}

} // namespace
} // namespace alxsim::testing
