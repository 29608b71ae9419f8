// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/on_chip_paths.h"
#include "model/packets/packet_network_spec.h"
#include "topologies/machine.h"

namespace alxsim::model {

/// What carries the messages of groups that are lists of devices and share links.
struct RankNetwork {
    explicit RankNetwork(const topologies::Machine& machine)
        : slice(machine.slice),
          links(packet_network_spec(machine)),
          on_chip(machine),
          devices_per_chip(machine.devices_per_chip)
    {
    }

    topologies::Slice slice;
    PacketNetworkSpec links;
    OnChipPaths on_chip; ///< nothing sent yet
    int devices_per_chip;
};

/// schedule_time() of groups that are lists of devices, packet by packet over the machine's routers
/// as the simulator has them, since their messages may share links. What makes more than
/// `most_packets` packets of a message has larger packets, for the sake of time.
Picoseconds rank_schedule_time(const CollectiveSchedule& schedule);

} // namespace alxsim::model
