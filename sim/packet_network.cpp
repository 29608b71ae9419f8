// SPDX-License-Identifier: Apache-2.0
#include "sim/packet_network.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace alxsim::sim {
namespace {

Picoseconds time_at(double bytes_per_second, std::int64_t bytes)
{
    return to_picoseconds(Seconds(static_cast<double>(bytes) / bytes_per_second));
}

double slowest_fraction(const PacketNetworkSpec& spec)
{
    double slowest = 1;
    for (const SlowLink& slow : spec.slow_links) {
        slowest = std::min(slowest, slow.fraction);
    }
    return slowest;
}

void check(const PacketNetworkSpec& spec)
{
    const auto reject = [](const std::string& problem) {
        throw std::invalid_argument("packet network: " + problem);
    };
    if (!(spec.link_bytes_per_second > 0) || !(slowest_fraction(spec) > 0)) {
        reject("a link without bandwidth");
    }
    if (spec.hop_latency < Picoseconds(0)) {
        reject("a negative hop latency");
    }
    if (spec.packet_bytes < Bytes(1) || spec.packet_bytes >= Bytes(1 << 30)) {
        reject("packets of " + std::to_string(spec.packet_bytes.count()) + " bytes");
    }
    if (spec.buffer_bytes && *spec.buffer_bytes < spec.packet_bytes) {
        reject("a buffer of " + std::to_string(spec.buffer_bytes->count()) +
               " bytes does not hold a packet of " + std::to_string(spec.packet_bytes.count()));
    }
}

/// The longest time that an event lies ahead: a packet on the slowest link, or a hop.
Picoseconds horizon(const PacketNetworkSpec& spec)
{
    check(spec);
    const double slowest = spec.link_bytes_per_second * slowest_fraction(spec);
    return time_at(slowest, spec.packet_bytes.count()) + spec.hop_latency;
}

} // namespace

Bytes full_rate_buffer(const PacketNetworkSpec& spec)
{
    const std::int64_t packet = spec.packet_bytes.count();
    const Picoseconds packet_time = time_at(spec.link_bytes_per_second, packet);
    const std::int64_t packets = ceil_divide(2 * spec.hop_latency.count(), packet_time.count()) + 1;
    return Bytes(packets * packet);
}

PacketNetwork::PacketNetwork(const sc_core::sc_module_name& name, const topologies::Slice& slice,
                             const PacketNetworkSpec& spec)
    : sc_core::sc_module(name),
      routing_(slice),
      chips_(slice.chips()),
      axes_(static_cast<int>(slice.axes().size())),
      latency_(spec.hop_latency),
      packet_bytes_(static_cast<std::int32_t>(spec.packet_bytes.count())),
      buffer_bytes_(0),
      channels_(spec.dateline ? 2 : 1),
      injection_queues_(slice.chips() * axes_ * 2 * channels_),
      calendar_(horizon(spec))
{
    buffer_bytes_ = spec.buffer_bytes.value_or(full_rate_buffer(spec)).count();
    for (int chip = 0; chip < chips_; ++chip) {
        for (int axis = 0; axis < axes_; ++axis) {
            add_link(slice, chip, axis, +1);
            add_link(slice, chip, axis, -1);
        }
    }
    set_rates(slice, spec);
    link_use_.resize(links_.size());
    queues_.resize(2 * static_cast<std::size_t>(injection_queues_));
    for (Queue& queue : queues_) {
        queue.room = buffer_bytes_;
    }
    SC_HAS_PROCESS(PacketNetwork);
    SC_METHOD(run);
    sensitive << next_;
    dont_initialize();
}

void PacketNetwork::set_rates(const topologies::Slice& slice, const PacketNetworkSpec& spec)
{
    for (Link& link : links_) {
        link.bytes_per_second = spec.link_bytes_per_second;
    }
    for (const SlowLink& slow : spec.slow_links) {
        if (!slice.neighbour(slow.chip, slow.axis, slow.direction)) {
            throw std::invalid_argument("packet network: no link to slow down");
        }
        at(links_, link_index(slow.chip, slow.axis, slow.direction)).bytes_per_second *=
            slow.fraction;
    }
    for (Link& link : links_) {
        link.packet_time = time_at(link.bytes_per_second, packet_bytes_);
    }
}

void PacketNetwork::add_link(const topologies::Slice& slice, int chip, int axis, int direction)
{
    Link link;
    link.axis = static_cast<std::int16_t>(axis);
    if (const auto far = slice.neighbour(chip, axis, direction)) {
        const auto which = static_cast<std::size_t>(axis);
        link.far_chip = *far;
        link.wraps = slice.coordinates(*far)[which] != slice.coordinates(chip)[which] + direction;
    }
    links_.push_back(link);
}

const LinkUse& PacketNetwork::link_use(int chip, int axis, int direction) const
{
    return link_use_[static_cast<std::size_t>(link_index(chip, axis, direction))];
}

