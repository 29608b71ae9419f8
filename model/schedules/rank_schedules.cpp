// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/rank_schedules.h"

#include "base/input_error.h"
#include "model/collectives/group_box.h"
#include "model/collectives/hop_distance.h"
#include "model/collectives/mesh.h"
#include "model/collectives/phase_plan.h"
#include "model/collectives/replays/routed_network.h"
#include "model/schedules/ring_schedules.h"
#include "model/schedules/routed_load.h"
#include "model/schedules/routed_schedule.h"
#include "model/schedules/spread_schedules.h"
#include "topologies/routing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;

int members_of(const Collective& collective)
{
    return static_cast<int>(collective.ranks->front().size());
}

void check_options(const Collective& collective)
{
    if (collective.schedule.colours > 1) {
        throw InputError("", "collective/schedule/colours",
                         "found " + std::to_string(collective.schedule.colours) +
                             " for ranks; allowed: 1");
    }
}

/// The axis on which a message goes from a chip to a neighbour; null if they are none.
const NetworkAxis* axis_between(int from, int to, const std::vector<NetworkAxis>& network,
                                const Machine& machine)
{
    for (const NetworkAxis& axis : network) {
        for (const int direction : {1, -1}) {
            if (machine.slice.neighbour(from, axis.torus_axis, direction) == to) {
                return &axis;
            }
        }
    }
    return nullptr;
}

/// What the messages to the next get where all of them are neighbours over links that are alike;
/// nothing where they are not, or share their links with other devices of a chip.
std::optional<NetworkAxis> axis_of_neighbours(const Collective& collective, const Machine& machine,
                                              bool wraps)
{
    if (machine.devices_per_chip > 1) {
        return std::nullopt;
    }
    const std::vector<NetworkAxis> network = network_axes(machine);
    const NetworkAxis* all = nullptr;
    for (const std::vector<int>& members : *collective.ranks) {
        for (std::size_t i = 0; i + (wraps ? 0 : 1) < members.size(); ++i) {
            const NetworkAxis* axis =
                axis_between(members[i], members[(i + 1) % members.size()], network, machine);
            all = all == nullptr ? axis : all;
            if (axis == nullptr || axis->bytes_per_second != all->bytes_per_second ||
                axis->latency != all->latency) {
                return std::nullopt;
            }
        }
    }
    NetworkAxis ring{NetworkAxis::ranks,    members_of(collective), wraps,
                     all->bytes_per_second, all->latency,           all->packet};
    return ring;
}

/// Messages from every member to the next up, or the next down; the last one's goes to the first.
std::vector<PairMessage> to_the_next(const std::vector<std::vector<int>>& groups, int direction)
{
    std::vector<PairMessage> messages;
    for (const std::vector<int>& members : groups) {
        const std::size_t length = members.size();
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t next = (i + (direction == up ? 1 : length - 1)) % length;
            messages.push_back({members[i], members[next], Bytes(1)});
        }
    }
    return messages;
}

/// What the messages to the next get; `wraps`: those from the last to the first go, too. With one
/// direction, those up or those down go.
std::shared_ptr<const RankGroups> rank_groups(const std::vector<std::vector<int>>& groups,
                                              bool wraps, int directions, const Machine& machine)
{
    const std::size_t length = groups.front().size();
    auto result = std::make_shared<RankGroups>();
    result->groups = groups;
    result->strides = {1, 0};
    std::vector<PairMessage> going;
    std::vector<RankGroups::Way*> gets; ///< [message of going]
    const auto share_out = [&] {
        const std::vector<RouteShare> shares = shares_of(going, machine);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            *gets[i] = {shares[i].hops, shares[i].bytes_per_second, shares[i].latency};
        }
        going.clear();
        gets.clear();
    };
    for (const int direction : {up, down}) {
        std::vector<RankGroups::Way>& ways = result->ways[static_cast<std::size_t>(direction)];
        ways.resize(groups.size() * length);
        const std::vector<PairMessage> messages = to_the_next(groups, direction);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (wraps || i % length != (direction == up ? length - 1 : 0)) {
                going.push_back(messages[i]);
                gets.push_back(&ways[i]);
            }
        }
        if (directions == 1) {
            share_out();
        }
    }
    share_out();
    result->network = std::make_shared<const RoutedNetwork>(machine);
    return result;
}

