// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"

#include "base/input_error.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/phase_plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace alxsim::model {
namespace {

/// Slows an axis down for its broken links.
void apply_faults(const topologies::FaultPlan& faults, Picoseconds hop, NetworkAxis& axis)
{
    double slowest = 1;
    bool dead = false;
    for (const topologies::LinkFault& fault : faults.links) {
        if (fault.axis == axis.torus_axis) {
            dead = dead || fault.bandwidth == 0;
            slowest = fault.bandwidth > 0 ? std::min(slowest, fault.bandwidth) : slowest;
        }
    }
    axis.bytes_per_second *= slowest;
    if (dead) {
        axis.bytes_per_second /= 2;
        axis.latency += hop * (axis.length - 2);
    }
}

/// A router's buffer too small for the round trip lets a link send so many packets each latency
/// there and back, and no more.
double buffered_rate(double bytes_per_second, const topologies::NetworkSpec& network)
{
    if (network.vc_buffer == Bytes(0)) {
        return bytes_per_second;
    }
    const double packet = static_cast<double>(network.packet.count());
    const std::int64_t packets = network.vc_buffer.count() / network.packet.count();
    const double round_trip = 2 * network.hop_latency.count() + packet / bytes_per_second;
    return std::min(bytes_per_second, static_cast<double>(packets) * packet / round_trip);
}

/// What the members of a phase send.
class SentBytes {
public:
    SentBytes(const AxisPhase& phase, const NetworkAxis& along) : steps_(phase, along)
    {
        const NetworkAxis axis = members_of(phase, along);
        until_.reserve(static_cast<std::size_t>(steps_.steps) + 1);
        until_.emplace_back(0);
        for (int step = 1; step <= steps_.steps; ++step) {
            until_.push_back(until_.back() + phase.step_bytes(step, axis));
        }
    }

    int members() const { return steps_.length; }

    Bytes of(int position, int direction) const
    {
        const int sends = steps_.sends(position, direction);
        const int first = steps_.first_step(position, direction) - 1;
        return sends == 0 ? Bytes(0)
                          : until_[static_cast<std::size_t>(first + sends)] -
                                until_[static_cast<std::size_t>(first)];
    }

    /// Returns the bytes of one line or ring.
    Bytes of_all() const
    {
        Bytes sum(0);
        for (int position = 0; position < members(); ++position) {
            sum += of(position, up) + of(position, down);
        }
        return sum;
    }

private:
    PhaseSteps steps_;
    std::vector<Bytes> until_; ///< [step]: in all steps up to it
};

/// Calls visit(phase, axis) for the phases of all colours.
template <class Visit>
void for_phases(const CollectiveSchedule& schedule, Visit visit)
{
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            visit(phase, schedule.axes[static_cast<std::size_t>(phase.axis)]);
        }
    }
}

Bytes link_bytes_of_ranks(const CollectiveSchedule& schedule)
{
    Bytes sum(0);
    const auto members = static_cast<int>(schedule.ranks->ways[up].size());
    for_phases(schedule, [&](const AxisPhase& phase, const NetworkAxis& axis) {
        const SentBytes sent(phase, axis);
        for (int member = 0; member < members; ++member) {
            for (const int direction : {up, down}) {
                const RankGroups::Way& way =
                    schedule.ranks->ways[static_cast<std::size_t>(direction)]
                                        [static_cast<std::size_t>(member)];
                sum += sent.of(member % sent.members(), direction) * way.hops;
            }
        }
    });
    return sum;
}

} // namespace

bool NetworkAxis::operator==(const NetworkAxis& other) const
{
    const auto all = [](const NetworkAxis& one) {
        return std::tie(one.torus_axis, one.length, one.wraps, one.bytes_per_second, one.latency,
                        one.packet, one.hidden, one.joins_slices, one.hops, one.sharing);
    };
    return all(*this) == all(other);
}

std::vector<NetworkAxis> network_axes(const topologies::Machine& machine)
{
    const std::string problem =
        topologies::problem_of_dead_links(machine.slice, machine.faults.links);
    if (!problem.empty()) {
        throw InputError("", "machine/faults", problem);
    }
    std::vector<NetworkAxis> axes;
    const topologies::NetworkSpec& network = machine.network;
    if (machine.devices_per_chip > 1) {
        axes.push_back({NetworkAxis::on_chip, machine.devices_per_chip, false,
                        network.on_chip_bytes_per_second, to_picoseconds(network.on_chip_latency),
                        network.packet, network.on_chip_overlap});
    }
    const std::vector<topologies::Axis>& torus = machine.slice.axes();
    for (std::size_t i = 0; i < torus.size(); ++i) {
        if (torus[i].length > 1) {
            const Picoseconds hop = network.hop_time(torus[i]);
            NetworkAxis axis{static_cast<int>(i),
                             torus[i].length,
                             torus[i].wraps,
                             network.usable_bytes_per_second(torus[i]),
                             hop + network.message_time(),
                             network.packet};
            axis.joins_slices = torus[i].links == topologies::AxisLinks::dcn;
            if (!axis.joins_slices) {
                axis.bytes_per_second = buffered_rate(axis.bytes_per_second, network);
            }
            apply_faults(machine.faults, hop, axis);
            axes.push_back(axis);
        }
    }
    return axes;
}

bool AxisPhase::operator==(const AxisPhase& other) const
{
    const auto all = [](const AxisPhase& phase) {
        return std::tie(phase.axis, phase.exchange, phase.shard, phase.directions, phase.downwards,
                        phase.chunks, phase.members, phase.origin, phase.only_at);
    };
    return all(*this) == all(other);
}

int AxisPhase::steps(const NetworkAxis& axis_used) const
{
    const int length = axis_used.length;
    if (has_origin(exchange)) {
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
    case Exchange::collect:
        break;
    }
    return shard;
}

Bytes link_bytes(const CollectiveSchedule& schedule, int devices)
{
    if (schedule.ranks && !schedule.ranks->ways[up].empty()) {
        return link_bytes_of_ranks(schedule);
    }
    if (schedule.ranks) {
        const auto& groups = schedule.ranks->groups;
        devices = static_cast<int>(groups.size() * groups.front().size());
    }
    Bytes sum = schedule.messages_link_bytes;
    for_phases(schedule, [&](const AxisPhase& phase, const NetworkAxis& axis) {
        if (is_torus(axis)) {
            const SentBytes sent(phase, axis);
            int lines = devices / sent.members();
            for (const AxisPosition& at : phase.only_at) {
                lines /= schedule.axes[static_cast<std::size_t>(at.axis)].length;
            }
            sum += sent.of_all() * lines * axis.hops;
        }
    });
    return sum;
}

std::int64_t message_count(const CollectiveSchedule& schedule, int devices)
{
    std::int64_t of_device = 0;
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            const NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
            of_device += (axis.wraps ? phase.directions : 1) * phase.steps(axis);
        }
    }
    return static_cast<std::int64_t>(schedule.messages.size()) + devices * of_device;
}

} // namespace alxsim::model
