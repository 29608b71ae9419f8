// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/on_chip_paths.h"
#include "model/packets/packet_network_spec.h"
#include "topologies/machine.h"

#include <cstdint>
#include <vector>

namespace alxsim::model {

/// What carries messages packet by packet: those of groups that are lists of devices and share
/// links, and those that go by themselves.
struct RoutedNetwork {
    /// `most_packets`: see there.
    explicit RoutedNetwork(const topologies::Machine& machine, std::int64_t most_packets = 64);

    topologies::Slice slice;
    PacketNetworkSpec links;
    OnChipPaths on_chip; ///< nothing sent yet
    int devices_per_chip;
    /// Packets of a message; of longer ones the packets are larger, for the sake of time, where
    /// routers have room for them.
    std::int64_t most_packets;
    /// All of it that a message's time goes by: networks with the same carry alike.
    std::vector<std::int64_t> numbers;
};

} // namespace alxsim::model
