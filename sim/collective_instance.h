// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/network.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace alxsim::sim {

/// One collective under way.
struct Network::Instance {
    std::int64_t number = 0;
    const PreparedSchedule* schedule = nullptr;
    CollectiveRun run;
    std::vector<std::function<void(const CollectiveDone&)>> done; ///< [device]
    std::vector<Picoseconds> ready;  ///< [device]: from when on it may send
    std::vector<int> missing;        ///< [group]: members that are not ready
    std::vector<Picoseconds> finish; ///< [device]
    CollectiveDone arrivals;
    int last_device = -1;
    int members = 0; ///< devices that enter it
    int entered = 0;
    int finished = 0;
    Picoseconds first_ready{0};
    bool begun = false;
    bool as_remembered = false; ///< nothing is sent: it goes as it went before
    /// Members of one that is held: who is ready, in order, and when all are, how it will go.
    std::vector<std::pair<Picoseconds, int>> held;
    CollectiveMemo::Course course;
    std::int64_t* counted = nullptr; ///< among what it is counted if it goes so
    bool undisturbed = false;        ///< so far, and from a quiet network on
    NetworkCounters before;          ///< of one undisturbed

    void reset(std::int64_t new_number, const PreparedSchedule& of, int devices)
    {
        number = new_number;
        schedule = &of;
        done.resize(static_cast<std::size_t>(devices));
        ready.resize(static_cast<std::size_t>(devices));
        finish.resize(static_cast<std::size_t>(devices));
        missing.clear();
        for (const std::vector<int>& group : of.groups) {
            missing.push_back(static_cast<int>(group.size()));
        }
        arrivals = {};
        last_device = -1;
        entered = 0;
        finished = 0;
        begun = false;
        as_remembered = false;
        undisturbed = false;
        held.clear();
        course = nullptr;
        counted = nullptr;
    }

    /// How many are not ready of those that begin with `device`.
    int& missing_with(int device)
    {
        const auto group =
            static_cast<std::size_t>(schedule->group_of[static_cast<std::size_t>(device)]);
        return missing[group];
    }
    /// Whether `device`, ready now, is the last of its group.
    bool completes_its_group(int device) { return --missing_with(device) == 0; }

    /// All have entered: each may send when the last of its group is ready.
    void wait_for_groups()
    {
        for (const std::vector<int>& group : schedule->groups) {
            Picoseconds last(0);
            for (const int device : group) {
                last = std::max(last, ready[static_cast<std::size_t>(device)]);
            }
            for (const int device : group) {
                ready[static_cast<std::size_t>(device)] = last;
            }
        }
    }

    /// `ready` is since the first device was.
    void count_from_first()
    {
        for (Picoseconds& time : ready) {
            time -= first_ready;
        }
    }
};

} // namespace alxsim::sim
