// SPDX-License-Identifier: Apache-2.0
#include "model/phase_plan.h"

namespace alxsim::model {

PhasePlan::PhasePlan(const AxisPhase& phase, const NetworkAxis& axis_used)
    : axis(phase.axis),
      length(axis_used.length),
      ring(axis_used.wraps),
      exchange(phase.exchange),
      steps(phase.steps(axis_used)),
      directions(phase.directions),
      latency(axis_used.latency)
{
    for (int step = 1; step <= steps; ++step) {
        bytes.push_back(phase.step_bytes(step, axis_used));
        serialization.push_back(to_picoseconds(
            Seconds(static_cast<double>(bytes.back().count()) / axis_used.bytes_per_second)));
    }
}

int PhasePlan::sends(int position, int direction) const
{
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
        break;
    }
    return steps;
}

int PhasePlan::receives(int position, int direction) const
{
    if (ring) {
        return sends(position, direction);
    }
    return from_source(position, direction) == 0
               ? 0
               : sends(direction == up ? position - 1 : position + 1, direction);
}

int PhasePlan::needs(int position, int direction, int step) const
{
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
