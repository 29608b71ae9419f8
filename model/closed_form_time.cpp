// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"
#include "model/collective_group.h"
#include "model/phase_plan.h"

#include <algorithm>
#include <numeric>

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
int devices_on_a_link(const CollectiveSchedule& schedule, const PhasePlan& plan)
{
    const auto along = [&schedule](int axis) -> const NetworkAxis& {
        return schedule.axes[static_cast<std::size_t>(axis)];
    };
    const bool first_of_chip_only =
        std::any_of(plan.only_at_origin_of.begin(), plan.only_at_origin_of.end(),
                    [&along](int axis) { return !is_torus(along(axis)); });
    return is_torus(along(plan.axis)) && !first_of_chip_only ? devices_per_chip(schedule) : 1;
}

} // namespace

Picoseconds busiest_link_time(const CollectiveSchedule& schedule)
{
    std::vector<Picoseconds> busy(schedule.axes.size(), Picoseconds(0));
    for (const std::vector<PhasePlan>& colour : plan_phases(schedule)) {
        for (const PhasePlan& plan : colour) {
            const int busiest = plan.exchange == Exchange::spread ? 0 : (plan.length - 1) / 2;
            const auto first = plan.serialization.begin() + plan.first_step(busiest, up) - 1;
            const Picoseconds sending =
                std::accumulate(first, first + plan.sends(busiest, up), Picoseconds(0));
            busy[static_cast<std::size_t>(plan.axis)] +=
                sending * devices_on_a_link(schedule, plan);
        }
    }
    return busy.empty() ? Picoseconds(0) : *std::max_element(busy.begin(), busy.end());
}

Picoseconds closed_form_time(const CollectiveSchedule& schedule)
{
    if (!schedule.messages.empty()) {
        return schedule.messages_time;
    }
    Picoseconds slowest(0);
    for (const std::vector<PhasePlan>& colour : plan_phases(schedule)) {
        Picoseconds time(0);
        for (const PhasePlan& plan : colour) {
            const Picoseconds sending = std::accumulate(plan.serialization.begin(),
                                                        plan.serialization.end(), Picoseconds(0));
            time += sending * devices_on_a_link(schedule, plan) + plan.latency * plan.steps;
        }
        slowest = std::max(slowest, time);
    }
    return std::max(slowest, busiest_link_time(schedule));
}

} // namespace alxsim::model
