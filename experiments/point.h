// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <functional>
#include <string>

namespace alxsim::experiments {

/// How one point is run.
struct PointOptions {
    std::string file; ///< the study file: for error messages and relative paths
    int threads = 1;
    std::function<void(double)> progress; ///< share done, may be empty
    /// Where the last complete epoch is kept; "" for nowhere.
    std::string checkpoint;
    bool resume = false;       ///< from that checkpoint, if it is of the same job
    std::string export_folder; ///< where tables and more are written; "" for nowhere
};

/// What a point yields.
struct PointResult {
    Json point;        ///< as in the report, without series, sweep, speedup and efficiency
    Json dataset;      ///< description of its input
    Json assumptions;  ///< preset values that no source settles, and those of the workload
    int intervals = 1; ///< of a preview: epochs of a run with numbers
};

/// Runs one point of a study (a study without sweep and series) in this process. A point that does
/// not fit into HBM is a result, not an error. Throws InputError for bad input.
PointResult run_point(const Json& study, const PointOptions& options);

/// The same without running it: machine, memory, and the analytic estimate of an epoch.
PointResult preview_point(const Json& study, const std::string& file);

} // namespace alxsim::experiments
