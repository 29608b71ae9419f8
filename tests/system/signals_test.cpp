// SPDX-License-Identifier: Apache-2.0
#include "long_work.h"
#include "program.h"
#include "served_study.h"
#include "tests/http_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/wait.h>
#include <thread>

/// Commands that are told to end while they are in what takes them longest.
///
/// ALXSIM_SIGNALS=1 build/release/tests/system/test_command_line --gtest_filter='Signals*'
namespace alxsim::testing {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

#ifdef ALXSIM_SANITIZED
constexpr double longest = 10; ///< seconds from the signal to the end
#else
constexpr double longest = 1;
#endif

/// Larger inputs, both signals and several moments, for the table that is printed.
bool all_of_it()
{
    return std::getenv("ALXSIM_SIGNALS") != nullptr;
}

/// A command that is busy for long enough.
struct BusyCommand {
    std::string name;
    std::string phase; ///< that takes longest
    std::vector<std::string> words;
    std::string out = ""; ///< folder of a run
    /// Whether it is in the phase; none: after some time.
    std::function<bool()> begun = {};
    /// Starts it; none: the program with these words.
    std::function<pid_t()> start = {};
    /// How it may end beside by the signal and with exit code 130.
    std::string its_own_ending = "";
    /// Seconds that mpirun lets pass before its ranks get the signal.
    double passed_on_after = 0;
};

struct Ending {
    double seconds = 0;
    std::string how; ///< "exit 130", "signal 15"
};

std::string how_it_ended(int status)
{
    return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status));
}

/// From the signal until the process and all that came of it are gone.
Ending ending_of(const BusyCommand& command, Seconds moment, int signal)
{
    const pid_t process = command.start ? command.start() : start_program(command.words);
    const auto last = Clock::now() + std::chrono::minutes(2);
    while (command.begun && !command.begun() && Clock::now() < last) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(moment);
    EXPECT_TRUE(is_running(process))
        << command.name << ", " << command.phase << ": ended by itself before the signal";
    const std::vector<pid_t> family = family_of(process);
    const auto begin = Clock::now();
    const auto taken = [begin] { return Seconds(Clock::now() - begin).count(); };
    kill(process, signal);
    int status = 0;
    waitpid(process, &status, 0);
    for (const pid_t child : family) {
        while (is_running(child) && taken() < 60) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    return {taken(), how_it_ended(status)};
}

/// What a run has kept; "" of other commands.
std::string kept_in(const BusyCommand& command)
{
    if (command.out.empty()) {
        return "";
    }
    const std::size_t points = kept_points(command.out).size();
    bool checkpoint = false;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(command.out + "/.finished-points", none)) {
        checkpoint = checkpoint || entry.path().extension() == ".checkpoint";
    }
    return std::to_string(points) + (points == 1 ? " point" : " points") +
           (checkpoint ? ", checkpoint" : "");
}

class Signals : public ::testing::Test {
protected:
    /// Holds each ending to a second, nothing half written, and what was there before.
    void measure(const BusyCommand& command)
    {
        const std::vector<double> moments = at_once_      ? std::vector<double>{0.05}
                                            : all_of_it() ? std::vector<double>{0.2, 0.6, 1.2, 2.5}
                                                          : std::vector<double>{0.7};
        const std::vector<int> signals =
            all_of_it() ? std::vector<int>{SIGINT, SIGTERM} : std::vector<int>{next_signal()};
        Ending worst;
        std::vector<std::string> endings;
        for (const int signal : signals) {
            for (const double moment : moments) {
                const Ending ending = ending_of(command, Seconds(moment), signal);
                EXPECT_TRUE(ending.how == "exit 130" ||
                            ending.how == "signal " + std::to_string(signal) ||
                            ending.how == command.its_own_ending)
                    << command.name << ": " << ending.how;
                worst = ending.seconds > worst.seconds ? ending : worst;
                if (std::find(endings.begin(), endings.end(), ending.how) == endings.end()) {
                    endings.push_back(ending.how);
                }
                expect_no_litter(command);
            }
        }
        EXPECT_LT(worst.seconds, longest + command.passed_on_after)
            << command.name << ", " << command.phase;
        std::string how;
        for (const std::string& one : endings) {
            how += (how.empty() ? "" : ", ") + one;
        }
        std::printf("%-22s  %-44s  %6.3f s  %-20s  %s\n", command.name.c_str(),
                    command.phase.c_str(), worst.seconds, how.c_str(), kept_in(command).c_str());
        std::fflush(stdout);
        if (!command.out.empty()) {
            std::filesystem::remove_all(command.out);
        }
    }

