// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/network_counters.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace alxsim::sim {

struct PreparedSchedule;

/// How a collective went that nothing disturbed, from a quiet network on: it goes so again.
struct RememberedCollective {
    std::vector<Picoseconds> finish; ///< [device], after the first one was ready
    NetworkCounters before, after;
    /// Some are done so much sooner than others that they might begin another one before all are:
    /// it goes so again as long as none begins (network_held.cpp).
    bool apart = false;
};

/// Undisturbed collectives by schedule and by when each device was ready, after the first one.
class CollectiveMemo {
public:
    using Course = std::shared_ptr<const RememberedCollective>;

    /// Late members need not be late by the same time ever again: keeps no more than `capacity`.
    explicit CollectiveMemo(std::size_t capacity) : capacity_(capacity) {}

    bool full() const { return known_.size() >= capacity_; }
    std::size_t size() const { return known_.size(); }

    /// Null if it is not known.
    Course find(const PreparedSchedule& schedule, const std::vector<Picoseconds>& ready) const
    {
        const auto found = known_.find({&schedule, ready});
        return found == known_.end() ? nullptr : found->second;
    }

    void keep(const PreparedSchedule& schedule, const std::vector<Picoseconds>& ready,
              Course collective)
    {
        if (!full()) {
            known_.emplace(Key{&schedule, ready}, std::move(collective));
        }
    }

    /// `schedule` is gone.
    void forget(const PreparedSchedule& schedule)
    {
        auto known = known_.lower_bound({&schedule, {}});
        while (known != known_.end() && known->first.first == &schedule) {
            known = known_.erase(known);
        }
    }

private:
    using Key = std::pair<const PreparedSchedule*, std::vector<Picoseconds>>;

    std::size_t capacity_;
    std::map<Key, Course> known_;
};

} // namespace alxsim::sim
