// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/compiled_graph.h"

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace alxsim::sim {

/// In which order cores begin a synchronous collective and the work that may go before or after it.
/// One program runs on all of them, whose compiler has fixed that order (XLA schedules a program
/// before it runs), so that devices of unlike speed begin in one order: the first to put work ahead
/// of a collective decides for those that come to choose later.
class ProgramOrder {
public:
    /// A synchronous collective of a graph.
    using Collective = std::pair<const model::CompiledGraph*, int>;

    explicit ProgramOrder(int devices) : devices_(static_cast<std::size_t>(devices)) {}

    /// `device` begins `op` of the graph at `now`, ahead of the collective that it begins next.
    void put_ahead(Collective collective, int device, int op, Picoseconds now)
    {
        instance(collective, device).ahead.try_emplace(op, now);
    }

    /// Whether some device has put `op` ahead of it before `now`.
    bool is_ahead(Collective collective, int device, int op, Picoseconds now)
    {
        const std::map<int, Picoseconds>& ahead = instance(collective, device).ahead;
        const auto found = ahead.find(op);
        return found != ahead.end() && found->second < now;
    }

    /// `device` begins the collective, as do `members` devices in all.
    void begin(Collective collective, int device, int members)
    {
        ++instance(collective, device).begun;
        Course& course = courses_[collective];
        ++course.begun[static_cast<std::size_t>(device)];
        while (!course.instances.empty() && course.instances.front().begun == members) {
            course.instances.pop_front();
            for (std::size_t& begun : course.begun) {
                begun -= begun > 0 ? 1 : 0; // of other roles 0
            }
        }
        if (course.instances.empty()) {
            courses_.erase(collective);
        }
    }

private:
    struct Instance {
        std::map<int, Picoseconds> ahead; ///< ops, since when
        int begun = 0;                    ///< devices
    };
    struct Course {
        std::deque<Instance> instances; ///< that some device has yet to begin
        std::vector<std::size_t> begun; ///< [device]: of these
    };

    Instance& instance(Collective collective, int device)
    {
        Course& course = courses_[collective];
        course.begun.resize(devices_);
        const std::size_t next = course.begun[static_cast<std::size_t>(device)];
        if (course.instances.size() <= next) {
            course.instances.resize(next + 1);
        }
        return course.instances[next];
    }

    std::size_t devices_;
    std::map<Collective, Course> courses_;
};

} // namespace alxsim::sim
