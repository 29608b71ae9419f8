// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/routed_network.h"

#include "base/numbers/double_bits.h"

namespace alxsim::model {
namespace {

std::vector<std::int64_t> numbers_of(const topologies::Machine& machine, std::int64_t most_packets)
{
    const topologies::Slice& slice = machine.slice;
    const topologies::NetworkSpec& network = machine.network;
    std::vector<std::int64_t> numbers{most_packets, slice.cores_per_chip(),
                                      machine.devices_per_chip, slice.twisted(),
                                      static_cast<std::int64_t>(slice.axes().size())};
    for (const topologies::Axis& axis : slice.axes()) {
        numbers.insert(numbers.end(),
                       {axis.length, axis.wraps, static_cast<std::int64_t>(axis.links),
                        double_bits(network.usable_bytes_per_second(axis)),
                        network.hop_time(axis).count()});
    }
    numbers.insert(numbers.end(),
                   {network.message_time().count(), network.packet.count(),
                    network.vc_buffer.count(), double_bits(network.on_chip_bytes_per_second),
                    to_picoseconds(network.on_chip_latency).count()});
    for (const topologies::LinkFault& fault : machine.faults.links) {
        numbers.insert(numbers.end(), {fault.chip, fault.axis, double_bits(fault.bandwidth)});
    }
    return numbers;
}

} // namespace

RoutedNetwork::RoutedNetwork(const topologies::Machine& machine, std::int64_t packets)
    : slice(machine.slice),
      links(packet_network_spec(machine)),
      on_chip(machine),
      devices_per_chip(machine.devices_per_chip),
      most_packets(packets),
      numbers(numbers_of(machine, packets))
{
}

} // namespace alxsim::model
