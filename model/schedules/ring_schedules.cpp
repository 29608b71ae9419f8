// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/ring_schedules.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace alxsim::model {
namespace {

/// One gather phase for each axis of `order` from `first` on; a shard is what a device has alone.
void set_gathering(const CollectiveGroup& group, const RingOrder& order, Bytes shard,
                   AxisPhase* first)
{
    for (std::size_t i = 0; i < order.axes.size(); ++i) {
        AxisPhase& phase = first[i];
        phase = {order.axes[i], Exchange::gather, shard, order.directions, order.downwards};
        int length = group.axis(order.axes[i]).length;
        if (i < group.twisted_rings.size()) {
            length = phase.members = group.twisted_rings[i];
        }
        shard = shard * length;
    }
}

/// Hides what an all-reduce moves on a chip while the links are busy: only the rest takes time.
void hide_on_chip(const CollectiveGroup& group, AxisPhase* first, const AxisPhase* end)
{
    for (AxisPhase* phase = first; phase != end; ++phase) {
        const double shown = 1 - group.axis(phase->axis).hidden;
        if (shown < 1 && group.has_torus_axes()) {
            phase->shard = Bytes(rounded_up(shown * static_cast<double>(phase->shard.count())));
        }
    }
}

/// Gathers along `order`, shards growing; mirrored for a reduce-scatter; both for an all-reduce.
void set_gathering_colour(const CollectiveGroup& group, const RingOrder& order, Bytes shard,
                          CollectiveKind kind, Colour& colour)
{
    const std::size_t axes = order.axes.size();
    const bool reduces = kind != CollectiveKind::all_gather;
    const bool gathers = kind != CollectiveKind::reduce_scatter;
    colour.phases.resize(reduces && gathers ? 2 * axes : axes);
    AxisPhase* const gather = colour.phases.data() + colour.phases.size() - axes;
    set_gathering(group, order, shard, gather);
    if (kind == CollectiveKind::all_reduce) {
        hide_on_chip(group, gather, gather + axes);
    }
    if (!gathers) {
        std::reverse(colour.phases.begin(), colour.phases.end());
    } else if (reduces) {
        std::reverse_copy(gather, gather + axes, colour.phases.begin());
    }
    for (std::size_t i = 0; reduces && i < axes; ++i) {
        colour.phases[i].exchange = Exchange::reduce;
    }
}

/// Along each axis, everybody keeps 1/length of what it holds and swaps the rest.
void set_exchanging_colour(const CollectiveGroup& group, const RingOrder& order, Bytes held,
                           Colour& colour)
{
    colour.phases.clear();
    for (int axis : order.axes) {
        const Bytes shard = held / group.axis(axis).length;
        colour.phases.push_back(
            {axis, Exchange::all_to_all, shard, order.directions, order.downwards});
    }
}

/// "2 colours, both directions". With room for the axes: names are made far more often than read.
std::string name_of(const Collective& collective, std::int64_t colours, int directions)
{
    std::string name;
    name.reserve(80);
    name += zeros_in_words(collective.kind);
    name += std::to_string(colours);
    name += colours == 1 ? " colour" : " colours";
    name += directions == 1 ? ", one direction" : ", both directions";
    return name;
}

/// A part of the payload for each of `orders`.
CollectiveSchedule coloured(const Collective& collective, const CollectiveGroup& group,
                            const std::vector<AxisOrder>& orders)
{
    const int directions = directions_of(collective);
    std::vector<RingOrder> rings;
    rings.reserve(orders.size());
    for (const AxisOrder& order : orders) {
        rings.push_back({order, directions});
    }
    CollectiveSchedule schedule = ring_schedule(collective, group, rings);
    schedule.name = name_of(collective, static_cast<std::int64_t>(orders.size()), directions);
    return schedule;
}

/// The first of `order` that looks like `axis`.
int first_alike(const CollectiveGroup& group, const AxisOrder& order, int axis)
{
    const bool twisted = !group.twisted_rings.empty();
    const NetworkAxis& one = group.axis(axis);
    return *std::find_if(order.begin(), order.end(), [&](int which) {
        const NetworkAxis& other = group.axis(which);
        return (twisted || other.length == one.length) && other.wraps == one.wraps &&
               other.bytes_per_second == one.bytes_per_second && other.latency == one.latency;
    });
}

/// Every order of a slice's axes, that between slices before them and the chip's path last; the
/// first is that of colour 0. Of those that differ only in axes that are alike, one.
std::vector<AxisOrder> torus_orders(const CollectiveGroup& group)
{
    const AxisOrder first = gather_order(group, 0);
    AxisOrder order = first;
    const auto ici_axes = static_cast<std::ptrdiff_t>(group.ici_axes().size());
    if (ici_axes <= 1) {
        return {order};
    }
    const auto torus_begin =
        order.begin() + static_cast<std::ptrdiff_t>(group.torus_axes().size()) - ici_axes;
    const auto torus_end = torus_begin + ici_axes;
    std::vector<AxisOrder> orders{first};
    std::vector<AxisOrder> seen(1); // six at most
    std::transform(first.begin(), first.end(), std::back_inserter(seen.front()),
                   [&](int axis) { return first_alike(group, first, axis); });
    std::sort(torus_begin, torus_end);
    AxisOrder looks(order.size());
    do {
        std::transform(order.begin(), order.end(), looks.begin(),
                       [&](int axis) { return first_alike(group, first, axis); });
        if (std::find(seen.begin(), seen.end(), looks) == seen.end()) {
            seen.push_back(looks);
            orders.push_back(order);
        }
    } while (std::next_permutation(torus_begin, torus_end));
    return orders;
}

/// Appends ", axes x, chip".
void add_axes(const CollectiveGroup& group, const AxisOrder& order, std::string& name)
{
    const char* before = ", axes ";
    for (int axis : order) {
        const NetworkAxis& along = group.axis(axis);
        const bool ranks = along.torus_axis == NetworkAxis::ranks;
        name += before;
        name += ranks ? "ranks" : is_torus(along) ? axis_name(along) : "chip";
        before = ", ";
    }
}

} // namespace

