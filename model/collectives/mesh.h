// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/group_box.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

bool has_devices(const Mesh& mesh, int devices);

/// Throws InputError unless a mesh has as many devices as the machine.
void check_devices(const Mesh& mesh, int devices);

/// The devices that differ in nothing but the named axes of the mesh, group by group, in the order
/// of their places.
std::vector<std::vector<int>> groups_of_mesh(const Mesh& mesh,
                                             const std::vector<std::string>& axes);

/// The same collective as the network has it: without a mesh; along axes of the network where its
/// groups are these, in whatever order they are listed; else with lists of ranks, in ascending
/// order if they are boxes (box_of_ranks()), else as rings of neighbours. Lists of a permute stay
/// as they are, as do those of `listed`. One without mesh and ranks stays as it is. Throws
/// InputError for a mesh that has not as many devices as the machine, for lists that are not as
/// Collective has them, and for what a list cannot be asked for.
Collective on_network(const Collective& collective, const topologies::Machine& machine);

/// The box that each list of on_network() is; nothing if it is none, or if all is to go round it
/// one way and it is no torus.
std::optional<GroupBox> box_of_ranks(const Collective& collective,
                                     const topologies::Machine& machine);

} // namespace alxsim::model
