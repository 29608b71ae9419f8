// SPDX-License-Identifier: Apache-2.0
#include "model/phase_plan.h"

#include "model/packet_turns.h"

namespace alxsim::model {

NetworkAxis members_of(const AxisPhase& phase, NetworkAxis axis)
{
    axis.length = phase.members > 0 ? phase.members : axis.length;
    return axis;
}

PhaseSteps::PhaseSteps(const AxisPhase& phase, const NetworkAxis& along)
    : axis(phase.axis),
      ring(along.wraps),
      exchange(phase.exchange),
      directions(phase.directions),
      latency(along.latency)
{
    const NetworkAxis axis_used = members_of(phase, along);
    length = axis_used.length;
    steps = phase.steps(axis_used);
}

PhasePlan::PhasePlan(const AxisPhase& phase, const NetworkAxis& along)
    : PhaseSteps(phase, along),
      only_at_origin_of(phase.only_at_origin_of)
{
    const NetworkAxis axis_used = members_of(phase, along);
    for (int step = 1; step <= steps; ++step) {
        bytes.push_back(phase.step_bytes(step, axis_used));
        serialization.push_back(sending_time(bytes.back().count(), axis_used.bytes_per_second));
    }
}

int PhaseSteps::hops_from_origin(int position, int direction) const
{
    return direction == up || position == 0 ? position : length - position;
}

/// Members that a spread reaches in `direction`.
int PhaseSteps::spread_reach(int direction) const
{
    if (ring && directions == 2) {
        return direction == up ? length / 2 : (length - 1) / 2;
    }
    return direction == up ? length - 1 : 0;
}

int PhaseSteps::sends(int position, int direction) const
{
    if (exchange == Exchange::spread) {
        return hops_from_origin(position, direction) < spread_reach(direction) ? 1 : 0;
    }
    if (ring) {
        return direction == up || directions == 2 ? steps : 0;
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
        break;
    }
    return steps;
}

int PhaseSteps::receives(int position, int direction) const
{
    if (exchange == Exchange::spread) {
        const int hops = hops_from_origin(position, direction);
        return hops > 0 && hops <= spread_reach(direction) ? 1 : 0;
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
        return position == 0 ? 0 : 1;
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

} // namespace alxsim::model
