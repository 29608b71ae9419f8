// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/phase_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace alxsim::model {

/// A phase with what PhasePlan says of every position at hand.
struct PlannedPhase {
    struct Place {
        int sends = 0;
        int receives = 0;
        int first_step = 1;
        std::size_t first_need = 0; ///< of its sends, in `needs`
    };

    /// `positions` on its axis, of which a ring on a twisted torus has more than members.
    PlannedPhase(PhasePlan planned, int positions, int of_colour, int number)
        : colour(of_colour),
          phase(number),
          plan(std::move(planned))
    {
        places.reserve(static_cast<std::size_t>(positions) * 2);
        const int apart = plan.alike_everywhere() ? std::min(positions, 1) : positions;
        for (int position = 0; position < apart; ++position) {
            for (const int way : {up, down}) {
                add_place(position, way);
            }
        }
        for (int position = apart; position < positions; ++position) {
            places.push_back(places[0]);
            places.push_back(places[1]);
        }
    }

    const Place& place(int position, int way) const
    {
        return places[static_cast<std::size_t>(position * 2 + way)];
    }

    int colour = 0;
    int phase = 0; ///< of its colour
    PhasePlan plan;
    std::vector<Place> places; ///< [position][direction]
    /// For every send, messages that must have come before. Positions that are alike share theirs,
    /// which else grow with the square of a ring's length.
    std::vector<std::int32_t> needs;

private:
    void add_place(int position, int way)
    {
        const Place place{plan.sends(position, way), plan.receives(position, way),
                          plan.first_step(position, way), needs.size()};
        for (int sent = 0; sent < place.sends; ++sent) {
            needs.push_back(plan.needs(position, way, place.first_step + sent));
        }
        places.push_back(place);
    }
};

/// The phases of every colour, planned.
struct PlannedCollective {
    explicit PlannedCollective(const CollectiveSchedule& schedule)
        : first_part(schedule.colours_of_first_part())
    {
        for (std::vector<PhasePlan>& colour : plan_phases(schedule)) {
            first_plan.push_back(static_cast<int>(plans.size()));
            for (PhasePlan& plan : colour) {
                const int positions = schedule.axes[static_cast<std::size_t>(plan.axis)].length;
                const int number = static_cast<int>(plans.size()) - first_plan.back();
                plans.emplace_back(std::move(plan), positions, colours, number);
            }
            ++colours;
        }
        first_plan.push_back(static_cast<int>(plans.size()));
    }

    int phases(int colour) const
    {
        const auto which = static_cast<std::size_t>(colour);
        return first_plan[which + 1] - first_plan[which];
    }
    const PlannedPhase& phase(int colour, int number) const
    {
        return plans[static_cast<std::size_t>(first_plan[static_cast<std::size_t>(colour)] +
                                              number)];
    }

    /// What a member gets in a phase from one direction: all such are numbered in the order of
    /// colours, phases and directions.
    int slot(int colour, int number, int way) const
    {
        return (first_plan[static_cast<std::size_t>(colour)] + number) * 2 + way;
    }
    int slots() const { return 2 * static_cast<int>(plans.size()); }
    const PlannedPhase& phase_of(int slot) const
    {
        return plans[static_cast<std::size_t>(slot / 2)];
    }
    static int way_of(int slot) { return slot % 2; }

    bool has_second_part() const { return first_part < colours; }

    Bytes longest_message() const
    {
        Bytes longest(0);
        for (const PlannedPhase& phase : plans) {
            for (const Bytes bytes : phase.plan.bytes) {
                longest = std::max(longest, bytes);
            }
        }
        return longest;
    }

    int colours = 0;
    int first_part = 0;              ///< colours of it: see CollectiveSchedule::then
    std::vector<PlannedPhase> plans; ///< [colour][phase]
    std::vector<int> first_plan;     ///< [colour]: in `plans`; at the end, how many there are
};

/// What happens in a collective. Packed, it says which of several at one moment comes first: the
/// same on every device, whatever order their messages were sent in.
struct CollectiveEvent {
    enum class What : std::uint8_t { sent, entry, message, finish };

    What what = What::entry; ///< `sent`: a link has sent what it had
    int colour = 0;          ///< of a message, with phase and direction; else 0
    int phase = 0;
    int direction = 0;
    int subject = 0; ///< the member; of a routed message its number, of `sent` the link

    std::uint64_t packed() const
    {
        return static_cast<std::uint64_t>(what) << 62 | static_cast<std::uint64_t>(colour) << 46 |
               static_cast<std::uint64_t>(phase) << 38 |
               static_cast<std::uint64_t>(direction) << 32 | static_cast<std::uint32_t>(subject);
    }
    static CollectiveEvent of(std::uint64_t packed)
    {
        return {static_cast<What>(packed >> 62), static_cast<int>(packed >> 46 & 0xffff),
                static_cast<int>(packed >> 38 & 0xff), static_cast<int>(packed >> 32 & 0x3f),
                static_cast<int>(packed & 0xffffffff)};
    }
};

/// Whether `member` takes part in a phase: see AxisPhase::only_at.
template <class Members>
bool takes_part(const PhasePlan& plan, const Members& members, int member)
{
    return std::all_of(plan.only_at.begin(), plan.only_at.end(), [&](const AxisPosition& at) {
        return members.position(at.axis, member) == at.position;
    });
}

/// A message that a member may send now to its neighbour.
struct ProgressMessage {
    int colour = 0;
    int phase = 0;
    int way = up;
    int slot = 0; ///< of what it is to the neighbour
    int from = 0;
    int to = 0;
    int axis = 0;
    Bytes bytes{0};
    Picoseconds serialization{0}; ///< at the rate of the axis