/// The axis on which the members of every group stand: as slow as the slowest of its ways, which
/// are in RankGroups.
NetworkAxis axis_of(const Collective& collective, const Machine& machine, const RankGroups& ranks,
                    bool wraps)
{
    NetworkAxis axis{
        NetworkAxis::ranks, members_of(collective), wraps, machine.network.link_bytes_per_second,
        Picoseconds(0),     machine.network.packet};
    for (const std::vector<RankGroups::Way>& ways : ranks.ways) {
        for (const RankGroups::Way& way : ways) {
            if (way.bytes_per_second > 0) { // else nothing goes there
                axis.bytes_per_second = std::min(axis.bytes_per_second, way.bytes_per_second);
                axis.latency = std::max(axis.latency, way.latency);
            }
        }
    }
    return axis;
}

/// As if its members were the devices along one axis.
CollectiveGroup group_along(const NetworkAxis& axis, const Collective& collective)
{
    CollectiveGroup group;
    group.axes = {axis};
    group.used = {0};
    group.chips = group.devices = axis.length;
    group.root = {collective.root};
    return group;
}

/// All families of schedules along one axis.
std::vector<CollectiveSchedule> along(const NetworkAxis& axis, Collective collective,
                                      int directions)
{
    const CollectiveGroup group = group_along(axis, collective);
    const bool free = collective.schedule.directions == 0;
    collective.schedule.directions = directions;
    std::vector<CollectiveSchedule> schedules = ring_schedules(collective, group);
    if (collective.kind == CollectiveKind::all_reduce && free && directions == 2) {
        schedules.push_back(gather_and_add(collective, group));
    }
    if (has_root(collective.kind)) {
        for (CollectiveSchedule& schedule : spreading_schedules(collective, group)) {
            schedules.push_back(std::move(schedule));
        }
    }
    return schedules;
}

/// What a chip with `here` members of a group must take in or give out at least.
double bytes_of_chip(const Collective& collective, int here, bool has_root_member)
{
    const double bytes = static_cast<double>(collective.bytes.count());
    const int members = members_of(collective);
    const double others = static_cast<double>(members - here) / members;
    switch (collective.kind) {
    case CollectiveKind::all_reduce:
        return here < members ? bytes : 0;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
        return has_root_member ? 0 : bytes;
    case CollectiveKind::all_to_all:
        return bytes * here * others;
    case CollectiveKind::permute:
        return 0; // by its messages
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
        break;
    }
    return bytes * others;
}

/// Seconds that the busiest chip's links need.
double busiest_chip_seconds(const Collective& collective, const Machine& machine)
{
    std::vector<double> bytes(static_cast<std::size_t>(machine.slice.chips()));
    for (const std::vector<int>& members : *collective.ranks) {
        std::map<int, int> here;
        for (const int device : members) {
            ++here[device / machine.devices_per_chip];
        }
        const int root = members[static_cast<std::size_t>(collective.root)];
        for (const auto& [chip, count] : here) {
            bytes[static_cast<std::size_t>(chip)] +=
                bytes_of_chip(collective, count, chip == root / machine.devices_per_chip);
        }
    }
    double most = 0;
    for (int chip = 0; chip < machine.slice.chips(); ++chip) {
        double links = 0;
        for (int axis = 0; axis < static_cast<int>(machine.slice.axes().size()); ++axis) {
            const topologies::Axis& along = machine.slice.axes()[static_cast<std::size_t>(axis)];
            const double weight = machine.network.nominal_links(along);
            const int at = chip / machine.slice.stride(axis) % along.length;
            links += along.wraps || at + 1 < along.length ? weight : 0;
            links += along.wraps || at > 0 ? weight : 0;
        }
        const double of_chip = bytes[static_cast<std::size_t>(chip)];
        most = of_chip > 0 ? std::max(most, of_chip / (links > 0 ? links : 1)) : most;
    }
    return most / machine.network.link_bytes_per_second;
}

