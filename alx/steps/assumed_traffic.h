// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/step_traffic.h"
#include "alx/batches/workload_shape.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/placements/placement_assumption.h"

namespace alxsim::alx {

/// What the placement of a job without links is taken to do: as its strategy assumes, but for what
/// config.assumed_traffic sets. Throws InputError for an unknown placement.
PlacementAssumption assumed_placement(const AlxConfig& config, const WorkloadShape& shape,
                                      const DeviceMesh& mesh);

/// The two sides of a half of a job without links.
struct AssumedHalf {
    SideShape own;
    SideShape fixed;
    double links = 0;           ///< of the own side, that batches hold
    double fixed_imbalance = 1; ///< most over mean: links of the fixed table's shards
    double local_share = 0;     ///< of the links, where batches are at the owners of their rows
};

/// What `batches` batches of that half are like in the mean. Distinct rows are those of independent
/// links, times what config.assumed_traffic says; of batches that any device may solve, each
/// shard owns the same share.
TrafficMeans assumed_traffic(const AlxConfig& config, const AssumedHalf& half, std::int64_t batches,
                             const DeviceMesh& mesh);

} // namespace alxsim::alx
