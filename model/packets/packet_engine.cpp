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
    const Link& link = at(links_, to);
    Own& own = at(own_, to);
    const bool next_door = sent.destination == link.far_chip;
    const bool free = own.turns.empty() && link.sender == none;
    encounters_ += free || own.last_group == sent.tag.group ? 0 : 1;
    own.last_group = sent.tag.group;
    use_.message_hops += next_door ? 1 : routing_.hops(source, sent.destination);
    if (link.in_train) {
        settle_train(to,
                     now_ + Picoseconds(1)); // the link was asked for that of this moment before
        if (!next_door) {
            cut_train(to);
        }
    }
    const bool head_stays = at(queues_, injection_queues_ + to).leaving == waits_for_link;
    own.turns.add(turns_pool_, stream, message, bytes.count(), packet_bytes_, head_stays);
    if (link.in_train && !own.train.ends()) {
        plan_train(to);
    } else if (!link.in_train) {
        offer_own(to);
    }
}

void PacketEngine::run(Picoseconds now)
{
    awake_ = true;
    now_ = now;
    calendar_.advance_to(now_);
    while (calendar_.next() <= now_) {
        calendar_.take([this](const Event& event) { handle(event); });
        tell_receiver();
    }
    grant_links();
    awake_ = false;
}

inline void PacketEngine::handle(const Event& event)
{
    const auto index = static_cast<Index>(event.index);
    switch (event.what) {
    case What::head_in:
        offer_head(index);
        break;
    case What::tail_out:
        tail_out(index);
        break;
    case What::arrived:
        arrived(index);
        break;
    case What::room_back:
        room_back(index);
        break;
    case What::all_room_back:
        all_room_back();
        break;
    case What::train_end:
        train_end(index);
        break;
    case What::message_in:
        complete(index);
        break;
    }
}

/// The link is free; in the buffer before it, room goes back, and the next one may go.
inline void PacketEngine::tail_out(Index number)
{
    Link& link = at(links_, number);
    const Index from = std::exchange(link.sender, none);
    at(queues_, from).leaving = none;
    if (is_buffer(from)) {
        give_back(from, now_ + at(links_, link_of(from)).latency, link.sent_bytes, true);
        offer_head(from);
    } else {
        offer_own(number);
    }
    ask(number);
}

inline void PacketEngine::arrived(Index at_end)
{
    const Index index = std::exchange(at(queues_, at_end).leaving, none);
    const Packet& packet = at(packets_, index);
    use_.bytes_delivered += Bytes(packet.bytes);
    if (packet.last) {
        calendar_.post(now_ + message_latency_, {What::message_in, packet.message});
    }
    give_back(at_end, now_ + at(links_, link_of(at_end)).latency, packet.bytes, packet.late);
    spare_packets_.push_back(index);
    offer_head(at_end);
}

// --- Room in buffers
// --------------------------------------------------------------------------------

/// A link that lacked room is asked again.
void PacketEngine::room_back(Index link)
{
    Picoseconds& looks = at(links_, link).looks_for_room;
    looks = looks == now_ ? RoomReturns::never : looks;
    ask(link);
}

/// Nobody waited for it, but as long as some is to come back, something is left to happen.
void PacketEngine::all_room_back()
{
    awaits_all_room_ = room_until_ > now_;
    if (awaits_all_room_) {
        calendar_.post(room_until_, {What::all_room_back, none});
    }
}

// --- Waiting for links
// ------------------------------------------------------------------------------

/// If the buffer's head is not under way yet: it arrives, if it is where it should be, or waits for
/// its next link.
inline void PacketEngine::offer_head(Index from)
{
    const Queue& queue = at(queues_, from);
    if (queue.leaving != none || queue.first == none) {
        return;
    }
    const Link& in = at(links_, link_of(from));
    const Packet& packet = at(packets_, queue.first);
    if (packet.destination == in.far_chip) {
        arrive(from);
        return;
    }
    if (packet.head_in > now_) {
        calendar_.post(packet.head_in, {What::head_in, from});
        return;
    }
    const topologies::Hop hop = routing_.next(in.far_chip, packet.destination);
    const Index out = in.far_links + 2 * hop.axis + (hop.direction > 0 ? 0 : 1);
    const int kept = hop.axis == in.axis ? from & (channels_ - 1) : 0;
    const int channel = std::max<int>(kept, at(links_, out).entered_channel);
    wait_for(out, from, channel, packet.bytes, false);
}

/// The same of what the chip itself sends.
void PacketEngine::offer_own(Index on)
{
    const Queue& queue = at(queues_, injection_queues_ + on);
    const PacketTurns& turns = at(own_, on).turns;
    if (queue.leaving == none && !turns.empty()) {
        wait_for(on, injection_queues_ + on, at(links_, on).entered_channel,
                 static_cast<std::int32_t>(turns.head_bytes(packet_bytes_)),
                 !is_next_door(on, turns.head()));
    }
}

