// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/collective_progress.h"
#include "model/collectives/moments.h"
#include "model/collectives/places.h"
#include "model/packets/packet_turns.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace alxsim::model {

/// Where the members of a schedule stand. All places of a ring behave alike unless something begins
/// at its origin, so one stands for all of them; so does one for all groups along an axis that no
/// phase uses. A line is its own mirror image unless everything goes one way on it; the devices of
/// a chip are not, since they take turns on its links.
inline Places places_of(const CollectiveSchedule& schedule)
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

/// What goes along an axis in one direction, in all.
struct AxisLoad {
    std::int64_t messages = 0;
    std::int64_t packets = 0;
    Bytes bytes{0};
    Picoseconds busy{0};
};

/// Plays a schedule message by message on links that nobody else uses, from when all are ready.
class ScheduleReplay {
    /// Sends at a moment.
    auto sender(Picoseconds now)
    {
        return [this, now](const ProgressMessage& message) { send(message, now); };
    }

public:
    ScheduleReplay(const CollectiveSchedule& schedule, Places places)
        : axes_(schedule.axes),
          in_chunks_(schedule.colours_are_chunks()),
          places_(std::move(places)),
          planned_(schedule),
          done_(static_cast<std::size_t>(places_.count())),
          loads_(schedule.axes.size())
    {
        devices_per_chip_ =
            axes_.front().torus_axis == NetworkAxis::on_chip ? axes_.front().length : 1;
        links_.resize(axes_.size() * 2 * static_cast<std::size_t>(places_.count()));
        set_rates();
        progress_.start(planned_, places_, places_.count());
    }

    /// When the last message has come.
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
                    if (progress_.receive(event, sender(time))) {
                        done_[static_cast<std::size_t>(event.subject)] = time;
                    }
                    last = time;
                } else {
                    sent(static_cast<std::size_t>(event.subject), time);
                }
            }
            moments_.reuse(std::move(moment));
        }
        return last;
    }

    /// [place]: when it had the last of what it waits for; of schedules that nobody leaves by
    /// sending alone.
    const std::vector<Picoseconds>& done() const { return done_; }
    /// [axis][direction]: of all places.
    const std::vector<std::array<AxisLoad, 2>>& loads() const { return loads_; }

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
        count(message, link);
        link.turns.add(pool_, stream, new_message(arrival_of(message).packed()),
                       message.bytes.count(), false);
        if (!link.train.ends()) {
            run(number);
        }
    }

    void count(const ProgressMessage& message, const Link& link)
    {
        AxisLoad& load =
            loads_[static_cast<std::size_t>(message.axis)][static_cast<std::size_t>(message.way)];
        const std::int64_t bytes = message.bytes.count();
        const std::int64_t full = bytes <= link.packet ? 0 : (bytes - 1) / link.packet;
        ++load.messages;
        load.packets += full + 1;
        load.bytes += message.bytes;
        load.busy += link.packet_time * full +
                     sending_time(bytes - full * link.packet, link.bytes_per_second);
    }

    /// A link's first message has been sent, if it is not one that was predicted too early.
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
    std::vector<Picoseconds> done_;
    std::vector<std::array<AxisLoad, 2>> loads_;
};

} // namespace alxsim::model
