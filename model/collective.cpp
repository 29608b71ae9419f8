// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"

#include "base/input_error.h"

#include <algorithm>
#include <cmath>

namespace alxsim::model {
namespace {

Bytes ceil_share(Bytes bytes, std::int64_t parts)
{
    return Bytes(ceil_divide(bytes.count(), parts));
}

/// The order in which colour `colour` takes the axes in an all-gather: the torus axes rotated, the
/// chip last, so that what leaves a chip leaves it once.
std::vector<int> gather_order(const std::vector<NetworkAxis>& axes, std::size_t colour)
{
    std::vector<int> torus;
    std::vector<int> chip;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        (axes[i].torus_axis == NetworkAxis::on_chip ? chip : torus).push_back(static_cast<int>(i));
    }
    if (!torus.empty()) {
        std::rotate(torus.begin(),
                    torus.begin() + static_cast<std::ptrdiff_t>(colour % torus.size()),
                    torus.end());
    }
    torus.insert(torus.end(), chip.begin(), chip.end());
    return torus;
}

Colour make_colour(const std::vector<NetworkAxis>& axes, std::size_t colour, Bytes device_shard,
                   CollectiveKind kind)
{
    std::vector<AxisPhase> gather;
    Bytes shard = device_shard;
    for (int axis : gather_order(axes, colour)) {
        gather.push_back({axis, false, shard});
        shard = shard * axes[static_cast<std::size_t>(axis)].length;
    }
    Colour result;
    if (kind != CollectiveKind::all_gather) {
        result.phases.assign(gather.rbegin(), gather.rend());
        for (AxisPhase& phase : result.phases) {
            phase.reduce = true;
        }
    }
    if (kind != CollectiveKind::reduce_scatter) {
        result.phases.insert(result.phases.end(), gather.begin(), gather.end());
    }
    return result;
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
        if (axis.torus_axis != NetworkAxis::on_chip) {
            const double per_line = axis.wraps ? axis.length : axis.length - 1;
            links.all += 2.0 * per_line * chips / axis.length;
            links.fewest += axis.wraps ? 2 : 1;
        }
    }
    return links;
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

Bytes AxisPhase::step_bytes(int step, const NetworkAxis& axis_used) const
{
    const bool opposite =
        axis_used.wraps && axis_used.length % 2 == 0 && step == (reduce ? 1 : axis_used.steps());
    return opposite ? ceil_share(shard, 2) : shard;
}

CollectiveSchedule make_schedule(const Collective& collective, const topologies::Machine& machine)
{
    if (collective.kind != CollectiveKind::all_gather &&
        collective.kind != CollectiveKind::reduce_scatter &&
        collective.kind != CollectiveKind::all_reduce) {
        throw InputError(
            "collective kinds all_to_all, permute and broadcast are not supported yet; "
            "allowed: all_gather, reduce_scatter, all_reduce");
    }
    CollectiveSchedule schedule;
    schedule.kind = collective.kind;
    schedule.axes = network_axes(machine);
    const auto torus_axes =
        std::count_if(schedule.axes.begin(), schedule.axes.end(), [](const NetworkAxis& axis) {
            return axis.torus_axis != NetworkAxis::on_chip;
        });
    const std::int64_t colours = std::max<std::int64_t>(1, torus_axes);
    const Bytes device_shard = ceil_share(ceil_share(collective.bytes, colours), machine.devices);
    for (std::int64_t colour = 0; colour < colours; ++colour) {
        schedule.colours.push_back(make_colour(schedule.axes, static_cast<std::size_t>(colour),
                                               device_shard, collective.kind));
    }
    return schedule;
}

Seconds collective_bound(const Collective& collective, const topologies::Machine& machine)
{
    const std::vector<NetworkAxis> axes = network_axes(machine);
    const double bytes = static_cast<double>(collective.bytes.count());
    const double passes = collective.kind == CollectiveKind::all_reduce ? 2 : 1;
    const int chips = machine.slice.chips();
    if (machine.devices <= 1) {
        return Seconds(0);
    }
    if (chips == 1) {
        const double share = 1.0 - 1.0 / machine.devices;
        return Seconds(passes * bytes * share / axes.front().bytes_per_second);
    }
    const double bandwidth = machine.network.link_bytes_per_second;
    const LinkCount links = count_links(axes, chips);
    double hops = 0;
    for (const NetworkAxis& axis : axes) {
        hops += axis.torus_axis == NetworkAxis::on_chip ? 0 : axis.steps();
    }
    const double all_links = passes * (chips - 1) * bytes / (links.all * bandwidth);
    const double kept = collective.kind == CollectiveKind::all_reduce ? 1.0 : 1.0 - 1.0 / chips;
    const double fewest_links = bytes * kept / (links.fewest * bandwidth);
    const double latency = hops * machine.network.hop_latency.count();
    return Seconds(std::max({all_links, fewest_links, latency}));
}

Bytes link_bytes(const CollectiveSchedule& schedule, int devices)
{
    Bytes sum(0);
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            const NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
            if (axis.torus_axis == NetworkAxis::on_chip) {
                continue;
            }
            if (axis.wraps) {
                for (int step = 1; step <= axis.steps(); ++step) {
                    sum += phase.step_bytes(step, axis) * 2 * devices;
                }
            } else {
                // Every member's shard crosses, or is summed over, all k - 1 links of its line.
                sum += phase.shard * (axis.length - 1) * devices;
            }
        }
    }
    return sum;
}

} // namespace alxsim::model
