// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/one_ring.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

using Place = std::vector<int>; ///< [axis]: a coordinate

/// All places of a box, each next to the one before.
std::vector<Place> walk(const std::vector<int>& lengths)
{
    std::vector<Place> places{{}};
    for (const int length : lengths) {
        std::vector<Place> longer;
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (int step = 0; step < length; ++step) {
                longer.push_back(places[i]);
                longer.back().push_back(i % 2 == 0 ? step : length - 1 - step);
            }
        }
        places = std::move(longer);
    }
    return places;
}

/// The same, the last also next to the first; nothing unless a side is even and another one longer
/// than 1. Along an even side go rows of all others but their first place, by which it goes back.
std::vector<Place> closed_walk(const std::vector<int>& lengths)
{
    const auto even =
        std::find_if(lengths.begin(), lengths.end(), [](int length) { return length % 2 == 0; });
    if (even == lengths.end() || lengths.size() < 2) {
        return {};
    }
    const auto side = static_cast<std::ptrdiff_t>(even - lengths.begin());
    std::vector<int> others = lengths;
    others.erase(others.begin() + side);
    const std::vector<Place> row = walk(others);
    const auto at = [&](int step, const Place& other) {
        Place place = other;
        place.insert(place.begin() + side, step);
        return place;
    };
    std::vector<Place> places;
    for (int step = 0; step < *even; ++step) {
        for (std::size_t i = 1; i < row.size(); ++i) {
            places.push_back(at(step, step % 2 == 0 ? row[i] : row[row.size() - i]));
        }
    }
    for (int step = *even - 1; step >= 0; --step) {
        places.push_back(at(step, row.front()));
    }
    return places;
}

/// [place of a group's walk]: device, of a group of which `corner` has the lowest coordinates.
std::vector<int> devices_on(const std::vector<Place>& places, const std::vector<int>& axes,
                            const std::vector<int>& corner, const topologies::Machine& machine)
{
    std::vector<int> devices;
    for (const Place& place : places) {
        std::vector<int> coordinates = corner;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            coordinates[static_cast<std::size_t>(axes[i])] += place[i];
        }
        devices.push_back(machine.slice.chip_at(coordinates) * machine.devices_per_chip);
    }
    if (machine.devices_per_chip > 1) { // back along the second ones
        for (std::size_t i = devices.size(); i-- > 0;) {
            devices.push_back(devices[i] + 1);
        }
    }
    return devices;
}

/// The lowest coordinates of each group: of lists that are boxes, or of whole axes of the slice.
std::vector<std::vector<int>> corners_of(const Collective& collective, const std::vector<int>& axes,
                                         const topologies::Machine& machine)
{
    std::vector<std::vector<int>> corners;
    if (collective.ranks) {
        for (const std::vector<int>& members : *collective.ranks) {
            std::vector<int> corner =
                machine.slice.coordinates(members.front() / machine.devices_per_chip);
            for (const int device : members) {
                const std::vector<int> at =
                    machine.slice.coordinates(device / machine.devices_per_chip);
                std::transform(at.begin(), at.end(), corner.begin(), corner.begin(),
                               [](int a, int b) { return std::min(a, b); });
            }
            corners.push_back(std::move(corner));
        }
        return corners;
    }
    for (int chip = 0; chip < machine.slice.chips(); ++chip) {
        std::vector<int> corner = machine.slice.coordinates(chip);
        if (std::all_of(axes.begin(), axes.end(), [&corner](int axis) {
                return corner[static_cast<std::size_t>(axis)] == 0;
            })) {
            corners.push_back(std::move(corner));
        }
    }
    return corners;
}

/// Whether it has parts of axes that no other group's messages pass.
bool is_dense(const CollectiveGroup& group)
{
    const std::vector<int> axes = group.ici_axes();
    return std::all_of(axes.begin(), axes.end(), [&group](int axis) {
        return group.axis(axis).hops == 1 && group.axis(axis).sharing == 1;
    });
}

