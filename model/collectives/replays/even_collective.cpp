// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/even_collective.h"

#include <algorithm>

namespace alxsim::model {
namespace {

bool is_on_rings(const CollectiveSchedule& schedule, const AxisPhase& phase)
{
    const NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
    const bool ring = axis.wraps && axis.length > 2 && !axis.joins_slices;
    return (axis.torus_axis == NetworkAxis::on_chip || ring) && phase.members == 0 &&
           phase.only_at.empty() && !has_origin(phase.exchange);
}

} // namespace

bool has_chips_alike(const CollectiveSchedule& schedule)
{
    return schedule.messages.empty() && !schedule.ranks && !schedule.colours.empty() &&
           !schedule.colours.front().phases.empty() &&
           std::all_of(schedule.colours.begin(), schedule.colours.end(), [&](const Colour& colour) {
               return std::all_of(
                   colour.phases.begin(), colour.phases.end(),
                   [&](const AxisPhase& phase) { return is_on_rings(schedule, phase); });
           });
}

std::optional<EvenCollective> even_collective(const CollectiveSchedule& schedule)
{
    if (!has_chips_alike(schedule)) {
        return std::nullopt;
    }
    ScheduleReplay replay(schedule, places_of(schedule));
    replay.finish();
    return EvenCollective{replay.done(), replay.loads(0)};
}

} // namespace alxsim::model
