// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/// Small analytic points share processes: nothing of a report says so.
namespace alxsim::testing {
namespace {

std::string graph_of(int rows)
{
    return Json{{"ops", Json::array({{{"work", "row_gather"},
                                      {"rows", rows},
                                      {"row_bytes", 256},
                                      {"table_rows", 1000000},
                                      {"pattern", "uniform"}}})}}
        .dump();
}

/// A point for each file.
std::string study_of(const TemporaryFolder& folder, const std::string& name, const Json& graphs)
{
    return folder.write(name, Json{{"study", "shared"},
                                   {"numerics", false},
                                   {"fidelity", "analytic"},
                                   {"machine", {{"chip", "tpu_v3"}, {"cores", 4}}},
                                   {"workload", {{"op_graph", graphs.at(0)}}},
                                   {"sweep", {{"/workload/op_graph", graphs}}}}
                                  .dump());
}

Json points_of(const std::string& folder)
{
    Json points = load_json(folder + "/report.json").at("points");
    for (Json& point : points) {
        point.erase("sweep"); // names the files
    }
    return points;
}

/// Five points, of which the third waits until somebody writes its graph.
class SharedProcess : public ::testing::Test {
protected:
    SharedProcess()
    {
        for (const int rows : {1, 2, 3, 4, 5}) {
            folder_.write(std::to_string(rows) + ".json", graph_of(1000 * rows));
        }
        study_ = study_of(folder_, "whole.study.json",
                          {"1.json", "2.json", "3.json", "4.json", "5.json"});
        stuck_ = study_of(folder_, "stuck.study.json",
                          {"1.json", "2.json", "pipe.json", "4.json", "5.json"});
        mkfifo(folder_.path("pipe.json").c_str(), 0600);
    }

    /// Starts the study with the pipe; returns when a process waits for it.
    pid_t start_and_get_stuck(const std::string& out,
                              const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> words{program_, "run", stuck_, "-o", out, "--jobs", "1"};
        words.insert(words.end(), more.begin(), more.end());
        const pid_t program = start_command(words);
        pipe_ = wait_for_reader(); // open: the reader goes on waiting
        return program;
    }

    int wait_for_reader() const
    {
        int pipe = -1;
        for (int i = 0; pipe < 0 && i < 6000; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            pipe = open(folder_.path("pipe.json").c_str(), O_WRONLY | O_NONBLOCK);
        }
        EXPECT_GE(pipe, 0) << "nobody read the graph";
        return pipe;
    }

