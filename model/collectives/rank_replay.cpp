// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/rank_replay.h"

#include "base/work/stop.h"
#include "model/collectives/collective_progress.h"
#include "model/collectives/moments.h"
#include "model/collectives/places.h"
#include "model/packets/packet_engine.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace alxsim::model {
namespace {

/// Of a message; of longer ones the packets are larger.
constexpr std::int64_t most_packets = 64;

PacketNetworkSpec links_for(const RankNetwork& network, const PlannedCollective& planned)
{
    PacketNetworkSpec links = network.links;
    Bytes largest(0);
    for (const PlannedPhase& phase : planned.plans) {
        for (const Bytes bytes : phase.plan.bytes) {
            largest = std::max(largest, bytes);
        }
    }
    if (!links.buffer_bytes) { // else a packet has to fit in there
        const Bytes packet(
            std::min(ceil_divide(largest.count(), most_packets), std::int64_t{1} << 29));
        links.packet_bytes = std::max(links.packet_bytes, packet);
    }
    return links;
}

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

class RankReplay : private MessageReceiver {
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
          on_chip_(ranks_.network->on_chip),
          engine_(ranks_.network->slice, links_for(*ranks_.network, planned_))
    {
        engine_.set_receiver(*this);
        progress_.start(planned_, places_, places_.count());
    }

    Picoseconds finish()
    {
        for (int member = 0; member < places_.count(); ++member) {
            progress_.enter(member, sender(Picoseconds(0)));
        }
        run();
        for (int member = 0; planned_.has_second_part() && member < places_.count(); ++member) {
            progress_.enter_second_part(member, sender(last_));
        }
        run();
        return last_;
    }

private:
    /// Until nothing is under way.
    void run()
    {
        StopLook stop;
        while (!on_chip_arrivals_.empty() || engine_.waits()) {
            stop();
            if (!on_chip_arrivals_.empty() &&
                (!engine_.waits() || on_chip_arrivals_.next() <= engine_.next())) {
                arrive_on_chip();
            } else {
                now_ = engine_.next();
                engine_.run(now_);
            }
        }
    }

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
        const int from = device_of(message.from);
        const int to = device_of(message.to);
        const int chip = from / ranks_.network->devices_per_chip;
        const int far_chip = to / ranks_.network->devices_per_chip;
        const std::uint64_t event = message.arrival().packed();
        if (chip == far_chip) {
            on_chip_arrivals_.post(on_chip_.send(from, to, message.bytes, now), event);
            return;
        }
        const auto local = static_cast<std::uint64_t>(from % ranks_.network->devices_per_chip);
        const auto colour = static_cast<std::uint64_t>(in_chunks_ ? 0 : message.colour);
        engine_.send(chip, far_chip, message.bytes, colour << 8 | local, {0, event}, now);
    }

    void arrive_on_chip()
    {
        now_ = on_chip_arrivals_.next();
        std::vector<std::uint64_t> moment = on_chip_arrivals_.take();
        std::sort(moment.begin(), moment.end());
        for (const std::uint64_t event : moment) {
            arrive(event);
        }
        on_chip_arrivals_.reuse(std::move(moment));
    }

    void received(const std::vector<MessageTag>& messages) override
    {
        for (const MessageTag& message : messages) {
            arrive(message.rank);
        }
    }

    void arrive(std::uint64_t event)
    {
        last_ = now_;
        progress_.receive(CollectiveEvent::of(event), sender(now_));
    }

    const RankGroups& ranks_;
    bool in_chunks_;
    std::vector<int> group_; ///< axes on which the members of a group stand
    Places places_;
    PlannedCollective planned_;
    CollectiveProgress<Places> progress_;
    OnChipPaths on_chip_;
    Moments<std::uint64_t> on_chip_arrivals_; ///< CollectiveEvents, packed
    PacketEngine engine_;
    Picoseconds now_{0};
    Picoseconds last_{0}; ///< arrival
};

} // namespace

Picoseconds rank_schedule_time(const CollectiveSchedule& schedule)
{
    return schedule.colours.front().phases.empty() ? Picoseconds(0) : RankReplay(schedule).finish();
}

} // namespace alxsim::model
