// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collective.h"

#include <map>
#include <tuple>
#include <vector>

namespace alxsim::model {

/// The ways to run `collective` that are worth a comparison, the usual one first.
///   Hierarchical rings: an all-gather runs along the torus axes, then on the chip; a
///   reduce-scatter is its mirror; an all-reduce is a reduce-scatter, then an all-gather; an
///   all-to-all exchanges along one axis after the other. With one colour per torus axis, each
///   starting with another axis (JAX roofline, rooflines.py: n colours), or with one colour in any
///   order of the axes.
///   Gather and add, for an all-reduce: along each axis everybody gathers what the others hold and
///   adds it up. More bytes, but half the hops: for small arrays.
/// Colours or directions that the op asks for leave out what does not have them.
std::vector<CollectiveSchedule> candidate_schedules(const Collective& collective,
                                                    const topologies::Machine& machine);

/// A schedule and how long it takes by itself.
struct TimedSchedule {
    CollectiveSchedule schedule;
    Picoseconds time{0};
};

/// Chooses schedules on one machine; equal collectives are looked at once.
class ScheduleBook {
public:
    explicit ScheduleBook(const topologies::Machine& machine) : machine_(machine) {}

    const TimedSchedule& best(const Collective& collective);

private:
    using Key = std::tuple<CollectiveKind, std::int64_t, int, int>;

    const topologies::Machine& machine_;
    std::map<Key, TimedSchedule> chosen_;
};

} // namespace alxsim::model
