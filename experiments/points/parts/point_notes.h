// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/point_study.h"
#include "report/point.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// By how much analytic epochs exceed those of SystemC where cores or links are slow: the most of
/// the cases in tests/unit/experiments/point_notes_test.cpp. Without such faults it is 1 %.
constexpr double analytic_excess_with_faults = 0.08;

/// What readers of a point's numbers should know of its machine: overrides that change
/// nothing, or not in full (a job that does not fit is not timed for that); and, of `analytic`
/// numbers, what the model makes of slow cores and links. Sentences without a capital and a full
/// stop.
std::vector<std::string> notes_of(const Job& job, const PointStudy& study, bool fits,
                                  bool analytic);

/// The same of what `study` asks for, as its kind of workload knows; and of numbers of a kind that
/// has none.
std::vector<std::string> notes_of(const PointStudy& study);

/// Returns the note that devices are taken to differ; nothing on a machine where they do not.
std::optional<std::string> skew_note(const topologies::Machine& machine);

/// The beginning of the note that says what the time is, which stands before all others.
extern const std::string what_the_time_is;

/// Returns the note that says whether the time has an input pipeline in it; nothing for kinds of
/// workload that always have one, or never.
std::optional<std::string> input_note(const Job& job, const PointStudy& study);

/// The distinct notes of some points (`notes` of each, where there are any), one line each:
/// "note: ...\n".
std::string notes_in_lines(const std::vector<report::Point>& points);

/// Throws InputError that names the study's file and the field to blame for a duration that
/// simulated time cannot hold: the override without which the job's estimate is possible, all
/// overrides if only they together are to blame, else the workload.
[[noreturn]] void refuse_duration_of(const PointStudy& study, const DurationError& error);

} // namespace alxsim::experiments
