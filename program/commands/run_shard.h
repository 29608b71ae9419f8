// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/kept/shard.h"
#include "experiments/runs/runner.h"
#include "program/requests/study_report.h"

#include <string>

namespace alxsim::program {

using namespace experiments;

/// Runs a shard's points and keeps them in `folder`, with what `alxsim merge` needs to know. `run`
/// has no results yet. The exit code.
int run_shard(const Shard& shard, const StudyRun& run, const std::string& folder,
              RunnerOptions options, Executor& executor);

} // namespace alxsim::program
