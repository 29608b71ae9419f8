// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "topologies/machine.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Notes on the groups of collectives that are no axis, rectangle or ring of the slice, and how
/// many times as long as among as many neighbours their collectives take; of axes of a mesh all
/// together, of lists of ranks op by op. What costs less than a twentieth is not told. By closed
/// forms.
std::vector<std::string> group_notes(const model::Program& interval,
                                     const topologies::Machine& machine);

} // namespace alxsim::experiments
