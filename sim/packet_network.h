// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/event_calendar.h"
#include "topologies/routing.h"
#include "topologies/slice.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// A directed link that is slower than the others.
struct SlowLink {
    int chip = 0;
    int axis = 0;
    int direction = 1;   ///< +1 or -1
    double fraction = 1; ///< of the bandwidth; more than 0
};

/// The links and routers of a slice.
struct PacketNetworkSpec {
    double link_bytes_per_second = 0; ///< one direction
    Picoseconds hop_latency{0};       ///< from router to router, wire and switch
    Bytes packet_bytes{4096};         ///< of the longest packet
    /// Room in a router for one virtual channel of one link; at least the longest packet. By
    /// default what keeps the link full: see `full_rate_buffer`. Assumed, nothing is published.
    std::optional<Bytes> buffer_bytes;
    /// Whether a packet changes to a second virtual channel where it crosses the wrap link of a
    /// ring. Off, there is one channel, and rings of messages can block each other for ever.
    bool dateline = true;
    std::vector<SlowLink> slow_links;
};

/// The smallest buffer that does not slow a link: twice latency times bandwidth in whole packets,
/// and one packet, because space is booked from the first byte's departure to the last one's.
Bytes full_rate_buffer(const PacketNetworkSpec& spec);

/// What a directed link has done.
struct LinkUse {
    Bytes bytes{0};
    Picoseconds busy{0};
    std::int64_t packets = 0;
};

/// What the whole network has done.
struct PacketNetworkUse {
    std::int64_t messages_sent = 0;
    std::int64_t messages_delivered = 0;
    Bytes bytes_sent{0};
    Bytes bytes_delivered{0};
    std::int64_t message_hops = 0; ///< links between source and destination, over all messages
    std::int64_t packet_hops = 0;  ///< packets put on links
};

/// The ICI of a slice, packet by packet: a router per chip, directed links between neighbours.
///
/// A message is cut into packets. Virtual cut-through: a packet's head can leave a router one hop
/// latency after it left the last, its tail follows at the link's rate (or as it comes in, from a
/// slower link). At zero load a message takes hops * latency + bytes / bandwidth. Every link has an
/// input buffer per virtual channel at its far end; a packet starts only when there is room for all
/// of it, and the room is given back, a hop latency later, when its tail has left the router. A
/// buffer is a FIFO that feeds one output at a time, so that a blocked head holds up what is behind
/// it. A packet that has arrived leaves the buffer at the rate of the link that it came by.
///
/// Arbitration: of the buffers and of the chip's own traffic (one queue per link and channel, its
/// messages in turn, a packet each), a link takes what has waited longest at the head of its queue;
/// one without room at the far end is passed over, but by none of its own channel. Requests of one
/// moment are all known before any is granted, and rank in the order of the events behind them.
///
/// Deadlock: dimension order forbids cycles between axes. On a ring, channel 0 is used before the
/// wrap link and channel 1 on it and after (Dally and Seitz 1987), so that no cycle closes; axes
/// are entered on channel 0.
///
/// Left out: flits, router pipelines under load, errors and retransmission, the way from a core to
/// its router (a message to the own chip arrives at once), adaptive routing.
class PacketNetwork : public sc_core::sc_module {
public:
    PacketNetwork(const sc_core::sc_module_name& name, const topologies::Slice& slice,
                  const PacketNetworkSpec& spec);

    /// Starts a message now; calls `delivered` (if any) when its last byte is there. May be called
    /// from `delivered`. A message of no bytes is one empty packet.
    void send(int source_chip, int destination_chip, Bytes bytes, std::function<void()> delivered);

    const PacketNetworkUse& use() const { return use_; }
    /// The link that leaves `chip` along `axis` (all zero where a line ends).
    const LinkUse& link_use(int chip, int axis, int direction) const;
    int hops(int source, int destination) const { return routing_.hops(source, destination); }
    Bytes buffer_bytes() const { return Bytes(buffer_bytes_); }
    /// Messages under way. If there are any when nothing is left to happen, they are deadlocked.
    std::int64_t undelivered() const { return use_.messages_sent - use_.messages_delivered; }

private:
    using Index = std::int32_t;
    static constexpr Index none = -1;

