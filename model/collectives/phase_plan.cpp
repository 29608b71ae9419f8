// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/phase_plan.h"

#include "model/collectives/collective_group.h"
#include "model/packets/packet_turns.h"

#include <algorithm>

namespace alxsim::model {

NetworkAxis members_of(const AxisPhase& phase, NetworkAxis axis)
{
    axis.length = phase.members > 0 ? phase.members : axis.length;
    return axis;
}

namespace {

/// Devices of a chip, which share its links.
int devices_per_chip(const CollectiveSchedule& schedule)
{
    const bool several = !schedule.axes.empty() && !is_torus(schedule.axes.front());
    return several ? schedule.axes.front().length : 1;
}

} // namespace

PhaseSteps::PhaseSteps(const AxisPhase& phase, const NetworkAxis& along)
    : axis(phase.axis),
      ring(along.wraps),
      exchange(phase.exchange),
      directions(phase.directions),
      downwards(phase.downwards),
      origin(phase.origin),
      latency(along.latency)
{
    const NetworkAxis axis_used = members_of(phase, along);
    length = axis_used.length;
    steps = phase.steps(axis_used);
}

PhasePlan::PhasePlan(const AxisPhase& phase, const NetworkAxis& along)
    : PhaseSteps(phase, along),
      only_at(phase.only_at)
{
    const NetworkAxis axis_used = members_of(phase, along);
    for (int step = 1; step <= steps; ++step) {
        bytes.push_back(phase.step_bytes(step, axis_used));
        serialization.push_back(sending_time(bytes.back().count(), axis_used.bytes_per_second));
    }
}

/// Going in `direction`.
int PhaseSteps::hops_from_origin(int position, int direction) const
{
    return (direction == up ? position - origin + length : origin - position + length) % length;
}

int PhaseSteps::reach(int direction) const
{
    if (ring && directions == 2) {
        return direction == up ? length / 2 : (length - 1) / 2;
    }
    if (ring) {
        return uses(direction) ? length - 1 : 0;
    }
    return direction == up ? length - 1 - origin : origin;
}

/// Whether a spread goes on from there in `direction`.
bool PhaseSteps::passed_from(int position, int direction) const
{
    return hops_from_origin(position, direction) < reach(direction);
}

/// Whether a spread comes there, going in `direction`.
bool PhaseSteps::passed_to(int position, int direction) const
{
    const int hops = hops_from_origin(position, direction);
    return hops > 0 && hops <= reach(direction);
}

int PhaseSteps::sends(int position, int direction) const
{
    if (exchange == Exchange::spread) {
        return passed_from(position, direction) ? 1 : 0;
    }
    if (exchange == Exchange::collect) {
        return passed_to(position, opposite(direction)) ? 1 : 0;
    }
    if (ring) {
        return uses(direction) ? steps : 0;
    }
    const int i = from_source(position, direction);
    if (i == length - 1) {
        return 0;
    }
    switch (exchange) {
    case Exchange::gather:
        return i + 1;
    case Exchange::reduce:
        return length - 1 - i;
    case Exchange::all_to_all:
        return (i + 1) * (length - 1 - i);
    case Exchange::shift:
    case Exchange::spread:
    case Exchange::collect:
        break;
    }
    return steps;
}

int PhaseSteps::receives(int position, int direction) const
{
    if (exchange == Exchange::spread) {
        return passed_to(position, direction) ? 1 : 0;
    }
    if (exchange == Exchange::collect) {
        return passed_from(position, opposite(direction)) ? 1 : 0;
    }
    if (ring) {
        return sends(position, direction);
    }
    return from_source(position, direction) == 0
               ? 0
               : sends(direction == up ? position - 1 : position + 1, direction);
}

int PhaseSteps::needs(int position, int direction, int step) const
{
    if (exchange == Exchange::spread) {
        return position == origin ? 0 : 1;
    }
    if (exchange == Exchange::collect) {
        return receives(position, direction);
    }
    if (ring) {
        return step - 1;
    }
    const int i = from_source(position, direction);
    if (i == 0) {
        return 0;
    }
    switch (exchange) {
    case Exchange::gather:
        return step - 1;
    case Exchange::reduce:
        return step - i;
    case Exchange::all_to_all: {
        // A round for each member ahead: the own shard, then the i from behind.
        const int round = (step - 1) / (i + 1);
        const int passed_on = (step - 1) % (i + 1);
        return passed_on == 0 ? 0 : round * i + passed_on;
    }
    case Exchange::shift:
    case Exchange::spread:
    case Exchange::collect:
        break;
    }
    return direction == up ? 0 : step;
}

std::vector<std::vector<PhasePlan>> plan_phases(const CollectiveSchedule& schedule)
{
    std::vector<std::vector<PhasePlan>> colours;
    for (const Colour& colour : schedule.colours) {
        std::vector<PhasePlan> phases;
        for (const AxisPhase& phase : colour.phases) {
            phases.emplace_back(phase, schedule.axes[static_cast<std::size_t>(phase.axis)]);
        }
        colours.push_back(std::move(phases));
    }
    return colours;
}

int senders_on_a_link(const CollectiveSchedule& schedule, int axis,
                      const std::vector<AxisPosition>& only_at)
{
    const auto along = [&schedule](int which) -> const NetworkAxis& {
        return schedule.axes[static_cast<std::size_t>(which)];
    };
    const bool first_of_chip_only =
        std::any_of(only_at.begin(), only_at.end(),
                    [&along](const AxisPosition& at) { return !is_torus(along(at.axis)); });
    return is_torus(along(axis)) && !first_of_chip_only ? devices_per_chip(schedule) : 1;
}

} // namespace alxsim::model
