// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/packets/event_calendar.h"
#include "model/packets/packet_network_spec.h"
#include "model/packets/packet_turns.h"
#include "model/packets/room_returns.h"
#include "model/packets/waiting_queues.h"
#include "topologies/routing.h"

#include <cstdint>
#include <vector>

namespace alxsim::model {

/// What a directed link has done.
struct LinkUse {
    Bytes bytes{0};
    Picoseconds busy{0};
    std::int64_t packets = 0;
};

/// What the sender knows a message by. Of messages that arrive at one moment, the lowest comes
/// first.
struct MessageTag {
    std::uint64_t group = 0;
    std::uint64_t rank = 0;

    bool operator<(const MessageTag& other) const
    {
        return group != other.group ? group < other.group : rank < other.rank;
    }
};

/// Is told what has arrived.
class MessageReceiver {
public:
    virtual ~MessageReceiver() = default;
    /// All of a moment, in the order of their tags. May send.
    virtual void received(const std::vector<MessageTag>& messages) = 0;
};

/// Is told what links carry, packet by packet or train by train.
class PacketObserver {
public:
    virtual ~PacketObserver() = default;
    /// From `start` on; `link` as PacketEngine::link_number().
    virtual void carried(std::size_t link, Picoseconds start, const LinkUse& sent) = 0;
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

/// The ICI of a slice, packet by packet: a router per chip, directed links between neighbours. It
/// has a calendar and no clock of its own: the simulator runs it in simulated time, the analytic
/// model by itself.
///
/// A message is cut into packets. Virtual cut-through: a packet's head can leave a router one hop
/// latency after it left the last, its tail follows at the link's rate (or as it comes in, from a
/// slower link). At zero load a message takes hops * latency + bytes / bandwidth. Every link has an
/// input buffer per virtual channel at its far end; a packet starts only when there is room for all
/// of it, and the room is given back, a hop latency later, when its tail has left the router. A
/// buffer is a FIFO that feeds one output at a time, so that a blocked head holds up what is behind
/// it. A packet that has arrived leaves the buffer at the rate of the link that it came by.
///
/// Arbitration: of the buffers and of the chip's own traffic (one queue per link, whose streams
/// take turns, a packet each), a link takes what has waited longest at the head of its queue, of
/// several the lowest; but what the chip sends farther than to its neighbour comes last, lest the
/// network fill up beyond what it can carry. One without room at the far end is passed over, but by
/// none of its own channel. Requests of one moment are all known before any is granted.
///
/// Trains: what a chip sends to its neighbour while nothing else wants the link or stands in the
/// buffer at its far end goes as one event, and is cut where something else comes in. With buffers
/// that keep a link full, this changes no time.
///
/// Events: two or three for each hop of a packet under contention. What is foreseen needs none: a
/// head that comes in behind others is looked at when they have gone, room that has come back when
/// somebody wants it, and who finds nobody before it where its way ends arrives.
///
/// Deadlock: dimension order forbids cycles between axes. On a ring, channel 0 is used before the
/// wrap link and channel 1 on it and after (Dally and Seitz 1987), so that no cycle closes; axes
/// are entered on channel 0.
///
/// Left out: flits, router pipelines under load, errors and retransmission, the way from a core to
/// its router (a message to the own chip arrives at once), adaptive routing.
class PacketEngine {
public:
    /// Throws std::invalid_argument for links that cannot be.
    PacketEngine(const topologies::Slice& slice, const PacketNetworkSpec& spec);

    void set_receiver(MessageReceiver& receiver) { receiver_ = &receiver; }
    /// Is told what links carry; or null.
    void set_observer(PacketObserver* observer) { observer_ = observer; }

    /// Starts a message at `now`, when nothing later has happened; `tag` is received when its last
    /// byte is there. Of a chip's messages on a link, those of one `stream` go one after another,
    /// and streams take turns. May be called while others are received. A message of no bytes is
    /// one empty packet.
    void send(int source_chip, int destination_chip, Bytes bytes, std::uint64_t stream,
              MessageTag tag, Picoseconds now);

    /// Something was sent in a moment for which it has not run yet.
    bool awake() const { return awake_; }
    /// Whether it is to run(), and when next.
    bool waits() const { return awake_ || !calendar_.empty(); }
    Picoseconds next() const { return awake_ ? now_ : calendar_.next(); }
    /// Lets happen what happens at next(), whose moment has come with all that is sent in it.
    void run(Picoseconds now);

