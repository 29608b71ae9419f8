// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/packet_carrier.h"

#include "base/work/stop.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {
namespace {

PacketNetworkSpec links_for(const RoutedNetwork& network, Bytes longest_message)
{
    PacketNetworkSpec links = network.links;
    if (!links.buffer_bytes) { // else a packet has to fit in there
        const Bytes packet(std::min(ceil_divide(longest_message.count(), network.most_packets),
                                    std::int64_t{1} << 29));
        links.packet_bytes = std::max(links.packet_bytes, packet);
    }
    return links;
}

} // namespace

PacketCarrier::PacketCarrier(const RoutedNetwork& network, Bytes longest_message, Arrived arrived)
    : devices_per_chip_(network.devices_per_chip),
      on_chip_(network.on_chip),
      engine_(network.slice, links_for(network, longest_message)),
      arrived_(std::move(arrived))
{
    engine_.set_receiver(*this);
}

void PacketCarrier::send(int from, int to, Bytes bytes, std::uint64_t stream, std::uint64_t event,
                         Picoseconds now)
{
    const int chip = from / devices_per_chip_;
    const int far_chip = to / devices_per_chip_;
    if (chip == far_chip) {
        on_chip_arrivals_.post(on_chip_.send(from, to, bytes, now), event);
        return;
    }
    const auto local = static_cast<std::uint64_t>(from % devices_per_chip_);
    engine_.send(chip, far_chip, bytes, stream << 8 | local, {0, event}, now);
}

Picoseconds PacketCarrier::next() const
{
    if (on_chip_arrivals_.empty()) {
        return engine_.next();
    }
    return engine_.waits() ? std::min(on_chip_arrivals_.next(), engine_.next())
                           : on_chip_arrivals_.next();
}

void PacketCarrier::step()
{
    if (!on_chip_arrivals_.empty() &&
        (!engine_.waits() || on_chip_arrivals_.next() <= engine_.next())) {
        arrive_on_chip();
    } else {
        now_ = engine_.next();
        engine_.run(now_);
    }
}

void PacketCarrier::run()
{
    StopLook stop;
    while (waits()) {
        stop();
        step();
    }
}

void PacketCarrier::arrive_on_chip()
{
    now_ = on_chip_arrivals_.next();
    std::vector<std::uint64_t> moment = on_chip_arrivals_.take();
    std::sort(moment.begin(), moment.end());
    for (const std::uint64_t event : moment) {
        arrive(event);
    }
    on_chip_arrivals_.reuse(std::move(moment));
}

void PacketCarrier::received(const std::vector<MessageTag>& messages)
{
    for (const MessageTag& message : messages) {
        arrive(message.rank);
    }
}

void PacketCarrier::arrive(std::uint64_t event)
{
    last_ = now_;
    arrived_(event, now_);
}

} // namespace alxsim::model
