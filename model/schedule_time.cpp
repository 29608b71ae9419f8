// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"
#include "model/collective_group.h"
#include "model/packet_turns.h"
#include "model/phase_plan.h"
#include "model/places.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace alxsim::model {
namespace {

/// A phase with what PhasePlan says of every position at hand.
struct PlannedPhase {
    struct Place {
        int sends = 0;
        int receives = 0;
        int first_step = 1;
    };

    explicit PlannedPhase(PhasePlan planned) : plan(std::move(planned))
    {
        for (int position = 0; position < plan.length; ++position) {
            for (const int way : {up, down}) {
                places.push_back({plan.sends(position, way), plan.receives(position, way),
                                  plan.first_step(position, way)});
            }
        }
    }

    const Place& place(int position, int way) const
    {
        return places[static_cast<std::size_t>(position * 2 + way)];
    }

    PhasePlan plan;
    std::vector<Place> places; ///< [position][direction]
};

/// What happens: a link has sent a message, or a message arrives. Packed, it says which of several
/// at one moment comes first, as in the simulated network.
struct Happening {
    bool arrival = false;
    int colour = 0;
    int phase = 0;
    int way = up;
    int member = 0; ///< of an arrival the receiver, else the link's number

    std::uint64_t packed() const
    {
        return static_cast<std::uint64_t>(arrival) << 63 |
               static_cast<std::uint64_t>(colour) << 48 | static_cast<std::uint64_t>(phase) << 40 |
               static_cast<std::uint64_t>(way) << 32 | static_cast<std::uint32_t>(member);
    }
    static Happening of(std::uint64_t packed)
    {
        return {packed >> 63 != 0, static_cast<int>(packed >> 48 & 0x7fff),
                static_cast<int>(packed >> 40 & 0xff), static_cast<int>(packed >> 32 & 0xff),
                static_cast<int>(packed & 0xffffffff)};
    }
};

/// What is to happen. Places that are alike do at the same time what ends at the same time, so
/// there are far fewer moments than happenings.
class Calendar {
public:
    using Moment = std::vector<std::uint64_t>;

    void post(Picoseconds time, const Happening& happening)
    {
        if (latest_ == nullptr || time != latest_time_) {
            latest_ = &moments_[time];
            latest_time_ = time;
            if (latest_->capacity() == 0 && !spare_.empty()) {
                *latest_ = std::move(spare_.back());
                spare_.pop_back();
            }
        }
        latest_->push_back(happening.packed());
    }

    bool empty() const { return moments_.empty(); }

    /// Takes out what happens first, in order.
    std::pair<Picoseconds, Moment> next()
    {
        const auto first = moments_.begin();
        std::pair<Picoseconds, Moment> result{first->first, std::move(first->second)};
        if (latest_ == &first->second) {
            latest_ = nullptr;
        }
        moments_.erase(first);
        std::sort(result.second.begin(), result.second.end());
        return result;
    }

    void reuse(Moment moment)
    {
        moment.clear();
        spare_.push_back(std::move(moment));
    }

private:
    std::map<Picoseconds, Moment> moments_;
    Moment* latest_ = nullptr;
    Picoseconds latest_time_{0};
    std::vector<Moment> spare_;
};

/// Where the members of a schedule stand. All places of a ring behave alike unless something begins
/// at its origin, so one stands for all of them; so does one for all groups along an axis that no
/// phase uses. Of a line every place counts.
Places places_of(const CollectiveSchedule& schedule)
{
    std::vector<bool> used(schedule.axes.size(), false);
    bool rooted = false;
    for (const Colour& colour : schedule.colours) {
        for (const AxisPhase& phase : colour.phases) {
            used[static_cast<std::size_t>(phase.axis)] = true;
            rooted = rooted || has_origin(phase.exchange);
        }
    }
    std::vector<bool> alike;
    for (std::size_t axis = 0; axis < schedule.axes.size(); ++axis) {
        const NetworkAxis& along = schedule.axes[axis];
        alike.push_back(is_torus(along) && !schedule.ranks &&
                        (!used[axis] || (along.wraps && !rooted)));
    }
    return {schedule.axes, alike};
}

/// Plays a schedule message by message on links that nobody else uses.
class Replay {
public:
    explicit Replay(const CollectiveSchedule& schedule)
        : axes_(schedule.axes),
          phases_(schedule.colours.front().phases.size()),
          in_chunks_(schedule.colours_are_chunks()),
          places_(places_of(schedule))
    {
        for (std::vector<PhasePlan>& colour : plan_phases(schedule)) {
            for (PhasePlan& plan : colour) {
                plans_.emplace_back(std::move(plan));
            }
        }
        devices_per_chip_ =
            axes_.front().torus_axis == NetworkAxis::on_chip ? axes_.front().length : 1;
        const auto members = static_cast<std::size_t>(places_.count());
        links_.resize(axes_.size() * 2 * members);
        set_rates(schedule);
        progress_.resize(schedule.colours.size() * members);
        states_.resize(plans_.size() * members);
    }