    /// Nothing is under way and nothing is left to happen.
    bool idle() const { return calendar_.empty() && !awake_ && undelivered() == 0; }
    /// How often a link was given a message while it had one of another group, or sent a packet by
    /// itself, whose room in the buffers comes back later. As long as this does not change, no
    /// group's messages have had to do with another's.
    std::int64_t encounters() const { return encounters_; }
    const PacketNetworkUse& use() const { return use_; }
    /// Returns those of all links, by link_number; the ends of lines have numbers too.
    const std::vector<LinkUse>& link_uses() const { return link_use_; }
    std::size_t link_number(int chip, int axis, int direction) const
    {
        return static_cast<std::size_t>(link_index(chip, axis, direction));
    }
    int hops(int source, int destination) const { return routing_.hops(source, destination); }
    Bytes buffer_bytes() const { return Bytes(buffer_bytes_); }
    /// Messages under way. If there are any when nothing is left to happen, they are deadlocked.
    std::int64_t undelivered() const { return use_.messages_sent - use_.messages_delivered; }

private:
    using Index = std::int32_t;
    static constexpr Index none = -1;

    struct Message {
        Index destination = none;
        MessageTag tag;
    };
    struct alignas(32) Packet {
        Picoseconds head_in{0}; ///< when its first byte is in the buffer of this router
        Picoseconds tail_in{0}; ///< and its last one
        Index message = none;
        Index destination = none;
        std::uint32_t bytes : 30;
        bool last : 1;     ///< of its message; they keep their order
        bool late : 1;     ///< it arrived, but what was before it in the buffer held it up
        Index next = none; ///< in its queue
    };
    /// What competes for links: the input buffer of a link and channel, or what the chip itself
    /// wants to send on a link.
    struct alignas(32) Queue {
        std::int64_t room = 0; ///< of a buffer, as the router at its link's near end knows
        RoomReturns::List returning;
        Index irregular = 0; ///< packets whose room may come back later than a train's would
        Index first = none;  ///< of a buffer: of those that are in it or on their way there
        Index last = none;   ///< if any
        /// The packet whose tail has not left yet; or waits_for_link: the head does.
        Index leaving = none;
    };
    static constexpr Index waits_for_link = -2;
    /// Packets of past trains whose room is not accounted for; see grant.
    struct Passed {
        Picoseconds start{0};
        Picoseconds room_back{0}; ///< of the last one
        std::int64_t full = 0;
        std::int64_t last_bytes = 0; ///< or -1: no more than the full ones
    };
    /// What every packet looks at: a cache line.
    struct alignas(64) Link {
        Picoseconds packet_time{0}; ///< of the longest packet
        Picoseconds latency{0};     ///< of a hop over it
        double bytes_per_second = 0;
        Picoseconds looks_for_room = RoomReturns::never; ///< when it is asked again
        Index far_chip = none;
        Index far_links = none;          ///< the first of those that leave there
        Index sender = none;             ///< the queue whose packet is on it
        std::int32_t sent_bytes = 0;     ///< of that packet
        std::int16_t waiting = 0;        ///< queues, in waiting_
        std::int8_t axis = 0;            ///< at most that of another slice
        std::int8_t entered_channel = 0; ///< by what the chip itself sends: 1 on a dateline
        bool in_train = false;
        bool takes_trains = false;
        bool trains_passed = false; ///< some may not be accounted for
        bool asked = false;         ///< to be looked at before this moment is over
        bool lacks_room = false;    ///< for all that wait for it
    };
    /// What the chip itself sends on a link.
    struct Own {
        PacketTurns turns;
        PacketTrain train;
        Picoseconds train_granted{0};
        std::uint64_t last_group = 0;
        std::vector<Passed> passed;
    };
    enum class What : std::uint32_t {
        head_in,
        tail_out,
        arrived,
        room_back,
        all_room_back,
        train_end,
        message_in
    };
    struct Event {
        Event(What event, Index of) : index(static_cast<std::uint32_t>(of)), what(event) {}
        std::uint32_t index : 29; ///< queue; link; queue; link; any; link; message
        What what : 3;
    };

    void add_link(const topologies::Slice& slice, int chip, int axis, int direction);
    void set_rates(const topologies::Slice& slice, const PacketNetworkSpec& spec);
    void set_buffers(const topologies::Slice& slice, const PacketNetworkSpec& spec);
    void enqueue(int source, Index message, Bytes bytes, std::uint64_t stream);
    void handle(const Event& event);
    void grant_links();

    void tail_out(Index link);
    void arrived(Index queue);
    void room_back(Index link);
    void all_room_back();