    /// Sets a study up, and the command that runs it.
    BusyCommand run_of(const std::string& phase, const Json& study, bool in_process,
                       std::vector<std::string> more = {})
    {
        const std::string out = folder_.path("out" + std::to_string(++runs_));
        const std::string file =
            folder_.write("study" + std::to_string(runs_) + ".json", study.dump());
        std::vector<std::string> words{"run", file, "-o", out, "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        if (in_process) {
            words.emplace_back("--in-process");
        }
        return {in_process ? "run --in-process" : "run", phase, words, out};
    }

    /// Text of so many lines, each of which `line` appends.
    std::string file_of_lines(const std::string& name, std::int64_t lines,
                              const std::function<void(std::int64_t, std::string&)>& line)
    {
        std::ofstream file(folder_.path(name), std::ios::binary);
        std::string text;
        for (std::int64_t i = 0; i < lines; ++i) {
            line(i, text);
            if (text.size() > (1 << 20) || i + 1 == lines) {
                file << text;
                text.clear();
            }
        }
        return folder_.path(name);
    }

    TemporaryFolder folder_;
    bool at_once_ = false; ///< the phases are short

private:
    int next_signal() { return ++asked_ % 2 == 0 ? SIGINT : SIGTERM; }

    void expect_no_litter(const BusyCommand& command)
    {
        for (const std::string& name : folder_.names()) {
            EXPECT_EQ(name.find(".part"), std::string::npos) << command.name << ": " << name;
        }
    }

    int runs_ = 0;
    int asked_ = 0;
};

Json numbers_from(int first, int count)
{
    Json all = Json::array();
    for (int i = 0; i < count; ++i) {
        all.push_back(first + i);
    }
    return all;
}

/// A job of which a point takes as long as `more` says, by the analytic model unless it says
/// otherwise.
Json sparse_web(const Json& more = Json::object())
{
    Json study = Json::parse(R"({
        "study": "s", "numerics": false, "fidelity": "analytic", "band": false,
        "machine": {"chip": "tpu_v3", "cores": 256},
        "workload": {"dataset": {"webgraph": "sparse"}, "alx": {"dim": 128}}})");
    study.merge_patch(more);
    return study;
}

Json generated(double rows, double links, const Json& more)
{
    Json study{{"study", "s"},
               {"numerics", true},
               {"fidelity", "analytic"},
               {"band", false},
               {"machine", {{"chip", "tpu_v3"}, {"cores", 8}}},
               {"workload",
                {{"dataset", {{"generate", {{"rows", rows}, {"columns", rows}, {"links", links}}}}},
                 {"split", {{"test_rows", 0.0}}},
                 {"alx", {{"dim", 64}, {"epochs", 1000}}}}}};
    study.merge_patch(more);
    return study;
}

TEST_F(Signals, EndRunsWithinASecond)
{
    const int scale = all_of_it() ? 3 : 1;
    const Json many{{"sweep", {{"/seed", numbers_from(0, scale * 4000)}}}};
    const Json drawn{{"band", true}, {"sweep", {{"/seed", numbers_from(0, scale * 400)}}}};
    const Json sampled{{"fidelity", "sampled"},
                       {"machine", {{"cores", 2048}}},
                       {"sweep", {{"/seed", numbers_from(0, scale * 1000)}}}};
    const Json evaluated = Json::parse(R"({"workload": {"split": {"test_rows": 0.9, "min_links": 2},
        "alx": {"dim": 128, "epochs": 1, "batch": {"lines": 4096}}, "evaluation": {"top_k": 1000}}})");
    const Json transformer = Json::parse(R"({
        "study": "s", "numerics": true, "fidelity": "analytic", "band": false,
        "machine": {"chip": "tpu_v5e", "cores": 4},
        "workload": {"transformer": {"layers": 4, "hidden": 512, "heads": 8, "vocabulary": 256,
            "sequence": 128, "batch": 16, "dtype": "f32", "steps": 10000}}})");
    for (const bool in_process : {true, false}) {
        measure(run_of("training a transformer", transformer, in_process));
        measure(run_of("points of the analytic model", sparse_web(many), in_process));
        measure(run_of("draws of a band", sparse_web(drawn), in_process));
        measure(run_of("sampled steps", sparse_web(sampled), in_process));
        measure(run_of("packets (detailed)", unlike_collectives("detailed"), in_process));
        measure(run_of("training", generated(2e4, 4e5, Json::object()), in_process));
        measure(run_of("generating links", generated(4e6, 6e7, Json::object()), in_process));
        measure(run_of("evaluating test rows", generated(1e5, 3e5, evaluated), in_process));
    }
}