/// The buffer's head, whose way ends here, leaves it as it comes in, or behind what held it up.
inline void PacketEngine::arrive(Index at_end)
{
    const Link& in = at(links_, link_of(at_end));
    Queue& queue = at(queues_, at_end);
    Packet& packet = at(packets_, take_packet(queue));
    const Picoseconds end =
        std::max(std::max(now_, packet.head_in) + time_on(in, packet.bytes), packet.tail_in);
    packet.late = end > packet.tail_in;
    queue.irregular += packet.late ? 1 : 0;
    calendar_.post(end, {What::arrived, at_end});
}

inline void PacketEngine::wait_for(Index to, Index from, int channel, std::int32_t bytes,
                                   bool yields)
{
    at(queues_, from).leaving = waits_for_link;
    Link& link = at(links_, to);
    if (link.in_train) {
        cut_train(to);
    }
    waiting_.add(to, link.waiting, {from, now_, bytes, channel, yields});
    ask(to);
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
    WaitingQueue* const waiting = waiting_.of(to);
    if (link.waiting == 1 && !is_buffer(waiting->queue()) && !waiting->yields() &&
        takes_train(to)) {
        link.waiting = 0;
        start_train(to);
        return;
    }
    if (link.trains_passed) {
        account_for_passed(to);
    }
    unsigned full_channels = 0;
    for (int number = 0; number < link.waiting; ++number) {
        const Index from = waiting[number].queue();
        const int channel = waiting[number].channel();
        const std::int32_t bytes = waiting[number].bytes();
        if ((full_channels & 1U << channel) != 0) {
            continue;
        }
        if (has_room(at(queues_, far_buffer(to, channel)), bytes)) {
            --link.waiting;
            WaitingQueues::remove(waiting + number, link.waiting - number);
            start(to, from, channel);
            return;
        }
        full_channels |= 1U << channel;
    }
    lack_room(to, full_channels);
}

/// It is asked again when one of `channels` has some back.
inline void PacketEngine::lack_room(Index on, unsigned channels)
{
    at(links_, on).lacks_room = true;
    for (int channel = 0; channel < channels_; ++channel) {
        if ((channels & 1U << channel) != 0) {
            look_for_room(on, returns_.next(at(queues_, far_buffer(on, channel)).returning));
        }
    }
}

inline void PacketEngine::start(Index on, Index from, int channel)
{
    Link& link = at(links_, on);
    Queue& queue = at(queues_, from);
    const Index index = is_buffer(from) ? take_packet(queue) : cut_packet(from);
    Packet& packet = at(packets_, index);
    const Picoseconds end = std::max(now_ + time_on(link, packet.bytes), packet.tail_in);
    packet.head_in = now_ + link.latency;
    packet.tail_in = end + link.latency;
    packet.next = none;
    link.sender = from;
    link.sent_bytes = packet.bytes;
    link.lacks_room = false;
    ++encounters_;
    append(link, far_buffer(on, channel), index);
    calendar_.post(end, {What::tail_out, on});
    count(on, now_, {Bytes(packet.bytes), end - now_, 1});
}

/// A packet is on its way to a buffer. If it finds nobody there, it is looked at when its head is
/// in, or known to arrive already.
inline void PacketEngine::append(Link& link, Index to, Index index)
{
    Queue& queue = at(queues_, to);
    const Packet& packet = at(packets_, index);
    const bool goes_on = packet.destination != link.far_chip;
    queue.room -= packet.bytes;
    queue.irregular += goes_on ? 1 : 0;
    if (queue.first != none) {
        at(packets_, queue.last).next = index;
        queue.last = index;
        return;
    }
    queue.first = queue.last = index;
    if (queue.leaving != none) {
        return;
    }
    if (goes_on || packet.head_in == now_) {
        calendar_.post(packet.head_in, {What::head_in, to});
    } else {
        arrive(to);
    }
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

/// The next packet of the chip's own messages.
PacketEngine::Index PacketEngine::cut_packet(Index from)
{
    PacketTurns& turns = at(own_, link_of(from)).turns;
    const Index message = turns.head();
    const auto bytes = static_cast<std::uint32_t>(turns.head_bytes(packet_bytes_));
    const bool last = turns.head_is_last();
    if (last) {
        turns.take_last(turns_pool_);
    } else {
        turns.take_full(1);
    }
    const Index index = new_packet();
    at(packets_, index) = {now_,  now_, message, at(messages_, message).destination,
                           bytes, last, false,   none};
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
