// SPDX-License-Identifier: Apache-2.0
// What PacketEngine sends without looking at each packet: see "Trains" there.
#include "model/packets/packet_engine.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {

/// Only the chip's own messages want the link. Whether they all go to the neighbour, and nothing in
/// the buffer at its far end goes on or is late: what stands there leaves it as it comes.
bool PacketEngine::takes_train(Index on)
{
    const Link& link = at(links_, on);
    Queue& far = at(queues_, far_buffer(on, link.entered_channel));
    take_back(far);
    if (!link.takes_trains || far.irregular > 0) {
        return false;
    }
    bool next_door = true;
    at(own_, on).turns.for_heads(
        [&](Index message) { next_door = next_door && is_next_door(on, message); });
    return next_door;
}

void PacketEngine::start_train(Index on)
{
    Link& link = at(links_, on);
    Own& own = at(own_, on);
    link.in_train = true;
    link.sender = injection_queues_ + on;
    at(queues_, link.sender).leaving = 0; // no packet of its own
    own.train.start = now_;
    own.train_granted = now_;
    plan_train(on);
}

/// What is sent ends with the first message that is complete.
void PacketEngine::plan_train(Index on)
{
    const Link& link = at(links_, on);
    Own& own = at(own_, on);
    const PacketTurns::Run run = own.turns.run();
    const Picoseconds end = own.train.start + repeated(link.packet_time, run.full) +
                            sending_time(run.last_bytes, link.bytes_per_second);
    if (end != own.train.end) {
        own.train.end = end;
        calendar_.post(end, {What::train_end, on});
    }
}

void PacketEngine::train_end(Index on)
{
    Link& link = at(links_, on);
    Own& own = at(own_, on);
    if (!link.in_train || own.train.end != now_) {
        return; // predicted too early
    }
    const Picoseconds start = own.train.start;
    const PacketTrain::Sent sent = own.train.finish(own.turns, turns_pool_, packet_bytes_);
    note_passed(on, start, sent.full, sent.last_bytes);
    calendar_.post(now_ + link.latency + message_latency_, {What::message_in, sent.message});
    link.in_train = false;
    at(queues_, std::exchange(link.sender, none)).leaving = none;
    offer_own(on);
    ask(on);
}

/// Packets that began before `begun_by` are gone.
void PacketEngine::settle_train(Index on, Picoseconds begun_by)
{
    const Link& link = at(links_, on);
    Own& own = at(own_, on);
    const Picoseconds start = own.train.start;
    own.train.settle(own.turns, turns_pool_, begun_by, link.packet_time, packet_bytes_);
    if (own.train.start > start) {
        note_passed(on, start, (own.train.start - start).count() / link.packet_time.count(), -1);
    }
}

/// Something else wants the link, or will: the packet on the wire goes on, the rest waits again.
void PacketEngine::cut_train(Index on)
{
    Link& link = at(links_, on);
    Own& own = at(own_, on);
    // A train that has been granted has begun.
    settle_train(on, own.train_granted == now_ ? now_ + Picoseconds(1) : now_);
    if (own.train.ends()) {
        return; // by itself, with the packet on the wire
    }
    link.in_train = false;
    own.train.end = PacketTrain::never;
    calendar_.post(own.train.start, {What::tail_out, on});
}

/// Packets of a train have gone: `full` of the longest kind and, unless negative, `last_bytes`.
void PacketEngine::note_passed(Index on, Picoseconds start, std::int64_t full,
                               std::int64_t last_bytes)
{
    Link& link = at(links_, on);
    Own& own = at(own_, on);
    const std::int64_t last = std::max<std::int64_t>(last_bytes, 0);
    const Picoseconds last_time = sending_time(last, link.bytes_per_second);
    count(on, start,
          {Bytes(full * packet_bytes_ + last), link.packet_time * full + last_time,
           full + (last_bytes < 0 ? 0 : 1)});
    use_.bytes_delivered += Bytes(full * packet_bytes_ + last);
    if (own.passed.size() == own.passed.capacity()) { // forget before it grows
        const auto gone = [this](const Passed& train) { return train.room_back <= now_; };
        own.passed.erase(own.passed.begin(),
                         std::find_if_not(own.passed.begin(), own.passed.end(), gone));
    }
    const Picoseconds end = start + link.packet_time * full + last_time;
    link.trains_passed = true;
    own.passed.push_back({start, end + link.latency * 2, full, last_bytes});
}

/// Trains do not ask for room, since they always find it. Others do: what of past trains is still
/// on its way takes up room until it is given back.
void PacketEngine::account_for_passed(Index on)
{
    Link& link = at(links_, on);
    Own& own = at(own_, on);
    const Index far = far_buffer(on, link.entered_channel);
    const auto take_room = [&](Picoseconds back, std::int64_t bytes) {
        if (back > now_) {
            at(queues_, far).room -= bytes;
            give_back(far, back, static_cast<std::int32_t>(bytes), false);
        }
    };
    for (const Passed& train : own.passed) {
        Picoseconds back = train.start + link.latency * 2;
        for (std::int64_t packet = 0; packet < train.full; ++packet) {
            back += link.packet_time;
            take_room(back, packet_bytes_);
        }
        if (train.last_bytes >= 0) {
            take_room(train.room_back, train.last_bytes);
        }
    }
    own.passed.clear();
    link.trains_passed = false;
}

} // namespace alxsim::model
