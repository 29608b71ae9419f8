// SPDX-License-Identifier: Apache-2.0
// Collectives and copies of a step, and what they are counted as.
#include "base/input_error.h"
#include "spmd/step_builder.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace alxsim::spmd {
namespace {

const std::string copy_word = " copy ";

const char* word_of(model::CollectiveKind kind)
{
    switch (kind) {
    case model::CollectiveKind::all_gather:
        return "all_gather";
    case model::CollectiveKind::reduce_scatter:
        return "reduce_scatter";
    case model::CollectiveKind::all_reduce:
        return "all_reduce";
    case model::CollectiveKind::broadcast:
        return "broadcast";
    case model::CollectiveKind::reduce:
        return "reduce";
    case model::CollectiveKind::all_to_all:
        return "all_to_all";
    case model::CollectiveKind::permute:
        return "permute";
    }
    throw std::logic_error("a step does no such collective");
}

/// Those between members of groups.
std::shared_ptr<const std::vector<model::PairMessage>>
messages_in(const std::vector<model::PairMessage>& messages,
            const std::vector<std::vector<int>>& groups)
{
    std::set<int> members;
    for (const std::vector<int>& group : groups) {
        members.insert(group.begin(), group.end());
    }
    auto found = std::make_shared<std::vector<model::PairMessage>>();
    for (const model::PairMessage& message : messages) {
        if (members.count(message.source) > 0) {
            found->push_back(message);
        }
    }
    return found;
}

} // namespace

std::string CollectiveUse::name() const
{
    return section.pass + "." + section.part + " " + word_of(kind) + " " + axis;
}

std::string TransferUse::name() const
{
    return section.pass + "." + section.part + copy_word + (to_host ? "to host" : "from host");
}

Json counts_json(const MovedCounts& counts)
{
    Json collectives = Json::object();
    Json copies = Json::object();
    for (const auto& [name, count] : counts) {
        const bool is_copy = name.find(copy_word) != std::string::npos;
        (is_copy ? copies : collectives)[name] = {{"calls", count.calls},
                                                  {"elements", count.elements}};
    }
    Json json = {{"collectives", collectives}};
    if (!copies.empty()) {
        json["copies"] = copies;
    }
    return json;
}

std::shared_ptr<const model::Effect> StepBuilder::moving_effect(const MovingCollective& collective,
                                                                const std::string& name, Array from,
                                                                Array to)
{
    return model::group_effect([=, numbers = numbers_, moved = moved_] {
        numbers->move(collective, from, to);
        count_moved(moved, name, collective.elements);
    });
}

void StepBuilder::count_moved(MovedCounts* moved, const std::string& name, std::int64_t elements)
{
    if (moved != nullptr) {
        MovedCount& count = (*moved)[name];
        ++count.calls;
        count.elements += elements;
    }
}

model::Op StepBuilder::ragged_op(const std::string& name, const std::string& axis, Array from,
                                 const RaggedTraffic& traffic)
{
    MovingCollective collective;
    collective.kind = model::CollectiveKind::all_to_all;
    collective.axes = {axis};
    collective.mesh = mesh_.mesh();
    collective.elements = traffic.rows * shape(from).columns;
    collective.dtype = dtype(from);
    if (has_roles()) {
        collective.groups = groups_in_role(collective.axes);
    }
    model::Op op = op_of(name, collective);
    count(collective);
    auto& work = std::get<model::Collective>(op.work);
    if (traffic.messages) {
        work.messages = collective.groups ? messages_in(*traffic.messages, *collective.groups)
                                          : traffic.messages;
    } else {
        work.bytes = Bytes(
            static_cast<std::int64_t>(static_cast<double>(work.bytes.count()) * traffic.largest));
    }
    return op;
}

std::shared_ptr<const StepBuilder::Groups> StepBuilder::groups_along(const std::string& axis)
{
    return has_roles()
               ? groups_in_role({axis})
               : std::make_shared<const Groups>(model::groups_of_mesh(*mesh_.mesh(), {axis}));
}

void StepBuilder::collective(const std::string& name, model::CollectiveKind kind,
                             const std::vector<std::string>& axes, Array from, Array to, int root,
                             Combine combine)
{
    int members = 1;
    for (const std::string& axis : axes) {
        members *= mesh_.length(axis);
    }
    if (members == 1) {
        if (from.id != to.id) {
            throw std::logic_error("a collective of one device between two arrays: " + name);
        }
        return;
    }
    MovingCollective collective;
    collective.kind = kind;
    collective.axes.assign(axes.begin(), axes.end());
    collective.root = root;
    collective.combine = combine;
    append_collective(name, std::move(collective), from, to);
}

