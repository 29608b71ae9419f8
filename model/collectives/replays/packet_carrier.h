// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/moments.h"
#include "model/collectives/replays/routed_network.h"
#include "model/packets/packet_engine.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace alxsim::model {

/// Carries messages between devices as the simulator's network does: packet by packet from chip to
/// chip, over a chip's paths on it.
class PacketCarrier : private MessageReceiver {
public:
    /// At a moment; may send.
    using Arrived = std::function<void(std::uint64_t event, Picoseconds now)>;

    PacketCarrier(const RoutedNetwork& network, Bytes longest_message, Arrived arrived);

    /// `event` has arrived when all of the message is there; of those of one moment the lowest
    /// first. What a device sends in one `stream` goes one after another.
    void send(int from, int to, Bytes bytes, std::uint64_t stream, std::uint64_t event,
              Picoseconds now);
    /// Whether something is under way, and when it happens next.
    bool waits() const { return !on_chip_arrivals_.empty() || engine_.waits(); }
    Picoseconds next() const;
    /// Lets happen what happens at next(); of several at one moment perhaps not all.
    void step();
    /// Until nothing is under way.
    void run();
    /// When the last message came.
    Picoseconds last() const { return last_; }
    /// Packets put on links.
    std::int64_t packet_hops() const { return engine_.use().packet_hops; }

private:
    void arrive_on_chip();
    void received(const std::vector<MessageTag>& messages) override;
    void arrive(std::uint64_t event);

    int devices_per_chip_;
    OnChipPaths on_chip_;
    Moments<std::uint64_t> on_chip_arrivals_; ///< events
    PacketEngine engine_;
    Arrived arrived_;
    Picoseconds now_{0};
    Picoseconds last_{0};
};

} // namespace alxsim::model
