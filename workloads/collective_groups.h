// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <string>
#include <vector>

namespace alxsim::workloads {

/// OpGroups::by of those below.
inline constexpr const char* by_collective = "collective";
inline constexpr const char* by_axes = "axes";

/// The axes of the slice along which a collective moves anything: "x", "x+y", "dcn"; "chip" between
/// the devices of chips; "part of x" where its groups are no whole axes. Throws InputError for a
/// collective that the machine cannot have.
std::string axes_in_words(const model::Collective& collective, const topologies::Machine& machine);

/// The collectives of a graph without roles, by kind and axes ("all_gather over x+y"), and by axes
/// alone.
std::vector<OpGroups> groups_of_collectives(const model::OpGraph& graph,
                                            const topologies::Machine& machine);

} // namespace alxsim::workloads
