// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/hop_distance.h"
#include "model/collectives/mesh.h"
#include "model/collectives/message_bound.h"
#include "model/schedules/rank_schedules.h"

#include <algorithm>
#include <numeric>

namespace alxsim::model {
namespace {

/// Directed links of a group in all, and of the chip that has fewest. Those of another rate count
/// as so many ICI links.
struct LinkCount {
    double all = 0;
    double fewest = 0;
};

const topologies::Axis& axis_of(const NetworkAxis& axis, const topologies::Machine& machine)
{
    return machine.slice.axes()[static_cast<std::size_t>(axis.torus_axis)];
}

double weight_of(const NetworkAxis& axis, const topologies::Machine& machine)
{
    return machine.network.nominal_links(axis_of(axis, machine));
}

LinkCount count_links(const CollectiveGroup& group, const topologies::Machine& machine)
{
    LinkCount links;
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        const double weight = weight_of(axis, machine);
        const double per_line = axis.wraps ? axis.length : axis.length - 1;
        links.all += 2.0 * per_line * group.chips / axis.length * weight;
        links.fewest += (axis.wraps ? 2 : 1) * weight;
    }
    return links;
}

/// Bytes over the path of a chip that is alone.
double on_chip_bytes(const Collective& collective, int devices)
{
    const double bytes = static_cast<double>(collective.bytes.count());
    switch (collective.kind) {
    case CollectiveKind::all_reduce:
        return 2 * bytes * (1.0 - 1.0 / devices);
    case CollectiveKind::permute:
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
        return bytes;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
        break;
    }
    return bytes * (1.0 - 1.0 / devices);
}

/// What a link must carry at least for every chip to take in what it lacks, in each of the groups
/// that it is in.
double busiest_chip_bytes(const Collective& collective, const CollectiveGroup& group,
                          const topologies::Machine& machine)
{
    const double bytes = static_cast<double>(collective.bytes.count()) * machine.devices_per_chip /
                         group.devices_on_a_chip();
    const int chips = group.chips;
    const LinkCount links = count_links(group, machine);
    const bool all_reduce = collective.kind == CollectiveKind::all_reduce;
    const bool whole = all_reduce || has_root(collective.kind);
    const double all_links = (all_reduce ? 2 : 1) * (chips - 1) * bytes / links.all;
    const double fewest_links = bytes * (whole ? 1.0 : 1.0 - 1.0 / chips) / links.fewest;
    return std::max(all_links, fewest_links);
}

/// The same for every slice to take in what it lacks. All links between slices are alike.
double busiest_slice_bytes(const Collective& collective, const CollectiveGroup& group,
                           const topologies::Machine& machine)
{
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        if (axis.joins_slices) {
            const bool whole =
                collective.kind == CollectiveKind::all_reduce || has_root(collective.kind);
            const double bytes = static_cast<double>(collective.bytes.count()) *
                                 machine.devices_per_chip / group.devices_on_a_chip() *
                                 (whole ? 1.0 : 1.0 - 1.0 / axis.length);
            const double links = static_cast<double>(group.chips) / axis.length *
                                 (axis.wraps ? 2 : 1) * weight_of(axis, machine);
            return bytes / links;
        }
    }
    return 0;
}

/// What a link must carry at least for all that an all-to-all sends from one half of an axis to the
/// other.
double busiest_cut_bytes(const Collective& collective, const CollectiveGroup& group,
                         const topologies::Machine& machine)
{
    double most = 0;
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        const int near = axis.length / 2;
        const int far = axis.length - near;
        const double crossing = static_cast<double>(collective.bytes.count()) *
                                machine.devices_per_chip * near * far / axis.length;
        most = std::max(most, crossing / ((axis.wraps ? 2 : 1) * weight_of(axis, machine)));
    }
    return most;
}

/// What a link of a twisted torus carries on average if all bytes of an all-to-all go the nearest
/// way: the same from every chip.
double average_link_bytes(const Collective& collective, const CollectiveGroup& group,
                          const topologies::Machine& machine)
{
    HopDistance distance(machine.slice);
    const std::vector<int>& from_one = distance.from(0);
    const double hops = std::accumulate(from_one.begin(), from_one.end(), 0.0);
    const double pair = static_cast<double>(collective.bytes.count()) / group.devices;
    const double pairs = static_cast<double>(machine.devices_per_chip) * group.devices_on_a_chip();
    return pair * pairs * hops * group.chips / count_links(group, machine).all;
}

/// Seconds on the wire between the chips of a group that are farthest apart; from the root if there
/// is one.
double farthest(const Collective& collective, const CollectiveGroup& group,
                const topologies::Machine& machine)
{
    const topologies::NetworkSpec& network = machine.network;
    if (machine.slice.twisted()) {
        HopDistance distance(machine.slice);
        const std::vector<int>& all = distance.from(0);
        return network.hop_latency.count() * *std::max_element(all.begin(), all.end());
    }
    int hops = 0;
    double between_slices = 0;
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        const int root = group.root[static_cast<std::size_t>(index)];
        const bool from_root = has_root(collective.kind) && !axis.wraps;
        const int along = from_root ? std::max(root, axis.length - 1 - root) : axis.diameter();
        if (axis.joins_slices) {
            between_slices = network.hop_latency_of(axis_of(axis, machine)).count() * along;
        } else {
            hops += along;
        }
    }
    return network.hop_latency.count() * hops + between_slices;
}

double busiest_link_bytes(const Collective& collective, const CollectiveGroup& group,
                          const topologies::Machine& machine)
{
    if (collective.kind != CollectiveKind::all_to_all) {
        return std::max(busiest_chip_bytes(collective, group, machine),
                        busiest_slice_bytes(collective, group, machine));
    }
    return machine.slice.twisted() ? average_link_bytes(collective, group, machine)
                                   : busiest_cut_bytes(collective, group, machine);
}

} // namespace

Seconds collective_bound(const Collective& collective, const topologies::Machine& machine)
{
    if (collective.mesh || collective.ranks) {
        const Collective on = on_network(collective, machine);
        return on.ranks ? rank_bound(on, machine) : collective_bound(on, machine);
    }
    const CollectiveGroup group = group_of(collective, machine);
    const topologies::NetworkSpec& network = machine.network;
    if (collective.messages) {
        return message_bound(*collective.messages, group, machine);
    }
    if (group.devices <= 1) {
        return Seconds(0);
    }
    if (group.chips == 1) {
        return Seconds(on_chip_bytes(collective, group.devices) / network.on_chip_bytes_per_second);
    }
    if (collective.kind == CollectiveKind::permute) {
        const topologies::Axis& axis = axis_of(group.axis(group.torus_axes().front()), machine);
        const bool both_ways = collective.schedule.directions == 2 && axis.wraps;
        const double bytes = static_cast<double>(collective.bytes.count()) / (both_ways ? 2 : 1);
        return Seconds(bytes * machine.devices_per_chip / network.nominal_bytes_per_second(axis) +
                       network.hop_latency_of(axis).count() * (axis.wraps ? 1 : axis.length - 1)) +
               network.message_latency;
    }
    const double bytes = busiest_link_bytes(collective, group, machine);
    return Seconds(std::max(bytes / network.link_bytes_per_second,
                            farthest(collective, group, machine))) +
           network.message_latency;
}

} // namespace alxsim::model
