// SPDX-License-Identifier: Apache-2.0
#include "model/compiled_graph.h"

#include <algorithm>
#include <set>

namespace alxsim::model {
namespace {

bool communicates(const CompiledOp& op)
{
    return op.schedule || (op.body && op.body->has_collectives);
}

/// What ops of one compilation share.
struct Compilation {
    const Placement& placement;
    const topologies::Machine& machine;
    PhaseNames& phases;
    ScheduleBook schedules;
};

std::unique_ptr<CompiledGraph> compile_graph(const OpGraph& graph, Compilation& shared);

CompiledOp compile_op(const Op& op, Compilation& shared)
{
    CompiledOp compiled;
    compiled.op = &op;
    compiled.cost = op_cost(op, shared.placement, shared.machine);
    compiled.phase = shared.phases.index_of(op.phase);
    if (const Repeat* repeat = std::get_if<Repeat>(&op.work)) {
        compiled.body = compile_graph(*repeat->body, shared);
    }
    if (const Collective* collective = std::get_if<Collective>(&op.work)) {
        const TimedSchedule& best = shared.schedules.best(*collective);
        compiled.schedule = best.schedule;
        compiled.schedule_time = best.time;
    }
    return compiled;
}

std::unique_ptr<CompiledGraph> compile_graph(const OpGraph& graph, Compilation& shared)
{
    auto compiled = std::make_unique<CompiledGraph>();
    int last_collective = -1;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        compiled->ops.push_back(compile_op(graph.ops[i], shared));
        std::set<int> after(graph.ops[i].after.begin(), graph.ops[i].after.end());
        if (communicates(compiled->ops.back())) {
            if (last_collective >= 0) {
                after.insert(last_collective);
            }
            last_collective = static_cast<int>(i);
            compiled->has_collectives = true;
        }
        compiled->ops.back().predecessors = static_cast<int>(after.size());
        for (int before : after) {
            compiled->ops[static_cast<std::size_t>(before)].successors.push_back(
                static_cast<int>(i));
        }
    }
    return compiled;
}

} // namespace

const char* const dispatch_phase = "dispatch";

int PhaseNames::index_of(const std::string& phase)
{
    const auto found = std::find(names_.begin(), names_.end(), phase);
    if (found != names_.end()) {
        return static_cast<int>(found - names_.begin());
    }
    names_.push_back(phase);
    return static_cast<int>(names_.size()) - 1;
}

std::unique_ptr<CompiledGraph> compile(const OpGraph& graph, const Placement& placement,
                                       const topologies::Machine& machine, PhaseNames& phases,
                                       ScheduleTimes times)
{
    Compilation shared{placement, machine, phases, ScheduleBook(machine, times)};
    return compile_graph(graph, shared);
}

} // namespace alxsim::model
