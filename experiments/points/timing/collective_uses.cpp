// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/collective_uses.h"

#include "base/memo.h"
#include "base/numbers/double_bits.h"
#include "model/collectives/role_meetings.h"
#include "model/graph/for_each_op.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace alxsim::experiments {
namespace {

using Visit = std::function<void(const CollectiveUse&)>;

bool is_collective(const model::Op& op)
{
    return std::holds_alternative<model::Collective>(op.work);
}

/// Where roles meet, in one run of a step, those of one name and phase together.
struct RoleCollective {
    model::Op op;
    std::int64_t times = 0;
    std::shared_ptr<const model::RoleMeeting> meeting;
};

/// Each collective in the first of the roles that meet in it.
class RoleCollectives {
public:
    RoleCollectives(const model::OpGraph& graph, const model::Counts& counts, int devices)
        : meetings_(graph, devices)
    {
        for (int role = 0; role < static_cast<int>(graph.roles.size()); ++role) {
            const model::Role& of = graph.roles[static_cast<std::size_t>(role)];
            const auto rounds = [&](const model::Repeat& repeat) {
                return model::iterations(repeat, counts, of.devices.front());
            };
            model::for_each_op(*of.graph, std::int64_t{1}, rounds,
                               [&](const model::Op& op, std::int64_t times) {
                                   if (is_collective(op)) {
                                       add(op, role, times);
                                   }
                               });
        }
    }

    std::vector<RoleCollective> take() { return std::move(all_); }

private:
    void add(const model::Op& op, int role, std::int64_t times)
    {
        auto meeting = meetings_.meeting_of(op, role);
        if (meeting->first_role != role) {
            return;
        }
        const auto [place, is_new] =
            places_.try_emplace({meeting.get(), op.name, op.phase}, all_.size());
        if (!is_new) {
            all_[place->second].times += times;
            return;
        }
        model::Op ranked = op;
        ranked.work = meetings_.collective_of(op, role);
        all_.push_back({std::move(ranked), times, std::move(meeting)});
    }

    model::RoleMeetings meetings_;
    std::map<std::tuple<const model::RoleMeeting*, model::Name, model::Name>, std::size_t> places_;
    std::vector<RoleCollective> all_;
};

std::shared_ptr<const std::vector<RoleCollective>> role_collectives(const model::Step& step,
                                                                    int devices)
{
    using Collectives = std::shared_ptr<const std::vector<RoleCollective>>;
    const auto made = [&]() -> Collectives {
        return std::make_shared<const std::vector<RoleCollective>>(
            RoleCollectives(*step.graph, step.counts, devices).take());
    };
    if (!step.counts.empty()) {
        return made();
    }
    // Points that differ in machines alone share graphs, and each point asks more than once.
    static Memo<std::pair<std::shared_ptr<const model::OpGraph>, int>, Collectives> known(4);
    return known.get({step.graph, devices}, made);
}

void visit_roles(const model::StepGroup& group, const topologies::Machine& machine,
                 const Visit& visit)
{
    for (const RoleCollective& one : *role_collectives(group.step, machine.devices)) {
        visit({one.op, one.times * group.times, &one.meeting->takes_part});
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

std::optional<CollectivesKey> collectives_key(const model::Program& interval,
                                              const topologies::Machine& machine)
{
    if (interval.size() != 1 || !interval.front().step.counts.empty() ||
        !machine.faults.links.empty()) {
        return std::nullopt;
    }
    model::NetworkKey numbers = model::network_key(machine);
    numbers.second.push_back(double_bits(machine.device.collective_launch.count()));
    return CollectivesKey{interval.front().step.graph, interval.front().times, std::move(numbers)};
}

} // namespace alxsim::experiments
