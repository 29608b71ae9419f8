// SPDX-License-Identifier: Apache-2.0
#include "base/memo.h"
#include "model/collectives/collective.h"
#include "model/collectives/replays/box_tiles.h"
#include "model/collectives/replays/line_replay.h"
#include "model/collectives/replays/message_replay.h"
#include "model/collectives/replays/rank_replay.h"
#include "model/collectives/replays/replay_key.h"
#include "model/collectives/replays/routed_network.h"
#include "model/collectives/replays/schedule_replay.h"

#include <algorithm>
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

bool is_on_rings(const CollectiveSchedule& schedule)
{
    return std::all_of(schedule.group.begin(), schedule.group.end(), [&](int axis) {
        return schedule.axes[static_cast<std::size_t>(axis)].wraps;
    });
}

/// Along lines where that is exact. On rings of one device a chip also where phases meet on some
/// lines by up to a twentieth of the time earlier than on others: 0.1 % off in the mean and 0.7 %
/// at most of those that LineReplay's test draws (of two devices a chip it would be up to 2.3 %).
/// For the rest all chips of a block are played, since the ends of lines have less to do.
Picoseconds time_of_lists(const CollectiveSchedule& schedule)
{
    if (goes_along_lines(schedule)) {
        const LineTime along_lines = line_schedule_time(schedule);
        const bool almost_will_do =
            is_on_rings(schedule) && schedule.ranks->network->devices_per_chip == 1;
        const Picoseconds most_apart = almost_will_do ? along_lines.time / 20 : Picoseconds(0);
        if (along_lines.apart <= most_apart) {
            return along_lines.time;
        }
    }
    return rank_schedule_time(are_tiles(schedule) ? of_one_block(schedule) : schedule);
}

/// Packet by packet it takes up to seconds: nobody computes what another thread does.
Picoseconds time_by_packets(const CollectiveSchedule& schedule)
{
    static ReplayMemo known(1'000); // of some 10 kB each
    return known.get_once(replay_key(schedule), [&] {
        return schedule.messages.empty() ? time_of_lists(schedule)
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
