// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/costs/op_cost.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace alxsim::model {

/// A bit for each unit group.
using UnitGroups = unsigned;

inline UnitGroups bit_of(std::size_t group)
{
    return UnitGroups{1} << group;
}

/// Ops of one device that nothing but their units holds up, by the group of units that they wait
/// for, each group's in program order.
class ReadyOps {
public:
    /// `ops`: [group], how many there are at most.
    void make_room(const std::array<int, unit_groups>& ops)
    {
        int all = 0;
        for (std::size_t group = 0; group < unit_groups; ++group) {
            begin_[group] = end_[group] = all;
            all += ops[group];
        }
        ops_.resize(static_cast<std::size_t>(all));
    }

    /// Those of which an op is ready.
    UnitGroups groups() const { return groups_; }

    void push(std::size_t group, int op)
    {
        ops_[static_cast<std::size_t>(end_[group]++)] = op;
        std::push_heap(at(begin_[group]), at(end_[group]), std::greater<>());
        groups_ |= bit_of(group);
    }

    /// The first in program order that waits for any of `groups`, one of which has one.
    int pop_first_of(UnitGroups groups)
    {
        std::size_t first = lowest(groups);
        for (UnitGroups rest = groups & (groups - 1); rest != 0; rest &= rest - 1) {
            const std::size_t group = lowest(rest);
            first = *at(begin_[group]) < *at(begin_[first]) ? group : first;
        }
        std::pop_heap(at(begin_[first]), at(end_[first]), std::greater<>());
        --end_[first];
        groups_ &= begin_[first] == end_[first] ? ~bit_of(first) : ~UnitGroups{0};
        return *at(end_[first]);
    }

private:
    static std::size_t lowest(UnitGroups groups)
    {
        return static_cast<std::size_t>(__builtin_ctz(groups));
    }

    std::vector<int>::iterator at(int place) { return ops_.begin() + place; }

    std::vector<int> ops_; ///< a heap for each group, from begin_ to end_
    std::array<int, unit_groups> begin_{};
    std::array<int, unit_groups> end_{};
    UnitGroups groups_ = 0;
};

} // namespace alxsim::model
