// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/device_mesh.h"
#include "alx/requests/point_request.h"
#include "topologies/machine.h"

#include <string>

namespace alxsim::alx {

/// How the devices of a slice share the tables, from /workload/alx of a point: row shards along
/// `group_axes` and over the devices of a chip, embedding shards along `embedding_axes`, replicas
/// along the axes in neither. Without them every device has its own row shard. `core_order` says in
/// which order row shards are dealt along the group's axes. Throws InputError naming `file` for
/// axes that the slice does not have, that stand in both lists, or that a twisted slice cannot
/// part.
DeviceMesh mesh_of(const AlxRequest& alx, const topologies::Machine& machine,
                   const std::string& file);

} // namespace alxsim::alx
