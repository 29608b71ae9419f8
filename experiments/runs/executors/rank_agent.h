// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/executors/executor.h"
#include "experiments/runs/executors/ranks.h"

namespace alxsim::experiments {

/// What every rank but 0 does: runs the points that rank 0 sends (rank_pool.h), `jobs` at once, by
/// `executor`, until that says that it is the end. The exit code.
int serve_rank(Ranks& ranks, Executor& executor, int jobs);

} // namespace alxsim::experiments
