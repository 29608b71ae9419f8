// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <zlib.h>

/// run --trace and op --trace.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

std::string unpacked(const std::string& path)
{
    std::string text;
    std::array<char, 65536> part{};
    const gzFile file = gzopen(path.c_str(), "rb");
    for (int read = 1; read > 0;) {
        read = gzread(file, part.data(), part.size());
        text.append(part.data(), static_cast<std::size_t>(std::max(0, read)));
    }
    gzclose(file);
    return text;
}

class Traces : public ::testing::Test {
protected:
    std::string out(const std::string& name) const { return folder_.path(name); }

    Outcome run(const std::string& name, std::vector<std::string> more) const
    {
        std::vector<std::string> arguments{"run", study_, "-o", out(name), "--quiet", "--no-band"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    }

    Json whole_report(const std::string& name) const
    {
        return Json::parse(read_file(out(name) + "/report.json"));
    }

    /// All but the critical path, which traced points alone have.
    std::string report(const std::string& name) const
    {
        Json report = whole_report(name);
        report.erase("host");
        for (Json& point : report.at("points")) {
            point.erase("critical_path");
        }
        return report.dump();
    }

    /// File names in a folder, and what is in the files.
    std::map<std::string, std::string> traces(const std::string& name) const
    {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(out(name))) {
            files[entry.path().filename()] = read_file(entry.path());
        }
        return files;
    }

    TemporaryFolder folder_;
    std::string study_ = folder_.write("s.json", small_study(folder_).dump());
};

TEST_F(Traces, AreTheSameBytesHoweverPointsRunAndChangeNoReport)
{
    ASSERT_EQ(run("plain", {}).exit_code, 0);
    const Outcome traced = run("traced", {"--trace", out("t1"), "--jobs", "3"});
    ASSERT_EQ(traced.exit_code, 0) << traced.errors;
    EXPECT_EQ(report("traced"), report("plain"));
    const std::map<std::string, std::string> files = traces("t1");
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files.begin()->first, "point-0000-small-cores-1.json.gz");
    const Json trace = Json::parse(unpacked(out("t1") + "/" + files.begin()->first));
    EXPECT_EQ(trace.at("otherData").at("title"), "small, cores 1");

    ASSERT_EQ(run("inside", {"--trace", out("t2"), "--in-process"}).exit_code, 0);
    EXPECT_EQ(traces("t2"), files);
    for (const char* const shard : {"1/2", "2/2"}) {
        ASSERT_EQ(
            run(std::string("s") + shard[0], {"--trace", out("t3"), "--shard", shard}).exit_code,
            0);
    }
    EXPECT_EQ(traces("t3"), files);
}

TEST_F(Traces, GiveTheReportTheCriticalPathOfTheirSteps)
{
    ASSERT_EQ(run("plain", {}).exit_code, 0);
    EXPECT_FALSE(whole_report("plain").at("points").at(0).contains("critical_path"));
    ASSERT_EQ(run("traced", {"--trace", out("t")}).exit_code, 0);
    const std::map<std::string, std::string> files = traces("t");
    auto file = files.begin();
    const Json traced = whole_report("traced");
    for (const Json& point : traced.at("points")) {
        const Json& path = point.at("critical_path");
        EXPECT_EQ(path.at("step"), 1);
        EXPECT_LE(path.at("spans").size(), 201u);
        double at = 0;
        for (const Json& span : path.at("spans")) {
            EXPECT_NEAR(span.at("begin_seconds").get<double>(), at, 1e-12);
            EXPECT_GT(span.at("seconds").get<double>(), 0);
            at += span.at("seconds").get<double>();
        }
        EXPECT_NEAR(at, path.at("seconds").get<double>(), 1e-12);
        const Json trace = Json::parse(unpacked(out("t") + "/" + (file++)->first));
        EXPECT_NE(trace.dump().find(path.at("spans").at(0).at("name").get<std::string>()),
                  std::string::npos);
    }
}

TEST_F(Traces, OfAnyStepsLeaveTheReportAsItIs)
{
    ASSERT_EQ(run("plain", {}).exit_code, 0);
    for (const char* const steps : {"last", "worst", "2:3"}) {
        std::filesystem::remove_all(out("traced"));
        std::filesystem::remove_all(out("t"));
        const Outcome outcome = run("traced", {"--trace", out("t"), "--trace-steps", steps});
        ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        EXPECT_EQ(report("traced"), report("plain")) << steps;
        EXPECT_EQ(traces("t").size(), 3u) << steps;
    }
}

TEST_F(Traces, AreMadeAnewWhereTheyAreMissing)
{
    ASSERT_EQ(run("o", {"--trace", out("t"), "--shard", "1/1"}).exit_code, 0);
    const std::map<std::string, std::string> files = traces("t");
    std::filesystem::remove(out("t") + "/" + files.begin()->first);
    ASSERT_EQ(run("o", {"--trace", out("t"), "--shard", "1/1", "--resume"}).exit_code, 0);
    EXPECT_EQ(traces("t"), files);
}

TEST_F(Traces, LeaveNoPathInAReportThatIsResumedWithoutThem)
{
    ASSERT_EQ(run("o", {"--trace", out("t"), "--shard", "1/1"}).exit_code, 0);
    ASSERT_EQ(run("o", {"--resume"}).exit_code, 0);
    const Json report = whole_report("o");
    for (const Json& point : report.at("points")) {
        EXPECT_FALSE(point.contains("critical_path"));
    }
}

TEST_F(Traces, OfAnalyticPointsAreRefusedBeforeAnythingRuns)
{
    const Outcome outcome =
        run("o", {"--trace", out("t"), "--fidelity", "analytic", "--set", "/numerics=false"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("--trace"));
    EXPECT_THAT(outcome.errors, HasSubstr("analytic"));
    EXPECT_FALSE(std::filesystem::exists(out("t")));
}

TEST_F(Traces, OfStepsThatAreNoneAreRefused)
{
    const Outcome outcome = run("o", {"--trace", out("t"), "--trace-steps", "3:2"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("3:2"));
    EXPECT_THAT(outcome.errors, HasSubstr("worst"));
}

TEST_F(Traces, OfAnOpHaveItsTime)
{
    const std::vector<std::string> op{
        "op",     R"({"work":"collective","kind":"all_reduce","bytes":65536})",
        "--chip", "tpu_v3",
        "--json", "--cores",
        "16"};
    const Outcome plain = run_program(op);
    std::vector<std::string> traced = op;
    traced.insert(traced.end(), {"--trace", out("op.json")});
    const Outcome outcome = run_program(traced);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, plain.output);
    const Json trace = Json::parse(read_file(out("op.json")));
    EXPECT_NEAR(trace.at("otherData").at("end_ps").get<double>(),
                Json::parse(plain.output).at("simulated_seconds").get<double>() * 1e12, 0.5);
    traced.back() = out("op.json.gz");
    ASSERT_EQ(run_program(traced).exit_code, 0);
    EXPECT_EQ(unpacked(out("op.json.gz")), read_file(out("op.json")));
}

TEST_F(Traces, ThatCannotBeWrittenAreAnError)
{
    const Outcome outcome = run_program(
        {"op", R"({"work":"vector","elements":1024})", "--trace", out("no/such/folder.json")});
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.errors, HasSubstr("no/such/folder.json"));
}

} // namespace
} // namespace alxsim::testing