void StepBuilder::permute(const std::string& name, const std::string& axis, Array from, Array to,
                          int shift, bool cyclic)
{
    const int members = mesh_.length(axis);
    if (shape(from).elements() != shape(to).elements() || (members > 1 && shift % members == 0)) {
        throw std::logic_error("a permute of other arrays, or to nobody else: " + name);
    }
    if (members == 1) {
        collective(name, model::CollectiveKind::permute, axis, from, to);
        return;
    }
    MovingCollective collective;
    collective.kind = model::CollectiveKind::permute;
    collective.axes = {axis};
    collective.shift = shift;
    collective.cyclic = cyclic;
    append_collective(name, std::move(collective), from, to);
}

void StepBuilder::permute_both_ways(const std::string& name, const std::string& axis, Passed onward,
                                    Passed back)
{
    const std::int64_t elements = shape(onward.from).elements();
    for (const Array array : {onward.to, back.from, back.to}) {
        if (shape(array).elements() != elements || mesh_.length(axis) < 3) {
            throw std::logic_error("permutes of other arrays, or between too few: " + name);
        }
    }
    MovingCollective next;
    next.kind = model::CollectiveKind::permute;
    next.axes = {axis};
    next.mesh = mesh_.mesh();
    next.elements = elements;
    next.dtype = dtype(onward.from);
    next.groups = has_roles() ? groups_in_role(next.axes) : nullptr;
    MovingCollective previous = next;
    previous.shift = -1;
    MovingCollective both = next; // as it is counted
    both.elements = 2 * elements;
    count(both);
    model::Op op;
    op.name = name;
    op.phase = phase_of(next);
    op.work = work_both_ways(next);
    if (has_numbers()) {
        op.effect = model::group_effect(
            [=, numbers = numbers_, moved = moved_, counted = collectives_.back().name()] {
                numbers->move(next, onward.from, onward.to);
                numbers->move(previous, back.from, back.to);
                count_moved(moved, counted, both.elements);
            });
    }
    append(std::move(op), {onward.from, back.from}, {onward.to, back.to}, Waits::for_arrays);
}

/// What the arrays say of it is set here.
void StepBuilder::append_collective(const std::string& name, MovingCollective collective,
                                    Array from, Array to)
{
    collective.mesh = mesh_.mesh();
    collective.elements = std::max(shape(from).elements(), shape(to).elements());
    collective.dtype = dtype(from);
    model::Op op = op_of(name, collective);
    count(collective);
    if (has_roles()) {
        collective.groups = groups_in_role(collective.axes);
        if (std::get<model::Collective>(op.work).messages) { // of this role's devices alone
            op = op_of(name, collective);
        }
    }
    if (has_numbers()) {
        op.effect = moving_effect(collective, collectives_.back().name(), from, to);
    }
    append(std::move(op), {from}, {to}, Waits::for_arrays);
}

model::Op StepBuilder::op_of(const std::string& name, const MovingCollective& collective) const
{
    model::Op op;
    op.name = name;
    op.phase = phase_of(collective);
    op.work = work_of(collective);
    return op;
}

std::string StepBuilder::phase_of(const MovingCollective& collective) const
{
    return (section_.pass.empty() ? "" : section_.pass + ".") + join(collective.axes, "+");
}

void StepBuilder::count(const MovingCollective& collective)
{
    collectives_.push_back({section_, collective.kind, join(collective.axes, "+"),
                            collective.elements,
                            model::size_of(collective.dtype) * collective.elements, times_});
}

void StepBuilder::transfer(const std::string& name, const std::string& phase, Array from, Array to)
{
    const bool to_host = info(to).residency == model::Residency::host;
    const std::int64_t elements = shape(from).elements();
    if (to_host == (info(from).residency == model::Residency::host) ||
        elements != shape(to).elements() || dtype(from) != dtype(to)) {
        throw std::logic_error("a copy that does not fit, or not between HBM and host: " + name);
    }
    const Bytes bytes = model::size_of(dtype(from)) * elements;
    const auto hbm = topologies::Tier::hbm;
    const auto host = topologies::Tier::host;
    transfers_.push_back({section_, to_host, elements, bytes, times_});
    model::Op op;
    op.name = name;
    op.phase = phase;
    op.work = model::Copy{to_host ? hbm : host, to_host ? host : hbm, bytes};
    if (has_numbers()) {
        std::vector<int> devices(static_cast<std::size_t>(numbers_->devices()));
        std::iota(devices.begin(), devices.end(), 0);
        if (has_roles()) {
            devices = devices_of_role(role_);
        }
        op.effect = model::group_effect(
            [=, numbers = numbers_, moved = moved_, counted = transfers_.back().name()] {
                for (const int device : devices) {
                    numbers->write(to, device, numbers->read(from, device));
                }
                if (moved != nullptr) {
                    MovedCount& count = (*moved)[counted];
                    ++count.calls;
                    count.elements += elements;
                }
            });
    }
    append(std::move(op), {from}, {to}, Waits::for_arrays);
}

} // namespace alxsim::spmd
