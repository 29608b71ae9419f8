// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/runs/executors/point_task.h"
#include "experiments/runs/files/hbm_rates_file.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// Runs tasks in this process, one after another; all of one run.
class TaskRunner {
public:
    struct Listener {
        std::function<void(double share)> progress;
        std::function<void(const std::string& words)> doing; ///< what takes long just now
        std::function<void(const std::string& words)> tell;
        std::function<void(Seconds)> predicted; ///< if it is more than moments
    };
    /// Throws InputError for bad input.
    PointResult run(const PointTask& task, const Listener& listener);

private:
    std::optional<HbmRatesFile> rates_; ///< the same for all points of a run
};

} // namespace alxsim::experiments
