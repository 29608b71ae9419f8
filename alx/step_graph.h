// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "model/op_graph.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::alx {

/// One side of the matrix as a half step sees it: which table is solved for, which is fixed.
struct HalfShape {
    std::string own;   ///< "rows" or "columns"
    std::string fixed; ///< the other one
    BatchGeometry geometry;
    std::int64_t own_shard_rows = 0;
    std::int64_t fixed_shard_rows = 0;
};

/// What the ops of a step do to real data; all empty in a timing-only run.
struct HalfEffects {
    std::shared_ptr<const model::Effect> gather;
    std::shared_ptr<const model::Effect> solve; ///< statistics and solve, row by row
    std::shared_ptr<const model::Effect> scatter;
};

struct GramianEffects {
    std::shared_ptr<const model::Effect> partial; ///< of each device's shard
    std::shared_ptr<const model::Effect> combine;
};

/// One batch step of a half (als.py, `project`): infeed, exchange of ids, gather, statistics,
/// solve, exchange of solutions, scatter. The ops' sizes follow from the batch geometry alone:
/// padding is worked on like data.
model::OpGraph half_step_graph(const AlxConfig& config, const HalfShape& half, int devices,
                               const HalfEffects& effects = {});

/// Gramian of the table `name` ("rows" or "columns"): each device's shard, then the sum over
/// devices.
model::OpGraph gramian_step_graph(const AlxConfig& config, const std::string& name,
                                  std::int64_t shard_rows, int devices,
                                  const GramianEffects& effects = {});

} // namespace alxsim::alx