TEST_F(Signals, EndRanksWithinASecond)
{
    if (!has_mpi()) {
        GTEST_SKIP() << "no MPI here";
    }
    const Json many{{"sweep", {{"/seed", numbers_from(0, 40000)}}}};
    for (const Json& study :
         {sparse_web(many), unlike_collectives("detailed"), generated(2e4, 4e5, Json::object())}) {
        BusyCommand command =
            run_of(study.value("numerics", false)       ? "training"
                   : study.at("fidelity") == "detailed" ? "packets (detailed)"
                                                        : "points of the analytic model",
                   study, false, {"--mpi"});
        command.name = "mpirun run --mpi";
        command.start = [this, words = command.words] {
            std::vector<std::string> all = mpirun_in(folder_.path());
            all.insert(all.end(), {"-n", "2", program_path()});
            all.insert(all.end(), words.begin(), words.end());
            return start_command(all);
        };
        command.its_own_ending = "exit 1";
        command.passed_on_after = 1; // SIGCONT first, as strace shows of Open MPI 4.1
        measure(command);
    }
}

TEST_F(Signals, EndAServerWithinASecond)
{
    const Json sweep{{"band", true}, {"sweep", {{"/seed", numbers_from(0, 4000)}}}};
    const std::string study = folder_.write("curve.json", sparse_web(sweep).dump());
    std::vector<std::thread> readers;
    const auto asked = [&]() -> pid_t {
        ServedStudy served({study});
        readers.emplace_back([address = served.address()] {
            const std::size_t path = address.find('/', std::string("http://").size());
            HttpClient(address).post(address.substr(path) + "curve", "{}");
        });
        return served.leave();
    };
    measure({"serve", "a curve", {}, "", {}, asked, "exit 0"});
    for (std::thread& reader : readers) {
        reader.join();
    }
}

TEST_F(Signals, EndAnswersWithinASecond)
{
    const std::string study = folder_.write("web.json", sparse_web().dump());
    const std::string statements = ALXSIM_SOURCE_DIR "/experiments/statements/alx.json";
    const std::string default_study = ALXSIM_SOURCE_DIR "/experiments/studies/default.json";
    const std::string written = folder_.path("written.json");
    const Json many = sparse_web({{"sweep", {{"/seed", numbers_from(0, 60000)}}}});
    measure({"check", "estimates of points", {"check", folder_.write("many.json", many.dump())}});
    measure({"advise", "search", {"advise", study, "--budget", "60", "--quiet"}});
    measure({"advise --table",
             "machines",
             {"advise", study, "--budget", "60", "--quiet", "--table", "--cores", "64,256,1024"}});
    measure({"infer",
             "draws",
             {"infer", study, statements, "--draws", "1000000", "--quiet", "-o", written}});
    measure({"op",
             "every burst of the HBM",
             {"op", R"({"work":"hbm_stream","bytes_read":1e10})", "--hbm", "banks"}});
    Json measured = Json::array();
    for (int i = 0; i < 3000; ++i) {
        measured.push_back(
            {{"machine", {{"cores", 64 << (i % 5)}}}, {"epoch_seconds", 1000.0 + i}});
    }
    measure({"calibrate",
             "fits",
             {"calibrate", study, folder_.write("measured.json", measured.dump()), "--fit",
              "gather_row_s", "--fit", "ici_hop_latency_s", "-o", written}});
    std::vector<std::string> rows{"validate"}; // those that come with the program, and again
    for (int i = 0; i < 40; ++i) {
        for (const char* name : {"alx", "collectives", "gathers", "hbm", "ici", "mxu", "peers"}) {
            rows.push_back(ALXSIM_SOURCE_DIR "/experiments/answers/validate/rows/" +
                           std::string(name) + ".json");
        }
    }
    measure({"validate", "rows that come with the program", rows});
    measure({"op",
             "packets",
             {"op", Json(unlike_collectives("detailed")["workload"]["op_graph"]).dump(), "--chip",
              "tpu_v5p", "--slice", "8x16x16", "--cores", "4096"}});
    EXPECT_FALSE(std::filesystem::exists(written));
}

