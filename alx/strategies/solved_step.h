// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/device_mesh.h"
#include "alx/shard_map.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// A solution, by where it was solved.
struct SolvedRow {
    int device = 0;
    std::int64_t slot = 0; ///< of the device's batch
    std::int32_t row = 0;  ///< of the table
};

/// The solutions of one batch step, before the scatter. All referenced objects outlive it.
struct SolvedStep {
    const DenseBatches& batches;
    std::int64_t step = 0;
    const ShardMap& own; ///< of the table that is solved for
    const DeviceMesh& mesh;

    /// Returns the rows of all devices, in the order of devices and of their batches.
    std::vector<SolvedRow> rows() const;
    /// Slots for solutions that a device has, padding included, with those of its embedding group,
    /// whose columns it keeps.
    std::int64_t slots() const { return batches.geometry.rows * mesh.embedding_shards; }
};

/// What a scatter's numbers do, [devices] each.
struct ScatteredRows {
    /// The solutions that the device writes into its shard, in this order. A table is kept once: of
    /// the devices that hold a row, the first embedding shard of the first replica writes it whole.
    std::vector<std::vector<SolvedRow>> written;
    /// Solutions that others sent to the device: of its columns, and padding where that travels.
    std::vector<std::int64_t> received;
};

/// Every solution at the device that writes it, nothing received.
ScatteredRows written_by_holders(const SolvedStep& solved);

} // namespace alxsim::alx
