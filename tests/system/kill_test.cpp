// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <thread>

/// Runs whose processes are killed at random moments, and taken up again: nothing that was finished
/// is lost, no file is half there, and the results are those of a run that nobody disturbed.
///
/// ALXSIM_KILLS=1000 build/release/tests/system/test_command_line --gtest_filter='Kills*'
namespace alxsim::testing {
namespace {

using Files = std::map<std::string, std::string>;      ///< name in a folder -> bytes
using KeptPoints = std::map<std::size_t, std::string>; ///< number -> JSON object

int kills_wanted()
{
    const char* const asked = std::getenv("ALXSIM_KILLS");
    return asked == nullptr ? 5 : std::atoi(asked);
}

/// Files below a folder that have the names that they shall keep.
Files files_in(const std::string& folder)
{
    Files files;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none)) {
        const std::string path = entry.path().string();
        if (entry.is_regular_file(none) && path.find(".part") == std::string::npos) {
            files[path.substr(folder.size() + 1)] = read_file(path);
        }
    }
    return files;
}

/// A kept point without the CPU seconds that it took.
std::string without_host(const std::string& point)
{
    const std::size_t begin = point.find(",\"host\":{");
    const std::size_t end = point.find('}', begin);
    return begin == std::string::npos || end == std::string::npos
               ? point
               : point.substr(0, begin) + point.substr(end + 1);
}

