// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

/// Indices into network_axes(), in the order in which an all-gather takes them.
using AxisOrder = std::vector<int>;

/// How a colour goes: along which axes, and round their rings both ways or one way.
struct RingOrder {
    AxisOrder axes; ///< in which an all-gather takes them
    int directions = 2;
    bool downwards = false; ///< of one direction
};

/// An equal part of the payload for each of `orders`. Its name is empty.
CollectiveSchedule ring_schedule(const Collective& collective, const CollectiveGroup& group,
                                 const std::vector<RingOrder>& orders);

/// Sets the colours of such a schedule for the bytes of `collective`, in place of those for others.
void set_ring_colours(const Collective& collective, const CollectiveGroup& group,
                      const std::vector<RingOrder>& orders, CollectiveSchedule& schedule);

/// How an all-reduce stands for `kind`: "all-reduce with zeros, " of a broadcast, "all-reduce for
/// one, " of a reduce.
std::string zeros_in_words(CollectiveKind kind);

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

/// An all-reduce of several colours as a reduce-scatter of all of them and after that an
/// all-gather: so no colour's gather shares links with another's reduction. Of those of
/// ring_schedules().
std::vector<CollectiveSchedule> one_part_after_the_other(const Collective& collective,
                                                         const CollectiveGroup& group);

/// `first`, and when all of a group have done it, `second`; both on the same axes. Nothing where
/// they are not.
std::optional<CollectiveSchedule> one_after_the_other(CollectiveSchedule first,
                                                      const CollectiveSchedule& second);

/// For an all-reduce: along each axis everybody gathers what the others hold and adds it up. More
/// bytes, but half the hops: for small arrays.
CollectiveSchedule gather_and_add(const Collective& collective, const CollectiveGroup& group);
/// Sets the bytes of such a schedule in place of others.
void set_added_bytes(const Collective& collective, CollectiveSchedule& schedule);

/// For a permute: everybody to the next along the group's first torus axis; on a chip by itself,
/// along its path. Over a line in packets, but no more of them than keep waiting for the first
/// below 1/16.
CollectiveSchedule shift(const Collective& collective, const CollectiveGroup& group);

} // namespace alxsim::model
