// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/phase_plan.h"
#include "model/packets/packet_turns.h"

#include <algorithm>
#include <array>

namespace alxsim::model {
namespace {

/// What a phase sends on one link, one message after another.
struct Sending {
    Picoseconds every_step{0}; ///< of all steps
    Picoseconds busiest{0};    ///< of the member that sends most one way
};

/// One message goes from member to member.
Sending passed_on(const AxisPhase& phase, const NetworkAxis& axis)
{
    const Picoseconds once = sending_time(phase.step_bytes(1, axis).count(), axis.bytes_per_second);
    return {once, once};
}

/// The member that sends most one way. On a line that is, of a gather, the last that passes all on
/// to the end; of a reduce the first, which sends sums for everybody; of an all-to-all the middle.
int busiest_member(const PhaseSteps& steps, int way)
{
    const int middle = (steps.length - 1) / 2;
    if (steps.ring) {
        return middle;
    }
    const auto sends_less = [&](int a, int b) { return steps.sends(a, way) < steps.sends(b, way); };
    return std::max({middle, 0, std::max(0, steps.length - 2)}, sends_less);
}

Sending sending_of(const AxisPhase& phase, const PhaseSteps& steps, const NetworkAxis& along)
{
    const NetworkAxis axis = members_of(phase, along);
    if (has_origin(steps.exchange)) {
        return passed_on(phase, axis);
    }
    // A line goes both ways alike, whatever way its colour is meant for.
    const int way = !steps.ring || steps.uses(up) ? up : down;
    const int busiest = busiest_member(steps, way);
    const int first = steps.first_step(busiest, way);
    const int last = first + steps.sends(busiest, way) - 1;
    Sending sending;
    Bytes bytes(-1);
    Picoseconds time(0);
    for (int step = 1; step <= steps.steps; ++step) {
        const Bytes now = phase.step_bytes(step, axis);
        if (now != bytes) { // mostly the same as before
            bytes = now;
            time = sending_time(bytes.count(), axis.bytes_per_second);
        }
        sending.every_step += time;
        sending.busiest += step >= first && step <= last ? time : Picoseconds(0);
    }
    return sending;
}

/// Returns the time of one phase by itself.
Picoseconds phase_time(const PhaseSteps& steps, const Sending& sending, int devices)
{
    if (has_origin(steps.exchange)) {
        return (sending.every_step * devices + steps.latency) *
               std::max(steps.reach(up), steps.reach(down));
    }
    return sending.every_step * devices + steps.latency * steps.steps;
}

struct ScheduleBounds {
    Picoseconds slowest_colour{0};
    Picoseconds busiest_link{0};
};

/// What a colour does by itself.
struct ColourUse {
    const Colour* colour = nullptr;
    Picoseconds time{0};
    std::vector<std::array<Picoseconds, 2>> busy; ///< [axis][direction]: the busiest link
};

ColourUse use_of(const Colour& colour, const CollectiveSchedule& schedule)
{
    ColourUse use{&colour, Picoseconds(0), {}};
    use.busy.resize(schedule.axes.size());
    for (const AxisPhase& phase : colour.phases) {
        const auto axis = static_cast<std::size_t>(phase.axis);
        const PhaseSteps steps(phase, schedule.axes[axis]);
        const Sending sending = sending_of(phase, steps, schedule.axes[axis]);
        const int devices = senders_on_a_link(schedule, phase.axis, phase.only_at);
        use.time += phase_time(steps, sending, devices);
        for (const int way : {up, down}) {
            use.busy[axis][static_cast<std::size_t>(way)] +=
                steps.ring && !steps.uses(way) ? Picoseconds(0) : sending.busiest * devices;
        }
    }
    return use;
}

/// Uses of colours, each looked at once: hundreds of chunks are a few that take turns.
class ColourUses {
public:
    explicit ColourUses(const CollectiveSchedule& schedule) : schedule_(schedule) {}

    const ColourUse& of(const Colour& colour)
    {
        const auto known =
            std::find_if(uses_.begin(), uses_.end(), [&colour](const ColourUse& use) {
                return use.colour->phases == colour.phases;
            });
        if (known != uses_.end()) {
            return *known;
        }
        if (uses_.size() == most) { // they all differ
            uses_.clear();
        }
        uses_.push_back(use_of(colour, schedule_));
        return uses_.back();
    }

private:
    static constexpr std::size_t most = 8;

    const CollectiveSchedule& schedule_;
    std::vector<ColourUse> uses_;
};

/// Returns the bounds of colours from `first` to before `end`.
ScheduleBounds bounds_of(const CollectiveSchedule& schedule, int first, int end)
{
    ScheduleBounds bounds;
    std::vector<std::array<Picoseconds, 2>> busy(schedule.axes.size()); // [axis][direction]
    ColourUses uses(schedule);
    for (int which = first; which < end; ++which) {
        const ColourUse& use = uses.of(schedule.colours[static_cast<std::size_t>(which)]);
        bounds.slowest_colour = std::max(bounds.slowest_colour, use.time);
        for (std::size_t axis = 0; axis < busy.size(); ++axis) {
            for (const std::size_t way : {up, down}) {
                busy[axis][way] += use.busy[axis][way];
            }
        }
    }
    for (const auto& [upwards, downwards] : busy) {
        bounds.busiest_link = std::max({bounds.busiest_link, upwards, downwards});
    }
    return bounds;
}

/// Returns the time of the colours of a part, which begin at once.
Picoseconds time_of_part(const CollectiveSchedule& schedule, int first, int end)
{
    const ScheduleBounds bounds = bounds_of(schedule, first, end);
    return std::max(bounds.slowest_colour, bounds.busiest_link);
}

} // namespace

Picoseconds busiest_link_time(const CollectiveSchedule& schedule)
{
    // The slowest of a network's ways stands for all.
    const auto colours = static_cast<int>(schedule.colours.size());
    return schedule.has_rank_network() ? Picoseconds(0)
                                       : bounds_of(schedule, 0, colours).busiest_link;
}

Picoseconds closed_form_time(const CollectiveSchedule& schedule)
{
    if (!schedule.messages.empty()) {
        return schedule.messages_time;
    }
    const auto colours = static_cast<int>(schedule.colours.size());
    if (schedule.colours_are_chunks()) {
        const ScheduleBounds bounds = bounds_of(schedule, 0, colours);
        // The last chunk waits until all others have passed the busiest link.
        return bounds.slowest_colour + bounds.busiest_link - bounds.busiest_link / colours;
    }
    const int first_part = schedule.colours_of_first_part();
    return time_of_part(schedule, 0, first_part) + time_of_part(schedule, first_part, colours);
}

} // namespace alxsim::model
