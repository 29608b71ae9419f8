// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace alxsim::model {

/// What happens when, for a model few of whose events lie further ahead than a known delay: a wheel
/// of short time slots, with no search and no allocation once it runs, and a heap for the few.
/// Events of one moment keep the order in which they were posted, those from the heap first.
template <class Event>
class EventCalendar {
public:
    /// Events that lie no more than `horizon` ahead are cheap.
    explicit EventCalendar(Picoseconds horizon) : horizon_(horizon.count())
    {
        while ((horizon.count() >> shift_) + 2 > slot_count) {
            ++shift_;
        }
    }

    bool empty() const { return count_ == 0 && far_.empty(); }
    /// When the earliest event happens; the end of time if there is none.
    Picoseconds next() const
    {
        return Picoseconds(far_.empty() ? earliest_ : std::min(earliest_, far_.front().time));
    }

    /// All events before `time` have been taken, and later ones will be posted.
    void advance_to(Picoseconds time) { now_ = time.count(); }

    /// `time` from now on.
    void post(Picoseconds time, const Event& event)
    {
        if (time.count() > now_ + horizon_) {
            far_.push_back({time.count(), ++far_posted_, event});
            std::push_heap(far_.begin(), far_.end(), later);
            return;
        }
        const std::size_t index = slot_of(time.count());
        std::vector<Entry>& slot = slots_[index];
        if (slot.empty()) {
            occupied_[index / 64] |= std::uint64_t{1} << index % 64;
            if (!spare_.empty()) {
                slot = std::move(spare_.back());
                spare_.pop_back();
            }
        }
        slot.push_back({time.count(), event});
        earliest_ = time.count() < earliest_ ? time.count() : earliest_;
        ++count_;
    }

    /// Moves the events of the earliest moment to the end of `events`.
    void take(std::vector<Event>& events)
    {
        const std::int64_t moment = next().count();
        while (!far_.empty() && far_.front().time == moment) {
            std::pop_heap(far_.begin(), far_.end(), later);
            events.push_back(far_.back().event);
            far_.pop_back();
        }
        if (earliest_ == moment) {
            take_near(events);
        }
    }

private:
    struct Entry {
        std::int64_t time;
        Event event;
    };
    struct FarEntry {
        std::int64_t time;
        std::uint64_t posted;
        Event event;
    };
    static bool later(const FarEntry& a, const FarEntry& b)
    {
        return a.time != b.time ? a.time > b.time : a.posted > b.posted;
    }
    static constexpr std::int64_t slot_count = 4096;
    static constexpr std::size_t words = slot_count / 64;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    void take_near(std::vector<Event>& events)
    {
        std::vector<Entry>& slot = slots_[slot_of(earliest_)];
        std::size_t kept = 0;
        for (std::size_t i = 0; i < slot.size(); ++i) {
            if (slot[i].time == earliest_) {
                events.push_back(slot[i].event);
            } else {
                slot[kept++] = slot[i];
            }
        }
        count_ -= slot.size() - kept;
        slot.erase(slot.begin() + static_cast<std::ptrdiff_t>(kept), slot.end());
        if (kept == 0) {
            const std::size_t index = slot_of(earliest_);
            occupied_[index / 64] &= ~(std::uint64_t{1} << index % 64);
            spare_.push_back(std::move(slot));
        }
        find_earliest();
    }

    std::size_t slot_of(std::int64_t time) const
    {
        return static_cast<std::size_t>((time >> shift_) & (slot_count - 1));
    }

    /// The minimum of the first slot in use, going round from now.
    void find_earliest()
    {
        earliest_ = never;
        if (count_ == 0) {
            return;
        }
        for (const Entry& entry : slots_[first_occupied()]) {
            earliest_ = entry.time < earliest_ ? entry.time : earliest_;
        }
    }

    std::size_t first_occupied() const
    {
        const std::size_t start = slot_of(now_);
        std::size_t word = start / 64;
        std::uint64_t bits = occupied_[word] & ~std::uint64_t{0} << start % 64;
        while (bits == 0) {
            word = (word + 1) % words;
            bits = occupied_[word];
        }
        return word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
    }

    std::int64_t horizon_;
    std::vector<FarEntry> far_; ///< heap
    std::uint64_t far_posted_ = 0;
    int shift_ = 0;
    std::int64_t now_ = 0;
    std::int64_t earliest_ = never;
    std::size_t count_ = 0;
    std::array<std::uint64_t, words> occupied_{};
    std::vector<std::vector<Entry>> slots_{static_cast<std::size_t>(slot_count)};
    std::vector<std::vector<Entry>> spare_; ///< storage of slots gone by, warm in the cache
};

} // namespace alxsim::model