    CollectiveEvent arrival() const
    {
        return {CollectiveEvent::What::message, colour, phase, way, to};
    }
};

/// Who may send what when in a collective: how far every member is, without a clock. A member works
/// through its own part of the schedule as its messages arrive, so late members cost what they
/// should and nobody waits for a common start. The analytic model's replay and the simulated
/// network both go by it.
///
/// `Members` says where members stand: position(axis, member) and neighbour(axis, member, way).
template <class Members>
class CollectiveProgress {
public:
    /// Nobody has entered yet. Both arguments outlive the collective.
    void start(const PlannedCollective& planned, const Members& members, int count)
    {
        planned_ = &planned;
        members_ = &members;
        colours_ = static_cast<std::size_t>(planned.colours);
        slots_ = static_cast<std::size_t>(planned.slots());
        phase_of_.assign(static_cast<std::size_t>(count) * colours_, not_entered);
        states_.assign(static_cast<std::size_t>(count) * slots_, {});
    }

    /// `member` may send from now on: calls `send(ProgressMessage)` for what can go at once. How
    /// many of its colours that completes.
    template <class Send>
    int enter(int member, Send send)
    {
        return begin(member, 0, planned_->first_part, send);
    }

    /// The same of the second part, when all of its group have done the first.
    template <class Send>
    int enter_second_part(int member, Send send)
    {
        return begin(member, planned_->first_part, planned_->colours, send);
    }

    /// The same of one colour by itself; true if that completes it.
    template <class Send>
    bool enter_colour(int member, int colour, Send send)
    {
        return begin(member, colour, colour + 1, send) == 1;
    }

    /// A message has arrived. True if that was all that its colour still lacked there.
    template <class Send>
    bool receive(const CollectiveEvent& arrival, Send send)
    {
        return receive(arrival.subject,
                       planned_->slot(arrival.colour, arrival.phase, arrival.direction), send);
    }

    /// The same.
    template <class Send>
    bool receive(int member, int slot, Send send)
    {
        const PlannedPhase& planned = planned_->phase_of(slot);
        const int way = PlannedCollective::way_of(slot);
        const At at = stands(member, planned, slot - way);
        ++at.states[way].received;
        std::int32_t& current = phase_of(member, planned.colour);
        if (current != planned.phase) {
            return false;
        }
        // What came one way lets nothing more go the other way.
        if (!send_what_is_ready(at, way, send) || !at.complete(opposite(way))) {
            return false;
        }
        ++current;
        return advance(member, planned.colour, send);
    }

private:
    static constexpr std::int32_t not_entered = -1;
    struct Direction {
        std::int32_t sent = 0;
        std::int32_t received = 0;
    };
    /// A member in a phase.
    struct At {
        const PlannedPhase* planned;
        const PlannedPhase::Place* places; ///< [direction]
        Direction* states;                 ///< [direction]
        int slot;                          ///< of the first direction
        int member;

        bool complete(int way) const
        {
            return states[way].sent == places[way].sends &&
                   states[way].received == places[way].receives;
        }
    };

    std::int32_t& phase_of(int member, int colour)
    {
        return phase_of_[static_cast<std::size_t>(member) * colours_ +
                         static_cast<std::size_t>(colour)];
    }

    At stands(int member, const PlannedPhase& planned, int slot)
    {
        const int position = members_->position(planned.plan.axis, member);
        Direction* const states = states_.data() + static_cast<std::size_t>(member) * slots_ +
                                  static_cast<std::size_t>(slot);
        return {&planned, &planned.place(position, up), states, slot, member};
    }

    /// How many of the colours from `first` to before `end` that completes.
    template <class Send>
    int begin(int member, int first, int end, Send send)
    {
        for (int colour = first; colour < end; ++colour) {
            phase_of(member, colour) = 0;
        }
        int complete = 0;
        for (int colour = first; colour < end; ++colour) {
            complete += advance(member, colour, send) ? 1 : 0;
        }
        return complete;
    }

    /// True when the member has done the colour's last phase.
    template <class Send>
    bool advance(int member, int colour, Send send)
    {
        std::int32_t& phase = phase_of(member, colour);
        for (; phase < planned_->phases(colour); ++phase) {
            const PlannedPhase& planned = planned_->phase(colour, phase);
            if (takes_part(planned.plan, *members_, member)) {
                const At at = stands(member, planned, planned_->slot(colour, phase, up));
                const bool up_done = send_what_is_ready(at, up, send);
                const bool down_done = send_what_is_ready(at, down, send);
                if (!up_done || !down_done) {
                    return false;
                }
            }
        }
        return true;
    }

    template <class Send>
    bool send_what_is_ready(const At& at, int way, Send send)
    {
        const PhasePlan& plan = at.planned->plan;
        const PlannedPhase::Place& here = at.places[way];
        const std::int32_t* const needs = at.planned->needs.data() + here.first_need;
        Direction& now = at.states[way];
        for (; now.sent < here.sends && now.received >= needs[now.sent]; ++now.sent) {
            const auto step = static_cast<std::size_t>(here.first_step + now.sent - 1);
            send(ProgressMessage{at.planned->colour, at.planned->phase, way, at.slot + way,
                                 at.member, members_->neighbour(plan.axis, at.member, way),
                                 plan.axis, plan.bytes[step], plan.serialization[step]});
        }
        return at.complete(way);
    }

    const PlannedCollective* planned_ = nullptr;
    const Members* members_ = nullptr;
    std::size_t colours_ = 0;
    std::size_t slots_ = 0;
    std::vector<std::int32_t> phase_of_; ///< [member][colour]
    std::vector<Direction> states_;      ///< [member][slot]
};

} // namespace alxsim::model
