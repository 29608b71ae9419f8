// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/role_meetings.h"

#include "base/input_error.h"
#include "model/collectives/mesh.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <set>

namespace alxsim::model {
namespace {

[[noreturn]] void refuse(Name op, const std::string& problem)
{
    throw InputError("", "collective '" + op + "' of a role", problem);
}

/// Devices that send, get or are listed.
std::set<int> devices_of(const Collective& collective)
{
    std::set<int> devices;
    if (collective.messages) {
        for (const PairMessage& message : *collective.messages) {
            devices.insert({message.source, message.destination});
        }
        return devices;
    }
    for (const std::vector<int>& group : *collective.ranks) {
        devices.insert(group.begin(), group.end());
    }
    return devices;
}

bool same_messages(const Collective& a, const Collective& b)
{
    const auto equal = [](const PairMessage& x, const PairMessage& y) {
        return x.source == y.source && x.destination == y.destination && x.bytes == y.bytes;
    };
    if (a.messages == b.messages) {
        return true;
    }
    if (!a.messages || !b.messages) {
        return !a.messages && !b.messages;
    }
    return std::equal(a.messages->begin(), a.messages->end(), b.messages->begin(),
                      b.messages->end(), equal);
}

template <class Pointer>
bool same_value(const Pointer& a, const Pointer& b)
{
    return a == b || (a && b && *a == *b);
}

bool same_collective(const Collective& a, const Collective& b)
{
    return a.kind == b.kind && a.bytes == b.bytes && a.root == b.root && a.listed == b.listed &&
           same_value(a.ranks, b.ranks) && same_value(a.after, b.after) && same_messages(a, b);
}

/// Groups of the mesh that lie within a role.
std::vector<std::vector<int>> within(const std::vector<int>& devices,
                                     std::vector<std::vector<int>> groups, Name op)
{
    const std::set<int> inside(devices.begin(), devices.end());
    std::vector<std::vector<int>> kept;
    for (std::vector<int>& group : groups) {
        const auto members = std::count_if(group.begin(), group.end(),
                                           [&](int device) { return inside.count(device) != 0; });
        if (members == static_cast<std::ptrdiff_t>(group.size())) {
            kept.push_back(std::move(group));
        } else if (members > 0) {
            refuse(op, "found axes of the mesh that join devices of several roles; allowed: axes "
                       "within the role, lists of ranks, messages");
        }
    }
    return kept;
}

} // namespace

RoleMeetings::RoleMeetings(const OpGraph& graph, int devices)
    : graph_(graph),
      devices_(devices),
      role_of_(static_cast<std::size_t>(devices), -1)
{
    assign_roles();
    for (std::size_t role = 0; role < graph.roles.size(); ++role) {
        std::set<const OpGraph*> seen;
        add_all(*graph.roles[role].graph, static_cast<int>(role), seen);
    }
    for (auto& [key, collectives] : known_) {
        for (Known& collective : collectives) {
            complete(key, collective);
        }
    }
}

/// Adds those of a body that several repeats have once.
void RoleMeetings::add_all(const OpGraph& graph, int role, std::set<const OpGraph*>& seen)
{
    if (!seen.insert(&graph).second) {
        return;
    }
    for (const Op& op : graph.ops) {
        if (std::holds_alternative<Collective>(op.work)) {
            add(op, role);
        } else if (const OpGraph* body = body_of(op)) {
            add_all(*body, role, seen);
        }
    }
}

void RoleMeetings::assign_roles()
{
    for (std::size_t role = 0; role < graph_.roles.size(); ++role) {
        const std::string place = "roles/" + std::to_string(role) + "/devices";
        for (const int device : graph_.roles[role].devices) {
            if (device < 0 || device >= devices_) {
                throw InputError("", place,
                                 "found device " + std::to_string(device) + "; allowed: 0 to " +
                                     std::to_string(devices_ - 1));
            }
            if (std::exchange(role_of_[static_cast<std::size_t>(device)], static_cast<int>(role)) >=
                0) {
                throw InputError("", place,
                                 "found device " + std::to_string(device) +
                                     " a second time; allowed: one role for each");
            }
        }
    }
    const auto idle = std::find(role_of_.begin(), role_of_.end(), -1);
    if (idle != role_of_.end()) {
        throw InputError("", "roles",
                         "found none for device " + std::to_string(idle - role_of_.begin()) +
                             "; allowed: one role for each of the " + std::to_string(devices_) +
                             " devices");
    }
}

Collective RoleMeetings::in_role(const Op& op, int role) const
{
    Collective collective = std::get<Collective>(op.work);
    if (collective.messages || collective.ranks) {
        return collective;
    }
    collective.ranks = groups_in_role(op, role);
    collective.mesh = nullptr;
    collective.group.clear();
    return collective;
}

/// Returns the groups of a collective that names axes, or all devices.
std::shared_ptr<const RoleMeetings::Groups> RoleMeetings::groups_in_role(const Op& op,
                                                                         int role) const
{
    const Collective& collective = std::get<Collective>(op.work);
    if (!collective.mesh && (!collective.group.empty() || collective.across_chips)) {
        refuse(op.name, "found axes of the network; allowed: all devices of the role, lists of "
                        "ranks, axes of the mesh, messages");
    }
    std::shared_ptr<const Groups>& groups =
        groups_[{collective.mesh.get(), collective.group, role}];
    if (!groups) {
        const std::vector<int>& devices = graph_.roles[static_cast<std::size_t>(role)].devices;
        if (collective.mesh) {
            check_devices(*collective.mesh, devices_);
            groups = std::make_shared<const Groups>(
                within(devices, groups_of_mesh(*collective.mesh, collective.group), op.name));
        } else {
            groups = std::make_shared<const Groups>(Groups{devices});
        }
    }
    return groups;
}

RoleMeetings::Key RoleMeetings::key_of(const Op& op, const Collective& collective, int role) const
{
    const Collective& as_written = std::get<Collective>(op.work);
    if (!as_written.messages && !as_written.ranks) {
        return {op.name, role}; // its groups are the role's
    }
    for (const int device : devices_of(collective)) {
        if (device < 0 || device >= devices_) {
            refuse(op.name, "found device " + std::to_string(device) + "; allowed: 0 to " +
                                std::to_string(devices_ - 1));
        }
        if (role_of_[static_cast<std::size_t>(device)] != role) {
            return {op.name, -1};
        }
    }
    return {op.name, role};
}

void RoleMeetings::add(const Op& op, int role)
{
    Collective collective = in_role(op, role);
    const Key key = key_of(op, collective, role);
    std::vector<Known>& all = known_[key];
    const auto found = std::find_if(all.begin(), all.end(), [&](const Known& one) {
        return same_collective(one.collective, collective);
    });
    const bool joins_roles = key.second < 0;
    if (found == all.end() && !all.empty() && joins_roles) {
        refuse(op.name, "found two that differ under one name; allowed: the same wherever devices "
                        "meet");
    }
    place_of_[{&op, role}] = {key, static_cast<std::size_t>(found - all.begin())};
    if (found == all.end()) {
        all.push_back({std::move(collective), {role}, std::make_shared<RoleMeeting>()});
    } else if (found->roles.back() != role) {
        found->roles.push_back(role);
    }
}

void RoleMeetings::complete(const Key& key, Known& of) const
{
    RoleMeeting& meeting = *of.meeting;
    meeting.takes_part.resize(role_of_.size());
    meeting.waits_for.resize(graph_.roles.size());
    meeting.first_role = of.roles.front();
    std::set<int> roles;
    for (const int device : devices_of(of.collective)) {
        const int role = role_of_[static_cast<std::size_t>(device)];
        if (std::find(of.roles.begin(), of.roles.end(), role) == of.roles.end()) {
            refuse(key.first, "found device " + std::to_string(device) + ", whose role " +
                                  std::to_string(role) +
                                  " has no collective of that name; allowed: one in the role of "
                                  "every device that takes part");
        }
        meeting.takes_part[static_cast<std::size_t>(device)] = true;
        ++meeting.devices;
        roles.insert(role);
    }
    meeting.of_several_roles = roles.size() > 1;
    set_waits(of.collective, roles, meeting);
}

/// `roles`: those that take part.
void RoleMeetings::set_waits(const Collective& collective, const std::set<int>& roles,
                             RoleMeeting& meeting) const
{
    std::vector<std::map<int, bool>> waits(graph_.roles.size()); // by role, whether it sends
    for (const int role : roles) {
        for (const int other : roles) {
            if (!collective.messages || other == role) {
                waits[static_cast<std::size_t>(role)][other] = !collective.messages;
            }
        }
    }
    for (std::size_t i = 0; collective.messages && i < collective.messages->size(); ++i) {
        const PairMessage& message = (*collective.messages)[i];
        const int from = role_of_[static_cast<std::size_t>(message.source)];
        const int to = role_of_[static_cast<std::size_t>(message.destination)];
        waits[static_cast<std::size_t>(from)][from] = true; // until what it sends has come
        waits[static_cast<std::size_t>(to)][from] = true;
    }
    for (std::size_t role = 0; role < waits.size(); ++role) {
        for (const auto& [other, sends] : waits[role]) {
            meeting.waits_for[role].push_back({other, sends});
        }
    }
}

const RoleMeetings::Known& RoleMeetings::known(const Op& op, int role) const
{
    if (const auto place = place_of_.find({&op, role}); place != place_of_.end()) {
        return known_.at(place->second.first)[place->second.second];
    }
    const Collective collective = in_role(op, role);
    const std::vector<Known>& all = known_.at(key_of(op, collective, role));
    return *std::find_if(all.begin(), all.end(), [&](const Known& one) {
        return same_collective(one.collective, collective);
    });
}

const Collective& RoleMeetings::collective_of(const Op& op, int role) const
{
    return known(op, role).collective;
}

std::shared_ptr<const RoleMeeting> RoleMeetings::meeting_of(const Op& op, int role) const
{
    return known(op, role).meeting;
}

} // namespace alxsim::model
