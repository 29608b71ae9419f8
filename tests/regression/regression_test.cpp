// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>

/// A workload that the program does not know, registered by one line, gets all that the others
/// have.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

Json study(const Json& extra = Json::object())
{
    Json study = Json::parse(R"({
        "study": "regression",
        "machine": {"chip": "tpu_v3", "cores": 8},
        "workload": {"regression": {"rows": 4096, "features": 64, "steps": 12}}})");
    study.merge_patch(extra);
    return study;
}

Json report_of(const Json& study)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return load_json(folder.path("out/report.json"));
}

Json point_of(const Json& study)
{
    return report_of(study).at("points").at(0);
}

std::vector<double> losses_of(const Json& point)
{
    std::vector<double> losses;
    for (const Json& step : point.at("quality")) {
        losses.push_back(step.at("loss"));
    }
    return losses;
}

TEST(Regression, LearnsAndItsLossDoesNotDependOnTheMachineOrItsFidelity)
{
    const Json point = point_of(study());
    const std::vector<double> losses = losses_of(point);
    ASSERT_EQ(losses.size(), 12U);
    EXPECT_LT(losses.back(), 0.9 * losses.front());
    EXPECT_NEAR(point.at("quality").back().at("simulated_seconds").get<double>(),
                12 * point.at("epoch_seconds").get<double>(), 12 * 0.5e-12)
        << "the mean of an epoch is rounded to a picosecond";
    for (const char* fidelity : {"detailed", "analytic"}) {
        EXPECT_EQ(losses_of(point_of(study({{"fidelity", fidelity}}))), losses) << fidelity;
    }
    const std::vector<double> elsewhere =
        losses_of(point_of(study({{"machine", {{"chip", "tpu_v5e"}, {"cores", 4}}}})));
    for (std::size_t step = 0; step < losses.size(); ++step) {
        EXPECT_NEAR(elsewhere[step], losses[step], 1e-12); // sums of other shards
    }
}

TEST(Regression, HasResultsOfItsOwnInReportAndTable)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study().dump()), "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json results = load_json(folder.path("out/report.json")).at("points").at(0).at("results");
    EXPECT_EQ(results.at("weights").size(), 64U);
    EXPECT_TRUE(results.at("norm").is_number());
    EXPECT_NE(read_file(folder.path("out/points.csv")).find("results.norm"), std::string::npos);
    const Outcome again =
        run_program({"report", folder.path("out/report.json"), "--columns", "results.norm"});
    EXPECT_EQ(again.exit_code, 0) << again.errors;
}

TEST(Regression, TakesTheTimeOfItsClosedFormsInSystemC)
{
    const double detailed = point_of(study({{"fidelity", "detailed"}})).at("epoch_seconds");
    const double analytic = point_of(study({{"fidelity", "analytic"}})).at("epoch_seconds");
    EXPECT_NEAR(detailed / analytic, 1, 0.02);
}

TEST(Regression, IsSampledWithoutNumbersAndHasABandInWhichItsOwnUnknownCounts)
{
    const Json point = point_of(study({{"numerics", false}}));
    EXPECT_EQ(point.at("fidelity"), "sampled");
    EXPECT_TRUE(point.contains("confidence"));
    EXPECT_LT(point.at("epoch_seconds_low"), point.at("epoch_seconds"));
    EXPECT_THAT(point.at("uncertainty").at("ranking").dump(), HasSubstr("rows of data"));
    EXPECT_EQ(point.at("phases").size(), 3U) << point.at("phases"); // dispatch, gradient, reduction
}

TEST(Regression, IsCheckedWithItsOwnPhasesAndExplainedWithItsOwnAlternatives)
{
    const TemporaryFolder folder;
    const Json swept = study(Json::parse(R"({"numerics": false, "fidelity": "analytic",
        "workload": {"regression": {"rows": 4194304}},
        "sweep": {"/machine/cores": [8, 32, 128]},
        "hypotheses": [{"name": "h", "claim": "c", "series": "regression",
                        "value": "phases.reduction", "is": ">", "than": 0}]})"));
    const std::string path = folder.write("s.json", swept.dump());
    const std::string out = folder.path("out");
    ASSERT_EQ(run_program({"run", path, "-o", out, "--quiet"}).exit_code, 0);
    const Outcome explained = run_program({"explain", out + "/report.json"});
    EXPECT_EQ(explained.exit_code, 0) << explained.errors;
    EXPECT_THAT(explained.output, HasSubstr("dtype bf16"));
    EXPECT_THAT(explained.output, HasSubstr("reduction"));
    const Outcome wrong =
        run_program({"check", path, "--set", "/hypotheses/0/value=phases.gradients"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("did you mean 'gradient'"));
}

TEST(Regression, IsAdvisedOnWhatItLeavesOpen)
{
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "s.json", study({{"workload", {{"regression", {{"rows", 16777216}}}}}}).dump());
    const Outcome outcome = run_program({"advise", path, "--json", "--budget", "5", "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json best = Json::parse(outcome.output).at("plans").at(0);
    EXPECT_THAT(best.at("changes").dump(), HasSubstr("dtype bf16"));
    EXPECT_THAT(best.at("why").get<std::string>(), HasSubstr("half the bytes of data"));
}

TEST(Regression, TakesAStatementOnItsTime)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("s.json", study({{"numerics", false}}).dump());
    const double seconds = point_of(study({{"fidelity", "analytic"}})).at("epoch_seconds");
    const Json statements{
        {"statements",
         {{{"name", "time"}, {"run", "mine"}, {"value", seconds}, {"tolerance", 0.1}}}}};
    const Outcome outcome =
        run_program({"infer", path, folder.write("measured.json", statements.dump()), "-o",
                     folder.path("inferred.json"), "--draws", "2000"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(read_file(folder.path("inferred.json")), HasSubstr("rows of data"));
}

TEST(Regression, ComesToTheSameBitsAfterAnyNumberOfKills)
{
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "s.json", study({{"fidelity", "analytic"},
                         {"workload", {{"regression", {{"rows", 65536}, {"steps", 40}}}}}})
                      .dump());
    ASSERT_EQ(run_program({"run", path, "-o", folder.path("unbroken")}).exit_code, 0);
    int kills = 0;
    std::chrono::duration<double> life{0.1}; // ever longer, however slow the host is
    for (bool finished = false; !finished; life *= 1.3) {
        const pid_t child = start_program({"run", path, "-o", folder.path("killed"), "--resume"});
        const auto end = std::chrono::steady_clock::now() + life;
        while (!finished && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            finished = waitpid(child, nullptr, WNOHANG) == child;
        }
        if (!finished) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            ASSERT_LT(++kills, 40);
        }
    }
    EXPECT_GT(kills, 1) << "too fast to be killed: give it more steps";
    Json unbroken = load_json(folder.path("unbroken/report.json"));
    Json killed = load_json(folder.path("killed/report.json"));
    unbroken.erase("host");
    killed.erase("host");
    EXPECT_EQ(killed, unbroken);
}

TEST(Regression, IsNamedWhereAStudyNamesTwoKindsOrNone)
{
    const TemporaryFolder folder;
    const Outcome two = run_program(
        {"check",
         folder.write("two.json", study({{"workload", {{"op_graph", "graph.json"}}}}).dump())});
    EXPECT_EQ(two.exit_code, 2);
    EXPECT_THAT(two.errors, HasSubstr("op_graph"));
    EXPECT_THAT(two.errors, HasSubstr("regression"));
    EXPECT_THAT(run_program({"check", "--schema"}).output, HasSubstr("\"regression\""));
}

} // namespace
} // namespace alxsim::testing