    Picoseconds finish()
    {
        if (phases_ == 0) {
            return Picoseconds(0);
        }
        const int colours = static_cast<int>(plans_.size() / phases_);
        for (int member = 0; member < places_.count(); ++member) {
            for (int colour = 0; colour < colours; ++colour) {
                advance(member, colour, Picoseconds(0));
            }
        }
        Picoseconds last(0);
        while (!calendar_.empty()) {
            auto [time, moment] = calendar_.next();
            for (const std::uint64_t packed : moment) {
                const Happening happening = Happening::of(packed);
                if (happening.arrival) {
                    receive(happening, time);
                    last = time;
                } else {
                    sent(static_cast<std::size_t>(happening.member), time);
                }
            }
            calendar_.reuse(std::move(moment));
        }
        return last;
    }

private:
    struct Direction {
        int sent = 0;
        int received = 0;
    };
    using State = std::array<Direction, 2>;
    struct Link {
        PacketTurns turns;
        PacketTrain train;
        double bytes_per_second = 0;
        Picoseconds latency{0};
        Picoseconds packet_time{0};
        std::int64_t packet = 0;
    };

    void set_rates(const CollectiveSchedule& schedule)
    {
        const auto members = static_cast<std::size_t>(places_.count());
        for (std::size_t i = 0; i < links_.size(); ++i) {
            Link& link = links_[i];
            const NetworkAxis& axis = axes_[i / (2 * members)];
            link.bytes_per_second = axis.bytes_per_second;
            link.latency = axis.latency;
            link.packet = axis.packet.count();
            if (schedule.ranks && i < 2 * members) { // the other axis is that of the groups
                const RankGroups::Way& way = schedule.ranks->ways[i / members][i % members];
                link.bytes_per_second = way.bytes_per_second;
                link.latency = way.latency;
            }
            if (link.bytes_per_second > 0) {
                link.packet_time = sending_time(link.packet, link.bytes_per_second);
            }
        }
    }

    std::size_t index(int row, int member) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(places_.count()) +
               static_cast<std::size_t>(member);
    }
    int plan_index(int colour, int phase) const
    {
        return colour * static_cast<int>(phases_) + phase;
    }

    void receive(const Happening& arrival, Picoseconds now)
    {
        const int plan = plan_index(arrival.colour, arrival.phase);
        ++states_[index(plan, arrival.member)][static_cast<std::size_t>(arrival.way)].received;
        int& phase = progress_[index(arrival.colour, arrival.member)];
        if (phase != arrival.phase) {
            return;
        }
        // What came one way lets nothing more go the other way.
        if (send_what_is_ready(arrival.member, arrival.colour, phase, arrival.way, now) &&
            done(arrival.member, plan, opposite(arrival.way))) {
            ++phase;
            advance(arrival.member, arrival.colour, now);
        }
    }

    void advance(int member, int colour, Picoseconds now)
    {
        int& phase = progress_[index(colour, member)];
        while (phase < static_cast<int>(phases_)) {
            if (takes_part(member, plan_index(colour, phase))) {
                const bool up_done = send_what_is_ready(member, colour, phase, up, now);
                const bool down_done = send_what_is_ready(member, colour, phase, down, now);
                if (!up_done || !down_done) {
                    return;
                }
            }
            ++phase;
        }
    }

