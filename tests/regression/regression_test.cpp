// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
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
        << "the mean of a pass is rounded to a picosecond";
    for (const char* fidelity : {"detailed", "analytic"}) {
        EXPECT_EQ(losses_of(point_of(study({{"fidelity", fidelity}}))), losses) << fidelity;
    }
}

TEST(Regression, HasTheSameLossHoweverItsRowsAreShared)
{
    const std::vector<double> here = losses_of(point_of(study()));
    for (const int cores : {1, 4}) {
        const std::vector<double> there =
            losses_of(point_of(study({{"machine", {{"chip", "tpu_v5e"}, {"cores", cores}}}})));
        ASSERT_EQ(there.size(), here.size());
        for (std::size_t step = 0; step < here.size(); ++step) {
            EXPECT_NEAR(there[step] / here[step], 1, 1e-5); // f32 sums of other shards
        }
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

/// Without what people called these once, in any case.
void expect_own_words(const std::string& text)
{
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    for (const char* field : {"epoch_seconds", "besidemetrics = [\"epoch\""}) { // names of fields
        for (std::size_t at = 0; (at = lower.find(field)) != std::string::npos;) {
            lower.erase(at, std::string(field).size());
        }
    }
    EXPECT_EQ(lower.find("epoch"), std::string::npos) << text;
    EXPECT_EQ(lower.find("recall"), std::string::npos) << text;
}

TEST(Regression, IsToldInItsOwnWords)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("s.json", study(Json::parse(R"({
        "fidelity": "analytic", "bill": {"target": {"loss": 5}},
        "workload": {"regression": {"target": 6}}, "sweep": {"/machine/cores": [2, 8, 32]}})"))
                                                        .dump());
    const std::string out = folder.path("out");
    const Outcome run = run_program({"run", path, "-o", out});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr(" s per pass"));
    EXPECT_THAT(run.output, HasSubstr("squared norm of the weights: "));
    const Json report = load_json(out + "/report.json");
    EXPECT_EQ(report.at("metrics").at("loss").at("title"), "mean squared error");
    EXPECT_EQ(report.at("series").at(0).at("target_loss"), 6);
    for (const Json& point : report.at("points")) {
        EXPECT_EQ(point.at("interval"), "pass");
        EXPECT_EQ(point.at("intervals"), "passes");
        std::size_t first = 0; // lower is better
        while (point.at("quality").at(first).at("loss") > 6) {
            ++first;
        }
        EXPECT_GT(first, 0U);
        EXPECT_EQ(point.at("seconds_to_fit"),
                  point.at("quality").at(first).at("simulated_seconds"));
        while (point.at("quality").at(first).at("loss") > 5) {
            ++first;
        }
        EXPECT_EQ(point.at("bill").at("intervals"), first + 1);
    }
    const Outcome explained = run_program({"explain", out + "/report.json"});
    EXPECT_THAT(explained.output, HasSubstr("a pass takes"));
    EXPECT_THAT(explained.output, HasSubstr(" passes takes"));
    const Outcome checked = run_program({"check", path});
    const Outcome advised =
        run_program({"advise", folder.write("a.json", study().dump()), "--budget", "3", "--quiet"});
    EXPECT_THAT(advised.output, HasSubstr("to make a pass short"));
    for (const Outcome& outcome : {run, explained, checked, advised}) {
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        expect_own_words(outcome.output);
        expect_own_words(outcome.errors);
    }
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
    EXPECT_EQ(point.at("phases").size(), 4U) << point.at("phases"); // with dispatch
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
                         {"workload", {{"regression", {{"rows", 65536}, {"steps", 400}}}}}})
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