    int wait_for(pid_t program) const
    {
        int status = 0;
        waitpid(program, &status, 0);
        close(pipe_);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    Json undisturbed() const
    {
        const std::string out = folder_.path("undisturbed");
        EXPECT_EQ(run_program({"run", study_, "-o", out}).exit_code, 0);
        return points_of(out);
    }

    TemporaryFolder folder_;
    std::string study_;
    std::string stuck_;
    std::string program_ = program_path();
    mutable int pipe_ = -1;
};

TEST_F(SharedProcess, ThatDiesCostsTheOnePointThatItRan)
{
    const std::string out = folder_.path("out");
    const pid_t program = start_and_get_stuck(out);
    const std::vector<pid_t> children = children_of(program);
    ASSERT_EQ(children.size(), 1U);
    EXPECT_EQ(kept_points(out).count(1), 1U);
    kill(children.front(), SIGKILL);
    EXPECT_EQ(wait_for(program), 1);
    const Json points = points_of(out);
    const Json expected = undisturbed();
    for (const std::size_t i : {0U, 1U, 3U, 4U}) {
        EXPECT_EQ(points.at(i), expected.at(i)) << i;
    }
    EXPECT_EQ(points.at(2).at("error"), "its process was ended by signal 9");

    // What finished is kept, and the other is all that is run again.
    std::filesystem::remove(folder_.path("pipe.json"));
    folder_.write("pipe.json", graph_of(3000));
    const Outcome resumed = run_program({"run", stuck_, "-o", out, "--resume"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_EQ(points_of(out), expected);
    std::size_t taken_over = 0;
    for (std::size_t at = resumed.errors.find("taken over"); at != std::string::npos;
         at = resumed.errors.find("taken over", at + 1)) {
        ++taken_over;
    }
    EXPECT_EQ(taken_over, 4U) << resumed.errors;
    EXPECT_FALSE(std::filesystem::exists(out + "/.finished-points"));
}

TEST_F(SharedProcess, ThatDiesIsToldWhereverTheChipsFileIs)
{
    std::filesystem::copy_file(std::string(ALXSIM_SOURCE_DIR) + "/topologies/presets/tpu_v3.json",
                               folder_.path("own.json"));
    const std::string out = folder_.path("out");
    const pid_t program = start_and_get_stuck(out, {"--set", "/machine/chip=own.json"});
    kill(children_of(program).at(0), SIGKILL);
    EXPECT_EQ(wait_for(program), 1);
    EXPECT_EQ(points_of(out).at(2).at("error"), "its process was ended by signal 9");
}

TEST_F(SharedProcess, ThatDiesIsReplacedAndThePointTriedAgain)
{
    // By the program that runs, whatever has become of its file.
    program_ = folder_.path("program");
    std::filesystem::copy_file(program_path(), program_);
    const std::string out = folder_.path("out");
    const pid_t program = start_and_get_stuck(out, {"--retry", "1"});
    std::filesystem::remove(program_);
    const pid_t child = children_of(program).front();
    kill(child, SIGKILL);
    while (kill(child, 0) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    close(pipe_);
    pipe_ = wait_for_reader();
    const std::string graph = graph_of(3000);
    EXPECT_EQ(write(pipe_, graph.data(), graph.size()), static_cast<ssize_t>(graph.size()));
    close(pipe_);
    EXPECT_EQ(wait_for(program), 0);
    EXPECT_EQ(points_of(out), undisturbed());
}

TEST_F(SharedProcess, RefusesAPointForItselfAlone)
{
    const std::string bad =
        study_of(folder_, "bad.study.json", {"1.json", "2.json", "none.json", "4.json", "5.json"});
    const std::string out = folder_.path("out");
    const Outcome outcome = run_program({"run", bad, "-o", out, "--quiet"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("1 of 5 points was refused"), std::string::npos)
        << outcome.errors;
    EXPECT_NE(outcome.errors.find("--resume runs the others again"), std::string::npos)
        << outcome.errors;
    EXPECT_NE(outcome.errors.find("none.json"), std::string::npos) << outcome.errors;
    const Json points = points_of(out);
    const Json expected = undisturbed();
    for (const std::size_t i : {0U, 1U, 3U, 4U}) {
        EXPECT_EQ(points.at(i), expected.at(i)) << i;
    }
    EXPECT_NE(points.at(2).at("error").get<std::string>().find("none.json"), std::string::npos);

    // The others are kept for the time when the file is there.
    folder_.write("none.json", graph_of(3000));
    EXPECT_EQ(run_program({"run", bad, "-o", out, "--resume"}).exit_code, 0);
    EXPECT_EQ(points_of(out), expected);
}

TEST_F(SharedProcess, OfOneRunIsNotDisturbedByAnotherRunIntoItsFolder)
{
    const std::string out = folder_.path("out");
    const pid_t program = start_and_get_stuck(out);
    const Outcome other = run_program({"run", study_, "-o", out});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_NE(other.errors.find("another run of alxsim writes there"), std::string::npos)
        << other.errors;
    EXPECT_EQ(kept_points(out).count(1), 1U);
    EXPECT_FALSE(std::filesystem::exists(out + "/report.json"));
    kill(program, SIGINT);
    EXPECT_EQ(wait_for(program), 130);
    EXPECT_EQ(run_program({"run", study_, "-o", out}).exit_code, 0);
}

TEST_F(SharedProcess, ThatWasStoppedLeavesPointsOfWhichDamagedOnesAreComputedAnew)
{
    const std::string out = folder_.path("out");
    const pid_t program = start_and_get_stuck(out);
    kill(program, SIGINT);
    EXPECT_EQ(wait_for(program), 130);
    damage_kept_point(out, 1);
    const Outcome resumed = run_program({"run", study_, "-o", out, "--resume"});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_NE(resumed.errors.find("what was kept is damaged; it is computed anew"),
              std::string::npos)
        << resumed.errors;
    EXPECT_EQ(points_of(out), undisturbed());
}

TEST_F(SharedProcess, ThatIsStoppedLosesNoFinishedPointAndDamagedRatesChangeNothing)
{
    const std::string out = folder_.path("out");
    const pid_t program = start_and_get_stuck(out);
    kill(program, SIGINT);
    EXPECT_EQ(wait_for(program), 130);
    const std::string rates = out + "/.finished-points/hbm_rates";
    const std::string whole = read_file(rates);
    ASSERT_GT(whole.size(), 100U);
    const Json expected = undisturbed();
    for (const std::string& damaged :
         {whole.substr(0, whole.size() / 2), std::string("no rates")}) {
        const std::string copy = folder_.path("copy");
        std::filesystem::copy(out, copy, std::filesystem::copy_options::recursive);
        folder_.write("copy/.finished-points/hbm_rates", damaged);
        const Outcome resumed = run_program({"run", study_, "-o", copy, "--resume"});
        EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
        EXPECT_NE(resumed.errors.find("taken over"), std::string::npos) << resumed.errors;
        EXPECT_EQ(points_of(copy), expected);
        std::filesystem::remove_all(copy);
    }
}

TEST_F(SharedProcess, HasTheSameReportsForAnyNumberOfJobsAndThreads)
{
    const auto report = [&](const std::string& jobs, const std::string& threads) {
        const std::string out = folder_.path("out" + jobs + threads);
        EXPECT_EQ(
            run_program({"run", study_, "-o", out, "--jobs", jobs, "--threads", threads}).exit_code,
            0);
        Json whole = load_json(out + "/report.json");
        whole.erase("host");
        return whole.dump();
    };
    const std::string alone = report("1", "1");
    EXPECT_EQ(report("2", "1"), alone);
    EXPECT_EQ(report("7", "1"), alone) << "a process each";
    EXPECT_EQ(report("1", "3"), alone);
}

} // namespace
} // namespace alxsim::testing
