// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/device_mesh.h"
#include "model/graph/program.h"

#include <cstdint>

namespace alxsim::alx {

/// What an evaluation works on.
struct EvaluationSize {
    std::int64_t test_rows = 0;
    double mean_history = 0; ///< links of a test row that it is solved from
    std::int64_t row_shard = 0;
    std::int64_t column_shard = 0; ///< rows of a device's shard of the column table
};

/// One evaluation, to be timed: test batches are fed, gathered and solved like a half step's, then
/// every device scores all solved rows of the step against its own columns, keeps the best of each,
/// and all of these are gathered and merged (als.py, `top_k`). Sorting is a bitonic network on the
/// vector unit, as XLA's full sort; of an approximate top-k one pass. Gathers whose sizes follow
/// the data are taken as one all-reduce. Empty without test rows.
model::Program evaluation_program(const AlxConfig& config, const EvaluationSize& size,
                                  const DeviceMesh& mesh);

} // namespace alxsim::alx
