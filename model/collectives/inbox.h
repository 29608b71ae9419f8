// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace alxsim::model {

constexpr Picoseconds end_of_time{std::numeric_limits<std::int64_t>::max()};

/// What is on its way to a chip, in order of time, and at one moment of events. What is added comes
/// after most of what is there.
class Inbox {
public:
    bool empty() const { return first_ == items_.size(); }
    /// When the next one comes.
    Picoseconds next() const { return empty() ? end_of_time : items_[first_].time; }
    /// What comes next, of which there is one.
    std::uint32_t event() const { return items_[first_].event; }

    void add(Picoseconds time, std::uint32_t event)
    {
        if (first_ >= most_behind) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        std::size_t at = items_.size();
        items_.emplace_back();
        for (; at > first_ && items_[at - 1].is_after(time, event); --at) {
            items_[at].time = items_[at - 1].time;
            items_[at].event = items_[at - 1].event;
        }
        items_[at].time = time;
        items_[at].event = event;
    }

    void take()
    {
        ++first_;
        if (empty()) {
            items_.clear();
            first_ = 0;
        }
    }

private:
    struct Arrival {
        Picoseconds time{0};
        std::uint32_t event = 0;

        bool is_after(Picoseconds other, std::uint32_t other_event) const
        {
            return time != other ? time > other : event > other_event;
        }
    };
    static constexpr std::size_t most_behind = 16; ///< lest they take the cache from what is ahead

    std::vector<Arrival> items_;
    std::size_t first_ = 0; ///< those before it have come
};

} // namespace alxsim::model
