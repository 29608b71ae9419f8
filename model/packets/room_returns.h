// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace alxsim::model {

/// Room in buffers that is on its way back to the routers before them: a list for each buffer,
/// looked at when somebody wants the room. Memory of all lists is in one pool.
class RoomReturns {
public:
    /// In the order of time.
    struct List {
        std::int32_t first = none;
        std::int32_t last = none;
    };
    static constexpr Picoseconds never{std::numeric_limits<std::int64_t>::max()};

    /// `bytes`: below 2^30. Most come after what is there.
    void add(List& list, Picoseconds time, std::int32_t bytes, bool irregular)
    {
        const std::int32_t added = new_return({time, bytes, irregular, none});
        std::int32_t before = list.last;
        if (before != none && at(before).time > time) {
            before = last_until(list, time);
        }
        std::int32_t& place = before == none ? list.first : at(before).next;
        at(added).next = place;
        place = added;
        list.last = at(added).next == none ? added : list.last;
    }

    /// When the first one is back.
    Picoseconds next(const List& list) const
    {
        return list.first == none ? never : at(list.first).time;
    }

    /// Calls `back(bytes, irregular)` for all that are back by `now`.
    template <class Back>
    void take(List& list, Picoseconds now, Back back)
    {
        while (list.first != none && at(list.first).time <= now) {
            Return& gone = at(list.first);
            back(gone.bytes, gone.irregular);
            const std::int32_t next = gone.next;
            gone.next = free_;
            free_ = list.first;
            list.first = next;
        }
        list.last = list.first == none ? none : list.last;
    }

private:
    static constexpr std::int32_t none = -1;
    struct Return {
        Picoseconds time;
        std::int32_t bytes : 31;
        bool irregular : 1;
        std::int32_t next; ///< in its list, or of those that are free
    };

    Return& at(std::int32_t index) { return returns_[static_cast<std::size_t>(index)]; }
    const Return& at(std::int32_t index) const { return returns_[static_cast<std::size_t>(index)]; }

    std::int32_t new_return(const Return& added)
    {
        if (free_ == none) {
            returns_.push_back(added);
            return static_cast<std::int32_t>(returns_.size()) - 1;
        }
        const std::int32_t index = free_;
        free_ = at(index).next;
        at(index) = added;
        return index;
    }

    std::int32_t last_until(const List& list, Picoseconds time) const
    {
        std::int32_t last = none;
        for (std::int32_t one = list.first; at(one).time <= time; one = at(one).next) {
            last = one;
        }
        return last;
    }

    std::vector<Return> returns_;
    std::int32_t free_ = none;
};

} // namespace alxsim::model
