// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace alxsim::testing {
namespace {

std::string quoted(const std::string& word)
{
    std::string result = "'";
    for (char c : word) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

/// Links that are not random through and through, so that there is something to learn.
std::string small_graph()
{
    std::ostringstream text;
    for (int row = 0; row < 200; ++row) {
        text << row;
        for (int link = 0; link < 4 + row % 9; ++link) {
            text << ' ' << (row % 10 * 15 + (link * link + row) % 15);
        }
        text << '\n';
    }
    return text.str();
}

std::string log_of(const std::string& out)
{
    return out + "/.finished-points/points";
}

} // namespace

std::string program_path()
{
    return ALXSIM_PROGRAM;
}

Outcome run_program(const std::vector<std::string>& arguments)
{
    const TemporaryFolder folder;
    std::string command = quoted(program_path());
    for (const std::string& argument : arguments) {
        command += " " + quoted(argument);
    }
    command += " >" + folder.path("out") + " 2>" + folder.path("err") + " </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.path("out")),
            read_file(folder.path("err"))};
}

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

pid_t start_program(const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{program_path()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return start_command(std::move(words));
}

pid_t start_command(std::vector<std::string> words)
{
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) { // which a shell may have us ignore
            std::signal(signal, SIG_DFL);
        }
        const int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execvp(pointers.front(), pointers.data());
        _exit(127);
    }
    return child;
}

bool has_mpi()
{
    const auto folder = std::filesystem::path(program_path()).parent_path();
    return std::filesystem::exists(folder / "alxsim_mpi.so") &&
           std::system("mpirun --version >/dev/null 2>&1") == 0;
}

std::vector<std::string> mpirun_in(const std::string& folder)
{
    return {"env",
            "OMPI_ALLOW_RUN_AS_ROOT=1",
            "TMPDIR=" + folder,
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
            "mpirun",
            "--oversubscribe",
            "--mca",
            "btl_vader_backing_directory",
            folder};
}

std::vector<pid_t> children_of(pid_t parent)
{
    std::vector<pid_t> children;
    std::error_code none;
    for (const auto& thread :
         std::filesystem::directory_iterator("/proc/" + std::to_string(parent) + "/task", none)) {
        std::istringstream text(read_file(thread.path().string() + "/children"));
        for (pid_t child = 0; text >> child;) {
            children.push_back(child);
        }
    }
    return children;
}

bool is_running(pid_t process)
{
    const std::string status = read_file("/proc/" + std::to_string(process) + "/stat");
    const std::size_t state = status.rfind(')');
    return state != std::string::npos && status[state + 2] != 'Z';
}

std::vector<pid_t> family_of(pid_t process)
{
    std::vector<pid_t> all{process};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::vector<pid_t> children = children_of(all[i]);
        all.insert(all.end(), children.begin(), children.end());
    }
    return all;
}

std::map<std::size_t, std::string> kept_points(const std::string& out)
{
    std::map<std::size_t, std::string> points;
    std::istringstream log(read_file(log_of(out)));
    for (std::string line; std::getline(log, line);) {
        std::istringstream words(line);
        std::string checksum;
        std::size_t number = 0;
        std::string text;
        if (words >> checksum >> number && std::getline(words, text) && Json::accept(text)) {
            points[number] = text;
        }
    }
    return points;
}

bool wait_until_kept(const std::string& out, std::size_t point)
{
    for (int i = 0; i < 600; ++i) {
        if (kept_points(out).count(point) > 0) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

void damage_kept_point(const std::string& out, std::size_t point)
{
    std::string log = read_file(log_of(out));
    const std::string text = kept_points(out).at(point);
    log.erase(log.find(text) + text.size() / 2, text.size() - text.size() / 2);
    std::ofstream(log_of(out), std::ios::binary) << log;
}

Json run_one_point(const Json& study)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    if (outcome.exit_code != 0) {
        throw std::runtime_error(outcome.errors);
    }
    return Json::parse(read_file(folder.path("out/report.json"))).at("points").at(0);
}

Json small_study(const TemporaryFolder& folder, const Json& extra)
{
    folder.write("graph.txt", small_graph());
    Json study = Json::parse(R"({
        "study": "small", "numerics": true, "fidelity": "detailed",
        "machine": {"chip": "tpu_v3", "cores": 2},
        "workload": {
            "dataset": {"file": "graph.txt"},
            "split": {"test_rows": 0.1, "held_out_links": 0.25, "min_links": 4, "seed": 1},
            "alx": {"dim": 8, "epochs": 2, "semantics": "clean",
                    "batch": {"lines": 32, "line_length": 4, "rows": 16}}},
        "sweep": {"/machine/cores": [1, 2, 4]}})");
    study.merge_patch(extra);
    return study;
}

} // namespace alxsim::testing
