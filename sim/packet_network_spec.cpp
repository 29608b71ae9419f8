// SPDX-License-Identifier: Apache-2.0
#include "sim/packet_network_spec.h"

#include "model/packet_turns.h"

namespace alxsim::sim {

using model::sending_time;

Bytes full_rate_buffer(Picoseconds latency, Picoseconds packet_time, std::int64_t packet)
{
    return Bytes((ceil_divide(2 * latency.count(), packet_time.count()) + 2) * packet);
}

Bytes full_rate_buffer(const PacketNetworkSpec& spec)
{
    const std::int64_t packet = spec.packet_bytes.count();
    return full_rate_buffer(spec.hop_latency, sending_time(packet, spec.link_bytes_per_second),
                            packet);
}

PacketNetworkSpec packet_network_spec(const topologies::Machine& machine)
{
    const topologies::NetworkSpec& network = machine.network;
    PacketNetworkSpec spec;
    spec.link_bytes_per_second = network.usable_bytes_per_second({0, true});
    spec.line_bytes_per_second = network.usable_bytes_per_second({0, false});
    spec.hop_latency = to_picoseconds(network.hop_latency);
    spec.message_latency = network.message_time();
    if (const std::optional<int> axis = machine.slice.dcn_axis()) {
        const topologies::Axis& dcn = machine.slice.axes()[static_cast<std::size_t>(*axis)];
        spec.between_slices = PacketNetworkSpec::SliceLinks{network.usable_bytes_per_second(dcn),
                                                            network.hop_time(dcn)};
    }
    spec.packet_bytes = network.packet;
    if (network.vc_buffer > Bytes(0)) {
        spec.buffer_bytes = network.vc_buffer;
    }
    for (const topologies::LinkFault& fault : machine.faults.links) {
        if (fault.bandwidth > 0) {
            const int far = *machine.slice.neighbour(fault.chip, fault.axis, +1);
            spec.slow_links.push_back({fault.chip, fault.axis, +1, fault.bandwidth});
            spec.slow_links.push_back({far, fault.axis, -1, fault.bandwidth});
        }
    }
    spec.faults = machine.faults;
    return spec;
}

} // namespace alxsim::sim
