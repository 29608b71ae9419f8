// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/rank_replay.h"

#include "model/collectives/collective_progress.h"
#include "model/collectives/places.h"
#include "model/collectives/replays/packet_carrier.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace alxsim::model {
namespace {

/// [axis]: whether all have one place on it; not of the last, that of the groups.
std::vector<bool> unused_axes(const CollectiveSchedule& schedule)
{
    std::vector<bool> unused(schedule.axes.size(), true);
    unused.back() = false;
    for (const int axis : schedule.group) {
        unused[static_cast<std::size_t>(axis)] = false;
    }
    return unused;
}

class RankReplay {
    /// Sends at a moment.
    auto sender(Picoseconds now)
    {
        return [this, now](const ProgressMessage& message) { send(message, now); };
    }

public:
    explicit RankReplay(const CollectiveSchedule& schedule)
        : ranks_(*schedule.ranks),
          in_chunks_(schedule.colours_are_chunks()),
          group_(schedule.group),
          places_(schedule.axes, unused_axes(schedule)),
          planned_(schedule),
          carrier_(*ranks_.network, planned_.longest_message(),
                   [this](std::uint64_t event, Picoseconds now) {
                       progress_.receive(CollectiveEvent::of(event), sender(now));
                   })
    {
        progress_.start(planned_, places_, places_.count());
    }

    Picoseconds finish()
    {
        for (int member = 0; member < places_.count(); ++member) {
            progress_.enter(member, sender(Picoseconds(0)));
        }
        carrier_.run();
        const Picoseconds first_part = carrier_.last();
        for (int member = 0; planned_.has_second_part() && member < places_.count(); ++member) {
            progress_.enter_second_part(member, sender(first_part));
        }
        carrier_.run();
        return carrier_.last();
    }

private:
    int device_of(int member) const
    {
        const auto last = static_cast<int>(places_.axes().size()) - 1;
        const auto group = static_cast<std::size_t>(places_.position(last, member));
        int place = 0; // in the list
        for (const int axis : group_) {
            place +=
                places_.position(axis, member) * ranks_.strides[static_cast<std::size_t>(axis)];
        }
        return ranks_.groups[group][static_cast<std::size_t>(place)];
    }

    void send(const ProgressMessage& message, Picoseconds now)
    {
        const auto stream = static_cast<std::uint64_t>(in_chunks_ ? 0 : message.colour);
        carrier_.send(device_of(message.from), device_of(message.to), message.bytes, stream,
                      message.arrival().packed(), now);
    }

    const RankGroups& ranks_;
    bool in_chunks_;
    std::vector<int> group_; ///< axes on which the members of a group stand
    Places places_;
    PlannedCollective planned_;
    CollectiveProgress<Places> progress_;
    PacketCarrier carrier_;
};

} // namespace

Picoseconds rank_schedule_time(const CollectiveSchedule& schedule)
{
    return schedule.colours.front().phases.empty() ? Picoseconds(0) : RankReplay(schedule).finish();
}

} // namespace alxsim::model
