// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_group.h"

#include "base/input_error.h"
#include "model/graph/collective_json.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace alxsim::model {
namespace {

void check_axes(const std::vector<std::string>& group, const topologies::Slice& slice)
{
    const std::vector<std::string> known = slice.axis_names();
    for (const std::string& axis : group) {
        if (std::find(known.begin(), known.end(), axis) == known.end()) {
            throw InputError("", "collective/group",
                             "found " + join(group) + " on " +
                                 (slice.slices() > 1 ? "" : "a slice of ") + slice.words() +
                                 " chips; allowed: " + join(known));
        }
    }
    if (slice.twisted() && !group.empty() && group.size() < known.size()) {
        throw InputError("", "collective/group",
                         "found " + join(group) + " on a twisted slice of " + slice.shape() +
                             " chips; allowed: all, since its wraps do not stay "
                             "on an axis");
    }
}

/// Where the group's member number `member` stands on each axis.
std::vector<int> positions_of(int member, const CollectiveGroup& group,
                              const topologies::Machine& machine)
{
    std::vector<int> positions(group.axes.size(), 0);
    if (member == 0) {
        return positions;
    }
    const std::vector<int> groups = groups_of_devices(group, machine);
    int device = 0;
    for (int before = 0; groups[static_cast<std::size_t>(device)] != 0 || before++ < member;) {
        ++device;
    }
    const std::vector<int> coordinates =
        machine.slice.coordinates(device / machine.devices_per_chip);
    for (const int index : group.used) {
        const NetworkAxis& axis = group.axis(index);
        positions[static_cast<std::size_t>(index)] =
            is_torus(axis) ? coordinates[static_cast<std::size_t>(axis.torus_axis)]
                           : device % machine.devices_per_chip;
    }
    return positions;
}

} // namespace

std::vector<int> CollectiveGroup::torus_axes() const
{
    std::vector<int> result;
    std::copy_if(used.begin(), used.end(), std::back_inserter(result),
                 [this](int index) { return is_torus(axis(index)); });
    return result;
}

bool CollectiveGroup::has_torus_axes() const
{
    return std::any_of(used.begin(), used.end(),
                       [this](int index) { return is_torus(axis(index)); });
}

std::vector<int> CollectiveGroup::ici_axes() const
{
    std::vector<int> result = torus_axes();
    result.erase(std::remove_if(result.begin(), result.end(),
                                [this](int index) { return axis(index).joins_slices; }),
                 result.end());
    return result;
}

bool CollectiveGroup::wraps() const
{
    const std::vector<int> torus = torus_axes();
    return std::all_of(torus.begin(), torus.end(), [this](int index) { return axis(index).wraps; });
}

void check_root(const Collective& collective, int devices)
{
    if (collective.root != 0 && !has_root(collective.kind)) {
        throw InputError("", "collective/root",
                         "found for " + name_of(collective.kind) +
                             "; allowed: for broadcast and reduce only");
    }
    if (collective.root < 0 || collective.root >= devices) {
        throw InputError("", "collective/root",
                         "found " + std::to_string(collective.root) + "; allowed: 0 to " +
                             std::to_string(devices - 1) + ", the places in its group");
    }
}

CollectiveGroup group_of(const Collective& collective, const topologies::Machine& machine)
{
    check_axes(collective.group, machine.slice);
    CollectiveGroup group;
    group.axes = network_axes(machine);
    group.devices = collective.across_chips ? 1 : machine.devices_per_chip;
    for (std::size_t i = 0; i < group.axes.size(); ++i) {
        const NetworkAxis& axis = group.axes[i];
        const std::vector<std::string>& wanted = collective.group;
        if (!is_torus(axis)) {
            if (!collective.across_chips) {
                group.used.push_back(static_cast<int>(i));
            }
        } else if (wanted.empty() ||
                   std::find(wanted.begin(), wanted.end(), axis_name(axis)) != wanted.end()) {
            group.used.push_back(static_cast<int>(i));
            group.chips *= axis.length;
        }
    }
    group.devices *= group.chips;
    if (machine.slice.twisted()) {
        for (int index : group.torus_axes()) {
            group.twisted_rings.push_back(group.axis(index).length);
        }
        std::sort(group.twisted_rings.rbegin(), group.twisted_rings.rend());
    }
    check_root(collective, group.devices);
    group.root = positions_of(collective.root, group, machine);
    return group;
}

std::vector<int> groups_of_chips(const CollectiveGroup& group, const topologies::Slice& slice)
{
    std::map<std::vector<int>, int> numbers; // by the coordinates that the members share
    std::vector<int> result;
    for (int chip = 0; chip < slice.chips(); ++chip) {
        std::vector<int> shared = slice.coordinates(chip);
        for (int index : group.torus_axes()) {
            shared[static_cast<std::size_t>(group.axis(index).torus_axis)] = 0;
        }
        result.push_back(numbers.emplace(shared, static_cast<int>(numbers.size())).first->second);
    }
    return result;
}

std::vector<int> groups_of_devices(const CollectiveGroup& group, const topologies::Machine& machine)
{
    const std::vector<int> of_chips = groups_of_chips(group, machine.slice);
    const int groups_on_a_chip = machine.devices_per_chip / group.devices_on_a_chip();
    std::vector<int> result;
    for (int device = 0; device < machine.devices; ++device) {
        const int chip = device / machine.devices_per_chip;
        const int place = device % machine.devices_per_chip / group.devices_on_a_chip();
        result.push_back(of_chips[static_cast<std::size_t>(chip)] * groups_on_a_chip + place);
    }
    return result;
}

int directions_of(const Collective& collective)
{
    return collective.schedule.directions == 1 ? 1 : 2;
}

CollectiveSchedule blank_schedule(const Collective& collective, const CollectiveGroup& group,
                                  const std::string& name)
{
    CollectiveSchedule schedule;
    schedule.kind = collective.kind;
    schedule.name = name;
    schedule.axes = group.axes;
    schedule.group = group.used;
    return schedule;
}

CollectiveSchedule nothing_to_do(const Collective& collective, const CollectiveGroup& group)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, "alone");
    schedule.colours.resize(1);
    return schedule;
}

} // namespace alxsim::model
