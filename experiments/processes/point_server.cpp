// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/point_server.h"

#include "base/input_error.h"
#include "experiments/exit_codes.h"
#include "experiments/point.h"
#include "experiments/processes/hbm_rates_file.h"
#include "experiments/processes/point_task.h"

#include <csignal>
#include <fstream>
#include <iostream>
#include <optional>
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

PointOptions options_of(const PointTask& task,
                        const std::shared_ptr<model::ScheduleBook>& schedules)
{
    PointOptions options;
    options.schedules = schedules;
    options.threads = task.threads;
    options.export_folder = task.export_folder;
    options.checkpoint = task.checkpoint;
    options.resume = task.resume;
    options.progress = [last = 0.0](double fraction) mutable {
        if (fraction >= last + 0.01) {
            last = fraction;
            std::cout << "progress " << fraction << std::endl;
        }
    };
    return options;
}

} // namespace

int serve_points()
{
    std::ios::sync_with_stdio(false);  // else a line is read letter by letter
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever asked for the points is gone: nobody wants them
    std::optional<HbmRatesFile> rates; // the same for all points of a run
    const auto schedules = std::make_shared<model::ScheduleBook>();
    bool leaving = false;
    for (std::string line; !leaving && std::getline(std::cin, line);) {
        const auto task = value_of_json<PointTask>(Json::parse(line));
        if (!rates) {
            rates.emplace(task.hbm_rates);
        }
        try {
            const PointResult result =
                run_point(read_point_study(task.study, task.file), options_of(task, schedules));
            rates->save();
            leaving = resident_bytes() > most_bytes_kept;
            std::cout << (leaving ? "leaving\n" : "") << "result " << json_of(result).dump()
                      << std::endl;
        } catch (const InputError& error) {
            std::cout << "refused " << Json(error.what()).dump() << std::endl;
            return exit_bad_input;
        }
    }
    return 0;
}

} // namespace alxsim::experiments
