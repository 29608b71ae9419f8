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
        for (std::vector<Path>& paths : paths_) {
            paths.resize(static_cast<std::size_t>(machine.devices));
        }
    }

    /// When a message of `group` that may be sent at `now` has arrived.
    Picoseconds send(int from, int to, Bytes bytes, Picoseconds now, std::int64_t group = 0)
    {
        const std::int64_t full = bytes.count() <= packet_ ? 0 : (bytes.count() - 1) / packet_;
        Path& path = paths_[to > from ? 0 : 1][static_cast<std::size_t>(from)];
        encounters_ += path.free > now && path.last_group != group ? 1 : 0;
        path.last_group = group;
        path.free = std::max(path.free, now) +
                    repeated(sending_time(packet_, bytes_per_second_), full) +
                    sending_time(bytes.count() - full * packet_, bytes_per_second_);
        return path.free + latency_;
    }

    /// How often a message had to wait for one of another group.
    std::int64_t encounters() const { return encounters_; }

private:
    double bytes_per_second_;
    std::int64_t packet_;
    Picoseconds latency_;
    struct Path {
        Picoseconds free{0};
        std::int64_t last_group = 0;
    };
    std::array<std::vector<Path>, 2> paths_; ///< [direction][device]
    std::int64_t encounters_ = 0;
};

} // namespace alxsim::model