std::int64_t lines_of(const std::string& path)
{
    const std::string text = read_file(path);
    return std::count(text.begin(), text.end(), '\n');
}

TEST_F(Signals, EndWorkOnReportsWithinASecond)
{
    const int points = all_of_it() ? 20000 : 4000;
    const Json op{{"work", "vector"}, {"elements", 1000}};
    const Json many{{"study", "s"},
                    {"fidelity", "analytic"},
                    {"band", false},
                    {"machine", {{"chip", "tpu_v3"}, {"cores", 4}}},
                    {"workload", {{"op_graph", {{"ops", Json::array({op})}}}}},
                    {"sweep", {{"/seed", numbers_from(0, points)}}}};
    BusyCommand writing = run_of("writing the report", many, true);
    const std::string log = writing.out + "/.finished-points/points";
    writing.begun = [log, points] { return lines_of(log) >= points; };
    ASSERT_EQ(run_program(writing.words).exit_code, 0);
    const std::string report = folder_.path("report.json");
    std::filesystem::rename(writing.out + "/report.json", report);
    std::filesystem::remove_all(writing.out);
    at_once_ = true;
    measure(writing);
    measure({"explain", "reading the report", {"explain", report}});
    measure({"compare", "reading two reports", {"compare", report, report}});
    std::vector<std::string> merge{"merge"};
    for (const char* const shard : {"1/2", "2/2"}) {
        merge.push_back(folder_.path("shard" + std::string(1, shard[0])));
        std::vector<std::string> words = writing.words;
        words[3] = merge.back();
        words.insert(words.end(), {"--shard", shard});
        ASSERT_EQ(run_program(words).exit_code, 0);
    }
    const std::string merged = folder_.path("merged");
    merge.insert(merge.end(), {"-o", merged});
    measure({"merge", "reading shards, writing the report", merge, merged});
    measure({"report", "reading the report", {"report", report}});
}

TEST_F(Signals, EndWorkOnDataWithinASecond)
{
    const std::int64_t scale = all_of_it() ? 8 : 2;
    const std::string named =
        file_of_lines("named.tsv", scale * 2'000'000, [](std::int64_t i, std::string& text) {
            text += "user" + std::to_string(i * 7919 % 1000003) + "\titem" +
                    std::to_string(i * 104729 % 500009) + "\n";
        });
    const std::string links =
        file_of_lines("links.txt", scale * 2'000'000, [](std::int64_t i, std::string& text) {
            text += std::to_string(i);
            for (std::int64_t link = 1; link <= 12; ++link) {
                text += ' ';
                text += std::to_string((i * 31 + link * link * 977) % 400'000);
            }
            text += '\n';
        });
    const std::string out = folder_.write("written.cache", "as it was");
    measure({"dataset names",
             "reading and writing lines",
             {"dataset", "names", named, "-o", out, "--rows", folder_.path("rows.names"),
              "--columns", folder_.path("columns.names")}});
    measure({"dataset convert", "reading links", {"dataset", "convert", links, out}});
    measure({"dataset stats", "counting links", {"dataset", "stats", links}});
    measure({"dataset placements", "placing rows", {"dataset", "placements", links}});
    measure({"dataset split",
             "writing rows",
             {"dataset", "split", links, "--training", out, "--test", folder_.path("test.txt")}});
    measure({"dataset generate",
             "making links up",
             {"dataset", "generate", "--rows", "4e6", "--columns", "4e6", "--links", "6e7", "-o",
              out}});
    EXPECT_TRUE(read_file(out) == "as it was");
    Json read = generated(1e4, 1e5, Json::object());
    read["workload"]["dataset"] = {{"file", links}};
    measure(run_of("reading links", read, true));
    measure({"dataset batches",
             "making batches",
             {"dataset", "batches", folder_.write("batches.json", read.dump())}});
}

} // namespace
} // namespace alxsim::testing
