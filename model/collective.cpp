// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"

#include "base/input_error.h"
#include "model/phase_plan.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {
namespace {

Bytes ceil_share(Bytes bytes, std::int64_t parts)
{
    return Bytes(ceil_divide(bytes.count(), parts));
}

bool is_torus(const NetworkAxis& axis)
{
    return axis.torus_axis != NetworkAxis::on_chip;
}

/// Directed links of the slice in all, and of the chip that has fewest.
struct LinkCount {
    double all = 0;
    double fewest = 0;
};

LinkCount count_links(const std::vector<NetworkAxis>& axes, int chips)
{
    LinkCount links;
    for (const NetworkAxis& axis : axes) {
        if (is_torus(axis)) {
            const double per_line = axis.wraps ? axis.length : axis.length - 1;
            links.all += 2.0 * per_line * chips / axis.length;
            links.fewest += axis.wraps ? 2 : 1;
        }
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
        return bytes;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
        break;
    }
    return bytes * (1.0 - 1.0 / devices);
}

/// What a link must carry at least for every chip to take in what it lacks.
double busiest_chip_bytes(const Collective& collective, const std::vector<NetworkAxis>& axes,
                          int chips)
{
    const double bytes = static_cast<double>(collective.bytes.count());
    const LinkCount links = count_links(axes, chips);
    const bool all_reduce = collective.kind == CollectiveKind::all_reduce;
    const bool whole = all_reduce || collective.kind == CollectiveKind::broadcast;
    const double all_links = (all_reduce ? 2 : 1) * (chips - 1) * bytes / links.all;
    const double fewest_links = bytes * (whole ? 1.0 : 1.0 - 1.0 / chips) / links.fewest;
    return std::max(all_links, fewest_links);
}

/// What a link must carry at least for all that an all-to-all sends from one half of an axis to the
/// other.
double busiest_cut_bytes(const Collective& collective, const std::vector<NetworkAxis>& axes,
                         const topologies::Machine& machine)
{
    double most = 0;
    for (const NetworkAxis& axis : axes) {
        if (is_torus(axis)) {
            const double near = axis.length / 2;
            const double far = axis.length - near;
            const double crossing = static_cast<double>(collective.bytes.count()) *
                                    machine.devices_per_chip * near * far / axis.length;
            most = std::max(most, crossing / (axis.wraps ? 2 : 1));
        }
    }
    return most;
}

const NetworkAxis& first_torus_axis(const std::vector<NetworkAxis>& axes)
{
    return *std::find_if(axes.begin(), axes.end(), is_torus);
}

/// What the members of one line or ring send in a phase.
Bytes line_bytes(const PhasePlan& plan)
{
    Bytes sum(0);
    for (int position = 0; position < plan.length; ++position) {
        for (const int direction : {up, down}) {
            const int first = plan.first_step(position, direction) - 1;
            for (int i = 0; i < plan.sends(position, direction); ++i) {
                sum += plan.bytes[static_cast<std::size_t>(first + i)];
            }
        }
    }
    return sum;
}

} // namespace

std::vector<NetworkAxis> network_axes(const topologies::Machine& machine)
{
    std::vector<NetworkAxis> axes;
    const topologies::NetworkSpec& network = machine.network;
    if (machine.devices_per_chip > 1) {
        axes.push_back({NetworkAxis::on_chip, machine.devices_per_chip, false,
                        network.on_chip_bytes_per_second, to_picoseconds(network.on_chip_latency)});
    }
    const std::vector<topologies::Axis>& torus = machine.slice.axes();
    for (std::size_t i = 0; i < torus.size(); ++i) {
        if (torus[i].length > 1) {
            // Two chips are joined once, whatever the wrap says.
            axes.push_back({static_cast<int>(i), torus[i].length,
                            torus[i].wraps && torus[i].length > 2, network.link_bytes_per_second,
                            to_picoseconds(network.hop_latency)});
        }
    }
    return axes;
}

