// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/bf16.h"
#include "model/collectives/collective.h"

#include <cstddef>
#include <vector>

namespace alxsim::spmd {

/// The sum that an all-reduce of bf16 makes whose rings hand on sums so far: each hop adds in f32
/// and rounds to bf16, as programs of the TPU compiler do (libtpu 0.0.42.1), so that the last bits
/// depend on the schedule. Where a schedule sends everything to everybody it is added in f32 by
/// ascending device and rounded once. Every device gets the same numbers. Along a line a member
/// adds what comes from below to its own, then what comes from above; so it does on a ring that is
/// used both ways.
class HopSum {
public:
    using Arrays = std::vector<std::vector<Bf16>>; ///< [device][element]

    /// `elements` of every device's array. Throws InputError for a schedule of an all-reduce over
    /// some devices only, by messages, or on a twisted torus.
    HopSum(const model::CollectiveSchedule& schedule, const topologies::Machine& machine,
           std::size_t elements);

    /// Returns [element].
    std::vector<Bf16> operator()(const Arrays& arrays) const;

private:
    /// A reduction along an axis.
    struct Ring {
        int axis = 0;
        int length = 1;
        bool closed = false;
        bool up = true; ///< ways in which sums travel
        bool down = true;

        /// Members below (above) the `owner` of a sum whose numbers come to it from there; on an
        /// even ring that is used both ways the one opposite goes up with the first half of the
        /// owner's elements, down with the second.
        int from_below(int owner, bool first_half) const;
        int from_above(int owner, bool first_half) const;
        bool splits() const { return closed && up && down && length % 2 == 0; }
    };
    /// A part of the array, and the rings that it passes; none: everybody gets everything.
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<Ring> rings;
    };
    class Summation;

    void place_devices(const model::CollectiveSchedule& schedule,
                       const topologies::Machine& machine);

    std::vector<Part> parts_;
    std::vector<std::size_t> strides_; ///< [axis] of `device_at_`
    std::vector<int> device_at_;       ///< [positions on all axes]
};

} // namespace alxsim::spmd
