// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "topologies/machine.h"

#include <string>

namespace alxsim::model {

/// The largest numbers that a graph may have; its schema says the same. Beyond them sums overflow.
namespace graph_limits {
constexpr std::int64_t side = 1'000'000'000; ///< of a product; numbers of a last dimension
constexpr std::int64_t count = 1'000'000'000'000'000;
constexpr std::int64_t rows = 100'000'000'000;
constexpr std::int64_t row_bytes = 1'000'000'000;
constexpr std::int64_t issue_cycles = 1'000'000;
constexpr std::int64_t devices = 1'000'000; ///< along an axis of a mesh
constexpr std::int64_t times = 10'000'000;
} // namespace graph_limits

/// What every graph must be, wherever it comes from: sizes in their limits, ops after earlier ones,
/// collectives that can end. Throws InputError with the JSON pointer of
/// the first place that is not so, "/ops/3/after", behind `file` ("": nothing).
void check(const OpGraph& graph, const std::string& file = "");

/// The same, and for each device of `machine` what a graph has for each device. Groups, schedules
/// and memory are refused where they are worked out (collective_group.h, schedule_choice.h,
/// buffer_placement.h).
void check(const OpGraph& graph, const topologies::Machine& machine);

} // namespace alxsim::model
