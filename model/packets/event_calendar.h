// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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

    bool empty() const { return earliest_ == never && far_.empty(); }
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
        const std::int32_t added = new_node(time.count(), event);
        const std::size_t index = slot_of(time.count());
        Slot& slot = slots_[index];
        if (slot.first == none) {
            slot.first = slot.last = added;
            occupied_[index / 64] |= std::uint64_t{1} << index % 64;
            occupied_words_ |= std::uint64_t{1} << index / 64;
        } else if (at(slot.last).time <= time.count()) { // most often
            at(slot.last).next = added;
            slot.last = added;
        } else {
            insert(slot, added);
        }
        earliest_ = time.count() < earliest_ ? time.count() : earliest_;
    }

    /// Calls `handle(event)` for the events of the earliest moment. What it posts for that moment
    /// comes the next time.
    template <class Handle>
    void take(Handle handle)
    {
        const std::int64_t moment = next().count();
        const std::int32_t first = detach(moment);
        std::int32_t last = first;
        for (std::int32_t node = first; node != none; node = at(node).next) {
            const Event event = at(node).event; // a copy: nodes move when there are more
            handle(event);
            last = node;
        }
        at(last).next = free_;
        free_ = first;
    }

private:
    static constexpr std::int32_t none = -1;
    struct Node {
        std::int64_t time;
        Event event;
        std::int32_t next; ///< in its slot, or of those that are free
    };
    /// In the order of time, and at one time of posting.
    struct Slot {
        std::int32_t first = none;
        std::int32_t last = none;
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
    static_assert(words <= 64, "occupied_words_ has a bit for each");
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    Node& at(std::int32_t node) { return nodes_[static_cast<std::size_t>(node)]; }

    std::int32_t new_node(std::int64_t time, const Event& event)
    {
        if (free_ == none) {
            nodes_.push_back({time, event, none});
            return static_cast<std::int32_t>(nodes_.size()) - 1;
        }
        const std::int32_t node = free_;
        free_ = at(node).next;
        at(node) = {time, event, none};
        return node;
    }

    /// Before what comes later, of which there is some.
    void insert(Slot& slot, std::int32_t added)
    {
        std::int32_t before = none;
        std::int32_t after = slot.first;
        for (; at(after).time <= at(added).time; after = at(after).next) {
            before = after;
        }
        at(added).next = after;
        (before == none ? slot.first : at(before).next) = added;
    }

    /// Takes the events of a moment, the earliest, out of all lists; chained.
    std::int32_t detach(std::int64_t moment)
    {
        const std::int32_t near = earliest_ == moment ? detach_near() : none;
        if (far_.empty() || far_.front().time != moment) {
            return near;
        }
        std::int32_t first = none;
        std::int32_t last = none;
        while (!far_.empty() && far_.front().time == moment) {
            std::pop_heap(far_.begin(), far_.end(), later);
            const std::int32_t node = new_node(moment, far_.back().event);
            far_.pop_back();
            (first == none ? first : at(last).next) = node;
            last = node;
        }
        at(last).next = near;
        return first;
    }

    std::int32_t detach_near()
    {
        const std::size_t index = slot_of(earliest_);
        Slot& slot = slots_[index];
        const std::int32_t first = slot.first;
        if (at(slot.last).time != earliest_) {
            std::int32_t last = first;
            while (at(at(last).next).time == earliest_) {
                last = at(last).next;
            }
            slot.first = at(last).next;
            at(last).next = none;
            earliest_ = at(slot.first).time;
            return first;
        }
        slot.first = none;
        occupied_[index / 64] &= ~(std::uint64_t{1} << index % 64);
        if (occupied_[index / 64] == 0) {
            occupied_words_ &= ~(std::uint64_t{1} << index / 64);
        }
        earliest_ = occupied_words_ == 0 ? never : at(slots_[first_occupied()].first).time;
        return first;
    }

    std::size_t slot_of(std::int64_t time) const
    {
        return static_cast<std::size_t>((time >> shift_) & (slot_count - 1));
    }

    /// Going round from now.
    std::size_t first_occupied() const
    {
        const std::size_t start = slot_of(now_);
        std::size_t word = start / 64;
        std::uint64_t bits = occupied_[word] & ~std::uint64_t{0} << start % 64;
        if (bits == 0) {
            const std::uint64_t after = occupied_words_ & ~std::uint64_t{1} << word;
            word = lowest(after != 0 ? after : occupied_words_);
            bits = occupied_[word];
        }
        return word * 64 + lowest(bits);
    }
    static std::size_t lowest(std::uint64_t bits)
    {
        return static_cast<std::size_t>(__builtin_ctzll(bits));
    }

    std::int64_t horizon_;
    int shift_ = 0;
    std::int64_t now_ = 0;
    std::int64_t earliest_ = never;
    std::vector<Node> nodes_;
    std::int32_t free_ = none; ///< the first of those nodes
    std::uint64_t occupied_words_ = 0;
    std::array<std::uint64_t, words> occupied_{};
    std::vector<Slot> slots_{static_cast<std::size_t>(slot_count)};
    std::vector<FarEntry> far_; ///< heap
    std::uint64_t far_posted_ = 0;
};

} // namespace alxsim::model
