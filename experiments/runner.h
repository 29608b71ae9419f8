// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/point.h"
#include "experiments/study.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim::experiments {

struct RunnerOptions {
    int jobs = 1;
    int threads = 1; ///< of each point
    bool quiet = false;
    std::string
        keep_folder; ///< where finished points are kept until the report is written; "" for nowhere
    std::string export_folder; ///< where each point writes tables and more; "" for nowhere
    bool resume = false;       ///< take over what `keep_folder` has of the same points
};

/// Ctrl-C or a termination signal came while points were running.
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

/// Runs every point in a fresh process of this program, `jobs` at a time; results in the points'
/// order, whatever finished first. A point whose process fails has an `error` and the others go on;
/// bad input ends all: InputError. Throws Interrupted after a signal, with all children ended.
std::vector<PointResult> run_points(const Study& study, const std::vector<PointSpec>& points,
                                    const RunnerOptions& options);

/// The child's side: reads a point from stdin, runs it, writes progress and the result, or why the
/// point is refused, to stdout.
int serve_point();

} // namespace alxsim::experiments
