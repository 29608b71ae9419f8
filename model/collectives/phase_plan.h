// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

#include <vector>

namespace alxsim::model {

/// Direction of a message along an axis: towards higher or lower coordinates.
constexpr int up = 0;
constexpr int down = 1;

constexpr int opposite(int direction)
{
    return direction == up ? down : up;
}

/// One axis phase message by message: what each member sends, when it may, and how long that takes.
/// `position` is a member's coordinate on the axis. Read by schedule_time and by the simulated
/// network alike.
struct PhaseSteps {
    PhaseSteps(const AxisPhase& phase, const NetworkAxis& along);

    int axis = 0;
    int length = 1;
    bool ring = false;
    Exchange exchange = Exchange::gather;
    int steps = 0; ///< of the member that sends most
    int directions = 2;
    bool downwards = false; ///< see AxisPhase, as of the next
    int origin = 0;
    Picoseconds latency{0};

    /// Messages that the member at `position` sends in `direction`, and the step of its first one.
    /// On a line a gather passes on what came from behind and the own shard; a reduce sends the
    /// partial sums for everybody ahead; an all-to-all sends, for each member ahead, the own shard
    /// and those that came from behind, the farthest member's first.
    int sends(int position, int direction) const;
    int first_step(int position, int direction) const
    {
        return !ring && exchange == Exchange::reduce ? from_source(position, direction) + 1 : 1;
    }
    int receives(int position, int direction) const;
    /// Members that a spread reaches in `direction`, or that a collect reaches from there.
    int reach(int direction) const;
    /// Messages that must have come before the one of `step` can go: the one that it passes on.
    int needs(int position, int direction, int step) const;

    /// Whether all positions send and wait alike: on a ring at which nothing begins or ends.
    bool alike_everywhere() const { return ring && !has_origin(exchange); }

    /// Whether a ring is used that way.
    bool uses(int direction) const
    {
        return directions == 2 || direction == (downwards ? down : up);
    }

private:
    int hops_from_origin(int position, int direction) const;
    bool passed_from(int position, int direction) const;
    bool passed_to(int position, int direction) const;
    /// Position counted from where messages of this direction come from.
    int from_source(int position, int direction) const
    {
        return direction == up ? position : length - 1 - position;
    }
};

/// The same with what every step sends.
struct PhasePlan : PhaseSteps {
    PhasePlan(const AxisPhase& phase, const NetworkAxis& along);

    std::vector<AxisPosition> only_at;      ///< see AxisPhase
    std::vector<Picoseconds> serialization; ///< [step - 1]
    std::vector<Bytes> bytes;               ///< [step - 1]
};

/// The axis with as many members as the phase has.
NetworkAxis members_of(const AxisPhase& phase, NetworkAxis axis);

/// The phases of every colour, planned.
std::vector<std::vector<PhasePlan>> plan_phases(const CollectiveSchedule& schedule);

/// Devices whose messages one link of a phase along `axis` carries. Of a spread or collect it is
/// the origin's link, which only one device of the chip uses unless the others are in groups of
/// their own.
int senders_on_a_link(const CollectiveSchedule& schedule, int axis,
                      const std::vector<AxisPosition>& only_at);

} // namespace alxsim::model
