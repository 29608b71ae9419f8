// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/slice.h"

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
/// a tie. Adaptive and fault-avoiding routes are left out.
class DimensionOrder {
public:
    explicit DimensionOrder(const Slice& slice) : axes_(slice.axes())
    {
        for (int chip = 0; chip < slice.chips(); ++chip) {
            const std::vector<int> coordinates = slice.coordinates(chip);
            coordinates_.insert(coordinates_.end(), coordinates.begin(), coordinates.end());
        }
    }

    Hop next(int chip, int destination) const
    {
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            const int way = way_along(axis, at(chip, axis), at(destination, axis));
            if (way != 0) {
                return {static_cast<int>(axis), way > 0 ? 1 : -1};
            }
        }
        return {};
    }

    /// Links between two chips.
    int hops(int source, int destination) const
    {
        int sum = 0;
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            sum += std::abs(way_along(axis, at(source, axis), at(destination, axis)));
        }
        return sum;
    }

private:
    int at(int chip, std::size_t axis) const
    {
        return coordinates_[static_cast<std::size_t>(chip) * axes_.size() + axis];
    }

    /// Signed number of hops from one coordinate to another.
    int way_along(std::size_t axis, int from, int to) const
    {
        const int direct = to - from;
        if (direct == 0 || !axes_[axis].wraps) {
            return direct;
        }
        const int length = axes_[axis].length;
        const int up = direct > 0 ? direct : direct + length;
        const bool goes_up = 2 * up < length || (2 * up == length && from % 2 == 0);
        return goes_up ? up : up - length;
    }

    std::vector<Axis> axes_;
    std::vector<int> coordinates_; ///< [chip][axis]
};

} // namespace alxsim::topologies
