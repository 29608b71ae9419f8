// SPDX-License-Identifier: Apache-2.0
#include "model/packets/packet_engine.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace alxsim::model {

void PacketEngine::send(int source_chip, int destination_chip, Bytes bytes, std::uint64_t stream,
                        MessageTag tag, Picoseconds now)
{
    const auto exists = [this](int chip) { return chip >= 0 && chip < chips_; };
    if (!exists(source_chip) || !exists(destination_chip) || bytes < Bytes(0)) {
        throw std::invalid_argument(
            "packet network: no such message: " + std::to_string(bytes.count()) +
            " bytes from chip " + std::to_string(source_chip) + " to chip " +
            std::to_string(destination_chip));
    }
    if (!awake_) {
        awake_ = true;
        now_ = now;
        calendar_.advance_to(now_);
    }
    ++use_.messages_sent;
    use_.bytes_sent += bytes;
    const Index message = new_message();
    at(messages_, message) = {destination_chip, tag};
    enqueue(source_chip, message, bytes, stream);
}

/// Puts a new message where its first packet will leave the chip.
void PacketEngine::enqueue(int source, Index message, Bytes bytes, std::uint64_t stream)
{
    const Message& sent = at(messages_, message);
    const topologies::Hop hop = routing_.next(source, sent.destination);
    if (hop.axis < 0) {
        use_.bytes_delivered += bytes;
        calendar_.post(now_, {What::message_in, message});
        return;
    }
    const Index to = link_index(source, hop.axis, hop.direction);
    Link& link = at(links_, to);
    const bool next_door = sent.destination == link.far_chip;
    const bool free = link.turns.empty() && link.sender == none;
    encounters_ += free || link.last_group == sent.tag.group ? 0 : 1;
    link.last_group = sent.tag.group;
    use_.message_hops += next_door ? 1 : routing_.hops(source, sent.destination);
    if (link.in_train) {
        settle_train(to,
                     now_ + Picoseconds(1)); // the link was asked for that of this moment before
        if (!next_door) {
            cut_train(to);
        }
    }
    const bool head_stays = at(queues_, injection_queues_ + to).waiting;
    link.turns.add(turns_pool_, stream, message, bytes.count(), packet_bytes_, head_stays);
    if (link.in_train && !link.train.ends()) {
        plan_train(to);
    } else if (!link.in_train) {
        offer_head(injection_queues_ + to);
    }
}

void PacketEngine::run(Picoseconds now)
{
    awake_ = true;
    now_ = now;
    calendar_.advance_to(now_);
    while (calendar_.next() <= now_) {
        moment_.clear();
        calendar_.take(moment_);
        for (const Event& event : moment_) {
            handle(event);
        }
        tell_receiver();
    }
    grant_links();
    awake_ = false;
}

void PacketEngine::handle(const Event& event)
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
    case What::room_back_irregular:
        --at(queues_, event.index).irregular;
        [[fallthrough]];
    case What::room_back:
        room_back(event.index, event.bytes);
        break;
    case What::train_end:
        train_end(event.index);
        break;
    case What::message_in:
        complete(event.index);
        break;
    }
}

void PacketEngine::head_in(Index packet)
{
    const Index to = at(packets_, packet).queue;
    Queue& queue = at(queues_, to);
    (queue.first == none ? queue.first : at(packets_, queue.last).next) = packet;
    queue.last = packet;
    offer_head(to);
}

void PacketEngine::tail_out(Index link)
{
    leave_queue(std::exchange(at(links_, link).sender, none), true);
    ask(link);
}

void PacketEngine::arrived(Index queue)
{
    const Index packet = at(queues_, queue).leaving;
    const Index message = at(packets_, packet).message;
    const bool last = at(packets_, packet).last;
    use_.bytes_delivered += Bytes(at(packets_, packet).bytes);
    leave_queue(queue, at(packets_, packet).late);
    spare_packets_.push_back(packet);
    if (last) {
        calendar_.post(now_ + message_latency_, {What::message_in, message});
    }
}

