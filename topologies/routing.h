// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/faults.h"
#include "topologies/slice.h"

#include <array>
#include <cstdlib>
#include <vector>

namespace alxsim::topologies {

/// Where a packet goes next: along `axis`, upwards or downwards; `axis` is -1 when it is there.
struct Hop {
    int axis = -1;
    int direction = 0; ///< +1 or -1
};

/// Minimal dimension-order routing: first along axis 0 to the right coordinate, then axis 1, then
/// axis 2; on a ring the shorter way round. Where both ways are equally long (even rings), sources
/// at an even coordinate of that axis go up, the others down, so that uniform traffic loads both
/// directions alike. Needs nothing but where the packet is: only its first router on an axis sees
/// a tie. Adaptive routes are left out.
///
/// On a twisted slice the way is a shortest one over all that lead to the destination's copies in
/// the lattice; of several, the one with the fewest hops along axis 0, then axis 1, then axis 2;
/// of those that differ in signs alone, parity chooses axis by axis as above. A hop shortens every
/// shortest way that starts with it and no other, so that the next router, asked anew, goes on.
///
/// A ring with a dead link is a line: whoever's short way meets it takes the other way round.
///
/// No route makes more hops along an axis than the axis has chips, twisted or not: it passes the
/// wrap at most once, which is what one pair of virtual channels (dateline) takes for granted.
class DimensionOrder {
public:
    /// Throws InputError for dead links that cannot be gone round (problem_of_dead_links).
    explicit DimensionOrder(const Slice& slice, const FaultPlan& faults = {});

    Hop next(int chip, int destination) const
    {
        if (!twisted_ways_.empty()) {
            return first_hop(twisted_way(chip, destination));
        }
        const Place* const from = places_.data() + static_cast<std::size_t>(chip) * spans_.size();
        const Place* const to =
            places_.data() + static_cast<std::size_t>(destination) * spans_.size();
        for (std::size_t axis = 0; axis < spans_.size(); ++axis) {
            if (from[axis].coordinate != to[axis].coordinate) {
                const int up = hops_up(axis, from[axis], to[axis].coordinate);
                return {static_cast<int>(axis), reaches(from[axis], up) ? 1 : -1};
            }
        }
        return {};
    }

    /// Links between two chips.
    int hops(int source, int destination) const;

private:
    /// Signed hops along each axis of a twisted slice.
    using Way = std::array<int, 3>;

    /// A chip on an axis.
    struct Place {
        int coordinate = 0;
        /// So many hops and fewer are made upwards; on a line all that lead upwards.
        int reach = 0;
    };

    void mark_dead_links(const Slice& slice, const FaultPlan& faults);
    void list_twisted_ways(const Slice& slice);
    static int reach_of(const Axis& axis, int coordinate);

    static Hop first_hop(const Way& way)
    {
        for (std::size_t axis = 0; axis < way.size(); ++axis) {
            if (way[axis] != 0) {
                return {static_cast<int>(axis), way[axis] > 0 ? 1 : -1};
            }
        }
        return {};
    }

    const Place& place(int chip, std::size_t axis) const
    {
        return places_[static_cast<std::size_t>(chip) * spans_.size() + axis];
    }
    int at(int chip, std::size_t axis) const { return place(chip, axis).coordinate; }

    /// Round a ring; along a line negative where `to` is below.
    int hops_up(std::size_t axis, const Place& from, int to) const
    {
        const int direct = to - from.coordinate;
        return direct + (spans_[axis] & -static_cast<int>(direct < 0)); // without a branch
    }
    static bool reaches(const Place& from, int up)
    {
        return static_cast<unsigned>(up) <= static_cast<unsigned>(from.reach);
    }
    /// Signed number of hops from a chip to another coordinate of its ring or line.
    int way_along(std::size_t axis, int chip, int to) const
    {
        const Place& from = place(chip, axis);
        const int up = hops_up(axis, from, to);
        return reaches(from, up) ? up : up - spans_[axis];
    }

    const Way& twisted_way(int source, int destination) const;

    std::vector<Axis> axes_;
    std::vector<int> strides_;  ///< chips from one coordinate of an axis to the next
    std::vector<int> spans_;    ///< [axis]: the length of a ring; of a line 0
    std::vector<Place> places_; ///< [chip][axis]
    int twist_ = 0;             ///< length of the short axes of a twisted slice
    /// [difference of coordinates, as a chip][parities of the source's coordinates]
    std::vector<std::array<Way, 8>> twisted_ways_;
};

} // namespace alxsim::topologies
