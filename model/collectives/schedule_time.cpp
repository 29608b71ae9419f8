// SPDX-License-Identifier: Apache-2.0
#include "base/memo.h"
#include "model/collectives/collective.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/collective_progress.h"
#include "model/collectives/moments.h"
#include "model/collectives/places.h"
#include "model/collectives/rank_replay.h"
#include "model/packets/packet_turns.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace alxsim::model {
namespace {

constexpr std::size_t most_remembered = 10000; ///< of some 200 bytes each

/// Where the members of a schedule stand. All places of a ring behave alike unless something begins
/// at its origin, so one stands for all of them; so does one for all groups along an axis that no
/// phase uses. A line is its own mirror image unless everything goes one way on it; the devices of
/// a chip are not, since they take turns on its links.
Places places_of(const CollectiveSchedule& schedule)
{
    std::vector<bool> used(schedule.axes.size(), false);
    bool one_way = false; // from an origin, or up
    bool rooted = false;
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            used[static_cast<std::size_t>(phase.axis)] = true;
            rooted = rooted || has_origin(phase.exchange);
            one_way = one_way || rooted || phase.exchange == Exchange::shift;
        }
    }
    std::vector<bool> alike;
    std::vector<bool> mirrored;
    for (std::size_t axis = 0; axis < schedule.axes.size(); ++axis) {
        const NetworkAxis& along = schedule.axes[axis];
        alike.push_back(is_torus(along) && (!used[axis] || (along.wraps && !rooted)));
        mirrored.push_back(is_torus(along) && !alike.back() && !along.wraps && !one_way &&
                           along.length % 2 == 0);
    }
    return {schedule.axes, alike, mirrored};
}

/// Plays a schedule message by message on links that nobody else uses.
class Replay {
    /// Sends at a moment.
    auto sender(Picoseconds now)
    {
        return [this, now](const ProgressMessage& message) { send(message, now); };
    }

public:
    explicit Replay(const CollectiveSchedule& schedule)
        : axes_(schedule.axes),
          in_chunks_(schedule.colours_are_chunks()),
          places_(places_of(schedule)),
          planned_(schedule)
    {
        devices_per_chip_ =
            axes_.front().torus_axis == NetworkAxis::on_chip ? axes_.front().length : 1;
        links_.resize(axes_.size() * 2 * static_cast<std::size_t>(places_.count()));
        set_rates();
        progress_.start(planned_, places_, places_.count());
    }

    Picoseconds finish()
    {
        if (planned_.phases == 0) {
            return Picoseconds(0);
        }
        for (int member = 0; member < places_.count(); ++member) {
            progress_.enter(member, sender(Picoseconds(0)));
        }
        Picoseconds last(0);
        while (!moments_.empty()) {
            const Picoseconds time = moments_.next();
            std::vector<std::uint64_t> moment = moments_.take();
            std::sort(moment.begin(), moment.end());
            for (const std::uint64_t packed : moment) {
                const CollectiveEvent event = CollectiveEvent::of(packed);
                if (event.what == CollectiveEvent::What::message) {
                    progress_.receive(event, sender(time));
                    last = time;
                } else {
                    sent(static_cast<std::size_t>(event.subject), time);
                }
            }
            moments_.reuse(std::move(moment));
        }
        return last;
    }

private:
    struct Link {
        PacketTurns turns;
        PacketTrain train;
        double bytes_per_second = 0;
        Picoseconds latency{0};
        Picoseconds packet_time{0};
        std::int64_t packet = 0;
    };

    void set_rates()
    {
        const auto members = static_cast<std::size_t>(places_.count());
        for (std::size_t i = 0; i < links_.size(); ++i) {
            Link& link = links_[i];
            const NetworkAxis& axis = axes_[i / (2 * members)];
            link.bytes_per_second = axis.bytes_per_second;
            link.latency = axis.latency;
            link.packet = axis.packet.count();
            link.packet_time = sending_time(link.packet, link.bytes_per_second);
        }
    }