void PacketNetwork::send(int source_chip, int destination_chip, Bytes bytes,
                         std::function<void()> delivered)
{
    const auto exists = [this](int chip) { return chip >= 0 && chip < chips_; };
    if (!exists(source_chip) || !exists(destination_chip) || bytes < Bytes(0)) {
        throw std::invalid_argument(
            "packet network: no such message: " + std::to_string(bytes.count()) +
            " bytes from chip " + std::to_string(source_chip) + " to chip " +
            std::to_string(destination_chip));
    }
    enqueue(source_chip, new_message_to(destination_chip, bytes, std::move(delivered)));
    ++use_.messages_sent;
    use_.bytes_sent += bytes;
    use_.message_hops += routing_.hops(source_chip, destination_chip);
    if (!awake_) {
        awake_ = true;
        next_.notify(sc_core::SC_ZERO_TIME);
    }
}

PacketNetwork::Index PacketNetwork::new_message_to(int destination, Bytes bytes,
                                                   std::function<void()> delivered)
{
    const Index index = new_message();
    Message& message = at(messages_, index);
    message.to_send = bytes.count();
    message.to_arrive = bytes.count();
    message.destination = destination;
    message.next = none;
    message.delivered = std::move(delivered);
    return index;
}

/// Puts a new message where its first packet will leave the chip.
void PacketNetwork::enqueue(int source, Index message)
{
    const topologies::Hop hop = routing_.next(source, at(messages_, message).destination);
    if (hop.axis < 0) {
        on_chip_.push_back(message);
        return;
    }
    const Index link = link_index(source, hop.axis, hop.direction);
    const int channel = at(links_, link).wraps ? channels_ - 1 : 0;
    const Index to = injection_queues_ + link * channels_ + channel;
    Queue& queue = at(queues_, to);
    (queue.first == none ? queue.first : at(messages_, queue.last).next) = message;
    queue.last = message;
    offer_head(to);
}

void PacketNetwork::run()
{
    awake_ = true;
    now_ = now();
    calendar_.advance_to(now_);
    deliver_on_chip();
    grant_links();
    while (calendar_.next() <= now_) {
        moment_.clear();
        calendar_.take(moment_);
        for (const Event& event : moment_) {
            handle(event);
        }
        deliver_on_chip();
        grant_links();
    }
    awake_ = false;
    if (!calendar_.empty()) {
        notify_at(next_, calendar_.next());
    }
}

void PacketNetwork::handle(const Event& event)
{
    switch (event.what) {
    case What::head_in:
        head_in(event.index);
        break;
    case What::tail_out:
        tail_out(event.index);
        break;
    case What::arrived:
        arrived(event.index);
        break;
    case What::room_back:
        room_back(event.index, event.bytes);
        break;
    }
}

void PacketNetwork::head_in(Index packet)
{
    const Index to = at(packets_, packet).queue;
    Queue& queue = at(queues_, to);
    (queue.first == none ? queue.first : at(packets_, queue.last).next) = packet;
    queue.last = packet;
    offer_head(to);
}

void PacketNetwork::tail_out(Index link)
{
    leave_queue(std::exchange(at(links_, link).sender, none));
    ask(link);
}

void PacketNetwork::arrived(Index queue)
{
    const Index packet = at(queues_, queue).leaving;
    const Index message = at(packets_, packet).message;
    at(messages_, message).to_arrive -= at(packets_, packet).bytes;
    use_.bytes_delivered += Bytes(at(packets_, packet).bytes);
    leave_queue(queue);
    spare_packets_.push_back(packet);
    if (at(messages_, message).to_arrive == 0) {
        complete(message);
    }
}

void PacketNetwork::room_back(Index queue, std::int64_t bytes)
{
    at(queues_, queue).room += bytes;
    ask(link_of(queue));
}

/// The tail has left: the room goes back, and the next in the queue may go.
void PacketNetwork::leave_queue(Index from)
{
    Queue& queue = at(queues_, from);
    if (is_buffer(from)) {
        calendar_.post(now_ + latency_, {What::room_back, from, queue.head_bytes});
    }
    queue.leaving = none;
    offer_head(from);
}

/// If the queue's head is not under way yet: it arrives, if it is where it should be, or waits for
/// its next link.
void PacketNetwork::offer_head(Index from)
{
    Queue& queue = at(queues_, from);
    if (queue.leaving != none || queue.waiting || queue.first == none) {
        return;
    }
    if (!is_buffer(from)) {
        const std::int64_t bytes = at(messages_, queue.first).to_send;
        wait_for(link_of(from), from, channel_of(from),
                 static_cast<std::int32_t>(std::min<std::int64_t>(bytes, packet_bytes_)));
        return;
    }
    const Link& in = at(links_, link_of(from));
    const Packet& packet = at(packets_, queue.first);
    const topologies::Hop hop = routing_.next(in.far_chip, packet.destination);
    if (hop.axis < 0) {
        queue.head_bytes = packet.bytes;
        const Picoseconds end = std::max(now_ + time_on(in, packet.bytes), packet.tail_in);
        take_packet(from);
        calendar_.post(end, {What::arrived, from});
        return;
    }
    const Index out = link_index(in.far_chip, hop.axis, hop.direction);
    const int kept = hop.axis == in.axis ? channel_of(from) : 0;
    wait_for(out, from, at(links_, out).wraps ? channels_ - 1 : kept, packet.bytes);
}

