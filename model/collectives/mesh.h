// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "topologies/machine.h"

#include <string>
#include <vector>

namespace alxsim::model {

/// Throws InputError unless a mesh has as many devices as the machine.
void check_devices(const Mesh& mesh, int devices);

/// The devices that differ in nothing but the named axes of the mesh, group by group; ascending.
std::vector<std::vector<int>> groups_of_mesh(const Mesh& mesh,
                                             const std::vector<std::string>& axes);

/// The same collective without a mesh: along axes of the network where these join the same devices,
/// else with lists of ranks. One that has none stays as it is. Throws InputError for a mesh that
/// has not as many devices as the machine.
Collective on_network(const Collective& collective, const topologies::Machine& machine);

} // namespace alxsim::model