int AxisPhase::steps(const NetworkAxis& axis_used) const
{
    const int length = axis_used.length;
    if (exchange == Exchange::spread) {
        return 1;
    }
    if (exchange == Exchange::shift) {
        return chunks;
    }
    if (exchange == Exchange::all_to_all && !axis_used.wraps) {
        return (length / 2) * ((length + 1) / 2); // a x b shards from one half to the other
    }
    if (axis_used.wraps && directions == 1) {
        return exchange == Exchange::all_to_all ? length * (length - 1) / 2 : length - 1;
    }
    return axis_used.diameter();
}

Bytes AxisPhase::step_bytes(int step, const NetworkAxis& axis_used) const
{
    if (!axis_used.wraps || directions == 1) {
        return shard;
    }
    const int last = axis_used.diameter();
    const bool halved = axis_used.length % 2 == 0; // the shard for the member opposite
    const Bytes farthest = halved ? ceil_share(shard, 2) : shard;
    switch (exchange) {
    case Exchange::gather:
        return step == last ? farthest : shard;
    case Exchange::reduce:
        return step == 1 ? farthest : shard;
    case Exchange::all_to_all:
        return shard * (last - step) + farthest; // those for the members `step` and more away
    case Exchange::shift:
    case Exchange::spread:
        break;
    }
    return shard;
}

Seconds collective_bound(const Collective& collective, const topologies::Machine& machine)
{
    const std::vector<NetworkAxis> axes = network_axes(machine);
    if (machine.devices <= 1) {
        return Seconds(0);
    }
    if (machine.slice.chips() == 1) {
        return Seconds(on_chip_bytes(collective, machine.devices) / axes.front().bytes_per_second);
    }
    const double hop = machine.network.hop_latency.count();
    const double bandwidth = machine.network.link_bytes_per_second;
    if (collective.kind == CollectiveKind::permute) {
        const NetworkAxis& axis = first_torus_axis(axes);
        const double bytes = static_cast<double>(collective.bytes.count());
        return Seconds(bytes * machine.devices_per_chip / bandwidth +
                       hop * (axis.wraps ? 1 : axis.length - 1));
    }
    double hops = 0;
    for (const NetworkAxis& axis : axes) {
        hops += is_torus(axis) ? axis.diameter() : 0;
    }
    const double bytes = collective.kind == CollectiveKind::all_to_all
                             ? busiest_cut_bytes(collective, axes, machine)
                             : busiest_chip_bytes(collective, axes, machine.slice.chips());
    return Seconds(std::max(bytes / bandwidth, hops * hop));
}

Seconds scaling_book_time(const Collective& collective, const topologies::Machine& machine)
{
    double axes = 0;
    double longest = 0;
    double lengths = 0;
    for (const NetworkAxis& axis : network_axes(machine)) {
        if (is_torus(axis)) {
            if (!axis.wraps) {
                throw InputError("the scaling book's estimate needs axes that wrap; found " +
                                 machine.slice.shape());
            }
            axes += 1;
            lengths += axis.length;
            longest = std::max(longest, static_cast<double>(axis.length));
        }
    }
    const double bytes = static_cast<double>(collective.bytes.count());
    const double both_ways = 2 * machine.network.link_bytes_per_second;
    double seconds = 0;
    if (axes > 0) {
        switch (collective.kind) {
        case CollectiveKind::all_gather:
        case CollectiveKind::reduce_scatter:
            seconds = bytes / (both_ways * axes);
            break;
        case CollectiveKind::all_reduce:
            seconds = 2 * bytes / (both_ways * axes);
            break;
        case CollectiveKind::all_to_all:
            seconds = bytes * longest / (4 * both_ways);
            break;
        case CollectiveKind::permute:
        case CollectiveKind::broadcast:
            throw InputError("the scaling book has no estimate for permute and broadcast");
        }
    }
    return Seconds(std::max(seconds, machine.network.hop_latency.count() * lengths / 2));
}

Bytes link_bytes(const CollectiveSchedule& schedule, int devices)
{
    Bytes sum(0);
    for (const std::vector<PhasePlan>& colour : plan_phases(schedule)) {
        for (const PhasePlan& plan : colour) {
            if (schedule.axes[static_cast<std::size_t>(plan.axis)].torus_axis !=
                NetworkAxis::on_chip) {
                sum += line_bytes(plan) * (devices / plan.length);
            }
        }
    }
    return sum;
}

} // namespace alxsim::model
