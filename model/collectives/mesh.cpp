// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/mesh.h"

#include "base/input_error.h"
#include "model/collectives/collective_group.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;

constexpr int most_devices = std::numeric_limits<int>::max();

/// At most most_devices, which stand for more, too.
int devices_of(const Mesh& mesh)
{
    std::int64_t devices = 1;
    for (const MeshAxis& axis : mesh) {
        devices = std::min<std::int64_t>(devices * axis.length, most_devices);
    }
    return static_cast<int>(devices);
}

/// [device]: the number of its group
std::vector<int> numbers_of(const std::vector<std::vector<int>>& groups, int devices)
{
    std::vector<int> numbers(static_cast<std::size_t>(devices));
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (const int device : groups[group]) {
            numbers[static_cast<std::size_t>(device)] = groups[group].front();
        }
    }
    return numbers;
}

/// The same partition of the devices, whatever its groups are numbered.
std::vector<int> by_first_member(const std::vector<int>& groups)
{
    std::vector<int> first(groups.size(), -1);
    std::vector<int> numbers;
    for (std::size_t device = 0; device < groups.size(); ++device) {
        int& member = first[static_cast<std::size_t>(groups[device])];
        member = member < 0 ? static_cast<int>(device) : member;
        numbers.push_back(member);
    }
    return numbers;
}

/// Axes of the network, all devices of a chip or one of each, that make the groups.
std::optional<Collective> along_axes(Collective candidate, const std::vector<int>& wanted,
                                     const Machine& machine)
{
    const std::vector<std::string> axes = machine.slice.axis_names();
    const unsigned all = (1U << axes.size()) - 1;
    for (unsigned chosen = machine.slice.twisted() ? all : 1; chosen <= all; ++chosen) {
        candidate.group.clear();
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            if ((chosen >> axis & 1U) != 0) {
                candidate.group.push_back(axes[axis]);
            }
        }
        for (const bool across : {false, true}) {
            candidate.across_chips = across;
            if (across && machine.devices_per_chip == 1) {
                continue;
            }
            const CollectiveGroup group = group_of(candidate, machine);
            if (by_first_member(groups_of_devices(group, machine)) == wanted) {
                return candidate;
            }
        }
    }
    return std::nullopt;
}

} // namespace

void check_devices(const Mesh& mesh, int devices)
{
    const int found = devices_of(mesh);
    if (found != devices) {
        throw InputError("", "mesh",
                         "found " + std::to_string(found) +
                             (found == most_devices ? " or more" : "") + " devices; allowed: the " +
                             std::to_string(devices) + " of the machine");
    }
}

std::vector<std::vector<int>> groups_of_mesh(const Mesh& mesh, const std::vector<std::string>& axes)
{
    std::vector<std::vector<int>> groups;
    std::vector<int> group_at(static_cast<std::size_t>(devices_of(mesh)), -1);
    for (int device = 0; device < static_cast<int>(group_at.size()); ++device) {
        int first = 0; // of its group: where it would stand at the beginning of the axes
        int stride = 1;
        for (auto axis = mesh.rbegin(); axis != mesh.rend(); ++axis) {
            const bool spans = std::find(axes.begin(), axes.end(), axis->name.text()) != axes.end();
            first += spans ? 0 : device / stride % axis->length * stride;
            stride *= axis->length;
        }
        int& group = group_at[static_cast<std::size_t>(first)];
        if (group < 0) {
            group = static_cast<int>(groups.size());
            groups.emplace_back();
        }
        groups[static_cast<std::size_t>(group)].push_back(device);
    }
    return groups;
}

Collective on_network(const Collective& collective, const Machine& machine)
{
    if (!collective.mesh) {
        return collective;
    }
    check_devices(*collective.mesh, machine.devices);
    if (collective.across_chips) {
        throw InputError("", "collective/across_chips",
                         "found with axes of a mesh; allowed: with axes of the network");
    }
    std::vector<std::vector<int>> groups = groups_of_mesh(*collective.mesh, collective.group);
    Collective result = collective;
    result.mesh = nullptr;
    result.root = 0; // a group of the candidate's may not have it
    const auto found = along_axes(result, numbers_of(groups, machine.devices), machine);
    if (found) {
        result = *found;
    } else {
        result.group.clear();
        result.ranks = std::make_shared<const std::vector<std::vector<int>>>(std::move(groups));
    }
    result.root = collective.root;
    return result;
}

} // namespace alxsim::model
