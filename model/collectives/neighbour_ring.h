// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/machine.h"

#include <vector>

namespace alxsim::model {

/// The same devices, each group in an order in which few hops lead from each to the next, and from
/// the last to the first: each time the nearest one that is left, then the best exchanges of two
/// ways (2-opt), which is a search and no proof. In whatever order they come, the same.
std::vector<std::vector<int>> neighbour_rings(std::vector<std::vector<int>> groups,
                                              const topologies::Machine& machine);

} // namespace alxsim::model
