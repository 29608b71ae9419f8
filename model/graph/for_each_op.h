// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <algorithm>
#include <cstdint>

namespace alxsim::model {

/// The repeat that an op is; null if it is none. (CompiledOp has one of its own.)
inline const Repeat* as_repeat(const Op& op)
{
    return std::get_if<Repeat>(&op.work);
}

/// What an op repeats; null if it is no repeat.
inline const OpGraph* body_of(const Op& op)
{
    const Repeat* repeat = as_repeat(op);
    return repeat == nullptr ? nullptr : repeat->body.get();
}

/// Calls visit(op) for every op of a graph (an OpGraph or a CompiledGraph), of its roles and of the
/// bodies of its repeats, in program order: a repeat before its body.
template <class Graph, class Visit>
void for_each_op(const Graph& graph, Visit&& visit)
{
    for (const auto& op : graph.ops) {
        visit(op);
        if (const Graph* body = body_of(op)) {
            for_each_op(*body, visit);
        }
    }
    for (const auto& role : graph.roles) {
        for_each_op(*role.graph, visit);
    }
}

/// Calls visit(op, times) likewise. `graph` runs `times` times, and `rounds(repeat)` says how often
/// a repeat iterates each time.
template <class Graph, class Times, class Rounds, class Visit>
void for_each_op(const Graph& graph, Times times, Rounds&& rounds, Visit&& visit)
{
    for (const auto& op : graph.ops) {
        visit(op, times);
        if (const Graph* body = body_of(op)) {
            for_each_op(*body, times * static_cast<Times>(rounds(*as_repeat(op))), rounds, visit);
        }
    }
    for (const auto& role : graph.roles) {
        for_each_op(*role.graph, times, rounds, visit);
    }
}

/// Whether `holds(op)` for any of the ops that for_each_op visits.
template <class Graph, class Predicate>
bool any_op(const Graph& graph, Predicate&& holds)
{
    const auto in_op = [&](const auto& op) {
        const Graph* body = body_of(op);
        return holds(op) || (body != nullptr && any_op(*body, holds));
    };
    const auto in_role = [&](const auto& role) { return any_op(*role.graph, holds); };
    return std::any_of(graph.ops.begin(), graph.ops.end(), in_op) ||
           std::any_of(graph.roles.begin(), graph.roles.end(), in_role);
}

/// Iterations of a repeat on the first device.
struct RoundsOfFirstDevice {
    const Counts& counts;
    std::int64_t operator()(const Repeat& repeat) const { return iterations(repeat, counts, 0); }
};

/// Iterations of a repeat on the device that iterates most.
struct RoundsOfSlowestDevice {
    const Counts& counts;
    std::int64_t operator()(const Repeat& repeat) const
    {
        return slowest_iterations(repeat, counts);
    }
};

} // namespace alxsim::model
