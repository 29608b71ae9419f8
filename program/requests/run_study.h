// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/executors/executor.h"
#include "experiments/runs/runner.h"
#include "program/requests/study_report.h"

#include <functional>
#include <string>

namespace alxsim::program {

using namespace experiments;

/// A line for people.
using Tell = std::function<void(const std::string&)>;

/// The study's points, none of which ran. Throws InputError for what is wrong with the study, or
/// with the machines of all its points: that shall be known before any runs.
StudyRun begun_run(Study study);

/// Throws InputError for steps that are none, and where no point would have a trace; tells how many
/// have none.
void check_trace(const TraceRequest& request, const std::vector<PointSpec>& points,
                 const Tell& tell);

/// Throws InputError for an export that would write nothing; tells where the study alone speaks of
/// one. `folder`: "" for none.
void check_export(const std::string& folder, const std::vector<PointSpec>& points,
                  const Tell& tell);

/// How the steps of a run (run_search(), run_points()) keep to what the host's memory holds.
struct HostRoomUse {
    int jobs = 1;                         ///< points at once where there is room
    std::function<void(int)> run_at_once; ///< told for how many there is; may be empty
    Tell tell;                            ///< where there is not; may be empty
};

/// `options` with the room of the host in mind, from now on and as points tell what they took.
RunnerOptions within_host_room(const StudyRun& run, RunnerOptions options, const HostRoomUse& use);

/// Runs the study's search, if it has one, and goes on with the best candidate's values in its
/// base; a series' own `set` still comes after. Throws InputError for a candidate that is refused,
/// std::runtime_error for one that failed, Interrupted.
void run_search(StudyRun& run, RunnerOptions options, Executor& executor, const Tell& tell);

/// Throws InputError where all points were refused for one and the same reason: there is nothing to
/// report, and an earlier report stays. Where reasons differ, a report says them.
void refuse_if_study_is_refused(const StudyRun& run);

} // namespace alxsim::program
