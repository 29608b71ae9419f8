// SPDX-License-Identifier: Apache-2.0
#include "model/estimate.h"

#include "model/graph_estimate.h"

#include <algorithm>
#include <vector>

namespace alxsim::model {
namespace {

Picoseconds infeed_time(const CompiledGraph& graph, const Counts& counts)
{
    Picoseconds sum(0);
    for (const CompiledOp& op : graph.ops) {
        if (op.body) {
            sum += infeed_time(*op.body, counts) *
                   slowest_iterations(std::get<Repeat>(op.op->work), counts);
        } else if (op.cost.unit == Unit::host) {
            sum += op.cost.body;
        }
    }
    return sum;
}

Bytes traffic(const CompiledGraph& graph, const Counts& counts, int devices)
{
    Bytes sum(0);
    for (const CompiledOp& op : graph.ops) {
        if (op.body) {
            sum += traffic(*op.body, counts, devices) *
                   slowest_iterations(std::get<Repeat>(op.op->work), counts);
        } else if (op.schedule) {
            sum += model::link_bytes(*op.schedule, devices);
        }
    }
    return sum;
}

/// Notes the axes on which a collective of the graph has a root.
void tell_apart(const CompiledGraph& graph, std::vector<bool>& apart)
{
    for (const CompiledOp& op : graph.ops) {
        if (op.body) {
            tell_apart(*op.body, apart);
        } else if (op.schedule && op.schedule->colours_are_chunks() && !op.schedule->ranks) {
            apart.resize(op.schedule->axes.size());
            for (const int axis : op.schedule->group) {
                apart[static_cast<std::size_t>(axis)] = true;
            }
        }
    }
}

/// Devices are alike unless one of them is a root.
Places members_of(const CompiledGraph& graph, const topologies::Machine& machine)
{
    std::vector<bool> apart;
    tell_apart(graph, apart);
    if (apart.empty()) {
        return {{}, {}};
    }
    apart.flip();
    return {network_axes(machine), apart};
}

} // namespace

AnalyticModel::AnalyticModel(const topologies::Machine& machine, ScheduleTimes times)
    : machine_(machine),
      programs_(machine, phases_, times)
{
}

NumberedStepEstimate AnalyticModel::numbered_step(const Step& step)
{
    const auto graph = programs_.compiled(step.graph);
    EstimateContext context{machine_, step.counts, members_of(*graph, machine_)};
    const auto members = static_cast<std::size_t>(context.places.count());
    const GraphEstimate estimate(*graph, context, std::vector<Picoseconds>(members));
    return {estimate.breakdown(), infeed_time(*graph, step.counts)};
}

StepEstimate AnalyticModel::step(const Step& step)
{
    const NumberedStepEstimate estimated = numbered_step(step);
    return {estimated.on_device.named(phases_.names()), estimated.infeed};
}

Bytes AnalyticModel::link_bytes(const Step& step)
{
    return traffic(*programs_.compiled(step.graph), step.counts, machine_.devices);
}

} // namespace alxsim::model
