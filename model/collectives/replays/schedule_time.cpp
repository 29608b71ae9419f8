// SPDX-License-Identifier: Apache-2.0
#include "base/memo.h"
#include "model/collectives/collective.h"
#include "model/collectives/replays/message_replay.h"
#include "model/collectives/replays/rank_replay.h"
#include "model/collectives/replays/replay_key.h"
#include "model/collectives/replays/schedule_replay.h"

#include <cstdint>
#include <vector>

namespace alxsim::model {
namespace {

using ReplayMemo = Memo<std::vector<std::int64_t>, Picoseconds>;

/// A replay takes up to milliseconds, and points of a study, their estimates and explanations ask
/// for the same ones.
Picoseconds replayed_time(const CollectiveSchedule& schedule)
{
    static ReplayMemo known(10'000); // of some 200 bytes each
    return known.get(replay_key(schedule),
                     [&] { return ScheduleReplay(schedule, places_of(schedule)).finish(); });
}

/// Packet by packet it takes up to seconds: nobody computes what another thread does.
Picoseconds time_by_packets(const CollectiveSchedule& schedule)
{
    static ReplayMemo known(1'000); // of some 10 kB each
    return known.get_once(replay_key(schedule), [&] {
        return schedule.messages.empty() ? rank_schedule_time(schedule)
                                         : message_schedule_time(schedule);
    });
}

} // namespace

Picoseconds schedule_time(const CollectiveSchedule& schedule)
{
    if (!schedule.messages.empty()) {
        return schedule.messages_over ? time_by_packets(schedule) : schedule.messages_time;
    }
    if (schedule.axes.empty() || schedule.colours.empty()) {
        return Picoseconds(0);
    }
    return schedule.has_rank_network() ? time_by_packets(schedule) : replayed_time(schedule);
}

} // namespace alxsim::model
