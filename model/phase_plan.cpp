// SPDX-License-Identifier: Apache-2.0
#include "model/phase_plan.h"

namespace alxsim::model {

PhasePlan::PhasePlan(const AxisPhase& phase, const NetworkAxis& axis_used)
    : axis(phase.axis),
      length(axis_used.length),
      ring(axis_used.wraps),
      reduce(phase.reduce),
      steps(axis_used.steps()),
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
        return steps;
    }
    const int i = from_source(position, direction);
    if (i == length - 1) {
        return 0;
    }
    return reduce ? length - 1 - i : i + 1;
}

int PhasePlan::receives(int position, int direction) const
{
    if (ring) {
        return steps;
    }
    const int i = from_source(position, direction);
    if (i == 0) {
        return 0;
    }
    return reduce ? length - i : i;
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
    return reduce ? step - i : step - 1;
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
