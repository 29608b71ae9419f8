// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/point.h"
#include "experiments/study.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim::experiments {

struct RunnerOptions {
    /// The program `alxsim` of this version, which runs the points in processes of its own: small
    /// ones, of closed forms alone, share a process, any other has one to itself. "": the points
    /// run in this process, one after another.
    std::string executable;
    int jobs = 1;    ///< points at once, if they have processes of their own
    int threads = 1; ///< of each point
    bool quiet = false;
    std::string
        keep_folder; ///< where finished points are kept until the report is written; "" for nowhere
    std::string export_folder; ///< where each point writes tables and more; "" for nowhere
    bool resume = false;       ///< take over what `keep_folder` has of the same points
    /// Whether Ctrl-C and termination are caught while processes run. Else no signal handler of
    /// this program is touched; the processes end with it.
    bool catch_signals = false;
};

/// Ctrl-C or a termination signal came while points were running.
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

/// Runs all points; results in their order, whatever finished first. A point that fails has an
/// `error` and the others go on; bad input ends all: InputError. Throws Interrupted after a signal
/// that was caught, with all processes ended. In this process it is not for two threads at once,
/// and a point that crashes takes the program along.
std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options);

} // namespace alxsim::experiments
