// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/packets/packet_turns.h"
#include "topologies/machine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace alxsim::model {

/// The paths between the devices of a chip: each device has one either way, which carries one
/// message after another, in packets.
class OnChipPaths {
public:
    explicit OnChipPaths(const topologies::Machine& machine)
        : bytes_per_second_(machine.network.on_chip_bytes_per_second),
          packet_(machine.network.packet.count()),
          latency_(to_picoseconds(machine.network.on_chip_latency))
    {
        for (std::vector<Picoseconds>& free : free_) {
            free.resize(static_cast<std::size_t>(machine.devices));
        }
    }

    /// When a message that may be sent at `now` has arrived.
    Picoseconds send(int from, int to, Bytes bytes, Picoseconds now)
    {
        const std::int64_t full = bytes.count() <= packet_ ? 0 : (bytes.count() - 1) / packet_;
        Picoseconds& free = free_[to > from ? 0 : 1][static_cast<std::size_t>(from)];
        free = std::max(free, now) + repeated(sending_time(packet_, bytes_per_second_), full) +
               sending_time(bytes.count() - full * packet_, bytes_per_second_);
        return free + latency_;
    }

private:
    double bytes_per_second_;
    std::int64_t packet_;
    Picoseconds latency_;
    std::array<std::vector<Picoseconds>, 2> free_; ///< [direction][device]
};

} // namespace alxsim::model
