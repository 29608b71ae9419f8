// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

#include <cstdint>

namespace alxsim::model {

/// Whether line_schedule_time() has a schedule: groups that are boxes with others' chips between
/// theirs, all alike, of one device of each chip, which cover all devices; exchanges without an
/// origin, nothing broken, no twist.
bool goes_along_lines(const CollectiveSchedule& schedule);

struct LineTime {
    Picoseconds time{0};
    /// By how much phases that met on a line meet earlier or later on others, at most; 0: `time` is
    /// the same picoseconds as rank_schedule_time().
    Picoseconds apart{0};
    std::int64_t packet_hops = 0; ///< packets put on links: what the replay costs
};

/// rank_schedule_time() of such a schedule, packet by packet along one line of chips of each axis
/// in place of all: lines of an axis share no link, and what happens on one is what happens on the
/// others, later by what their chips were late before. The earliest line stands for all.
LineTime line_schedule_time(const CollectiveSchedule& schedule);

} // namespace alxsim::model
