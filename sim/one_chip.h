// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "model/graph/counts.h"
#include "topologies/machine.h"

#include <stdexcept>

/// Where all chips do the same at the same time, the first one tells what they all do.
namespace alxsim::sim {

/// They do not after all: only a simulation of the whole slice tells.
struct ChipsDiffer : std::runtime_error {
    ChipsDiffer() : std::runtime_error("one chip does not tell what all do") {}
};

/// Whether nothing about the machine tells chips apart: there are several, and no faults.
bool has_chips_alike(const topologies::Machine& machine);
/// Whether nothing in a step does: no roles, no costs or counts of a chip's own, and collectives
/// over the whole slice that go round rings.
bool has_chips_alike(const model::CompiledGraph& graph, const model::Counts& counts,
                     const topologies::Machine& machine);
/// The machine's first chip by itself, with the rates and latencies that it has among the others.
topologies::Machine first_chip_of(const topologies::Machine& machine);

} // namespace alxsim::sim
