// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/mesh.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/neighbour_ring.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;
using Groups = std::vector<std::vector<int>>;

constexpr int most_devices = std::numeric_limits<int>::max();

/// At most most_devices, which stand for more, too.
int devices_of(const Mesh& mesh)
{
    std::int64_t devices = 1;
    for (const MeshAxis& axis : mesh.axes) {
        devices = std::min<std::int64_t>(devices * axis.length, most_devices);
    }
    return static_cast<int>(devices);
}

void check_ranks(const Groups& groups, const Machine& machine)
{
    const char* const place = "collective/group/ranks";
    std::vector<bool> seen(static_cast<std::size_t>(machine.devices), false);
    for (const std::vector<int>& members : groups) {
        for (const int device : members) {
            const std::string found = "found device " + std::to_string(device);
            if (device < 0 || device >= machine.devices) {
                throw InputError("", place,
                                 found + "; allowed: 0 to " + std::to_string(machine.devices - 1));
            }
            if (seen[static_cast<std::size_t>(device)]) {
                throw InputError("", place,
                                 found + " twice; allowed: every device in one group at most");
            }
            seen[static_cast<std::size_t>(device)] = true;
        }
        if (members.size() != groups.front().size()) {
            throw InputError("", place,
                             "found groups of " + std::to_string(groups.front().size()) + " and " +
                                 std::to_string(members.size()) +
                                 " devices; allowed: groups of one size");
        }
    }
}

/// Where device `device` of a list would stand in it in ascending order.
int ascending_place(const std::vector<int>& members, int device)
{
    return static_cast<int>(std::count_if(members.begin(), members.end(),
                                          [device](int other) { return other < device; }));
}

/// The root's place in each list in ascending order; nothing if it is not the same in all.
std::optional<int> ascending_root(const Collective& collective)
{
    if (!has_root(collective.kind)) {
        return 0;
    }
    std::optional<int> place;
    for (const std::vector<int>& members : *collective.ranks) {
        const auto root = static_cast<std::size_t>(collective.root);
        const int here = ascending_place(members, members[root]);
        if (place && *place != here) {
            return std::nullopt;
        }
        place = here;
    }
    return place;
}

Groups in_ascending_order(Groups groups)
{
    for (std::vector<int>& members : groups) {
        std::sort(members.begin(), members.end());
    }
    return groups;
}

/// Rings of neighbours with the root of each list, if there is one, where it is.
Groups in_ring_order(const Collective& collective, const Machine& machine)
{
    const Groups& groups = *collective.ranks;
    const int root = collective.root;
    Groups rings = neighbour_rings(groups, machine);
    if (!has_root(collective.kind)) {
        return rings;
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::vector<int>& ring = rings[i];
        const int device = groups[i][static_cast<std::size_t>(root)];
        const auto at = std::find(ring.begin(), ring.end(), device);
        const auto turn = (at - ring.begin() - root + static_cast<std::ptrdiff_t>(ring.size())) %
                          static_cast<std::ptrdiff_t>(ring.size());
        std::rotate(ring.begin(), ring.begin() + turn, ring.end());
    }
    return rings;
}

std::shared_ptr<const Groups> shared(Groups groups)
{
    return std::make_shared<const Groups>(std::move(groups));
}

/// Names of the network's axes that join the groups, whose devices are in ascending order.
std::optional<std::vector<std::string>> axes_of(const Groups& groups, const GroupBox* box,
                                                const Machine& machine)
{
    if (machine.slice.twisted() && groups.size() == 1 &&
        static_cast<int>(groups.front().size()) == machine.devices) {
        return machine.slice.axis_names();
    }
    return box == nullptr ? std::nullopt
                          : whole_axes_of(*box, static_cast<int>(groups.size()), machine);
}

/// Not where all are to go round one way, which they cannot on a line.
bool fits(const GroupBox& box, const Collective& collective)
{
    return collective.schedule.directions != 1 ||
           std::all_of(box.sides.begin(), box.sides.end(),
                       [](const BoxSide& side) { return side.wraps; });
}

/// In whatever order they are listed.
Collective in_best_order(Collective collective, const Machine& machine)
{
    if (const std::optional<int> root = ascending_root(collective)) {
        Groups groups = in_ascending_order(*collective.ranks);
        const std::optional<GroupBox> box = box_of(groups, machine);
        if (const auto axes = axes_of(groups, box ? &*box : nullptr, machine)) {
            collective.group = *axes;
            collective.across_chips = box && !box->whole_chips;
            collective.ranks = nullptr;
            collective.root = *root;
            return collective;
        }
        if (box && fits(*box, collective)) {
            collective.ranks = shared(std::move(groups));
            collective.root = *root;
            return collective;
        }
    }
    collective.ranks = shared(in_ring_order(collective, machine));
    return collective;
}

/// A permute along one axis from each to the next.
std::optional<Collective> shifted_along(const Collective& collective, const Machine& machine)
{
    const Groups& groups = *collective.ranks;
    if (in_ascending_order(groups) != groups) {
        return std::nullopt;
    }
    const std::optional<GroupBox> box = box_of(groups, machine);
    const auto axes = axes_of(groups, box ? &*box : nullptr, machine);
    if (!axes || axes->size() != 1 || !box || (box->whole_chips && machine.devices_per_chip > 1)) {
        return std::nullopt;
    }
    Collective along = collective;
    along.group = *axes;
    along.across_chips = !box->whole_chips;
    along.ranks = nullptr;
    return along;
}

} // namespace

