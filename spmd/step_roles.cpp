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
                                          Array array)
{
    if (std::find(roles.begin(), roles.end(), role_) == roles.end()) {
        throw std::logic_error("a role " + std::to_string(role_) + " that has no part in it");
    }
    std::shared_ptr<const Groups>& groups = groups_of_roles_[roles];
    if (!groups) {
        Groups all;
        for (const std::vector<int>& line : model::groups_of_mesh(*mesh_.mesh(), {role_axis_})) {
            std::vector<int>& group = all.emplace_back();
            for (const int role : roles) {
                group.push_back(line.at(static_cast<std::size_t>(role)));
            }
        }
        groups = std::make_shared<const Groups>(std::move(all));
    }
    MovingCollective collective;
    collective.kind = kind;
    collective.axes = {role_axis_};
    collective.mesh = mesh_.mesh();
    collective.elements = shape(array).elements();
    collective.dtype = dtype(array);
    collective.cyclic = false;
    collective.groups = groups;
    return collective;
}

void StepBuilder::again(const std::string& name, const std::string& phase,
                        const std::function<void()>& body)
{
    if (has_numbers()) {
        body();
        return;
    }
    const auto [known, is_new] = repeated_.try_emplace({role_, name});
    Repeated& repeated = known->second;
    if (is_new) {
        repeated.first_collective = collectives_.size();
        repeated.first_transfer = transfers_.size();
        scopes_.emplace_back();
        body();
        Scope inner = std::move(scopes_.back());
        scopes_.pop_back();
        repeated.repeat = repeat_of(std::move(inner), name, phase, 1);
        repeated.end_collective = collectives_.size();
        repeated.end_transfer = transfers_.size();
    }
    place(repeated.repeat);
    const std::int64_t times = ++repeated.times;
    const auto count_again = [times](auto& uses, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) { // they have been counted times - 1 times
            uses[i].times += times > 1 ? uses[i].times / (times - 1) : 0;
        }
    };
    count_again(collectives_, repeated.first_collective, repeated.end_collective);
    count_again(transfers_, repeated.first_transfer, repeated.end_transfer);
}

void StepBuilder::wait_for(int op, int array, bool writes)
{
    Scope& scope = scopes_.back();
    std::vector<int>& after = scope.graph.ops[static_cast<std::size_t>(op)].after;
    const auto add = [&](int before) {
        const auto at = std::lower_bound(after.begin(), after.end(), before);
        if (before < op && (at == after.end() || *at != before)) {
            after.insert(at, before);
        }
    };
    if (const auto writer = scope.writer.find(array); writer != scope.writer.end()) {
        add(writer->second);
    }
    for (const int reader : writes ? scope.readers[array] : std::vector<int>()) {
        add(reader);
    }
}

void StepBuilder::between(Array read, Array written, const std::function<void()>& body)
{
    const auto first = static_cast<int>(scopes_.back().graph.ops.size());
    body();
    Scope& scope = scopes_.back();
    const auto last = static_cast<int>(scope.graph.ops.size()) - 1;
    if (last < first) {
        return;
    }
    if (read.exists()) {
        wait_for(first, read.id, false);
        scope.readers[read.id].push_back(last);
        add_once(scope.all, read.id);
    }
    if (written.exists()) {
        wait_for(last, written.id, true);
        scope.writer[written.id] = last;
        scope.readers[written.id].clear();
        add_once(scope.all, written.id);
        add_once(scope.written, written.id);
    }
}

/// The same messages for all that send and receive them under one name.
model::Op StepBuilder::message_op(const std::string& name, const MovingCollective& message)
{
    const auto [known, is_new] = messages_.try_emplace(name);
    if (is_new) {
        known->second = {message.groups, op_of(name, message)};
    }
    const auto& work = std::get<model::Collective>(known->second.second.work);
    if (known->second.first != message.groups ||
        work.bytes != model::size_of(message.dtype) * message.elements) {
        throw std::logic_error("two messages of one name: " + name);
    }
    model::Op op = known->second.second;
    op.phase = phase_of(message);
    return op;
}

void StepBuilder::send(const std::string& name, int to_role, Array from)
{
    const MovingCollective message =
        among_roles(model::CollectiveKind::permute, {role_, to_role}, from);
    model::Op op = message_op(name, message);
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
    model::Op op = message_op(name, message);
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
    if (has_numbers()) { // one effect is for all
        Met& met = met_[name];
        if (!met.effect) {
            met.arrays = std::make_shared<ArraysOfRoles>();
            met.effect = effect_of_met(CollectiveUse{section_, kind, role_axis_}.name(), collective,
                                       met.arrays);
        }
        (*met.arrays)[role_] = {from, to};
        op.effect = met.effect;
    }
    append(std::move(op), {from}, {to}, Waits::for_arrays);
}

std::shared_ptr<const model::Effect>
StepBuilder::effect_of_met(const std::string& counted, const MovingCollective& collective,
                           const std::shared_ptr<const ArraysOfRoles>& arrays) const
{
    return model::group_effect([=, numbers = numbers_, moved = moved_, mesh = mesh_,
                                axis = role_axis_] {
        const auto arrays_of = [&](int device) { return arrays->at(mesh.position(device, axis)); };
        DeviceArrays<double> before(static_cast<std::size_t>(mesh.devices()));
        DeviceArrays<double> after = before;
        for (const std::vector<int>& group : *collective.groups) {
            for (const int device : group) {
                const auto place = static_cast<std::size_t>(device);
                before[place] = numbers->read(arrays_of(device).first, device);
                after[place] = numbers->read(arrays_of(device).second, device);
            }
        }
        move_numbers(collective, before, after);
        for (const std::vector<int>& group : *collective.groups) {
            for (const int device : group) {
                const Array to = arrays_of(device).second;
                numbers->write(to, device, after[static_cast<std::size_t>(device)]);
                if (!numbers->in_f64() && collective.dtype == model::DType::bf16) {
                    numbers->round_to_bf16({to}, device);
                }
            }
        }
        if (moved != nullptr) {
            MovedCount& count = (*moved)[counted];
            ++count.calls;
            count.elements += collective.elements;
        }
    });
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