    void offer_head(Index queue);
    void offer_own(Index link);
    void arrive(Index queue);
    void wait_for(Index link, Index queue, int channel, std::int32_t bytes, bool yields);
    /// Room in a buffer, at `time`.
    void give_back(Index to, Picoseconds time, std::int32_t bytes, bool irregular)
    {
        returns_.add(at(queues_, to).returning, time, bytes, irregular);
        if (at(links_, link_of(to)).lacks_room) {
            look_for_room(link_of(to), time);
        }
        room_until_ = std::max(room_until_, time);
        if (!awaits_all_room_) {
            awaits_all_room_ = true;
            calendar_.post(time, {What::all_room_back, none});
        }
    }
    /// What is back by now.
    void take_back(Queue& queue)
    {
        returns_.take(queue.returning, now_, [&queue](std::int32_t bytes, bool irregular) {
            queue.room += bytes;
            queue.irregular -= irregular ? 1 : 0;
        });
    }
    /// Looks for what has come back only where it is needed, or much is to be remembered.
    bool has_room(Queue& queue, std::int32_t bytes)
    {
        if (queue.room < std::max<std::int64_t>(bytes, much_room_) || bytes == 0) {
            take_back(queue);
        }
        return queue.room >= bytes;
    }
    /// The link is asked again at `time`, unless it is before.
    void look_for_room(Index on, Picoseconds time)
    {
        Link& link = at(links_, on);
        if (time < link.looks_for_room) {
            link.looks_for_room = time;
            calendar_.post(time, {What::room_back, on});
        }
    }
    /// Looks at the link when all that happens at this moment is known.
    void ask(Index number)
    {
        Link& link = at(links_, number);
        if (!link.asked && link.sender == none && link.waiting > 0) {
            link.asked = true;
            asked_.push_back(number);
        }
    }
    void grant(Index link);
    void lack_room(Index link, unsigned channels);
    void start(Index link, Index queue, int channel);
    void append(Link& link, Index queue, Index packet);
    /// The head of a buffer begins to leave.
    Index take_packet(Queue& queue)
    {
        queue.leaving = queue.first;
        queue.first = at(packets_, queue.first).next;
        return queue.leaving;
    }
    Index cut_packet(Index queue);
    void complete(Index message);
    void tell_receiver();

    bool takes_train(Index link);
    void start_train(Index link);
    void plan_train(Index link);
    void train_end(Index link);
    void settle_train(Index link, Picoseconds begun_by);
    void cut_train(Index link);
    void note_passed(Index link, Picoseconds start, std::int64_t full, std::int64_t last_bytes);
    void account_for_passed(Index link);
    void count(Index link, Picoseconds start, const LinkUse& sent);

    Index link_index(int chip, int axis, int direction) const
    {
        return (chip * axes_ + axis) * 2 + (direction > 0 ? 0 : 1);
    }
    bool is_buffer(Index queue) const { return queue < injection_queues_; }
    Index link_of(Index queue) const
    {
        return is_buffer(queue) ? queue >> (channels_ - 1) : queue - injection_queues_;
    }
    bool is_next_door(Index link, Index message) const
    {
        return at(messages_, message).destination == at(links_, link).far_chip;
    }
    Index far_buffer(Index link, int channel) const { return link * channels_ + channel; }
    Picoseconds time_on(const Link& link, std::int32_t bytes) const
    {
        return bytes == packet_bytes_ ? link.packet_time
                                      : sending_time(bytes, link.bytes_per_second);
    }
    Index new_message();
    Index new_packet();

    template <class T>
    static T& at(std::vector<T>& items, Index index)
    {
        return items[static_cast<std::size_t>(index)];
    }
    template <class T>
    static const T& at(const std::vector<T>& items, Index index)
    {
        return items[static_cast<std::size_t>(index)];
    }

    topologies::DimensionOrder routing_;
    int chips_;
    int axes_;
    Picoseconds message_latency_;
    std::int32_t packet_bytes_;
    std::int64_t buffer_bytes_;
    std::int64_t much_room_; ///< so much at least is looked for
    int channels_;           ///< 1 or 2
    Index injection_queues_; ///< the first of them, one per link; buffers come before
    std::vector<Link> links_;
    std::vector<Own> own_; ///< [link]
    std::vector<LinkUse> link_use_;
    WaitingQueues waiting_;
    RoomReturns returns_;
    Picoseconds room_until_{0};    ///< when the last of it is back
    bool awaits_all_room_ = false; ///< there is an event for that
    std::vector<Queue> queues_;
    std::vector<Message> messages_;
    std::vector<Index> spare_messages_;
    std::vector<Packet> packets_;
    std::vector<Index> spare_packets_;
    std::vector<Index> asked_; ///< links
    PacketTurns::Pool turns_pool_;
    MessageReceiver* receiver_ = nullptr;
    PacketObserver* observer_ = nullptr;
    std::vector<MessageTag> arrived_; ///< at this moment
    std::vector<MessageTag> told_;
    EventCalendar<Event> calendar_;
    Picoseconds now_{0};
    bool awake_ = false; ///< `run` runs, or will at this moment
    PacketNetworkUse use_;
    std::int64_t encounters_ = 0;
};

} // namespace alxsim::model
