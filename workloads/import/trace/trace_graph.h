// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "topologies/machine.h"
#include "workloads/import/trace/trace.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::traces {

/// Traces as a step of ours, and what became of their nodes.
struct TraceGraph {
    std::shared_ptr<const model::OpGraph> graph;
    std::int64_t nodes = 0, mapped = 0, dropped = 0; ///< of all ranks; a joined one is mapped
    std::int64_t fixed = 0;                          ///< computations of known time
    std::int64_t custom = 0;                         ///< computations of known operations
    std::int64_t elsewhere = 0;                      ///< dependencies on nodes that no file has
    std::map<std::string, std::int64_t> collective_bytes; ///< [our kind]: of a device's ops, all
    std::map<std::string, std::int64_t> collective_calls; ///< ranks together as one call
    std::int64_t messages = 0, message_bytes = 0;         ///< of all ranks
    std::vector<std::string> notes;
};

/// One trace is what all devices do; else there is one for each device, by its number. Ranks whose
/// programs are equal but for whom they send to, their groups and their times do the same ops; else
/// each kind of program is a role. Nodes that are dropped stand aside: what waits for one waits for
/// what it waited for.
///
/// A computation is a `custom` op where operations and bytes are known, else `fixed` by its
/// time. `bytes` of a collective are those of docs/op_graph.md: of an all-gather what a rank gives
/// times the ranks. Gathers and scatters are messages to the group's first rank, and from it. A
/// barrier is an all-reduce of one number. Whatever does not wait for a collective may run beside
/// it, also where the chip's compiler would not let it (`"overlap": "async"`). A collective of
/// unknown kind or size takes what it took.
///
/// Throws InputError for what cannot run: see trace_order.h; for a number of traces that is not the
/// devices', and for ranks that meet in collectives of different kinds or sizes.
TraceGraph graph_of(const std::vector<Trace>& traces, const topologies::Machine& machine);

} // namespace alxsim::traces
