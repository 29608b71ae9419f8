// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"
#include "model/collective_group.h"
#include "model/packet_turns.h"
#include "model/phase_plan.h"

#include <algorithm>

namespace alxsim::model {
namespace {

/// Devices of a chip, which share its links.
int devices_per_chip(const CollectiveSchedule& schedule)
{
    const bool several =
        !schedule.axes.empty() && schedule.axes.front().torus_axis == NetworkAxis::on_chip;
    return several ? schedule.axes.front().length : 1;
}

/// Devices whose messages one link of this phase carries. Of a spread it is the origin's link,
/// which only the chip's first device may use unless the others are in groups of their own.
int devices_on_a_link(const CollectiveSchedule& schedule, const AxisPhase& phase)
{
    const auto along = [&schedule](int axis) -> const NetworkAxis& {
        return schedule.axes[static_cast<std::size_t>(axis)];
    };
    const bool first_of_chip_only =
        std::any_of(phase.only_at_origin_of.begin(), phase.only_at_origin_of.end(),
                    [&along](int axis) { return !is_torus(along(axis)); });
    return is_torus(along(phase.axis)) && !first_of_chip_only ? devices_per_chip(schedule) : 1;
}

/// What a phase sends on one link, one message after another.
struct Sending {
    Picoseconds every_step{0}; ///< of all steps
    Picoseconds busiest{0};    ///< of the member that sends most one way
};

Sending sending_of(const AxisPhase& phase, const PhaseSteps& steps, const NetworkAxis& along)
{
    const NetworkAxis axis = members_of(phase, along);
    const int busiest = steps.exchange == Exchange::spread ? 0 : (steps.length - 1) / 2;
    const int first = steps.first_step(busiest, up);
    const int last = first + steps.sends(busiest, up) - 1;
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

struct ScheduleBounds {
    Picoseconds slowest_colour{0};
    Picoseconds busiest_link{0};
};

ScheduleBounds bounds_of(const CollectiveSchedule& schedule)
{
    ScheduleBounds bounds;
    std::vector<Picoseconds> busy(schedule.axes.size(), Picoseconds(0));
    for (const Colour& colour : schedule.colours) {
        Picoseconds time(0);
        for (const AxisPhase& phase : colour.phases) {
            const auto axis = static_cast<std::size_t>(phase.axis);
            const PhaseSteps steps(phase, schedule.axes[axis]);
            const Sending sending = sending_of(phase, steps, schedule.axes[axis]);
            const int devices = devices_on_a_link(schedule, phase);
            time += sending.every_step * devices + steps.latency * steps.steps;
            busy[axis] += sending.busiest * devices;
        }
        bounds.slowest_colour = std::max(bounds.slowest_colour, time);
    }
    for (const Picoseconds time : busy) {
        bounds.busiest_link = std::max(bounds.busiest_link, time);
    }
    return bounds;
}

} // namespace

Picoseconds busiest_link_time(const CollectiveSchedule& schedule)
{
    return bounds_of(schedule).busiest_link;
}

Picoseconds closed_form_time(const CollectiveSchedule& schedule)
{
    if (!schedule.messages.empty()) {
        return schedule.messages_time;
    }
    const ScheduleBounds bounds = bounds_of(schedule);
    return std::max(bounds.slowest_colour, bounds.busiest_link);
}

} // namespace alxsim::model