    std::size_t index(int row, int member) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(places_.count()) +
               static_cast<std::size_t>(member);
    }
    CollectiveEvent arrival_of(const ProgressMessage& message) const
    {
        CollectiveEvent arrival = message.arrival();
        if (places_.crosses_the_middle(message.axis, message.from, message.way)) {
            arrival.direction = opposite(message.way);
        }
        return arrival;
    }

    /// The devices of a chip share its links: those of its first device stand for them.
    void send(const ProgressMessage& message, Picoseconds now)
    {
        const NetworkAxis& along = axes_[static_cast<std::size_t>(message.axis)];
        const bool on_chip = along.torus_axis == NetworkAxis::on_chip;
        const int device = on_chip ? 0 : message.from % devices_per_chip_;
        const std::size_t number = index(message.axis * 2 + message.way, message.from - device);
        Link& link = links_[number];
        if (link.train.under_way()) {
            // The link was asked for the packet of this moment before.
            link.train.settle(link.turns, pool_, now + Picoseconds(1), link.packet_time,
                              link.packet);
        } else {
            link.train.start = now;
        }
        // The path on a chip carries one message after another.
        const int colour = in_chunks_ ? 0 : message.colour;
        const auto stream =
            static_cast<std::uint64_t>(on_chip ? 0 : colour * devices_per_chip_ + device);
        link.turns.add(pool_, stream, new_message(arrival_of(message).packed()),
                       message.bytes.count(), false);
        if (!link.train.ends()) {
            run(number);
        }
    }

    /// A link's first message has been sent, if it is not one that was foreseen too early.
    void sent(std::size_t number, Picoseconds now)
    {
        Link& link = links_[number];
        if (link.train.end != now) {
            return;
        }
        const std::int32_t message = link.train.finish(link.turns, pool_, link.packet).message;
        moments_.post(now + link.latency, messages_[static_cast<std::size_t>(message)]);
        spare_messages_.push_back(message);
        if (!link.turns.empty()) {
            link.train.start = now;
            run(number);
        }
    }

    void run(std::size_t number)
    {
        Link& link = links_[number];
        const PacketTurns::Run next = link.turns.run(link.packet);
        const Picoseconds last = sending_time(next.last_bytes, link.bytes_per_second);
        const Picoseconds end = link.train.start + repeated(link.packet_time, next.full) + last;
        if (end != link.train.end) {
            link.train.end = end;
            const CollectiveEvent complete{CollectiveEvent::What::sent, 0, 0, 0,
                                           static_cast<int>(number)};
            moments_.post(end, complete.packed());
        }
    }

    std::int32_t new_message(std::uint64_t arrival)
    {
        if (spare_messages_.empty()) {
            messages_.push_back(arrival);
            return static_cast<std::int32_t>(messages_.size()) - 1;
        }
        const std::int32_t message = spare_messages_.back();
        spare_messages_.pop_back();
        messages_[static_cast<std::size_t>(message)] = arrival;
        return message;
    }

    std::vector<NetworkAxis> axes_;
    bool in_chunks_;
    Places places_;
    PlannedCollective planned_;
    CollectiveProgress<Places> progress_;
    int devices_per_chip_ = 1;
    Moments<std::uint64_t> moments_; ///< of CollectiveEvents, packed
    std::vector<Link> links_;        ///< [axis][direction][chip]
    PacketTurns::Pool pool_;
    std::vector<std::uint64_t> messages_; ///< what arrives, packed
    std::vector<std::int32_t> spare_messages_;
};

/// All that a replay reads of a schedule.
class ReplayKey {
public:
    explicit ReplayKey(const CollectiveSchedule& schedule)
        : numbers_{static_cast<std::int64_t>(schedule.axes.size())}
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
                         phase.directions, phase.chunks, phase.members, phase.origin,
                         static_cast<std::int64_t>(phase.only_at.size())});
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
    return known.get(ReplayKey(schedule).numbers(), [&] { return Replay(schedule).finish(); });
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
    return schedule.ranks ? rank_schedule_time(schedule) : replayed_time(schedule);
}

} // namespace alxsim::model