bool can_be_one_ring(const Collective& collective, const CollectiveGroup& group,
                     const topologies::Machine& machine)
{
    const bool kind = collective.kind == CollectiveKind::all_gather ||
                      collective.kind == CollectiveKind::reduce_scatter ||
                      collective.kind == CollectiveKind::all_reduce;
    return kind && !collective.messages && group.ici_axes().size() > 1 && is_dense(group) &&
           group.ici_axes().size() == group.torus_axes().size() && !machine.slice.twisted() &&
           machine.devices_per_chip <= 2 && group.devices_on_a_chip() == machine.devices_per_chip &&
           machine.faults.links.empty();
}

} // namespace

NetworkAxis ring_axis(NetworkAxis ring, const std::vector<int>& along,
                      const std::vector<NetworkAxis>& network, Bytes shard)
{
    double rate = 0;
    ring.latency = Picoseconds(0);
    for (const int axis : along) {
        const NetworkAxis& one = network[static_cast<std::size_t>(axis)];
        rate = rate > 0 ? std::min(rate, one.bytes_per_second) : one.bytes_per_second;
        ring.latency = std::max(ring.latency, one.latency);
        ring.packet = one.packet;
    }
    const auto bytes = static_cast<double>(shard.count());
    const double latency = to_seconds(ring.latency).count();
    const double others = (ring.sharing - 1) * bytes / rate;
    ring.bytes_per_second = others > latency ? bytes / (bytes / rate + others - latency) : rate;
    return ring;
}

std::optional<OneRing> one_ring(const Collective& collective, const CollectiveGroup& group,
                                const topologies::Machine& machine, int directions)
{
    if (!can_be_one_ring(collective, group, machine)) {
        return std::nullopt;
    }
    std::vector<int> axes; // of the slice
    std::vector<int> lengths;
    for (const int axis : group.ici_axes()) {
        axes.push_back(group.axis(axis).torus_axis);
        lengths.push_back(group.axis(axis).length);
    }
    const bool folded = machine.devices_per_chip > 1;
    const std::vector<Place> places = folded ? walk(lengths) : closed_walk(lengths);
    if (places.empty()) {
        return std::nullopt;
    }
    auto ranks = std::make_shared<RankGroups>();
    ranks->strides = {1};
    ranks->along = group.ici_axes();
    for (const std::vector<int>& corner : corners_of(collective, axes, machine)) {
        ranks->groups.push_back(devices_on(places, axes, corner, machine));
    }
    NetworkAxis ring;
    ring.torus_axis = NetworkAxis::ranks;
    ring.length = static_cast<int>(ranks->groups.front().size());
    ring.wraps = true;
    ring.sharing = folded ? directions : 1;
    OneRing result;
    result.group.axes = {ring};
    result.network = group.axes;
    result.group.used = {0};
    result.group.chips = result.group.devices = ring.length;
    result.group.root = {0};
    result.ranks = std::move(ranks);
    return result;
}

void set_one_ring_colours(const Collective& collective, const OneRing& ring,
                          const std::vector<RingOrder>& orders, CollectiveSchedule& schedule)
{
    set_ring_colours(collective, ring.group, orders, schedule);
    schedule.axes.front() = ring_axis(ring.group.axes.front(), ring.ranks->along, ring.network,
                                      schedule.colours.front().phases.front().shard);
}

CollectiveSchedule on_one_ring(const Collective& collective, const OneRing& ring,
                               const std::vector<RingOrder>& orders)
{
    CollectiveSchedule schedule = blank_schedule(collective, ring.group, "");
    set_one_ring_colours(collective, ring, orders, schedule);
    schedule.ranks = ring.ranks;
    schedule.algorithm.name = "one_ring";
    schedule.name = "one ring through all chips";
    return schedule;
}

std::vector<CollectiveSchedule> one_ring_schedules(const Collective& collective,
                                                   const CollectiveGroup& group,
                                                   const topologies::Machine& machine)
{
    const std::optional<OneRing> ring = one_ring(collective, group, machine, 2);
    if (!ring) {
        return {};
    }
    return {on_one_ring(collective, *ring, {{{0}, 2}}),
            on_one_ring(collective, *ring, {{{0}, 1, false}, {{0}, 1, true}})};
}

} // namespace alxsim::model
