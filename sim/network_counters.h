// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/packet_network.h"

#include <cstdint>
#include <vector>

namespace alxsim::sim {

/// What the network has done so far, link by link. Differences of two of them say what happened in
/// between.
struct NetworkCounters {
    std::vector<LinkUse> links; ///< as PacketNetwork numbers them
    Bytes on_chip_bytes{0};
    std::int64_t messages = 0;
    std::int64_t message_hops = 0; ///< links from source to destination, over all messages

    /// Adds `times` over what was done between `before` and `after`.
    void add(const NetworkCounters& before, const NetworkCounters& after, std::int64_t times)
    {
        if (times == 0) {
            return;
        }
        for (std::size_t i = 0; i < links.size(); ++i) {
            links[i].bytes += (after.links[i].bytes - before.links[i].bytes) * times;
            links[i].busy += (after.links[i].busy - before.links[i].busy) * times;
            links[i].packets += (after.links[i].packets - before.links[i].packets) * times;
        }
        on_chip_bytes += (after.on_chip_bytes - before.on_chip_bytes) * times;
        messages += (after.messages - before.messages) * times;
        message_hops += (after.message_hops - before.message_hops) * times;
    }
};

} // namespace alxsim::sim
