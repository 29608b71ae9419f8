// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "topologies/machine.h"

#include <optional>
#include <vector>

namespace alxsim::sim {

/// A directed link that is slower than the others.
struct SlowLink {
    int chip = 0;
    int axis = 0;
    int direction = 1;   ///< +1 or -1
    double fraction = 1; ///< of the bandwidth; more than 0
};

/// The links and routers of a slice.
struct PacketNetworkSpec {
    double link_bytes_per_second = 0; ///< one direction
    /// The same of the axes that do not wrap; absent: as the others.
    std::optional<double> line_bytes_per_second;
    Picoseconds hop_latency{0}; ///< from router to router, wire and switch
    /// The links between slices, whose buffers always keep them full.
    struct SliceLinks {
        double bytes_per_second = 0; ///< one direction
        Picoseconds hop_latency{0};
    };
    std::optional<SliceLinks> between_slices; ///< of a job on several
    Picoseconds message_latency{0};           ///< from a message's last byte to its use: software
    Bytes packet_bytes{4096};                 ///< of the longest packet
    /// Room in a router for one virtual channel of one link; at least the longest packet. By
    /// default what keeps the link full: see `full_rate_buffer`. Assumed, nothing is published.
    std::optional<Bytes> buffer_bytes;
    /// Whether a packet changes to a second virtual channel where it crosses the wrap link of a
    /// ring. Off, there is one channel, and rings of messages can block each other for ever.
    bool dateline = true;
    /// Whether packets that nobody disturbs travel as one event. Off, every packet has its own: the
    /// same times, much slower.
    bool trains = true;
    std::vector<SlowLink> slow_links;
    topologies::FaultPlan faults; ///< its dead links are routed around
};

/// The links of a machine, its faults included.
PacketNetworkSpec packet_network_spec(const topologies::Machine& machine);

/// The smallest buffer that slows no link: twice latency times bandwidth in whole packets, one
/// packet because space is booked from the first byte's departure to the last one's, and one
/// because packets differ in length.
Bytes full_rate_buffer(const PacketNetworkSpec& spec);
Bytes full_rate_buffer(Picoseconds latency, Picoseconds packet_time, std::int64_t packet);

} // namespace alxsim::sim
