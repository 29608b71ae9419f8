// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/op_graph.h"
#include "topologies/machine.h"

#include <vector>

namespace alxsim::model {

/// One dimension of the network that a collective runs along: the path between the devices of a
/// chip, or a torus axis of more than one chip.
struct NetworkAxis {
    static constexpr int on_chip = -1;

    int torus_axis = on_chip; ///< index into Slice::axes(), or on_chip
    int length = 1;
    bool wraps = false;
    double bytes_per_second = 0; ///< of one link in one direction
    Picoseconds latency{0};      ///< from the last byte sent to the message usable at the neighbour

    /// Steps of an all-gather or reduce-scatter along this axis with both directions in use: a
    /// shard goes half-way round a ring either way, or from end to end of a line.
    int steps() const { return wraps ? length / 2 : length - 1; }
};

/// On-chip first, then the torus axes in order; those of length 1 are left out.
std::vector<NetworkAxis> network_axes(const topologies::Machine& machine);

/// A bidirectional all-gather (or, `reduce`, the reduce-scatter that mirrors it in time) along one
/// axis.
struct AxisPhase {
    int axis = 0; ///< index into network_axes()
    bool reduce = false;
    Bytes shard{0}; ///< what each member holds alone (before an all-gather, after a reduce-scatter)

    /// Bytes that a member sends in one direction at `step` (1, 2, ...). On a ring of even length
    /// the member opposite gets half of its shard from either side.
    Bytes step_bytes(int step, const NetworkAxis& axis_used) const;
};

/// A part of the payload, and the axes in its own order, so that all links work at once.
struct Colour {
    std::vector<AxisPhase> phases;
};

struct CollectiveSchedule {
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::vector<NetworkAxis> axes;
    std::vector<Colour> colours;
};

/// Hierarchical bidirectional rings: an all-gather runs along the torus axes, then on the chip; a
/// reduce-scatter is its mirror; an all-reduce is a reduce-scatter, then an all-gather. One colour
/// per torus axis, each starting with another axis (JAX roofline, rooflines.py: n colours). Throws
/// InputError for the kinds that are not supported yet.
CollectiveSchedule make_schedule(const Collective& collective, const topologies::Machine& machine);

/// Exact time of a schedule that nothing else disturbs, all devices entering at once, launch not
/// counted. It is played message by message, one place standing for all of a ring, so that colours
/// and devices of a chip that meet on a link take turns as they do in the simulator. Where they do
/// not meet it is, for an all-gather of shards s on a ring of k: floor(k/2) hops and (k-1)/2 *
/// s/bandwidth; on a line of k: (k-1) * (s/bandwidth + hop).
Picoseconds schedule_time(const CollectiveSchedule& schedule);

/// No schedule can be faster. With V bytes, C chips, D devices, links of bandwidth w each way:
///   all-gather, reduce-scatter: the chip with fewest links takes in (gives out) V (1-1/C);
///   all-reduce: every chip but one gives up V to be added and is given V back, 2 (C-1) V in all
///   over all links; and the chip with fewest links takes in V at least; both: half the sum of
///   wrapped axis lengths (whole length - 1 for lines) hops (scaling book).
/// For one chip, the on-chip path in place of links.
Seconds collective_bound(const Collective& collective, const topologies::Machine& machine);

/// Bytes that all devices together put on ICI links in this schedule.
Bytes link_bytes(const CollectiveSchedule& schedule, int devices);

} // namespace alxsim::model
