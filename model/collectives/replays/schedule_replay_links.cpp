// SPDX-License-Identifier: Apache-2.0
// How the links of a replay send: what goes when, and when it comes.
#include "model/collectives/replays/schedule_replay.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace alxsim::model {

void ScheduleReplay::send_on_link(Link& link, const ProgressMessage& message, int device,
                                  Picoseconds now, bool before_links)
{
    const Along& axis = along(link.axis);
    const int colour = in_chunks_ ? 0 : message.colour;
    const Message added{static_cast<std::uint64_t>(colour * devices_per_chip_ + device),
                        static_cast<std::uint32_t>(message.slot << device_bits_ | device),
                        message.bytes.count()};
    const bool free = now > link.wire_end || (now == link.wire_end && !before_links);
    if (link.train.under_way()) {
        if (link.alone) {
            add(link, *std::exchange(link.alone, std::nullopt));
        }
        // The link was asked for the packet of this moment before.
        link.train.settle(link.turns, pool_, now + Picoseconds(1), axis.packet_time, axis.packet);
        add(link, added);
        if (!link.train.ends()) {
            run(link);
        }
    } else if (link.alone) {
        add(link, *std::exchange(link.alone, std::nullopt));
        add(link, added);
    } else if (!link.turns.empty()) {
        add(link, added);
    } else if (!free) {
        link.alone = added;
        wait_for(link.asked, link.wire_end);
    } else if (added.bytes <= axis.packet) {
        link.turns.pass(added.stream);
        link.wire_end = now + message.serialization;
        arrive(link, added.event, link.wire_end);
    } else {
        link.alone = added;
        begin_alone(link, now);
    }
}

/// To those that take turns.
void ScheduleReplay::add(Link& link, const Message& message)
{
    link.turns.add(pool_, message.stream, static_cast<std::int32_t>(message.event), message.bytes,
                   along(link.axis).packet, false);
}

/// What is alone has the link: a train, if it has several packets.
void ScheduleReplay::begin_alone(Link& link, Picoseconds now)
{
    Along& axis = along(link.axis);
    const std::int64_t full = full_packets(link.alone->bytes, axis.packet);
    const Picoseconds end =
        now + axis.packet_time * full + time_of(axis, link.alone->bytes - full * axis.packet);
    if (full > 0) {
        link.train.start = now;
        link.train.end = end;
        wait_for(link.asked, end);
    } else {
        link.wire_end = end;
        end_alone(link, end);
    }
}

void ScheduleReplay::end_alone(Link& link, Picoseconds end)
{
    link.train.end = PacketTrain::never;
    link.turns.pass(link.alone->stream);
    arrive(link, link.alone->event, end);
    link.alone.reset();
}

/// What was on the wire has been sent.
void ScheduleReplay::sent(Link& link, Picoseconds now)
{
    next_[link.asked] = end_of_time;
    if (link.alone) {
        if (link.train.under_way()) {
            end_alone(link, now);
        } else {
            begin_alone(link, now);
        }
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

/// Remembers one answer: most messages of an axis are of one length for long.
Picoseconds ScheduleReplay::time_of(Along& along, std::int64_t bytes)
{
    if (along.known_bytes != bytes) {
        along.known_bytes = bytes;
        along.known_time = sending_time(bytes, along.bytes_per_second);
    }
    return along.known_time;
}

} // namespace alxsim::model
