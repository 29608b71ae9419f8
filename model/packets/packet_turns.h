// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace alxsim::model {

/// How long a link of `bytes_per_second` sends `bytes`, rounded up.
inline Picoseconds sending_time(std::int64_t bytes, double bytes_per_second)
{
    return to_picoseconds(Seconds(static_cast<double>(bytes) / bytes_per_second));
}

/// Packets of a message before its last one, all of the longest kind. A message of no bytes is one
/// empty packet.
inline std::int64_t full_packets(std::int64_t bytes, std::int64_t packet)
{
    return bytes <= packet ? 0 : (bytes - 1) / packet;
}

/// What one chip sends on one link. Its streams (one colour of a device's collective, say) take
/// turns, a packet each; the messages of a stream go one after another. While nothing is added,
/// what goes when is arithmetic: see `run`. Messages are numbers to be given back; memory of all
/// links' queues is in one Pool.
class PacketTurns {
    /// What is left of a message: so many of the longest kind, then one of `last_bytes`.
    struct Packets {
        std::int64_t full = 0;
        std::int64_t last_bytes = 0;

        static Packets of(std::int64_t bytes, std::int64_t packet)
        {
            const std::int64_t full = full_packets(bytes, packet);
            return {full, bytes - full * packet};
        }
    };

public:
    /// Messages that wait behind others of their stream.
    class Pool {
        friend class PacketTurns;
        struct Node {
            Packets packets;
            std::int32_t message = 0;
            std::int32_t next = -1;
        };
        std::int32_t add(std::int32_t message, Packets packets)
        {
            if (free_ < 0) {
                nodes_.push_back({packets, message, -1});
                return static_cast<std::int32_t>(nodes_.size()) - 1;
            }
            const std::int32_t index = free_;
            free_ = at(index).next;
            at(index) = {packets, message, -1};
            return index;
        }
        void release(std::int32_t index)
        {
            at(index).next = free_;
            free_ = index;
        }
        Node& at(std::int32_t index) { return nodes_[static_cast<std::size_t>(index)]; }

        std::vector<Node> nodes_;
        std::int32_t free_ = -1;
    };

    /// Packets until the first message is complete: `full` of the longest kind, then one of
    /// `last_bytes`, which ends that message.
    struct Run {
        std::int64_t full = 0;
        std::int64_t last_bytes = 0;
    };

    bool empty() const { return streams_.empty(); }

    /// `message` goes when those before it in `stream` have gone. Streams take turns by ascending
    /// key, then begin anew, whichever was added first; `head_stays`: what has its turn next keeps
    /// it, since the link was asked for it.
    void add(Pool& pool, std::uint64_t stream, std::int32_t message, std::int64_t bytes,
             std::int64_t packet, bool head_stays)
    {
        const Packets packets = Packets::of(bytes, packet);
        for (Stream& known : streams_) {
            if (known.key == stream) {
                const std::int32_t node = pool.add(message, packets);
                (known.first < 0 ? known.first : pool.at(known.last).next) = node;
                known.last = node;
                return;
            }
        }
        const bool keep = head_stays && !streams_.empty();
        const std::uint64_t before = keep ? streams_.front().key : served_;
        const auto place = std::find_if(streams_.begin() + (keep ? 1 : 0), streams_.end(),
                                        [&](const Stream& other) { // modulo 2^64
                                            return other.key - before - 1 > stream - before - 1;
                                        });
        streams_.insert(place, {stream, packets, message, -1, -1});
    }

    /// A message of `stream` goes at once, in one packet, as nothing else waits.
    void pass(std::uint64_t stream) { served_ = stream; }

    /// The messages that have turns now, in their order.
    template <class Visit>
    void for_heads(Visit visit) const
    {
        for (const Stream& stream : streams_) {
            visit(stream.message);
        }
    }

    Run run() const
    {
        const Stream& head = streams_.front();
        const auto turns = static_cast<std::int64_t>(streams_.size());
        if (turns == 1) { // most often
            return {head.left.full, head.left.last_bytes};
        }
        std::int64_t rounds = head.left.full;
        std::size_t first = 0;
        for (std::size_t i = 1; i < streams_.size(); ++i) {
            if (streams_[i].left.full < rounds) {
                rounds = streams_[i].left.full;
                first = i;
            }
        }
        return {rounds * turns + static_cast<std::int64_t>(first), streams_[first].left.last_bytes};
    }

