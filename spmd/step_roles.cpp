// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_builder.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::spmd {

void StepBuilder::begin_roles(const std::string& axis)
{
    if (!infos_.empty() || has_roles() || pool_ != nullptr) {
        throw std::logic_error("roles of a step that has begun, or is computed at once");
    }
    const auto roles = static_cast<std::size_t>(mesh_.length(axis));
    role_axis_ = axis;
    buffers_.resize(roles);
    other_roles_.resize(roles);
    for (Scope& scope : other_roles_) {
        scope.graph.mesh = mesh_.mesh();
    }
}

void StepBuilder::role(int position)
{
    if (!has_roles() || scopes_.size() > 1 || position < 0 ||
        position >= mesh_.length(role_axis_)) {
        throw std::logic_error("no role " + std::to_string(position) + " here");
    }
    other_roles_[static_cast<std::size_t>(role_)] = std::move(scopes_.front());
    role_ = position;
    scopes_.front() = std::move(other_roles_[static_cast<std::size_t>(role_)]);
}

std::vector<int> StepBuilder::devices_of_role(int role) const
{
    std::vector<int> devices;
    for (int device = 0; device < mesh_.devices(); ++device) {
        if (mesh_.position(device, role_axis_) == role) {
            devices.push_back(device);
        }
    }
    return devices;
}

/// Those of this role along axes of the mesh.
std::shared_ptr<const StepBuilder::Groups>
StepBuilder::groups_in_role(const std::vector<std::string>& axes)
{
    std::shared_ptr<const Groups>& known = role_groups_[{role_, axes}];
    if (known) {
        return known;
    }
    if (std::find(axes.begin(), axes.end(), role_axis_) != axes.end()) {
        throw std::logic_error("a collective of one role along " + role_axis_);
    }
    Groups groups = model::groups_of_mesh(*mesh_.mesh(), axes);
    const auto of_another = [this](const std::vector<int>& group) {
        return mesh_.position(group.front(), role_axis_) != role_;
    };
    groups.erase(std::remove_if(groups.begin(), groups.end(), of_another), groups.end());
    known = std::make_shared<const Groups>(std::move(groups));
    return known;
}

/// Among the devices of some roles that differ in nothing else, in the order of `roles`.
MovingCollective StepBuilder::among_roles(model::CollectiveKind kind, const std::vector<int>& roles,
                                          Array array) const
{
    if (std::find(roles.begin(), roles.end(), role_) == roles.end()) {
        throw std::logic_error("a role " + std::to_string(role_) + " that has no part in it");
    }
    Groups groups;
    for (const std::vector<int>& line : model::groups_of_mesh(*mesh_.mesh(), {role_axis_})) {
        std::vector<int>& group = groups.emplace_back();
        for (const int role : roles) {
            group.push_back(line.at(static_cast<std::size_t>(role)));
        }
    }
    MovingCollective collective;
    collective.kind = kind;
    collective.axes = {role_axis_};
    collective.mesh = mesh_.mesh();
    collective.elements = shape(array).elements();
    collective.dtype = dtype(array);
    collective.cyclic = false;
    collective.groups = std::make_shared<const Groups>(std::move(groups));
    return collective;
}

void StepBuilder::send(const std::string& name, int to_role, Array from)
{
    const MovingCollective message =
        among_roles(model::CollectiveKind::permute, {role_, to_role}, from);
    model::Op op = op_of(name, message);
    count(message);
    if (has_numbers()) {
        std::shared_ptr<Mail>& mail = mail_[name];
        mail = mail ? mail : std::make_shared<Mail>();
        op.effect = model::group_effect([=, numbers = numbers_, moved = moved_, box = mail,
                                         counted = collectives_.back().name()] {
            std::vector<std::vector<double>>& letters = box->emplace_back();
            for (const std::vector<int>& pair : *message.groups) {
                letters.push_back(numbers->read(from, pair.front()));
            }
            if (moved != nullptr) {
                MovedCount& count = (*moved)[counted];
                ++count.calls;
                count.elements += message.elements;
            }
        });
    }
    append(std::move(op), {from}, {}, Waits::for_arrays);
}

void StepBuilder::receive(const std::string& name, int from_role, Array to)
{
    const MovingCollective message =
        among_roles(model::CollectiveKind::permute, {from_role, role_}, to);
    model::Op op = op_of(name, message);
    if (has_numbers()) {
        std::shared_ptr<Mail>& mail = mail_[name];
        mail = mail ? mail : std::make_shared<Mail>();
        op.effect = model::group_effect([=, numbers = numbers_, box = mail] {
            const std::vector<std::vector<double>>& letters = box->front();
            for (std::size_t i = 0; i < letters.size(); ++i) {
                numbers->write(to, (*message.groups)[i].back(), letters[i]);
            }
            box->pop_front();
        });
    }
    append(std::move(op), {}, {to}, Waits::for_arrays);
}

void StepBuilder::collective_of_roles(const std::string& name, model::CollectiveKind kind,
                                      const std::vector<int>& roles, Array from, Array to)
{
    MovingCollective collective = among_roles(kind, roles, from);
    collective.elements = std::max(collective.elements, shape(to).elements());
    model::Op op = op_of(name, collective);
    if (role_ == roles.front()) {
        count(collective);
    }
    if (has_numbers()) { // the first to be appended moves for all
        std::shared_ptr<const model::Effect>& effect = met_[name];
        if (!effect) {
            const std::string counted = CollectiveUse{section_, kind, role_axis_}.name();
            effect = moving_effect(collective, counted, from, to);
        }
        op.effect = effect;
    }
    append(std::move(op), {from}, {to}, Waits::for_arrays);
}

model::OpGraph StepBuilder::take_roles(const std::string& name)
{
    model::OpGraph graph;
    graph.name = name;
    graph.mesh = mesh_.mesh();
    for (int each = 0; each < mesh_.length(role_axis_); ++each) {
        role(each);
        model::OpGraph own = std::move(scopes_.front().graph);
        own.name = name + " of " + role_axis_ + " " + std::to_string(each);
        own.buffers = std::move(buffers_[static_cast<std::size_t>(each)]);
        graph.roles.push_back(
            {devices_of_role(each), std::make_shared<const model::OpGraph>(std::move(own))});
    }
    return graph;
}

} // namespace alxsim::spmd
