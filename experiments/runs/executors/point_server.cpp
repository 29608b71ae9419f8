// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/point_server.h"

#include "base/input_error.h"
#include "experiments/runs/executors/task_runner.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

namespace alxsim::experiments {
namespace {

/// A process that holds more than that ends after its point, and the host has the memory back.
constexpr std::int64_t most_bytes_kept = std::int64_t{256} << 20;

/// Asked after each point, of which there may be thousands a second.
std::int64_t resident_bytes()
{
    static const int pages = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128] = {};
    long long resident = 0;
    if (pread(pages, text, sizeof text - 1, 0) <= 0 || sscanf(text, "%*d %lld", &resident) != 1) {
        return 0;
    }
    return resident * sysconf(_SC_PAGESIZE);
}

/// In one piece: whoever waits for a line is woken once.
void answer(const std::string& word, const std::string& what)
{
    std::cout << word + ' ' + what + '\n' << std::flush;
}

/// Runs what `line` asks for; the last line of the answer.
std::pair<std::string, std::string> outcome_of(TaskRunner& runner, const std::string& line)
{
    try {
        const PointResult result =
            runner.run(value_of_json<PointTask>(parse_written_json(line)),
                       {[](double share) { std::cout << "progress " << share << std::endl; },
                        [](const std::string& words) { answer("doing", Json(words).dump()); },
                        [](const std::string& words) { answer("tell", Json(words).dump()); },
                        [](Seconds time) { answer("predicted", std::to_string(time.count())); }});
        return {"result", json_of(result).dump()};
    } catch (const InputError& error) {
        return {"refused", Json(error.what()).dump()};
    }
}

} // namespace

int serve_points()
{
    std::ios::sync_with_stdio(false); // else a line is read letter by letter
    prctl(PR_SET_NAME, "alxsim");     // its file's name may be another (own_program)
    prctl(PR_SET_PDEATHSIG, SIGKILL); // whoever asked for the points is gone: nobody wants them
    TaskRunner runner;
    bool leaving = false;
    for (std::string line; !leaving && std::getline(std::cin, line);) {
        const auto [word, what] = outcome_of(runner, line);
        leaving = resident_bytes() > most_bytes_kept;
        if (leaving) {
            std::cout << "leaving\n";
        }
        answer(word, what);
    }
    return 0;
}

} // namespace alxsim::experiments
