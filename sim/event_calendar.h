// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace alxsim::sim {

/// What happens when, for a model none of whose events lies further ahead than a known delay: a
/// wheel of short time slots, with no search and no allocation once it runs. Events of one moment
/// keep the order in which they were posted.
template <class Event>
class EventCalendar {
public:
    /// No event will be posted more than `horizon` ahead.
    explicit EventCalendar(Picoseconds horizon)
    {
        while ((horizon.count() >> shift_) + 2 > slot_count) {
            ++shift_;
        }
    }

    bool empty() const { return count_ == 0; }
    /// When the earliest event happens; the end of time if there is none.
    Picoseconds next() const { return Picoseconds(earliest_); }

    /// All events before `time` have been taken, and later ones will be posted.
    void advance_to(Picoseconds time) { now_ = time.count(); }

    /// `time` from now on, and not beyond the horizon.
    void post(Picoseconds time, const Event& event)
    {
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

private:
    struct Entry {
        std::int64_t time;
        Event event;
    };
    static constexpr std::int64_t slot_count = 4096;
    static constexpr std::size_t words = slot_count / 64;
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

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

    int shift_ = 0;
    std::int64_t now_ = 0;
    std::int64_t earliest_ = never;
    std::size_t count_ = 0;
    std::array<std::uint64_t, words> occupied_{};
    std::vector<std::vector<Entry>> slots_{static_cast<std::size_t>(slot_count)};
    std::vector<std::vector<Entry>> spare_; ///< storage of slots gone by, warm in the cache
};

} // namespace alxsim::sim
