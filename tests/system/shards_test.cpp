// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <filesystem>

/// A study's points on several hosts: run --shard, merge.
namespace alxsim::testing {
namespace {

/// Two series, one of them with numbers.
Json two_series(const TemporaryFolder& folder)
{
    return small_study(folder, Json::parse(R"({
        "sweep": null,
        "series": [
            {"name": "trained", "sweep": {"/machine/cores": [1, 2, 4]}},
            {"name": "timed", "set": {"/numerics": false, "/fidelity": "analytic"},
             "sweep": {"/machine/cores": [1, 2, 4, 8], "/workload/alx/dim": [8, 16]}}],
        "hypotheses": [{"name": "h", "claim": "c", "series": "timed", "value": "epoch_seconds",
                        "is": ">", "than": 0}]})"));
}

class Shards : public ::testing::Test {
protected:
    std::string out(const std::string& name) const { return folder_.path(name); }

    Outcome run_shard(const std::string& shard, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> arguments{
            "run", study_, "-o", out("of" + shard.substr(0, 1)), "--quiet", "--shard", shard};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    }

    Outcome merge(const std::vector<std::string>& names) const
    {
        std::vector<std::string> arguments{"merge", "--quiet", "-o", out("merged")};
        for (const std::string& name : names) {
            arguments.push_back(out(name));
        }
        return run_program(arguments);
    }

    /// The report's bytes without the host's lines.
    std::string report(const std::string& name) const
    {
        const std::string text = read_file(out(name) + "/report.json");
        const std::size_t begin = text.find("\"host\": {");
        return text.substr(0, begin) + text.substr(text.find("\n  }", begin));
    }

