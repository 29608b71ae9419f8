// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/step_traffic.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/steps/host_moves.h"
#include "alx/steps/planned_step.h"
#include "model/graph/op_graph.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace alxsim::alx {

/// One side of the matrix as a half step sees it: which table is solved for, which is fixed.
struct HalfShape {
    std::string own;   ///< "rows" or "columns"
    std::string fixed; ///< the other one
    BatchGeometry geometry;
    std::int64_t own_shard_rows = 0;
    std::int64_t fixed_shard_rows = 0;
    bool splits_rows = false;     ///< some row's links stand in several batches
    std::int64_t batch_links = 0; ///< of the mean batch, those that only pad devices among them

    /// CG iterations of a batch's slowest system where they are not counted.
    std::int64_t expected_iterations(const AlxConfig& config) const
    {
        return own == "rows" ? config.cg.assumed_row_iterations
                             : config.cg.assumed_column_iterations;
    }
};

/// What the ops of a step do to real data; all empty in a timing-only run.
struct HalfEffects {
    std::shared_ptr<const model::Effect> solve; ///< gather, statistics and solve, row by row
    std::shared_ptr<const model::Effect> scatter;
};

/// What the data of the step's batches tells, see needs_of(); empty where nothing is needed.
struct HalfTraffic {
    StepTraffic gathered; ///< of the batch that is gathered
    StepTraffic solved;   ///< of the batch that is solved: its long rows and solutions
    HostMoves moved;      ///< of tables in host memory
};

/// The phases under which the time of a job's steps is reported, in the order of an epoch.
const std::vector<std::string>& phase_names();

/// What of the data the sizes of a job's half steps follow.
TrafficNeeds needs_of(const AlxConfig& config, const DeviceMesh& mesh);

/// One batch step of a half (als.py, `project`): infeed, exchange of ids, gather, statistics,
/// solve, copy of the shard where tables are not donated, exchange of solutions, scatter. The ops'
/// sizes follow from the batch geometry alone, padding is worked on like data; but for strategies
/// with needs_of(), whose sizes `traffic` tells.
///
/// On a mesh with embedding shards, a device gathers its columns of the rows that all members of
/// its embedding group need, an all-to-all over the group makes whole rows of its own batch out of
/// them, since outer products need whole rows, and another one takes the solutions apart again.
model::OpGraph half_step_graph(const AlxConfig& config, const HalfShape& half,
                               const DeviceMesh& mesh, const HalfEffects& effects = {},
                               const HalfTraffic& traffic = {}, StepPart part = StepPart::whole);

/// What goes before the steps of a half: the copy of the fixed table, if the gather wants one, or
/// its `first` rows, if it stands below HBM.
std::optional<model::OpGraph> before_half_graph(const AlxConfig& config, const HalfShape& half,
                                                const DeviceMesh& mesh,
                                                const HostMoves& first = {});

/// The sum over all devices in that graph.
model::Collective gramian_all_reduce(const AlxConfig& config);

/// Gramian of the table `name` ("rows" or "columns"): each device's shard, then the sum over
/// devices. Replicas share their shard's rows; so do embedding shards, after an all-to-all that
/// makes whole rows. `effect` goes on the op that completes the sum. A table that stood in host
/// memory while it was solved for changes places first with the other one, of `other_shard_rows`,
/// if the fixed one is to stand in HBM; else it passes HBM chunk by chunk.
model::OpGraph gramian_step_graph(const AlxConfig& config, const std::string& name,
                                  std::int64_t shard_rows, std::int64_t other_shard_rows,
                                  const DeviceMesh& mesh,
                                  std::shared_ptr<const model::Effect> effect = nullptr);

} // namespace alxsim::alx
