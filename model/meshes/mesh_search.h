// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "model/graph/work.h"
#include "model/meshes/mesh_layout.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::model {

/// A collective along axes of a mesh, and how often a job does it.
struct MeshCollective {
    Collective collective;
    std::int64_t times = 1;
};

/// A machine's name, and all numbers by which collectives along axes of a mesh are timed on it.
using NetworkKey = std::pair<std::string, std::vector<std::int64_t>>;
NetworkKey network_key(const topologies::Machine& machine);

/// The layout in which these collectives take the least time in all, each by itself. As device
/// meshes of JAX (mesh_utils.create_device_mesh, create_hybrid_device_mesh) it has whole axes of
/// the slice, and parts of them only if whole ones do not fit. On chips of several devices, which
/// these do not lay on axes, parts compete with whole axes. All are compared in closed form, the
/// best few of these exactly; of equally quick ones that in fewest parts, of these the first of
/// for_layouts(). `allowed` leaves out others. Nothing if there is none in which all groups are
/// boxes.
std::optional<MeshLayout> best_layout(const Mesh& mesh, const std::vector<MeshCollective>& job,
                                      const topologies::Machine& machine,
                                      const std::function<bool(const MeshLayout&)>& allowed);

/// The place, of those from which a collective of such a group takes the same time, that is nearest
/// to the first device: rings look alike from everywhere, lines from both ends.
std::vector<int> root_among_alike(const CollectiveGroup& group);

/// The least that a collective takes on this slice, in closed form, among groups of `members` that
/// are boxes of it; nothing if there are none.
std::optional<Picoseconds> best_time(const Collective& collective, int members,
                                     const topologies::Machine& machine);

} // namespace alxsim::model
