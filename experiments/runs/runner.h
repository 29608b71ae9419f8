// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"
#include "experiments/runs/executors/executor.h"
#include "experiments/runs/processes/child_process.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim::experiments {

struct RunnerOptions {
    /// The program `alxsim` of this version, which runs the points in processes of its own
    /// (executors/child_processes.h). "": the points run in this process, one after another.
    Program executable;
    int jobs = 1;    ///< points at once, if they have processes of their own
    int threads = 1; ///< of each point
    int retries = 0; ///< how often a point that was lost is tried again
    bool quiet = false;
    std::string
        keep_folder; ///< where finished points are kept until the report is written; "" for nowhere
    /// Where the points' processes tell one another rates of the HBM; "": a file in `keep_folder`.
    std::string hbm_rates;
    std::string export_folder; ///< where each point writes tables and more; "" for nowhere
    TraceRequest trace;        ///< its file: the folder for the points' traces
    bool resume = false;       ///< take over what `keep_folder` has of the same points
    /// The points' numbers in their study, by which they are kept and exported; empty: 0, 1, 2, ...
    std::vector<std::size_t> numbers;
    /// Whether what is predicted to take longest begins first, else points begin in order.
    bool costliest_first = false;
    /// Told what each point took of the host that ran it, those taken over too; may be empty.
    /// Returns a line for people, or "".
    std::function<std::string(const report::HostUse&)> took;
    /// Whether Ctrl-C and termination are caught while points run. Else no signal handler of this
    /// program is touched; the processes end with it.
    bool catch_signals = false;
    /// Asked now and then: whether to end all points, as after a signal; empty: never.
    std::function<bool()> stop;
    /// Told of each point that is settled, by its place in the list; may be empty.
    std::function<void(std::size_t, const PointResult&)> settled;
    /// What is told of a settled point without an error, in place of its times; may be empty.
    std::function<std::string(std::size_t, const PointResult&)> settled_in_words;
};

/// Ctrl-C or a termination signal came while points were running, or a stop was asked for.
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

/// Runs all points; results in their order, whatever finished first. A point that fails, or is
/// refused for bad input, has an `error` and the others go on. Throws Interrupted after a signal
/// that was caught, or a stop, with all processes ended.
std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options);

/// The same by an executor, whatever `executable` and `jobs` say.
std::vector<PointResult> run_points(const std::vector<PointSpec>& points,
                                    const RunnerOptions& options, Executor& executor);

} // namespace alxsim::experiments