void PacketNetwork::wait_for(Index to, Index from, int channel, std::int32_t bytes)
{
    Queue& queue = at(queues_, from);
    queue.waiting = true;
    queue.next_waiting = none;
    queue.head_channel = static_cast<std::int8_t>(channel);
    queue.head_bytes = bytes;
    Link& link = at(links_, to);
    (link.first_waiting == none ? link.first_waiting
                                : at(queues_, link.last_waiting).next_waiting) = from;
    link.last_waiting = from;
    ask(to);
}

/// Looks at the link when all that happens at this moment is known.
void PacketNetwork::ask(Index to)
{
    Link& link = at(links_, to);
    if (!link.asked && link.sender == none && link.first_waiting != none) {
        link.asked = true;
        asked_.push_back(to);
    }
}

void PacketNetwork::grant_links()
{
    for (const Index link : asked_) {
        at(links_, link).asked = false;
        grant(link);
    }
    asked_.clear();
}

/// Starts the packet that has waited longest, of those whose channel has room.
void PacketNetwork::grant(Index to)
{
    Link& link = at(links_, to);
    unsigned full_channels = 0;
    Index before = none;
    for (Index from = link.first_waiting; from != none; from = at(queues_, from).next_waiting) {
        Queue& queue = at(queues_, from);
        const unsigned channel = 1u << queue.head_channel;
        const Index far = to * channels_ + queue.head_channel;
        if ((full_channels & channel) == 0 && at(queues_, far).room >= queue.head_bytes) {
            (before == none ? link.first_waiting : at(queues_, before).next_waiting) =
                queue.next_waiting;
            link.last_waiting = link.last_waiting == from ? before : link.last_waiting;
            queue.waiting = false;
            start(to, from);
            return;
        }
        full_channels |= channel;
        before = from;
    }
}

void PacketNetwork::start(Index on, Index from)
{
    Link& link = at(links_, on);
    const Index far = on * channels_ + at(queues_, from).head_channel;
    const Index index = is_buffer(from) ? take_packet(from) : cut_packet(from);
    Packet& packet = at(packets_, index);
    const Picoseconds end = std::max(now_ + time_on(link, packet.bytes), packet.tail_in);
    packet.tail_in = end + latency_;
    packet.queue = far;
    at(queues_, far).room -= packet.bytes;
    link.sender = from;
    calendar_.post(now_ + latency_, {What::head_in, index});
    calendar_.post(end, {What::tail_out, on});

    LinkUse& use = at(link_use_, on);
    use.bytes += Bytes(packet.bytes);
    use.busy += end - now_;
    ++use.packets;
    ++use_.packet_hops;
}

/// The head of a buffer begins to leave.
PacketNetwork::Index PacketNetwork::take_packet(Index from)
{
    Queue& queue = at(queues_, from);
    queue.leaving = queue.first;
    Packet& packet = at(packets_, queue.first);
    queue.first = std::exchange(packet.next, none);
    return queue.leaving;
}

/// The next packet of the chip's own messages; they take turns.
PacketNetwork::Index PacketNetwork::cut_packet(Index from)
{
    Queue& queue = at(queues_, from);
    const Index first = queue.first;
    Message& message = at(messages_, first);
    const Index index = new_packet();
    at(packets_, index) = {now_, first, message.destination, queue.head_bytes, none, none};
    message.to_send -= queue.head_bytes;
    queue.leaving = index;
    queue.first = std::exchange(message.next, none);
    if (message.to_send > 0) {
        (queue.first == none ? queue.first : at(messages_, queue.last).next) = first;
        queue.last = first;
    }
    return index;
}

void PacketNetwork::deliver_on_chip()
{
    // What is delivered may send again: by index.
    for (std::size_t i = 0; i < on_chip_.size(); ++i) {
        use_.bytes_delivered += Bytes(at(messages_, on_chip_[i]).to_arrive);
        complete(on_chip_[i]);
    }
    on_chip_.clear();
}

void PacketNetwork::complete(Index index)
{
    const std::function<void()> delivered = std::move(at(messages_, index).delivered);
    spare_messages_.push_back(index);
    ++use_.messages_delivered;
    if (delivered) {
        delivered();
    }
}

Picoseconds PacketNetwork::time_on(const Link& link, std::int32_t bytes) const
{
    return bytes == packet_bytes_ ? link.packet_time : time_at(link.bytes_per_second, bytes);
}

PacketNetwork::Index PacketNetwork::new_message()
{
    if (spare_messages_.empty()) {
        messages_.emplace_back();
        return static_cast<Index>(messages_.size()) - 1;
    }
    const Index index = spare_messages_.back();
    spare_messages_.pop_back();
    return index;
}

PacketNetwork::Index PacketNetwork::new_packet()
{
    if (spare_packets_.empty()) {
        packets_.emplace_back();
        return static_cast<Index>(packets_.size()) - 1;
    }
    const Index index = spare_packets_.back();
    spare_packets_.pop_back();
    return index;
}

} // namespace alxsim::sim
