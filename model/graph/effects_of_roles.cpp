// SPDX-License-Identifier: Apache-2.0
#include "model/graph/effects_of_roles.h"

#include "model/graph/effects.h"
#include "model/graph/op_graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

namespace alxsim::model {
namespace {

class EffectsOfRoles {
public:
    EffectsOfRoles(const OpGraph& graph, HostPool& pool)
        : graph_(graph),
          pool_(pool),
          next_(graph.roles.size()),
          has_entered_(graph.roles.size())
    {
        for (std::size_t role = 0; role < graph.roles.size(); ++role) {
            for (const int device : graph.roles[role].devices) {
                role_of_[device] = role;
            }
        }
        for (std::size_t role = 0; role < graph.roles.size(); ++role) {
            for (const Op& op : ops_of(role)) {
                if (joins_roles(op)) {
                    meetings_[op.name].entered[role] = meetings_[op.name].done[role] = 0;
                }
            }
        }
    }

    void run()
    {
        bool all_done = false;
        while (!all_done) {
            all_done = true;
            bool any_ran = false;
            for (std::size_t role = 0; role < next_.size(); ++role) {
                any_ran = run_role(role) || any_ran;
                all_done = all_done && next_[role] == ops_of(role).size();
            }
            if (!all_done && !any_ran) {
                throw std::logic_error("roles of a step that wait for each other");
            }
        }
    }

private:
    /// Where roles enter a collective of one name, each again and again.
    struct Meeting {
        std::map<std::size_t, std::int64_t> entered, done; ///< by role
        std::int64_t ran = 0;                              ///< where one effect is for all
    };

    const std::vector<Op>& ops_of(std::size_t role) const { return graph_.roles[role].graph->ops; }

    bool joins_roles(const Op& op) const
    {
        const auto* const collective = std::get_if<Collective>(&op.work);
        const auto differ = [this](int a, int b) { return role_of_.at(a) != role_of_.at(b); };
        if (collective == nullptr) {
            return false;
        }
        if (collective->messages) {
            return std::any_of(collective->messages->begin(), collective->messages->end(),
                               [&](const PairMessage& message) {
                                   return differ(message.source, message.destination);
                               });
        }
        return collective->ranks &&
               std::any_of(collective->ranks->begin(), collective->ranks->end(),
                           [&](const std::vector<int>& group) {
                               return std::any_of(group.begin(), group.end(), [&](int device) {
                                   return differ(device, group.front());
                               });
                           });
    }

    /// Ops of a role until it waits for another one. Returns whether there were any.
    bool run_role(std::size_t role)
    {
        const std::size_t first = next_[role];
        for (; next_[role] < ops_of(role).size(); ++next_[role]) {
            const Op& op = ops_of(role)[next_[role]];
            if (!joins_roles(op)) {
                run_op(op, role);
            } else if (!meet(op, std::get<Collective>(op.work), meetings_.at(op.name), role)) {
                break;
            }
        }
        return next_[role] > first;
    }

    void run_op(const Op& op, std::size_t role)
    {
        if (op.effect) {
            run_effect(*op.effect, graph_.roles[role].devices, pool_);
        }
    }

    /// Whether the role is done with it.
    bool meet(const Op& op, const Collective& collective, Meeting& meeting, std::size_t role)
    {
        if (!has_entered_[role]) {
            ++meeting.entered[role];
            has_entered_[role] = true;
        }
        const std::int64_t time = meeting.entered[role];
        if (collective.messages) {
            for (const PairMessage& message : *collective.messages) {
                const std::size_t from = role_of_.at(message.source);
                if (role_of_.at(message.destination) == role && from != role &&
                    meeting.done[from] < time) {
                    return false;
                }
            }
            run_op(op, role);
        } else {
            const auto is_there = [&](const auto& of_role) { return of_role.second >= time; };
            if (!std::all_of(meeting.entered.begin(), meeting.entered.end(), is_there)) {
                return false;
            }
            if (meeting.ran < time) {
                run_op(op, role);
                meeting.ran = time;
            }
        }
        meeting.done[role] = time;
        has_entered_[role] = false;
        return true;
    }

    const OpGraph& graph_;
    HostPool& pool_;
    std::vector<std::size_t> next_; ///< [role]: op
    std::vector<bool> has_entered_; ///< [role]: its next op
    std::map<int, std::size_t> role_of_;
    std::map<Name, Meeting> meetings_;
};

} // namespace

void run_effects_of_roles(const OpGraph& graph, HostPool& pool)
{
    EffectsOfRoles(graph, pool).run();
}

} // namespace alxsim::model
