// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/space.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// Every rectangle or box of as many chips of this preset as the cores need, turned one way, but
/// for the one that the studied plan has; the first of each count has the sides that this count has
/// by default. `cores` empty: those of the studied plan, whose machine is `machine`. A slice whose
/// wraps, twist or faults the study settles stays as it is. Throws InputError for a count that no
/// slice has, and for a chip that the study cannot have.
std::vector<Option> slice_options(const PointStudy& studied, const topologies::Machine& machine,
                                  const std::string& chip, const std::vector<int>& cores);

} // namespace alxsim::experiments