    bool takes_part(int member, int plan) const
    {
        const std::vector<AxisPosition>& only = plans_[static_cast<std::size_t>(plan)].plan.only_at;
        return std::all_of(only.begin(), only.end(), [&](const AxisPosition& at) {
            return places_.position(at.axis, member) == at.position;
        });
    }

    bool done(int member, int plan, int way) const
    {
        const PlannedPhase& planned = plans_[static_cast<std::size_t>(plan)];
        const PlannedPhase::Place& here =
            planned.place(places_.position(planned.plan.axis, member), way);
        const Direction& state = states_[index(plan, member)][static_cast<std::size_t>(way)];
        return state.sent == here.sends && state.received == here.receives;
    }

    bool send_what_is_ready(int member, int colour, int phase, int way, Picoseconds now)
    {
        const int row = plan_index(colour, phase);
        const PlannedPhase& planned = plans_[static_cast<std::size_t>(row)];
        const PhasePlan& plan = planned.plan;
        const int position = places_.position(plan.axis, member);
        const PlannedPhase::Place& here = planned.place(position, way);
        Direction& state = states_[index(row, member)][static_cast<std::size_t>(way)];
        for (; state.sent < here.sends; ++state.sent) {
            const int step = here.first_step + state.sent;
            if (state.received < plan.needs(position, way, step)) {
                break;
            }
            send({true, colour, phase, way, places_.neighbour(plan.axis, member, way)}, member,
                 plan.bytes[static_cast<std::size_t>(step - 1)], now);
        }
        return state.sent == here.sends && state.received == here.receives;
    }

    /// The devices of a chip share its links: those of its first device stand for them.
    void send(const Happening& arrival, int member, Bytes bytes, Picoseconds now)
    {
        const int axis =
            plans_[static_cast<std::size_t>(plan_index(arrival.colour, arrival.phase))].plan.axis;
        const bool on_chip =
            axes_[static_cast<std::size_t>(axis)].torus_axis == NetworkAxis::on_chip;
        const int device = on_chip ? 0 : member % devices_per_chip_;
        const std::size_t number = index(axis * 2 + arrival.way, member - device);
        Link& link = links_[number];
        if (link.train.under_way()) {
            // The link was asked for the packet of this moment before.
            link.train.settle(link.turns, pool_, now + Picoseconds(1), link.packet_time,
                              link.packet);
        } else {
            link.train.start = now;
        }
        // The path on a chip carries one message after another.
        const int colour = in_chunks_ ? 0 : arrival.colour;
        const auto stream =
            static_cast<std::uint64_t>(on_chip ? 0 : colour * devices_per_chip_ + device);
        link.turns.add(pool_, stream, new_message(arrival.packed()), bytes.count(), false);
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
        calendar_.post(now + link.latency,
                       Happening::of(messages_[static_cast<std::size_t>(message)]));
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
            calendar_.post(end, {false, 0, 0, 0, static_cast<int>(number)});
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
    std::size_t phases_;
    bool in_chunks_;
    Places places_;
    std::vector<PlannedPhase> plans_; ///< [colour][phase]
    int devices_per_chip_ = 1;
    Calendar calendar_;
    std::vector<Link> links_; ///< [axis][direction][chip]
    PacketTurns::Pool pool_;
    std::vector<std::uint64_t> messages_; ///< what arrives, packed
    std::vector<std::int32_t> spare_messages_;
    std::vector<int> progress_; ///< [colour][member]: phase
    std::vector<State> states_; ///< [colour][phase][member]
};

} // namespace

Picoseconds schedule_time(const CollectiveSchedule& schedule)
{
    if (!schedule.messages.empty()) {
        return schedule.messages_time;
    }
    return schedule.axes.empty() || schedule.colours.empty() ? Picoseconds(0)
                                                             : Replay(schedule).finish();
}

} // namespace alxsim::model