    TemporaryFolder folder_;
    std::string study_ = folder_.write("s.json", two_series(folder_).dump());
};

TEST_F(Shards, MergedAreTheBytesOfOneRun)
{
    ASSERT_EQ(run_program({"run", study_, "-o", out("whole"), "--quiet"}).exit_code, 0);
    for (const char* const shard : {"1/3", "2/3", "3/3"}) {
        const Outcome outcome = run_shard(shard);
        ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        EXPECT_NE(outcome.output.find("alxsim merge"), std::string::npos) << outcome.output;
    }
    EXPECT_FALSE(std::filesystem::exists(out("of1") + "/report.json"));
    const Outcome merged = merge({"of3", "of1", "of2"});
    EXPECT_EQ(merged.exit_code, 0) << merged.errors;
    EXPECT_EQ(report("merged"), report("whole"));
    EXPECT_EQ(read_file(out("merged") + "/points.csv"), read_file(out("whole") + "/points.csv"));
    ASSERT_EQ(run_program({"merge", "--quiet", "--compact", "-o", out("compact"), out("of1"),
                           out("of2"), out("of3")})
                  .exit_code,
              0);
    EXPECT_TRUE(load_json(out("compact") + "/report.json").at("points").contains("shapes"));
    std::filesystem::create_directory(out("full"));
    ASSERT_EQ(
        run_program({"report", out("compact") + "/report.json", "-o", out("full") + "/report.json"})
            .exit_code,
        0);
    EXPECT_EQ(report("full"), report("whole"));
}

/// Whoever runs shards names the study from other folders than whoever runs it whole.
TEST_F(Shards, OfAStudyInAnotherFolderMergeToTheSameBytes)
{
    const Json study = small_study(folder_, Json::parse(R"({
        "numerics": false, "fidelity": "analytic",
        "machine": {"overrides": {"gather_row_s": 1e-8}}})"));
    std::filesystem::create_directory(folder_.path("elsewhere"));
    const std::string there = folder_.write("elsewhere/s.json", study.dump());
    std::filesystem::copy(folder_.path("graph.txt"), folder_.path("elsewhere"));
    study_ = folder_.write("s.json", study.dump());
    ASSERT_EQ(run_program({"run", there, "-o", out("whole"), "--quiet"}).exit_code, 0);
    for (const char* const shard : {"1/2", "2/2"}) {
        ASSERT_EQ(run_shard(shard).exit_code, 0);
    }
    ASSERT_EQ(merge({"of1", "of2"}).exit_code, 0);
    EXPECT_EQ(report("merged"), report("whole"));
    EXPECT_NE(report("merged").find("override at s.json: /machine/overrides/gather_row_s"),
              std::string::npos);
}

TEST_F(Shards, ThatAreMissingAreNamedInTheReport)
{
    ASSERT_EQ(run_shard("1/3").exit_code, 0);
    ASSERT_EQ(run_shard("3/3").exit_code, 0);
    const Outcome merged = merge({"of1", "of3"});
    EXPECT_EQ(merged.exit_code, 1);
    EXPECT_NE(merged.errors.find("missing shards: 2/3"), std::string::npos) << merged.errors;
    std::size_t missing = 0;
    const Json report = load_json(out("merged") + "/report.json");
    for (const Json& point : report.at("points")) {
        missing += point.contains("error") ? 1 : 0;
    }
    EXPECT_GT(missing, 0U);
    EXPECT_NE(merged.errors.find(std::to_string(missing) + " of 11 points failed"),
              std::string::npos)
        << merged.errors;
}

TEST_F(Shards, WithDamagedPointsSayWhichAndAreRunAgain)
{
    ASSERT_EQ(run_shard("1/2").exit_code, 0);
    ASSERT_EQ(run_shard("2/2").exit_code, 0);
    ASSERT_EQ(merge({"of1", "of2"}).exit_code, 0);
    const std::string whole = report("merged");
    damage_kept_point(out("of1"), kept_points(out("of1")).begin()->first);
    const Outcome damaged = merge({"of1", "of2"});
    EXPECT_EQ(damaged.exit_code, 1);
    EXPECT_NE(damaged.errors.find("has it damaged"), std::string::npos) << damaged.errors;
    EXPECT_EQ(run_shard("1/2", {"--resume"}).exit_code, 0);
    EXPECT_EQ(merge({"of1", "of2"}).exit_code, 0);
    EXPECT_EQ(report("merged"), whole);
}

TEST_F(Shards, OfAnotherStudyOrNumberAreRefusedByName)
{
    ASSERT_EQ(run_shard("1/2").exit_code, 0);
    ASSERT_EQ(run_shard("2/2", {"--no-band"}).exit_code, 0);
    ASSERT_EQ(run_shard("3/3").exit_code, 0);
    const auto expect_refused = [this](const std::vector<std::string>& names,
                                       const std::string& words) {
        const Outcome outcome = merge(names);
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
        EXPECT_FALSE(std::filesystem::exists(out("merged") + "/report.json"));
    };
    expect_refused({"of1", "of2"}, "of2: /band: is not as in");
    expect_refused({"of1", "of3"}, "of3: is shard 3/3; allowed: shards of 2");
    expect_refused({"of1", "of1"}, "is named twice");
    expect_refused({"."}, "has no shard");
    expect_refused({"none"}, "is no folder");
}

TEST_F(Shards, EachRunTheSearchToTheSameOutcome)
{
    Json study = small_study(folder_, Json::parse(R"({
        "fidelity": "analytic",
        "search": {"over": {"/workload/alx/reg": [0.0001, 0.1]}}})"));
    study_ = folder_.write("s.json", study.dump());
    ASSERT_EQ(run_program({"run", study_, "-o", out("whole"), "--quiet"}).exit_code, 0);
    ASSERT_EQ(run_shard("1/2").exit_code, 0);
    ASSERT_EQ(run_shard("2/2").exit_code, 0);
    const Outcome merged = merge({"of1", "of2"});
    EXPECT_EQ(merged.exit_code, 0) << merged.errors;
    EXPECT_EQ(report("merged"), report("whole"));
    EXPECT_NE(report("merged").find("\"search\""), std::string::npos);
}

} // namespace
} // namespace alxsim::testing
