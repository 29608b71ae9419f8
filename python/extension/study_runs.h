// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "python/extension/told_report.h"

#include <functional>
#include <string>

namespace alxsim::python {

/// How a study runs.
struct RunSettings {
    std::string folder;  ///< where points are kept until the report is there
    bool writes = false; ///< the report into that folder
    bool resume = false; ///< with what is kept there
    int jobs = 0;        ///< points at once; 0: one for each core of this host
    int threads = 0;     ///< of each point; 0: the cores shared out
    int retries = 0;     ///< of a point whose process died
    bool in_process = false;
    bool quiet = false;
    std::string memory;        ///< of this host for the points, "8G"; "": what is available
    std::string export_folder; ///< "": nothing is exported
    std::string trace_folder;  ///< "": nothing is traced
    std::string trace_steps = "first";
    std::function<bool()> stop; ///< asked now and then: whether to end
};

/// Runs a study as `alxsim run` does, in processes of their own unless it shall be in this one.
/// `tell`: lines for people. Stops by experiments::Interrupted, with what is finished kept. Throws
/// InputError.
ToldReport run_study(const experiments::Study& study, const RunSettings& settings,
                     const std::function<void(const std::string&)>& tell);

} // namespace alxsim::python