std::string zeros_in_words(CollectiveKind kind)
{
    return kind == CollectiveKind::broadcast ? "all-reduce with zeros, "
           : kind == CollectiveKind::reduce  ? "all-reduce for one, "
                                             : "";
}

void set_ring_colours(const Collective& collective, const CollectiveGroup& group,
                      const std::vector<RingOrder>& orders, CollectiveSchedule& schedule)
{
    const auto colours = static_cast<std::int64_t>(orders.size());
    const Bytes shard = ceil_share(ceil_share(collective.bytes, colours), group.devices);
    schedule.colours.resize(orders.size());
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (collective.kind == CollectiveKind::all_to_all) {
            set_exchanging_colour(group, orders[i], shard * group.devices, schedule.colours[i]);
        } else {
            set_gathering_colour(group, orders[i], shard, collective.kind, schedule.colours[i]);
        }
    }
}

CollectiveSchedule ring_schedule(const Collective& collective, const CollectiveGroup& group,
                                 const std::vector<RingOrder>& orders)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, "");
    set_ring_colours(collective, group, orders, schedule);
    return schedule;
}

AxisOrder gather_order(const CollectiveGroup& group, int colour)
{
    AxisOrder order = group.ici_axes();
    const auto looks = [&group](int index) {
        const NetworkAxis& axis = group.axis(index);
        return std::tuple(axis.length, axis.wraps, axis.latency, axis.bytes_per_second);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&looks](int a, int b) { return looks(a) < looks(b); });
    if (!order.empty()) {
        std::rotate(order.begin(),
                    order.begin() + colour % static_cast<std::ptrdiff_t>(order.size()),
                    order.end());
    }
    for (int axis : group.used) {
        if (!is_torus(group.axis(axis))) {
            order.push_back(axis);
        } else if (group.axis(axis).joins_slices) {
            order.insert(order.begin(), axis);
        }
    }
    return order;
}