bool has_devices(const Mesh& mesh, int devices)
{
    return devices_of(mesh) == devices;
}

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
    for (int place = 0; place < static_cast<int>(group_at.size()); ++place) {
        int first = 0; // of its group: where it would stand at the beginning of the axes
        int stride = 1;
        for (auto axis = mesh.axes.rbegin(); axis != mesh.axes.rend(); ++axis) {
            const bool spans = std::find(axes.begin(), axes.end(), axis->name.text()) != axes.end();
            first += spans ? 0 : place / stride % axis->length * stride;
            stride *= axis->length;
        }
        int& group = group_at[static_cast<std::size_t>(first)];
        if (group < 0) {
            group = static_cast<int>(groups.size());
            groups.emplace_back();
        }
        groups[static_cast<std::size_t>(group)].push_back(
            mesh.devices.empty() ? place : mesh.devices[static_cast<std::size_t>(place)]);
    }
    return groups;
}

namespace {

/// All of a collective along axes of a mesh that its place on the network goes by.
using MeshKey =
    std::tuple<CollectiveKind, int, bool, int, std::vector<std::string>, std::vector<int>,
               std::vector<std::string>, std::vector<int>, std::vector<std::string>,
               std::vector<std::tuple<int, bool, bool>>, bool, int, int>;

MeshKey mesh_key(const Collective& collective, const Machine& machine)
{
    std::vector<std::string> names;
    std::vector<int> lengths;
    for (const MeshAxis& axis : collective.mesh->axes) {
        names.push_back(axis.name.text());
        lengths.push_back(axis.length);
    }
    std::vector<std::tuple<int, bool, bool>> axes;
    for (const topologies::Axis& axis : machine.slice.axes()) {
        axes.emplace_back(axis.length, axis.wraps, axis.links == topologies::AxisLinks::ici);
    }
    return {collective.kind,
            collective.root,
            collective.listed,
            collective.schedule.directions,
            collective.group,
            std::move(lengths),
            std::move(names),
            collective.mesh->devices,
            machine.slice.axis_names(),
            std::move(axes),
            machine.slice.twisted(),
            machine.devices,
            machine.devices_per_chip};
}

/// Where a collective is on the network.
struct OnNetwork {
    std::shared_ptr<const Groups> ranks;
    std::vector<std::string> group;
    bool across_chips = false;
    int root = 0;
};

Collective placed_on_network(const Collective& collective, const Machine& machine);

/// Along axes of a mesh: each place is found once, for all collectives, points and draws.
Collective known_on_network(const Collective& collective, const Machine& machine)
{
    constexpr std::size_t most_places = 256;
    static Memo<MeshKey, OnNetwork> known(most_places);
    const OnNetwork place = known.get(mesh_key(collective, machine), [&] {
        const Collective found = placed_on_network(collective, machine);
        return OnNetwork{found.ranks, found.group, found.across_chips, found.root};
    });
    Collective result = collective;
    result.mesh = nullptr;
    result.ranks = place.ranks;
    result.group = place.group;
    result.across_chips = place.across_chips;
    result.root = place.root;
    return result;
}

} // namespace

Collective on_network(const Collective& collective, const Machine& machine)
{
    if (!collective.mesh && !collective.ranks) {
        return collective;
    }
    return collective.mesh && !collective.across_chips ? known_on_network(collective, machine)
                                                       : placed_on_network(collective, machine);
}

namespace {

Collective placed_on_network(const Collective& collective, const Machine& machine)
{
    Collective result = collective;
    if (collective.mesh) {
        check_devices(*collective.mesh, machine.devices);
        if (collective.across_chips) {
            throw InputError("", "collective/across_chips",
                             "found with axes of a mesh; allowed: with axes of the network");
        }
        result.ranks = shared(groups_of_mesh(*collective.mesh, collective.group));
        result.mesh = nullptr;
        result.group.clear();
    } else {
        check_ranks(*collective.ranks, machine);
        if (collective.messages || collective.across_chips || !collective.group.empty()) {
            throw InputError(
                "", "collective/group/ranks",
                "found with messages, axes or across_chips; allowed: ranks by themselves");
        }
    }
    check_root(result, static_cast<int>(result.ranks->front().size()));
    if (result.ranks->front().size() == 1 || result.listed) {
        return result;
    }
    if (result.kind == CollectiveKind::permute) {
        return shifted_along(result, machine).value_or(result);
    }
    return in_best_order(std::move(result), machine);
}

} // namespace

std::optional<GroupBox> box_of_ranks(const Collective& collective, const Machine& machine)
{
    const bool free = !collective.listed && collective.kind != CollectiveKind::permute &&
                      collective.ranks->front().size() > 1 &&
                      in_ascending_order(*collective.ranks) == *collective.ranks;
    std::optional<GroupBox> box;
    if (free) {
        box = box_of(*collective.ranks, machine);
    }
    return box && fits(*box, collective) ? box : std::nullopt;
}

} // namespace alxsim::model