void PacketEngine::room_back(Index queue, std::int64_t bytes)
{
    at(queues_, queue).room += bytes;
    ask(link_of(queue));
}

/// The tail has left: the room goes back, and the next in the queue may go.
void PacketEngine::leave_queue(Index from, bool irregular)
{
    Queue& queue = at(queues_, from);
    if (is_buffer(from)) {
        const Picoseconds back = now_ + at(links_, link_of(from)).latency;
        calendar_.post(back, {irregular ? What::room_back_irregular : What::room_back, from,
                              queue.head_bytes});
    }
    queue.leaving = none;
    offer_head(from);
}

/// If the queue's head is not under way yet: it arrives, if it is where it should be, or waits for
/// its next link.
void PacketEngine::offer_head(Index from)
{
    Queue& queue = at(queues_, from);
    if (queue.leaving != none || queue.waiting) {
        return;
    }
    if (!is_buffer(from)) {
        const PacketTurns& turns = at(links_, link_of(from)).turns;
        if (!turns.empty()) {
            wait_for(link_of(from), from, channel_of(from),
                     static_cast<std::int32_t>(turns.head_bytes(packet_bytes_)));
        }
        return;
    }
    if (queue.first == none) {
        return;
    }
    const Link& in = at(links_, link_of(from));
    Packet& packet = at(packets_, queue.first);
    const topologies::Hop hop = routing_.next(in.far_chip, packet.destination);
    if (hop.axis < 0) {
        queue.head_bytes = packet.bytes;
        const Picoseconds end = std::max(now_ + time_on(in, packet.bytes), packet.tail_in);
        packet.late = end > packet.tail_in;
        queue.irregular += packet.late ? 1 : 0;
        take_packet(from);
        calendar_.post(end, {What::arrived, from});
        return;
    }
    const Index out = link_index(in.far_chip, hop.axis, hop.direction);
    const int kept = hop.axis == in.axis ? channel_of(from) : 0;
    wait_for(out, from, at(links_, out).wraps ? channels_ - 1 : kept, packet.bytes);
}

/// Whether `a` goes before `b`: what enters the network to go far waits for what is on its way, or
/// the network would fill up beyond what it can carry. Else in the order of waiting; of those that
/// begin at one moment, the lowest queue.
bool PacketEngine::goes_before(Index a, Index b) const
{
    const Queue& one = at(queues_, a);
    const Queue& other = at(queues_, b);
    if (one.yields != other.yields) {
        return other.yields;
    }
    return one.since != other.since ? one.since < other.since : a < b;
}

void PacketEngine::wait_for(Index to, Index from, int channel, std::int32_t bytes)
{
    Queue& queue = at(queues_, from);
    queue.waiting = true;
    queue.yields = !is_buffer(from) && !is_next_door(to, at(links_, to).turns.head());
    queue.since = now_;
    queue.head_channel = static_cast<std::int8_t>(channel);
    queue.head_bytes = bytes;
    Link& link = at(links_, to);
    if (link.in_train) {
        cut_train(to);
    }
    Index before = none;
    for (Index other = link.first_waiting; other != none; other = at(queues_, other).next_waiting) {
        if (goes_before(from, other)) {
            break;
        }
        before = other;
    }
    Index& place = before == none ? link.first_waiting : at(queues_, before).next_waiting;
    queue.next_waiting = place;
    place = from;
    link.last_waiting = queue.next_waiting == none ? from : link.last_waiting;
    ask(to);
}

/// Looks at the link when all that happens at this moment is known.
void PacketEngine::ask(Index to)
{
    Link& link = at(links_, to);
    if (!link.asked && link.sender == none && link.first_waiting != none) {
        link.asked = true;
        asked_.push_back(to);
    }
}

void PacketEngine::grant_links()
{
    for (const Index link : asked_) {
        at(links_, link).asked = false;
        grant(link);
    }
    asked_.clear();
}

