// SPDX-License-Identifier: Apache-2.0
#include "long_work.h"
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace alxsim::testing {
namespace {

bool wait_until_there(const std::string& path)
{
    for (int i = 0; i < 600; ++i) {
        if (std::filesystem::exists(path)) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

TEST(Interrupt, LeavesNoHalfWrittenFileAndResumeTakesOverFinishedPoints)
{
    const TemporaryFolder folder;
    // The first point takes moments, the second far longer than this test.
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": null, "/workload/alx/epochs": [1, 100000]}})"))
                                                         .dump());
    const std::string out = folder.path("out");
    const pid_t child = start_program({"run", study, "-o", out, "--jobs", "1"});
    ASSERT_TRUE(wait_until_kept(out, 0));
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    for (const std::string& name : folder.names()) {
        EXPECT_EQ(name.find(".part"), std::string::npos) << name;
        EXPECT_NE(name, "report.json");
    }
    const Outcome resumed = run_program({"run", study, "-o", out, "--resume", "--set",
                                         "/sweep={\"/workload/alx/epochs\": [1, 2]}"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_NE(resumed.errors.find("taken over"), std::string::npos) << resumed.errors;
    EXPECT_EQ(load_json(out + "/report.json").at("points").size(), 2U);
    EXPECT_FALSE(std::filesystem::exists(out + "/.finished-points"));
}

/// What takes long in different places: SystemC, and the numbers.
std::vector<Json> long_points(const TemporaryFolder& folder)
{
    return {
        unlike_collectives("detailed"),
        small_study(folder, Json::parse(R"({"sweep": null, "workload": {"alx": {"dim": 128,
            "epochs": 100000}}})")),
    };
}

/// Seconds from the signal to the end, and how it ended.
std::pair<double, int> interrupted_after(std::chrono::milliseconds time,
                                         const std::vector<std::string>& arguments)
{
    const pid_t child = start_program(arguments);
    std::this_thread::sleep_for(time);
    const auto begin = std::chrono::steady_clock::now();
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return {taken.count(), WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
}

TEST(Interrupt, EndsAPointInThisProcessWithinASecondWhereverItIs)
{
    const TemporaryFolder folder;
    for (const Json& study : long_points(folder)) {
        const std::string file = folder.write("s.json", study.dump());
        const auto [seconds, code] =
            interrupted_after(std::chrono::milliseconds(1500),
                              {"run", file, "-o", folder.path("out"), "--in-process", "--quiet"});
        EXPECT_EQ(code, 130) << study.at("workload").dump().substr(0, 80);
        EXPECT_LT(seconds, 1.0);
    }
}

TEST(Interrupt, ThatComesTwiceEndsAtOnce)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": null, "workload": {"alx": {"epochs": 100000}}})"))
                                                         .dump());
    const pid_t child = start_program({"run", study, "-o", folder.path("out"), "--jobs", "1"});
    ASSERT_TRUE(wait_until_there(folder.path("out") + "/.finished-points/0.checkpoint"));
    kill(child, SIGSTOP); // so that both signals are there before it looks at the first
    kill(child, SIGINT);
    kill(child, SIGTERM);
    kill(child, SIGCONT);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Crash, OfOnePointStaysWithThatPoint)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": null, "/workload/alx/epochs": [1, 100000]}})"))
                                                         .dump());
    const std::string out = folder.path("out");
    const pid_t program = start_program({"run", study, "-o", out, "--jobs", "1"});
    // The first point's process may still be ending when the second one's has begun.
    ASSERT_TRUE(wait_until_there(out + "/.finished-points/1.checkpoint"));
    std::vector<pid_t> children = children_of(program);
    for (int i = 0; children.size() != 1 && i < 100; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        children = children_of(program);
    }
    ASSERT_EQ(children.size(), 1U);
    kill(children.front(), SIGKILL);
    int status = 0;
    waitpid(program, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const Json points = load_json(out + "/report.json").at("points");
    EXPECT_GT(points.at(0).at("epoch_seconds").get<double>(), 0);
    EXPECT_NE(points.at(1).at("error").get<std::string>().find("signal 9"), std::string::npos);
}

TEST(Program, ThatIsReplacedDuringARunFinishesIt)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": null, "/workload/alx/epochs": [1, 2, 3, 4, 5, 6, 7, 8]}})"))
                                                         .dump());
    const std::string program = folder.path("alxsim");
    const std::string out = folder.path("out");
    std::filesystem::copy_file(program_path(), program);
    const pid_t run = start_command({program, "run", study, "-o", out, "--jobs", "1", "--quiet"});
    ASSERT_TRUE(wait_until_kept(out, 0));
    std::filesystem::remove(program);
    folder.write("alxsim", "another version");
    int status = 0;
    waitpid(run, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(load_json(out + "/report.json").at("points").size(), 8U);
}

} // namespace
} // namespace alxsim::testing
