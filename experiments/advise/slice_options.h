// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/space.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// Every rectangle or box of as many chips as the cores need, turned one way; the first changes
/// nothing, and the first of each other count has the sides that this count has by default. `cores`
/// empty: those of the studied plan. A slice whose wraps, twist or faults the study settles stays
/// as it is. Throws InputError for a count that no slice has.
std::vector<Option> slice_options(const PointStudy& studied, const topologies::Machine& machine,
                                  const std::vector<int>& cores);

} // namespace alxsim::experiments