std::vector<CollectiveSchedule> ring_schedules(const Collective& collective,
                                               const CollectiveGroup& group)
{
    const int asked = collective.schedule.colours;
    const int most = std::max(1, static_cast<int>(group.ici_axes().size()));
    const int colours = asked > 0 ? asked : most;
    std::vector<CollectiveSchedule> schedules;
    schedules.reserve(8); // one in colours, 3! orders, what others add
    if (colours > 1) {
        std::vector<AxisOrder> orders;
        orders.reserve(static_cast<std::size_t>(colours));
        for (int colour = 0; colour < colours; ++colour) {
            orders.push_back(gather_order(group, colour));
        }
        schedules.push_back(coloured(collective, group, orders));
    }
    if (asked <= 1) {
        for (const AxisOrder& order : torus_orders(group)) {
            schedules.push_back(coloured(collective, group, {order}));
            add_axes(group, order, schedules.back().name);
        }
    }
    return schedules;
}

std::vector<CollectiveSchedule> one_part_after_the_other(const Collective& collective,
                                                         const CollectiveGroup& group)
{
    std::vector<CollectiveSchedule> result;
    for (CollectiveSchedule& schedule : ring_schedules(collective, group)) {
        const std::size_t colours = schedule.colours.size();
        if (colours == 1) {
            continue; // it is so already
        }
        for (std::size_t i = 0; i < colours; ++i) {
            std::vector<AxisPhase>& phases = schedule.colours[i].phases;
            const auto half = phases.begin() + static_cast<std::ptrdiff_t>(phases.size() / 2);
            Colour gathering{{half, phases.end()}};
            phases.erase(half, phases.end());
            schedule.colours.push_back(std::move(gathering));
        }
        schedule.then = static_cast<int>(colours);
        schedule.name += ", one part after the other";
        result.push_back(std::move(schedule));
    }
    return result;
}

std::optional<CollectiveSchedule> one_after_the_other(CollectiveSchedule first,
                                                      const CollectiveSchedule& second)
{
    const bool alike =
        first.axes == second.axes && (first.ranks == nullptr) == (second.ranks == nullptr);
    if (!alike || first.then > 0 || second.then > 0 || first.colours.empty() ||
        second.colours.empty()) {
        return std::nullopt;
    }
    first.then = static_cast<int>(first.colours.size());
    first.colours.insert(first.colours.end(), second.colours.begin(), second.colours.end());
    first.name += ", then " + second.name;
    return first;
}

CollectiveSchedule gather_and_add(const Collective& collective, const CollectiveGroup& group)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, "gather and add");
    schedule.algorithm.name = "gather_and_add";
    const RingOrder order{gather_order(group, 0)};
    Colour colour;
    colour.phases.resize(order.axes.size());
    set_gathering(group, order, collective.bytes, colour.phases.data());
    schedule.colours.push_back(std::move(colour));
    set_added_bytes(collective, schedule);
    return schedule;
}

void set_added_bytes(const Collective& collective, CollectiveSchedule& schedule)
{
    for (AxisPhase& phase : schedule.colours.front().phases) {
        phase.shard = collective.bytes; // added up, not kept side by side
    }
}

CollectiveSchedule shift(const Collective& collective, const CollectiveGroup& group)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, "shift");
    const std::vector<int> torus = group.torus_axes();
    const int index = torus.empty() ? group.used.front() : torus.front();
    const NetworkAxis& axis = group.axis(index);
    const int relays = axis.wraps ? 0 : axis.length - 2;
    // On a line either way takes both directions: what comes round goes back.
    const bool both_ways = collective.schedule.directions == 2 && axis.wraps;
    const std::int64_t packets = ceil_divide(collective.bytes.count(), axis.packet.count());
    const auto chunks =
        std::clamp<std::int64_t>(16 * relays, 1, std::max<std::int64_t>(1, packets));
    AxisPhase phase{index, Exchange::shift, ceil_share(collective.bytes, both_ways ? 2 : chunks),
                    both_ways ? 2 : 1};
    phase.chunks = static_cast<int>(chunks);
    schedule.colours.push_back({{phase}});
    return schedule;
}

} // namespace alxsim::model