void wait_until_gone(const std::vector<pid_t>& processes)
{
    for (const pid_t process : processes) {
        for (int i = 0; i < 6000 && is_running(process); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_FALSE(is_running(process)) << "a process outlives the run that it belongs to";
    }
}

bool has_checkpoint(const std::string& out)
{
    std::error_code none;
    const std::filesystem::directory_iterator files(out + "/.finished-points", none);
    return std::any_of(begin(files), end(files),
                       [](const auto& file) { return file.path().extension() == ".checkpoint"; });
}

Json reported_points(const std::string& folder)
{
    return load_json(folder + "/report.json").at("points");
}

class KilledRuns : public ::testing::Test {
protected:
    /// `exports`: points write their tables, and begin anew; else they go on from checkpoints.
    explicit KilledRuns(bool exports) : exports_(exports)
    {
        // Both series' points are kept by one shard of one, which leaves them to be compared with.
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(run_program(arguments("whole", {"--shard", "1/1"})).exit_code, 0);
        undisturbed_ = std::chrono::steady_clock::now() - start;
        kept_ = kept_points(folder_.path("whole"));
        EXPECT_EQ(run_program(arguments("whole", {"--resume"})).exit_code, 0);
        points_ = reported_points(folder_.path("whole"));
        exported_ = files_in(folder_.path("whole.export"));
        EXPECT_EQ(exported_.size() > 4, exports_);
    }

    std::vector<std::string> arguments(const std::string& name,
                                       const std::vector<std::string>& more) const
    {
        std::vector<std::string> all{"run", study_, "-o", folder_.path(name), "--jobs", "2"};
        if (exports_) {
            all.insert(all.end(), {"--export", folder_.path(name + ".export")});
        }
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    /// Starts it again and again, and kills what `victim` chooses, until that was done often
    /// enough.
    template <class Start>
    void kill_often(int kills, const Start& start)
    {
        std::mt19937 random(1);
        for (int killed = 0; killed < kills;) {
            const pid_t program = start();
            std::this_thread::sleep_for(undisturbed_ *
                                        std::uniform_real_distribution<double>(0, 1)(random));
            const std::vector<pid_t> family = family_of(program);
            // Every other time whoever started them all, which costs most.
            const std::size_t victim =
                random() % 2 == 0
                    ? 0
                    : std::uniform_int_distribution<std::size_t>(0, family.size() - 1)(random);
            const bool hit = is_running(family[victim]) && kill(family[victim], SIGKILL) == 0;
            killed += hit ? 1 : 0;
            wait_for_end(program);
            wait_until_gone(family);
            expect_nothing_is_lost();
            if (HasFailure()) {
                FAIL() << "after " << killed << " kills";
            }
            if (hit && killed % 100 == 0) {
                tell(killed);
            }
        }
        tell(kills);
        EXPECT_TRUE(finished_ > 0 || kills < 50) << "no kill came while points were running";
        EXPECT_TRUE(checkpoints_ > 0 || exports_ || kills < 50) << "no training was cut";
    }

    void wait_for_end(pid_t program) const
    {
        for (int i = 0; i < 6000; ++i) {
            if (waitpid(program, nullptr, WNOHANG) == program) {
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_TRUE(may_hang_) << "it does not end";
        for (const pid_t process : family_of(program)) {
            kill(process, SIGKILL);
        }
        waitpid(program, nullptr, 0);
    }

    void tell(int kills) const
    {
        std::printf("%d kills: %d finished points outlived one, %d left checkpoints, %d reports\n",
                    kills, finished_, checkpoints_, reports_);
        std::fflush(stdout);
    }

    void expect_nothing_is_lost()
    {
        const std::string out = folder_.path("out");
        const KeptPoints now = kept_points(out);
        checkpoints_ += has_checkpoint(out) ? 1 : 0;
        for (const auto& [number, point] : now) {
            EXPECT_EQ(without_host(point), without_host(kept_.at(number)))
                << number << " is half there, or differs";
            finished_ += before_.count(number) == 0 ? 1 : 0;
        }
        const bool reported = std::filesystem::exists(out + "/report.json");
        for (const auto& [number, point] : before_) {
            EXPECT_TRUE(now.count(number) > 0 || reported) << number << " is lost";
        }
        before_ = now;
        if (reported) {
            expect_the_report_is_right(before_.empty());
        }
    }

    /// `complete`: no point failed. Its files then go, and the next run begins anew.
    void expect_the_report_is_right(bool complete)
    {
        const Json points = reported_points(folder_.path("out"));
        ASSERT_EQ(points.size(), points_.size());
        bool failed = false;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points.at(i).contains("error")) {
                failed = true;
            } else {
                EXPECT_EQ(points.at(i), points_.at(i)) << i;
            }
        }
        std::filesystem::remove(folder_.path("out/report.json"));
        if (failed || !complete) {
            return;
        }
        ++reports_;
        EXPECT_EQ(files_in(folder_.path("out.export")), exported_);
        for (const std::string& name : folder_.names()) {
            EXPECT_EQ(name.find(".part"), std::string::npos) << name;
        }
        std::filesystem::remove_all(folder_.path("out"));
        std::filesystem::remove_all(folder_.path("out.export"));
    }

    static Json study_of(const TemporaryFolder& folder)
    {
        return small_study(folder, Json::parse(R"({
            "sweep": null,
            "series": [{"name": "trained", "sweep": {"/workload/alx/dim": [16, 32, 48, 64]}},
                       {"name": "timed", "set": {"/numerics": false, "/fidelity": "analytic"},
                        "sweep": {"/machine/cores": [1, 2, 4, 8, 16, 32],
                                  "/workload/alx/dim": [8, 16, 32]}}],
            "workload": {"alx": {"epochs": 12}}})"));
    }

    bool exports_;
    TemporaryFolder folder_;
    std::string study_ = folder_.write("s.json", study_of(folder_).dump());
    std::chrono::duration<double> undisturbed_{}; ///< time of a run that nobody disturbs
    KeptPoints kept_;                             ///< as an undisturbed run keeps them
    Files exported_;                              ///< as it exports them
    Json points_;                                 ///< as it reports them
    KeptPoints before_;                           ///< finished points when last looked at
    bool may_hang_ = false;
    int finished_ = 0;
    int checkpoints_ = 0; ///< kills that left one
    int reports_ = 0;
};

class Kills : public KilledRuns {
protected:
    Kills() : KilledRuns(true) {}
};

class KillsOfTraining : public KilledRuns {
protected:
    KillsOfTraining() : KilledRuns(false) {}
};

TEST(KilledExport, LeavesNothingHalfInTheFolderAfterTheNextRun)
{
    const TemporaryFolder folder;
    const std::string study =
        folder.write("s.json", small_study(folder, {{"sweep", {{"/machine/cores", {1}}}}}).dump());
    const std::string half = "ex/0/rows.npy.part01234567890123456789";
    for (const bool resumed : {false, true}) {
        std::filesystem::create_directories(folder.path("ex/0"));
        folder.write(half, "half a table");
        folder.write("ex/0/notes.part1", "somebody's own");
        std::vector<std::string> words{
            "run", study, "-o", folder.path("out"), "--quiet", "--export", folder.path("ex")};
        if (resumed) {
            words.emplace_back("--resume");
        }
        ASSERT_EQ(run_program(words).exit_code, 0);
        EXPECT_FALSE(std::filesystem::exists(folder.path(half)));
        EXPECT_TRUE(std::filesystem::exists(folder.path("ex/0/notes.part1")));
        EXPECT_TRUE(std::filesystem::exists(folder.path("ex/0/rows.npy")));
    }
}

TEST_F(Kills, OfParentsAndChildrenLoseNothing)
{
    kill_often(kills_wanted(), [this] {
        return start_program(arguments("out", {"--resume", "--retry", "1"}));
    });
}

TEST_F(KillsOfTraining, LoseNothing)
{
    kill_often(kills_wanted(), [this] {
        return start_program(arguments("out", {"--resume", "--retry", "1"}));
    });
}

TEST_F(Kills, OfRanksTheirChildrenAndMpirunLoseNothing)
{
    if (!has_mpi()) {
        GTEST_SKIP() << "no MPI here";
    }
    bool recovery = false; // mpirun ends the job with a lost rank, or lets the others go on
    kill_often((kills_wanted() + 1) / 2, [&] {
        std::vector<std::string> words = mpirun_in(folder_.path());
        recovery = !recovery;
        may_hang_ = recovery; // Open MPI's start waits for ever for a rank that is lost in it
        if (recovery) {
            words.push_back("--enable-recovery");
        }
        words.insert(words.end(), {"-n", "2", program_path()});
        for (const std::string& word : arguments("out", {"--resume", "--retry", "1", "--mpi"})) {
            words.push_back(word == "2" ? "1" : word); // jobs of each
        }
        return start_command(words);
    });
}

} // namespace
} // namespace alxsim::testing