    /// `count` packets go, none of which ends a message: at most `run().full`.
    void take_full(std::int64_t count)
    {
        if (count == 0) {
            return;
        }
        const auto turns = static_cast<std::int64_t>(streams_.size());
        if (turns == 1) { // most often
            streams_.front().left.full -= count;
            served_ = streams_.front().key;
            return;
        }
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): two or more are here
        const std::int64_t rounds = turns == 2 ? count / 2 : count / turns; // two: most often
        const std::int64_t rest = count - rounds * turns;
        for (std::int64_t i = 0; i < turns; ++i) {
            streams_[static_cast<std::size_t>(i)].left.full -= rounds + (i < rest ? 1 : 0);
        }
        turn(rest);
        served_ = streams_.back().key;
    }

    /// The message whose turn it is, and the length of its next packet.
    std::int32_t head() const { return streams_.front().message; }
    std::int64_t head_bytes(std::int64_t packet) const
    {
        return head_is_last() ? streams_.front().left.last_bytes : packet;
    }
    bool head_is_last() const { return streams_.front().left.full == 0; }

    /// The message whose turn it is ends with its next packet: its stream goes on with the next one
    /// at its next turn.
    void take_last(Pool& pool)
    {
        Stream& stream = streams_.front();
        served_ = stream.key;
        if (stream.first < 0) {
            streams_.erase(streams_.begin());
            return;
        }
        const std::int32_t node = stream.first;
        stream.left = pool.at(node).packets;
        stream.message = pool.at(node).message;
        stream.first = pool.at(node).next;
        pool.release(node);
        turn(1);
    }

private:
    struct Stream {
        std::uint64_t key;
        Packets left; ///< of the message that has its turns
        std::int32_t message;
        std::int32_t first; ///< those behind it, in the pool
        std::int32_t last;
    };

    /// So many have had their turn.
    void turn(std::int64_t count)
    {
        if (streams_.size() == 2 && count == 1) {
            std::swap(streams_.front(), streams_.back());
        } else if (count > 0 && streams_.size() > 1) {
            std::rotate(streams_.begin(), streams_.begin() + count, streams_.end());
        }
    }

    std::vector<Stream> streams_; ///< whose turn it is first
    std::uint64_t served_ = 0;    ///< whose packet went last
};

/// A link while nobody but the chip before it sends: back to back, from `start` on. The times are
/// those of packet after packet, found without looking at each.
class PacketTrain {
public:
    static constexpr Picoseconds never{-1};

    /// What a train has sent when its first message is complete.
    struct Sent {
        std::int32_t message = 0;
        std::int64_t full = 0; ///< packets of the longest kind, then one of `last_bytes`
        std::int64_t last_bytes = 0;
    };

    Picoseconds start{0};   ///< of the packet whose turn it is
    Picoseconds end{never}; ///< of the first message that is complete

    bool under_way() const { return end != never; }
    /// Whether the packet on the wire ends a message: nothing changes that any more.
    bool ends() const { return ending_ >= 0; }

    /// Packets that began before `now` are gone.
    void settle(PacketTurns& turns, PacketTurns::Pool& pool, Picoseconds now,
                Picoseconds packet_time, std::int64_t packet)
    {
        if (now <= start || ends()) {
            return;
        }
        const std::int64_t begun = ceil_divide((now - start).count(), packet_time.count());
        const std::int64_t full = turns.run().full;
        const std::int64_t gone = std::min(begun, full);
        turns.take_full(gone);
        start += packet_time * gone;
        if (begun > full) {
            take_last(turns, pool, packet);
        }
    }

    /// The first message is complete.
    Sent finish(PacketTurns& turns, PacketTurns::Pool& pool, std::int64_t packet)
    {
        Sent sent;
        if (!ends()) {
            sent.full = turns.run().full;
            turns.take_full(sent.full);
            take_last(turns, pool, packet);
        }
        sent.message = ending_;
        sent.last_bytes = ending_bytes_;
        ending_ = -1;
        end = never;
        return sent;
    }

private:
    void take_last(PacketTurns& turns, PacketTurns::Pool& pool, std::int64_t packet)
    {
        ending_ = turns.head();
        ending_bytes_ = turns.head_bytes(packet);
        turns.take_last(pool);
    }

    std::int32_t ending_ = -1;
    std::int64_t ending_bytes_ = 0;
};

} // namespace alxsim::model
