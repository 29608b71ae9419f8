// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"
#include "model/graph/counts.h"
#include "topologies/machine.h"

#include <stdexcept>

/// Where all chips do the same at the same time, the first one tells what they all do; where some
/// have slow devices, one of each kind.
namespace alxsim::sim {

/// They do not after all: only a simulation of the whole slice tells.
struct ChipsDiffer : std::runtime_error {
    ChipsDiffer() : std::runtime_error("a few chips do not tell what all do") {}
};

/// Whether nothing about the machine tells most chips apart but the speeds of their devices.
bool has_chips_alike(const topologies::Machine& machine);
/// Whether nothing in a step does: no roles, no costs or counts of a chip's own, and collectives
/// over the whole slice that go round rings.
bool has_chips_alike(const model::CompiledGraph& graph, const model::Counts& counts,
                     const topologies::Machine& machine);
/// The devices of those chips that tell what all do: of chips alike that follow each other by their
/// numbers, the first. So of two that are done at once the earlier one is the same as among all.
int devices_that_tell(const topologies::Machine& machine);
/// Those chips by themselves, with the rates and latencies that they have among the others.
topologies::Machine chips_that_tell(const topologies::Machine& machine);

} // namespace alxsim::sim
