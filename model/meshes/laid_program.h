// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "topologies/machine.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::model {

struct Mesh;

/// What numbers of devices mean in roles, and in their messages and lists of ranks: devices of the
/// machine, or places of the graph's mesh.
enum class DeviceNumbers { of_machine, of_mesh };

/// The same program with its meshes laid on the slice: each as best_layout() finds for what the
/// program does along its axes, in accordance with Machine::mesh_axes. What names devices of the
/// machine by their numbers (roles, messages without a mesh, lists of ranks) has its mesh row by
/// row, as does what finds no place in boxes. Messages of a collective that has a mesh are between
/// its places, and move with them; so does all of roles whose numbers are places. Throws
/// InputError, with `file` the study's, for mesh_axes that the mesh or the slice does not have or
/// on which it does not fit, and where no graph has a mesh to lay.
Program laid_out(const Program& program, const topologies::Machine& machine,
                 const std::string& file, DeviceNumbers numbers = DeviceNumbers::of_machine);

/// The meshes of a program, each once.
std::vector<std::shared_ptr<const Mesh>> meshes_of(const Program& program);

} // namespace alxsim::model
