// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/collective_uses.h"

#include "model/collectives/role_meetings.h"
#include "model/graph/for_each_op.h"

namespace alxsim::experiments {
namespace {

using Visit = std::function<void(const CollectiveUse&)>;

bool is_collective(const model::Op& op)
{
    return std::holds_alternative<model::Collective>(op.work);
}

/// Each collective in the first of the roles that meet in it.
void visit_roles(const model::StepGroup& group, const topologies::Machine& machine,
                 const Visit& visit)
{
    const model::OpGraph& graph = *group.step.graph;
    const model::RoleMeetings meetings(graph, machine);
    for (int role = 0; role < static_cast<int>(graph.roles.size()); ++role) {
        const model::Role& of = graph.roles[static_cast<std::size_t>(role)];
        const auto rounds = [&](const model::Repeat& repeat) {
            return model::iterations(repeat, group.step.counts, of.devices.front());
        };
        model::for_each_op(*of.graph, group.times, rounds,
                           [&](const model::Op& op, std::int64_t times) {
                               if (!is_collective(op)) {
                                   return;
                               }
                               const auto meeting = meetings.meeting_of(op, role);
                               if (meeting->first_role == role) {
                                   model::Op ranked = op;
                                   ranked.work = meetings.collective_of(op, role);
                                   visit({ranked, times, &meeting->takes_part});
                               }
                           });
    }
}

} // namespace

void for_each_collective(const model::Program& interval, const topologies::Machine& machine,
                         const Visit& visit)
{
    for (const model::StepGroup& group : interval) {
        if (!group.step.graph->roles.empty()) {
            visit_roles(group, machine, visit);
            continue;
        }
        model::for_each_op(*group.step.graph, group.times,
                           model::RoundsOfFirstDevice{group.step.counts},
                           [&](const model::Op& op, std::int64_t times) {
                               if (is_collective(op)) {
                                   visit({op, times, nullptr});
                               }
                           });
    }
}

} // namespace alxsim::experiments
