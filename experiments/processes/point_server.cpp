// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/point_server.h"

#include "base/input_error.h"
#include "experiments/processes/task_runner.h"

#include <csignal>
#include <fstream>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

namespace alxsim::experiments {
namespace {

/// A process that holds more than that ends after its point, and the host has the memory back.
constexpr std::int64_t most_bytes_kept = std::int64_t{256} << 20;

std::int64_t resident_bytes()
{
    std::int64_t size = 0;
    std::int64_t resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

void answer(const std::string& word, const std::string& what)
{
    std::cout << word << ' ' << what << std::endl;
}

/// Runs what `line` asks for; the last line of the answer.
std::pair<std::string, std::string> outcome_of(TaskRunner& runner, const std::string& line)
{
    try {
        const PointResult result =
            runner.run(value_of_json<PointTask>(Json::parse(line)),
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
