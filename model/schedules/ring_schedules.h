// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <vector>

namespace alxsim::model {

/// Indices into network_axes(), in the order in which an all-gather takes them.
using AxisOrder = std::vector<int>;

/// The order of colour `colour`: the axis between slices first, while shards are smallest; the
/// group's torus axes, short ones first whatever their names, rotated; the chip last, so that what
/// leaves a chip leaves it once.
AxisOrder gather_order(const CollectiveGroup& group, int colour);

/// Hierarchical rings: an all-gather runs between slices, then along the torus axes, then on the
/// chip; a reduce-scatter is its mirror; an all-reduce is a reduce-scatter, then an all-gather (so
/// is a broadcast, the others adding zeros to what the root has, and a reduce, of which the others
/// drop the sum); an all-to-all exchanges along one axis after the other. With one colour per torus
/// axis, each starting with another axis (JAX roofline, rooflines.py: n colours), or with one
/// colour in any order of the axes. On a twisted torus the rings have the lengths of
/// CollectiveGroup::twisted_rings.
std::vector<CollectiveSchedule> ring_schedules(const Collective& collective,
                                               const CollectiveGroup& group);

/// For an all-reduce: along each axis everybody gathers what the others hold and adds it up. More
/// bytes, but half the hops: for small arrays.
CollectiveSchedule gather_and_add(const Collective& collective, const CollectiveGroup& group);

/// For a permute: everybody to the next along the group's first torus axis; on a chip by itself,
/// along its path. Over a line in packets, but no more of them than keep waiting for the first
/// below 1/16.
CollectiveSchedule shift(const Collective& collective, const CollectiveGroup& group);

} // namespace alxsim::model
