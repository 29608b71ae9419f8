// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/estimate.h"
#include "model/graph/program.h"
#include "report/point.h"
#include "workloads/workload.h"

#include <set>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// The share of a program's time that its critical path spends on some ops, by the analytic model.
/// Throws InputError for work that is not supported.
double share_of_ops(const model::Program& program, const std::set<std::string>& ops,
                    model::AnalyticModel& model);

/// What of a job's time rests on assumed work, in words of its interval. Throws likewise.
report::AssumedTime assumed_time(const workloads::AssumedWork& assumed,
                                 const workloads::Workload& workload, model::AnalyticModel& model);

/// The same sentence: "12 % of the time of a run of the program rests on ...".
std::string assumed_in_words(double share, const std::string& of, const std::string& interval);

/// A job's time by each of its groups of ops: shares of the critical path by the analytic model,
/// of `seconds`, which may be simulated. Throws likewise.
std::vector<report::TimeTable> time_tables(const workloads::Workload& workload, double seconds,
                                           model::AnalyticModel& model);

} // namespace alxsim::experiments
