// SPDX-License-Identifier: Apache-2.0
#include "model/estimate.h"

#include "model/graph/for_each_op.h"
#include "model/graph_estimate.h"
#include "model/program_cache.h"
#include "model/unrolled_graph.h"

#include <algorithm>
#include <map>
#include <vector>

namespace alxsim::model {
namespace {

/// Returns those of the role that has most.
InputTimes infeed_times(const CompiledGraph& graph, const Counts& counts)
{
    InputTimes most;
    for (const CompiledGraph::Role& role : graph.roles) {
        const InputTimes one = infeed_times(*role.graph, counts);
        most = most.longest() < one.longest() ? one : most;
    }
    if (!graph.roles.empty()) {
        return most;
    }
    InputTimes all;
    for_each_op(graph, std::int64_t{1}, RoundsOfSlowestDevice{counts},
                [&all](const CompiledOp& op, std::int64_t times) {
                    if (op.cost.unit == Unit::host) {
                        all.add(op.cost.input, times);
                    }
                });
    return all;
}

/// On all links, of schedules by which ops go again and again.
class LinkBytes {
public:
    explicit LinkBytes(int devices) : devices_(devices) {}

    Bytes of(const CollectiveSchedule& schedule)
    {
        const auto [known, is_new] = known_.try_emplace(&schedule);
        if (is_new) {
            known->second = model::link_bytes(schedule, devices_);
        }
        return known->second;
    }

private:
    int devices_;
    std::map<const CollectiveSchedule*, Bytes> known_;
};

/// What several roles meet in is counted with the first of them.
Bytes traffic(const CompiledGraph& graph, const Counts& counts, LinkBytes& link_bytes, int role = 0)
{
    Bytes sum(0);
    for (std::size_t i = 0; i < graph.roles.size(); ++i) {
        sum += traffic(*graph.roles[i].graph, counts, link_bytes, static_cast<int>(i));
    }
    if (!graph.roles.empty()) {
        return sum;
    }
    for_each_op(graph, std::int64_t{1}, RoundsOfSlowestDevice{counts},
                [&](const CompiledOp& op, std::int64_t times) {
                    if (op.schedule && (!op.meeting || op.meeting->first_role == role)) {
                        sum += link_bytes.of(*op.schedule) * times;
                    }
                });
    return sum;
}

/// Each role stands for all of its devices.
NumberedBreakdown time_of_roles(const CompiledGraph& graph, EstimateContext& context)
{
    std::vector<std::shared_ptr<const CompiledGraph>> roles;
    std::vector<int> devices(graph.roles.size());
    for (const int role : graph.role_of) {
        ++devices[static_cast<std::size_t>(role)];
    }
    for (const CompiledGraph::Role& role : graph.roles) {
        roles.push_back(unrolled(role.graph, context.machine, context.counts));
    }
    return GraphEstimate(roles, std::move(devices), context).breakdown();
}

/// The axes on which a collective of the graph has a root; empty if none has.
std::vector<bool> axes_with_roots(const CompiledGraph& graph)
{
    std::vector<bool> apart;
    for_each_op(graph, [&apart](const CompiledOp& op) {
        if (op.schedule && op.schedule->colours_are_chunks() && !op.schedule->ranks) {
            apart.resize(op.schedule->axes.size());
            for (const int axis : op.schedule->group) {
                apart[static_cast<std::size_t>(axis)] = true;
            }
        }
    });
    return apart;
}

/// Devices are alike unless one of them is a root.
Places members_of(const CompiledGraph& graph, const topologies::Machine& machine)
{
    std::vector<bool> apart = axes_with_roots(graph);
    if (apart.empty()) {
        return {{}, {}};
    }
    apart.flip();
    return {network_axes(machine), apart};
}

NumberedStepEstimate estimate_of(const CompiledGraph& graph, const Counts& counts,
                                 const topologies::Machine& machine, bool tells_use)
{
    if (!graph.roles.empty()) {
        EstimateContext context{machine, counts, {{}, {}}, true};
        return {time_of_roles(graph, context), infeed_times(graph, counts), true};
    }
    EstimateContext context{machine, counts, members_of(graph, machine), tells_use};
    const auto members = static_cast<std::size_t>(context.places.count());
    if (members == 1) {
        return {time_of_one_device(graph, context), infeed_times(graph, counts), tells_use};
    }
    const GraphEstimate estimate(graph, context, std::vector<Picoseconds>(members));
    return {estimate.breakdown(), infeed_times(graph, counts), tells_use};
}

} // namespace

AnalyticModel::AnalyticModel(const topologies::Machine& machine, ScheduleTimes times)
    : machine_(&machine),
      programs_(std::make_unique<ProgramCache>(machine, phases_, times))
{
}

AnalyticModel::AnalyticModel(const topologies::Machine& machine,
                             std::shared_ptr<ScheduleBook> schedules)
    : machine_(&machine),
      programs_(std::make_unique<ProgramCache>(machine, phases_, std::move(schedules)))
{
    programs_->use(machine);
}

AnalyticModel::~AnalyticModel() = default;

void AnalyticModel::use(const topologies::Machine& machine)
{
    programs_->use(machine);
    machine_ = &machine;
}

void AnalyticModel::end_job()
{
    programs_->keep_what_others_may_ask_for();
    phases_.clear();
    tells_use_ = false;
}

std::shared_ptr<const CompiledGraph>
AnalyticModel::compiled(const std::shared_ptr<const OpGraph>& graph)
{
    return programs_->compiled(graph);
}

const BufferPlacement& AnalyticModel::placement(const std::shared_ptr<const OpGraph>& graph)
{
    return programs_->placement(graph);
}

int AnalyticModel::devices_apart(const CompiledGraph& graph) const
{
    return graph.roles.empty() ? members_of(graph, *machine_).count() : 1;
}

std::int64_t AnalyticModel::phases_built() const
{
    return programs_->schedules().phases_built();
}

NumberedStepEstimate AnalyticModel::numbered_step(const Step& step)
{
    const auto graph = programs_->compiled(step.graph);
    if (!step.counts.empty()) {
        return estimate_of(*graph, step.counts, *machine_, tells_use_);
    }
    std::optional<NumberedStepEstimate>& known = programs_->estimate_without_counts(step.graph);
    if (!known || (tells_use_ && !known->tells_use)) {
        known = estimate_of(*graph, step.counts, *machine_, tells_use_);
    }
    return *known;
}

StepEstimate AnalyticModel::step(const Step& step)
{
    const NumberedStepEstimate estimated = numbered_step(step);
    return {estimated.on_device.named(phases_), estimated.infeed};
}

Bytes AnalyticModel::link_bytes(const Step& step)
{
    LinkBytes link_bytes(machine_->devices);
    return traffic(*programs_->compiled(step.graph), step.counts, link_bytes);
}

} // namespace alxsim::model