    struct Message {
        std::int64_t to_send = 0;
        std::int64_t to_arrive = 0;
        Index destination = none;
        Index next = none; ///< in its queue
        std::function<void()> delivered;
    };
    struct Packet {
        Picoseconds tail_in{0}; ///< when its last byte is in the buffer of this router
        Index message = none;
        Index destination = none;
        std::int32_t bytes = 0;
        Index queue = none; ///< where it is, or arrives
        Index next = none;  ///< in its queue
    };
    /// What competes for links: the input buffer of a link and channel (packets), or what the chip
    /// itself wants to send on a link and channel (messages).
    struct Queue {
        std::int64_t room = 0; ///< of a buffer, as the router at its link's near end knows
        Index first = none;
        Index last = none;
        Index leaving = none;      ///< the packet whose tail has not left yet
        Index next_waiting = none; ///< for the same link
        std::int32_t head_bytes = 0;
        std::int8_t head_channel = 0; ///< on the link that the head waits for
        bool waiting = false;
    };
    struct Link {
        Picoseconds packet_time{0}; ///< of the longest packet
        double bytes_per_second = 0;
        Index far_chip = none;
        Index sender = none; ///< the queue whose packet is on it
        Index first_waiting = none;
        Index last_waiting = none;
        std::int16_t axis = 0;
        bool wraps = false; ///< the dateline of its ring
        bool asked = false; ///< to be looked at before this moment is over
    };
    enum class What : std::uint32_t { head_in, tail_out, arrived, room_back };
    struct Event {
        Event(What event, Index of, std::int32_t many = 0)
            : index(of),
              bytes(static_cast<std::uint32_t>(many) & 0x3fffffff),
              what(event)
        {
        }
        Index index;              ///< packet; link; queue; queue
        std::uint32_t bytes : 30; ///< of room_back
        What what : 2;
    };

    void add_link(const topologies::Slice& slice, int chip, int axis, int direction);
    void set_rates(const topologies::Slice& slice, const PacketNetworkSpec& spec);
    void enqueue(int source, Index message);
    void run();
    void handle(const Event& event);
    void grant_links();

    void head_in(Index packet);
    void tail_out(Index link);
    void arrived(Index queue);
    void room_back(Index queue, std::int64_t bytes);

    void offer_head(Index queue);
    void wait_for(Index link, Index queue, int channel, std::int32_t bytes);
    void leave_queue(Index queue);
    void ask(Index link);
    void grant(Index link);
    void start(Index link, Index queue);
    Index take_packet(Index queue);
    Index cut_packet(Index queue);
    void complete(Index message);
    void deliver_on_chip();

    Index link_index(int chip, int axis, int direction) const
    {
        return (chip * axes_ + axis) * 2 + (direction > 0 ? 0 : 1);
    }
    bool is_buffer(Index queue) const { return queue < injection_queues_; }
    Index link_of(Index queue) const
    {
        return (is_buffer(queue) ? queue : queue - injection_queues_) >> (channels_ - 1);
    }
    int channel_of(Index queue) const { return queue & (channels_ - 1); }
    Picoseconds time_on(const Link& link, std::int32_t bytes) const;
    Index new_message();
    Index new_message_to(int destination, Bytes bytes, std::function<void()> delivered);
    Index new_packet();

    template <class T>
    static T& at(std::vector<T>& items, Index index)
    {
        return items[static_cast<std::size_t>(index)];
    }

    topologies::DimensionOrder routing_;
    int chips_;
    int axes_;
    Picoseconds latency_;
    std::int32_t packet_bytes_;
    std::int64_t buffer_bytes_;
    int channels_;           ///< 1 or 2
    Index injection_queues_; ///< the first of them; buffers come before
    std::vector<Link> links_;
    std::vector<LinkUse> link_use_;
    std::vector<Queue> queues_;
    std::vector<Message> messages_;
    std::vector<Index> spare_messages_;
    std::vector<Packet> packets_;
    std::vector<Index> spare_packets_;
    std::vector<Index> asked_;   ///< links
    std::vector<Index> on_chip_; ///< messages to their own chip
    EventCalendar<Event> calendar_;
    std::vector<Event> moment_;
    Picoseconds now_{0};
    bool awake_ = false; ///< `run` runs, or will at this moment
    PacketNetworkUse use_;
    sc_core::sc_event next_;
};

} // namespace alxsim::sim