/// Starts the packet that has waited longest, of those whose channel has room.
void PacketEngine::grant(Index to)
{
    Link& link = at(links_, to);
    if (takes_train(to)) {
        at(queues_, link.first_waiting).waiting = false;
        link.first_waiting = link.last_waiting = none;
        start_train(to);
        return;
    }
    account_for_passed(to);
    unsigned full_channels = 0;
    Index before = none;
    for (Index from = link.first_waiting; from != none; from = at(queues_, from).next_waiting) {
        Queue& queue = at(queues_, from);
        const unsigned channel = 1u << queue.head_channel;
        const Index far = far_buffer(to, queue.head_channel);
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

void PacketEngine::start(Index on, Index from)
{
    Link& link = at(links_, on);
    const Index far = far_buffer(on, at(queues_, from).head_channel);
    const Index index = is_buffer(from) ? take_packet(from) : cut_packet(from);
    Packet& packet = at(packets_, index);
    const Picoseconds end = std::max(now_ + time_on(link, packet.bytes), packet.tail_in);
    packet.tail_in = end + link.latency;
    packet.queue = far;
    at(queues_, far).room -= packet.bytes;
    at(queues_, far).irregular += packet.destination != link.far_chip ? 1 : 0;
    link.sender = from;
    ++encounters_;
    calendar_.post(now_ + link.latency, {What::head_in, index});
    calendar_.post(end, {What::tail_out, on});
    count(on, now_, {Bytes(packet.bytes), end - now_, 1});
}

void PacketEngine::count(Index link, Picoseconds start, const LinkUse& sent)
{
    LinkUse& use = at(link_use_, link);
    use.bytes += sent.bytes;
    use.busy += sent.busy;
    use.packets += sent.packets;
    use_.packet_hops += sent.packets;
    if (observer_ != nullptr) {
        observer_->carried(static_cast<std::size_t>(link), start, sent);
    }
}

/// The head of a buffer begins to leave.
PacketEngine::Index PacketEngine::take_packet(Index from)
{
    Queue& queue = at(queues_, from);
    queue.leaving = queue.first;
    Packet& packet = at(packets_, queue.first);
    queue.first = std::exchange(packet.next, none);
    return queue.leaving;
}

/// The next packet of the chip's own messages.
PacketEngine::Index PacketEngine::cut_packet(Index from)
{
    PacketTurns& turns = at(links_, link_of(from)).turns;
    const Index message = turns.head();
    const auto bytes = static_cast<std::int32_t>(turns.head_bytes(packet_bytes_));
    const bool last = turns.head_is_last();
    if (last) {
        turns.take_last(turns_pool_);
    } else {
        turns.take_full(1);
    }
    const Index index = new_packet();
    at(packets_, index) = {now_, message, at(messages_, message).destination, bytes, last, false,
                           none, none};
    at(queues_, from).leaving = index;
    return index;
}

void PacketEngine::complete(Index message)
{
    arrived_.push_back(at(messages_, message).tag);
    spare_messages_.push_back(message);
    ++use_.messages_delivered;
}

void PacketEngine::tell_receiver()
{
    if (arrived_.empty()) {
        return;
    }
    if (!std::is_sorted(arrived_.begin(), arrived_.end())) { // most moments are of few
        std::sort(arrived_.begin(), arrived_.end());
    }
    told_.swap(arrived_);
    arrived_.clear();
    if (receiver_ != nullptr) {
        receiver_->received(told_);
    }
}

Picoseconds PacketEngine::time_on(const Link& link, std::int32_t bytes) const
{
    return bytes == packet_bytes_ ? link.packet_time : sending_time(bytes, link.bytes_per_second);
}

PacketEngine::Index PacketEngine::new_message()
{
    if (spare_messages_.empty()) {
        messages_.emplace_back();
        return static_cast<Index>(messages_.size()) - 1;
    }
    const Index index = spare_messages_.back();
    spare_messages_.pop_back();
    return index;
}

PacketEngine::Index PacketEngine::new_packet()
{
    if (spare_packets_.empty()) {
        packets_.emplace_back();
        return static_cast<Index>(packets_.size()) - 1;
    }
    const Index index = spare_packets_.back();
    spare_packets_.pop_back();
    return index;
}

} // namespace alxsim::model