/// Between the chips of a box that are farthest apart.
int longest_way_in(const GroupBox& box, const Machine& machine)
{
    int hops = 0;
    for (const BoxSide& side : box.sides) {
        const topologies::Axis& axis = machine.slice.axes()[static_cast<std::size_t>(side.axis)];
        int most = 0;
        for (int position = 1; position < side.length; ++position) {
            const int direct = position * side.hops;
            most = std::max(most, axis.wraps ? std::min(direct, axis.length - direct) : direct);
        }
        hops += most;
    }
    return hops;
}

/// Between members of a group that must hear of each other.
int longest_way(const Collective& collective, const Machine& machine)
{
    if (!has_root(collective.kind) && collective.kind != CollectiveKind::permute &&
        !machine.slice.twisted()) {
        if (const std::optional<GroupBox> box = box_of_ranks(collective, machine)) {
            return longest_way_in(*box, machine);
        }
    }
    HopDistance distance(machine.slice);
    const auto chip_of = [&machine](int device) { return device / machine.devices_per_chip; };
    int most = 0;
    for (const std::vector<int>& members : *collective.ranks) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::size_t next = (i + 1) % members.size();
            for (std::size_t j = 0; j < members.size(); ++j) {
                const bool meet = has_root(collective.kind)
                                      ? static_cast<int>(i) == collective.root
                                      : collective.kind != CollectiveKind::permute || j == next;
                if (meet) {
                    most =
                        std::max(most, distance.between(chip_of(members[i]), chip_of(members[j])));
                }
            }
        }
    }
    return most;
}

} // namespace

std::vector<CollectiveSchedule> rank_schedules(const Collective& collective, const Machine& machine)
{
    check_options(collective);
    const int members = members_of(collective);
    if (members == 1) {
        return {nothing_to_do(collective, {})};
    }
    if (collective.kind == CollectiveKind::all_to_all ||
        collective.kind == CollectiveKind::permute) {
        return {routed_schedule(collective, group_along({0, members}, collective), machine)};
    }
    const int asked = collective.schedule.directions;
    NetworkAxis groups;
    groups.torus_axis = NetworkAxis::ranks;
    groups.length = static_cast<int>(collective.ranks->size());
    std::vector<CollectiveSchedule> schedules;
    const auto add_all = [&](const NetworkAxis& axis, int directions,
                             const std::shared_ptr<const RankGroups>& ranks) {
        for (CollectiveSchedule& schedule : along(axis, collective, directions)) {
            schedule.ranks = ranks;
            if (ranks->network) {
                schedule.axes.push_back(groups);
            }
            schedules.push_back(std::move(schedule));
        }
    };
    const auto add = [&](bool wraps, int directions) {
        if (const auto axis = axis_of_neighbours(collective, machine, wraps)) {
            auto ranks = std::make_shared<RankGroups>();
            ranks->groups = *collective.ranks;
            ranks->strides = {1};
            add_all(*axis, directions, ranks);
            return;
        }
        const auto ranks = rank_groups(*collective.ranks, wraps, directions, machine);
        add_all(axis_of(collective, machine, *ranks, wraps), directions, ranks);
    };
    if (members > 2 && asked != 1) {
        add(true, 2);
    }
    if (members > 2 && asked != 2) {
        add(true, 1);
    }
    if (asked != 1) {
        add(false, 2);
    }
    return schedules;
}

Seconds rank_bound(const Collective& collective, const Machine& machine)
{
    const topologies::NetworkSpec& network = machine.network;
    const int hops = longest_way(collective, machine);
    if (hops == 0) {
        return Seconds(0);
    }
    return Seconds(std::max(busiest_chip_seconds(collective, machine),
                            network.hop_latency.count() * hops)) +
           network.message_latency;
}

} // namespace alxsim::model
