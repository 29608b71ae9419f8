// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// A queue whose head waits for a link.
class WaitingQueue {
public:
    WaitingQueue() = default;
    /// Since `since`, with so many bytes below 2^30, for channel 0 or 1. `yields`: it enters the
    /// network to go far.
    WaitingQueue(std::int32_t queue, Picoseconds since, std::int32_t bytes, int channel,
                 bool yields)
        : order_(static_cast<std::uint64_t>(since.count()) | (yields ? last : 0)),
          queue_(queue),
          bytes_and_channel_(bytes * 2 + channel)
    {
    }

    std::int32_t queue() const { return queue_; }
    bool yields() const { return order_ >= last; }
    std::int32_t bytes() const { return bytes_and_channel_ >> 1; }
    int channel() const { return bytes_and_channel_ & 1; }

    /// What enters the network to go far waits for what is on its way, or the network would fill up
    /// beyond what it can carry. Else in the order of waiting; of those that begin at one moment,
    /// the lowest queue.
    bool goes_before(const WaitingQueue& other) const
    {
        return order_ != other.order_ ? order_ < other.order_ : queue_ < other.queue_;
    }

private:
    static constexpr std::uint64_t last = std::uint64_t{1} << 63; ///< beyond all times

    std::uint64_t order_ = 0;
    std::int32_t queue_ = 0;
    std::int32_t bytes_and_channel_ = 0;
};

/// What waits for each link, in the order in which it may go, side by side in memory: as many as a
/// router has buffers, and the queue of its chip. How many wait is kept by the links.
class WaitingQueues {
public:
    void resize(std::size_t links, std::size_t most)
    {
        lines_ = (most + of_a_line - 1) / of_a_line;
        all_.resize(links * lines_);
    }

    /// The first one; the others follow.
    WaitingQueue* of(std::int32_t link)
    {
        return all_[static_cast<std::size_t>(link) * lines_].data();
    }

    void add(std::int32_t link, std::int16_t& count, const WaitingQueue& added)
    {
        WaitingQueue* const first = of(link);
        WaitingQueue* place = first + count++;
        for (; place != first && added.goes_before(place[-1]); --place) {
            *place = place[-1];
        }
        *place = added;
    }

    static void remove(WaitingQueue* gone, int followers)
    {
        for (; followers > 0; --followers, ++gone) {
            *gone = gone[1];
        }
    }

private:
    static constexpr std::size_t of_a_line = 4;
    struct alignas(64) Line : std::array<WaitingQueue, of_a_line> {};

    std::size_t lines_ = 0; ///< of a link
    std::vector<Line> all_; ///< [link][line]
};

} // namespace alxsim::model
