// SPDX-License-Identifier: Apache-2.0
// What PacketEngine sends without looking at each packet: see "Trains" there.
#include "model/packets/packet_engine.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {

/// Only the chip's own messages to the neighbour want the link, and nothing in the buffer at its
/// far end goes on or is late: what stands there leaves it as it comes.
bool PacketEngine::takes_train(Index on) const
{
    const Link& link = at(links_, on);
    if (!link.takes_trains || link.first_waiting != link.last_waiting ||
        is_buffer(link.first_waiting) ||
        at(queues_, far_buffer(on, injection_channel(on))).irregular > 0) {
        return false;
    }
    bool next_door = true;
    link.turns.for_heads(
        [&](Index message) { next_door = next_door && is_next_door(on, message); });
    return next_door;
}

void PacketEngine::start_train(Index on)
{
    Link& link = at(links_, on);
    link.in_train = true;
    link.sender = injection_queues_ + on;
    at(queues_, link.sender).leaving = 0; // no packet of its own
    link.train.start = now_;
    link.train_granted = now_;
    plan_train(on);
}

/// What is sent ends with the first message that is complete.
void PacketEngine::plan_train(Index on)
{
    Link& link = at(links_, on);
    const PacketTurns::Run run = link.turns.run();
    const Picoseconds end = link.train.start + repeated(link.packet_time, run.full) +
                            sending_time(run.last_bytes, link.bytes_per_second);
    if (end != link.train.end) {
        link.train.end = end;
        calendar_.post(end, {What::train_end, on});
    }
}

void PacketEngine::train_end(Index on)
{
    Link& link = at(links_, on);
    if (!link.in_train || link.train.end != now_) {
        return; // predicted too early
    }
    const Picoseconds start = link.train.start;
    const PacketTrain::Sent sent = link.train.finish(link.turns, turns_pool_, packet_bytes_);
    note_passed(on, start, sent.full, sent.last_bytes);
    calendar_.post(now_ + link.latency + message_latency_, {What::message_in, sent.message});
    link.in_train = false;
    at(queues_, std::exchange(link.sender, none)).leaving = none;
    offer_head(injection_queues_ + on);
    ask(on);
}

/// Packets that began before `begun_by` are gone.
void PacketEngine::settle_train(Index on, Picoseconds begun_by)
{
    Link& link = at(links_, on);
    const Picoseconds start = link.train.start;
    link.train.settle(link.turns, turns_pool_, begun_by, link.packet_time, packet_bytes_);
    if (link.train.start > start) {
        note_passed(on, start, (link.train.start - start).count() / link.packet_time.count(), -1);
    }
}

/// Something else wants the link, or will: the packet on the wire goes on, the rest waits again.
void PacketEngine::cut_train(Index on)
{
    Link& link = at(links_, on);
    // A train that has been granted has begun.
    settle_train(on, link.train_granted == now_ ? now_ + Picoseconds(1) : now_);
    if (link.train.ends()) {
        return; // by itself, with the packet on the wire
    }
    link.in_train = false;
    link.train.end = PacketTrain::never;
    calendar_.post(link.train.start, {What::tail_out, on});
}

/// Packets of a train have gone: `full` of the longest kind and, unless negative, `last_bytes`.
void PacketEngine::note_passed(Index on, Picoseconds start, std::int64_t full,
                               std::int64_t last_bytes)
{
    Link& link = at(links_, on);
    const std::int64_t last = std::max<std::int64_t>(last_bytes, 0);
    const Picoseconds last_time = sending_time(last, link.bytes_per_second);
    count(on, start,
          {Bytes(full * packet_bytes_ + last), link.packet_time * full + last_time,
           full + (last_bytes < 0 ? 0 : 1)});
    use_.bytes_delivered += Bytes(full * packet_bytes_ + last);
    if (link.passed.size() == link.passed.capacity()) { // forget before it grows
        const auto gone = [this](const Passed& train) { return train.room_back <= now_; };
        link.passed.erase(link.passed.begin(),
                          std::find_if_not(link.passed.begin(), link.passed.end(), gone));
    }
    const Picoseconds end = start + link.packet_time * full + last_time;
    link.passed.push_back({start, end + link.latency * 2, full, last_bytes});
}

/// Trains do not ask for room, since they always find it. Others do: what of past trains is still
/// on its way takes up room until it is given back.
void PacketEngine::account_for_passed(Index on)
{
    Link& link = at(links_, on);
    const Index far = far_buffer(on, injection_channel(on));
    const auto take_room = [&](Picoseconds back, std::int64_t bytes) {
        if (back > now_) {
            at(queues_, far).room -= bytes;
            calendar_.post(back, {What::room_back, far, static_cast<std::int32_t>(bytes)});
        }
    };
    for (const Passed& train : link.passed) {
        Picoseconds back = train.start + link.latency * 2;
        for (std::int64_t packet = 0; packet < train.full; ++packet) {
            back += link.packet_time;
            take_room(back, packet_bytes_);
        }
        if (train.last_bytes >= 0) {
            take_room(train.room_back, train.last_bytes);
        }
    }
    link.passed.clear();
}

} // namespace alxsim::model
