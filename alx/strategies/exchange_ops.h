// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/step_traffic.h"
#include "alx/device_mesh.h"
#include "model/graph/work.h"

#include <string>
#include <vector>

namespace alxsim::model {
struct Op;
} // namespace alxsim::model

namespace alxsim::alx {

/// Which way an exchange goes: rows from owners to askers, or the askers' requests to the owners.
enum class Direction { to_asker, to_owner };

/// A collective over the devices that differ in their row shard alone.
model::Collective over_rows(model::CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh);
/// In their embedding shard alone: all devices of a chip have the same one.
model::Collective over_embedding(model::CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh);
/// In their replica alone.
model::Collective over_replicas(model::CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh);
/// In anything but their embedding shard.
model::Collective over_solutions(model::CollectiveKind kind, Bytes bytes, const DeviceMesh& mesh);

/// The all-to-all of an exchange, `row_bytes` for each row: message by message where sizes are
/// those of real batches, else in equal parts between `members` (over_rows, over_solutions).
model::Collective all_to_all(const RowExchange& exchange, Bytes row_bytes, Direction direction,
                             const model::Collective& members, int group_devices);

/// The largest of the devices' sizes.
std::int64_t largest(const std::vector<std::int64_t>& sizes);

/// Gives every device its own size of a row gather or scatter, whose `rows` become the largest.
void set_rows(model::Op& op, const std::vector<std::int64_t>& rows);

} // namespace alxsim::alx
