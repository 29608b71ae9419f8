// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "workloads/registry.h"

#include <string>

namespace alxsim::experiments {

/// What the points of a finished report counted that a study without numbers assumes: of the first
/// on as many cores, else of the first that counted it. Throws InputError for a report of which
/// none did, and for one of another job.
workloads::Counted counts_of_report(const std::string& report, const Study& study,
                                    const std::string& series);

} // namespace alxsim::experiments
