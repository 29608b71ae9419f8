// SPDX-License-Identifier: Apache-2.0
#include "base/memo.h"
#include "model/collectives/collective.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/rank_replay.h"
#include "model/collectives/schedule_replay.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace alxsim::model {
namespace {

constexpr std::size_t most_remembered = 10000; ///< of some 200 bytes each

/// All that a replay reads of a schedule.
class ReplayKey {
public:
    explicit ReplayKey(const CollectiveSchedule& schedule)
        : numbers_{static_cast<std::int64_t>(schedule.axes.size()), schedule.then}
    {
        for (const NetworkAxis& axis : schedule.axes) {
            add(axis);
        }
        for (const Colour& colour : schedule.colours) {
            numbers_.push_back(static_cast<std::int64_t>(colour.phases.size()));
            for (const AxisPhase& phase : colour.phases) {
                add(phase);
            }
        }
    }

    const std::vector<std::int64_t>& numbers() const { return numbers_; }

private:
    void add(const NetworkAxis& axis)
    {
        numbers_.insert(numbers_.end(),
                        {axis.torus_axis, axis.length, axis.wraps, bits_of(axis.bytes_per_second),
                         axis.latency.count(), axis.packet.count(), bits_of(axis.hidden),
                         axis.joins_slices});
    }
    void add(const AxisPhase& phase)
    {
        numbers_.insert(numbers_.end(),
                        {phase.axis, static_cast<std::int64_t>(phase.exchange), phase.shard.count(),
                         phase.directions, phase.downwards, phase.chunks, phase.members,
                         phase.origin, static_cast<std::int64_t>(phase.only_at.size())});
        for (const AxisPosition& at : phase.only_at) {
            numbers_.insert(numbers_.end(), {at.axis, at.position});
        }
    }
    static std::int64_t bits_of(double number)
    {
        std::int64_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        return bits;
    }

    std::vector<std::int64_t> numbers_;
};

/// A replay takes up to milliseconds, and points of a study, their estimates and explanations ask
/// for the same ones.
Picoseconds replayed_time(const CollectiveSchedule& schedule)
{
    static Memo<std::vector<std::int64_t>, Picoseconds> known(most_remembered);
    return known.get(ReplayKey(schedule).numbers(),
                     [&] { return ScheduleReplay(schedule, places_of(schedule)).finish(); });
}

} // namespace

Picoseconds schedule_time(const CollectiveSchedule& schedule)
{
    if (!schedule.messages.empty()) {
        return schedule.messages_time;
    }
    if (schedule.axes.empty() || schedule.colours.empty()) {
        return Picoseconds(0);
    }
    return schedule.has_rank_network() ? rank_schedule_time(schedule) : replayed_time(schedule);
}

} // namespace alxsim::model
