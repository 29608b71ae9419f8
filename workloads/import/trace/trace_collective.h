// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "topologies/machine.h"
#include "workloads/import/trace/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::traces {

using Groups = std::vector<std::vector<int>>;

/// Groups of devices in a collective of traces, and what had to be assumed about them.
struct FoundGroups {
    Groups groups;                 ///< empty: all devices
    std::vector<std::string> axes; ///< instead: axes of the slice
    std::string note;              ///< "" if nothing
};

/// Finds, in a trace that all devices run, the ranks of the node's process group and those beside
/// them at the same distances, or the axes that its dimensions are. Throws InputError where they do
/// not fill the machine, and for dimensions that are no axes of the slice.
FoundGroups groups_of(const Node& node, const Trace& trace, const topologies::Machine& machine);

/// Whether kind and size are known, so that collective_of() takes it.
bool is_known(const Node& node);

/// In groups of `size` ranks each; an all-gather of all of them is at most most_bytes_of_node.
model::Collective collective_of(const Node& node, const FoundGroups& groups, int size,
                                const topologies::Machine& machine);

/// "all_reduce", ...: Chakra's name.
std::string name_of(Exchange exchange);

} // namespace alxsim::traces
