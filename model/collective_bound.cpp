// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"
#include "model/collective_group.h"
#include "model/hop_distance.h"
#include "model/message_bound.h"
#include "model/rank_schedules.h"

#include <algorithm>
#include <numeric>

namespace alxsim::model {
namespace {

/// Directed links of a group in all, and of the chip that has fewest.
struct LinkCount {
    double all = 0;
    double fewest = 0;
};

LinkCount count_links(const CollectiveGroup& group)
{
    LinkCount links;
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        const double per_line = axis.wraps ? axis.length : axis.length - 1;
        links.all += 2.0 * per_line * group.chips / axis.length;
        links.fewest += axis.wraps ? 2 : 1;
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
                          int devices_per_chip)
{
    const double bytes = static_cast<double>(collective.bytes.count()) * devices_per_chip /
                         group.devices_on_a_chip();
    const int chips = group.chips;
    const LinkCount links = count_links(group);
    const bool all_reduce = collective.kind == CollectiveKind::all_reduce;
    const bool whole = all_reduce || has_root(collective.kind);
    const double all_links = (all_reduce ? 2 : 1) * (chips - 1) * bytes / links.all;
    const double fewest_links = bytes * (whole ? 1.0 : 1.0 - 1.0 / chips) / links.fewest;
    return std::max(all_links, fewest_links);
}

/// What a link must carry at least for all that an all-to-all sends from one half of an axis to the
/// other.
double busiest_cut_bytes(const Collective& collective, const CollectiveGroup& group,
                         int devices_per_chip)
{
    double most = 0;
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        const int near = axis.length / 2;
        const int far = axis.length - near;
        const double crossing = static_cast<double>(collective.bytes.count()) * devices_per_chip *
                                near * far / axis.length;
        most = std::max(most, crossing / (axis.wraps ? 2 : 1));
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
    return pair * pairs * hops * group.chips / count_links(group).all;
}

/// Hops between the chips of a group that are farthest apart; from the root if there is one.
int farthest(const Collective& collective, const CollectiveGroup& group,
             const topologies::Machine& machine)
{
    if (machine.slice.twisted()) {
        HopDistance distance(machine.slice);
        const std::vector<int>& all = distance.from(0);
        return *std::max_element(all.begin(), all.end());
    }
    int hops = 0;
    for (int index : group.torus_axes()) {
        const NetworkAxis& axis = group.axis(index);
        const int root = group.root[static_cast<std::size_t>(index)];
        const bool from_root = has_root(collective.kind) && !axis.wraps;
        hops += from_root ? std::max(root, axis.length - 1 - root) : axis.diameter();
    }
    return hops;
}

double busiest_link_bytes(const Collective& collective, const CollectiveGroup& group,
                          const topologies::Machine& machine)
{
    if (collective.kind != CollectiveKind::all_to_all) {
        return busiest_chip_bytes(collective, group, machine.devices_per_chip);
    }
    return machine.slice.twisted() ? average_link_bytes(collective, group, machine)
                                   : busiest_cut_bytes(collective, group, machine.devices_per_chip);
}

} // namespace

Seconds collective_bound(const Collective& collective, const topologies::Machine& machine)
{
    if (collective.ranks) {
        return rank_bound(collective, machine);
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
    const double hop = network.hop_latency.count();
    if (collective.kind == CollectiveKind::permute) {
        const NetworkAxis& axis = group.axis(group.torus_axes().front());
        const double bytes = static_cast<double>(collective.bytes.count());
        return Seconds(bytes * machine.devices_per_chip / network.link_bytes_per_second +
                       hop * (axis.wraps ? 1 : axis.length - 1)) +
               network.message_latency;
    }
    const double bytes = busiest_link_bytes(collective, group, machine);
    return Seconds(std::max(bytes / network.link_bytes_per_second,
                            hop * farthest(collective, group, machine))) +
           network.message_latency;
}

} // namespace alxsim::model
