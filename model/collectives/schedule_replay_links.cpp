// SPDX-License-Identifier: Apache-2.0
// How the links of a replay send: what goes when, and when it comes.
#include "model/collectives/schedule_replay.h"

#include <algorithm>

namespace alxsim::model {

void ScheduleReplay::send_on_link(Link& link, const ProgressMessage& message, int device,
                                  Picoseconds now, bool before_links)
{
    Along& axis = along(link.axis);
    const int colour = in_chunks_ ? 0 : message.colour;
    const auto stream = static_cast<std::uint64_t>(colour * devices_per_chip_ + device);
    const auto event = static_cast<std::uint32_t>(message.slot << device_bits_ | device);
    const std::int64_t bytes = message.bytes.count();
    if (link.train.under_way()) {
        join(link);
        // The link was asked for the packet of this moment before.
        link.train.settle(link.turns, pool_, now + Picoseconds(1), axis.packet_time, axis.packet);
        link.turns.add(pool_, stream, static_cast<std::int32_t>(event), bytes, axis.packet, false);
        if (!link.train.ends()) {
            run(link);
        }
        return;
    }
    const bool free = now > link.wire_end || (now == link.wire_end && !before_links);
    if (link.alone || !link.turns.empty()) {
        join(link);
        link.turns.add(pool_, stream, static_cast<std::int32_t>(event), bytes, axis.packet, false);
    } else if (free && bytes <= axis.packet) {
        link.turns.pass(stream);
        link.wire_end = now + message.serialization;
        arrive(link, event, link.wire_end);
    } else {
        link.alone = true;
        link.event = event;
        link.stream = stream;
        link.bytes = bytes;
        if (free) {
            begin_alone(link, now);
        } else {
            wait_for(link.asked, link.wire_end);
        }
    }
}

/// What waits alone has its turn.
void ScheduleReplay::begin_alone(Link& link, Picoseconds now)
{
    Along& axis = along(link.axis);
    const std::int64_t full = full_packets(link.bytes, axis.packet);
    const Picoseconds end =
        now + axis.packet_time * full + time_of(axis, link.bytes - full * axis.packet);
    if (full > 0) {
        link.train.start = now;
        link.train.end = end;
        wait_for(link.asked, end);
    } else {
        link.alone = false;
        link.turns.pass(link.stream);
        link.wire_end = end;
        arrive(link, link.event, end);
    }
}

/// What was alone has company: they take turns.
void ScheduleReplay::join(Link& link)
{
    if (link.alone) {
        link.alone = false;
        link.turns.add(pool_, link.stream, static_cast<std::int32_t>(link.event), link.bytes,
                       along(link.axis).packet, false);
    }
}

/// What was on the wire has been sent.
void ScheduleReplay::sent(Link& link, Picoseconds now)
{
    next_[link.asked] = end_of_time;
    if (link.alone && !link.train.under_way()) {
        begin_alone(link, now);
        return;
    }
    if (link.alone) {
        link.alone = false;
        link.train.end = PacketTrain::never;
        link.turns.pass(link.stream);
        arrive(link, link.event, now);
        return;
    }
    if (link.train.under_way()) {
        const std::int64_t packet = along(link.axis).packet;
        const std::int32_t message = link.train.finish(link.turns, pool_, packet).message;
        arrive(link, static_cast<std::uint32_t>(message), now);
    }
    if (!link.turns.empty()) {
        begin(link, now);
    }
}

/// Sends what has its turn: a message's last packet is sure to be sent.
void ScheduleReplay::begin(Link& link, Picoseconds now)
{
    Along& axis = along(link.axis);
    if (!link.turns.head_is_last()) {
        link.train.start = now;
        run(link);
        return;
    }
    const auto event = static_cast<std::uint32_t>(link.turns.head());
    link.wire_end = now + time_of(axis, link.turns.head_bytes(axis.packet));
    link.turns.take_last(pool_);
    arrive(link, event, link.wire_end);
    if (!link.turns.empty()) {
        wait_for(link.asked, link.wire_end);
    }
}

/// Foretells the first message that is complete, if nothing is added.
void ScheduleReplay::run(Link& link)
{
    Along& axis = along(link.axis);
    const PacketTurns::Run next = link.turns.run();
    link.train.end =
        link.train.start + axis.packet_time * next.full + time_of(axis, next.last_bytes);
    wait_for(link.asked, link.train.end);
}

void ScheduleReplay::arrive(const Link& link, std::uint32_t event, Picoseconds sent)
{
    const auto to = static_cast<std::size_t>(link.to);
    const Picoseconds time = sent + along(link.axis).latency;
    by_links_[to].add(time, event ^ link.turns_back);
    soonest_[to] = std::min(soonest_[to], time);
}

/// A source of the chip that is played.
void ScheduleReplay::wait_for(std::size_t source, Picoseconds time)
{
    next_[source] = time;
    first_ = std::min(first_, time);
}

Picoseconds ScheduleReplay::time_of(Along& along, std::int64_t bytes)
{
    if (along.known_bytes != bytes) {
        along.known_bytes = bytes;
        along.known_time = sending_time(bytes, along.bytes_per_second);
    }
    return along.known_time;
}

} // namespace alxsim::model
