// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/slice.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <vector>

namespace alxsim::model {

/// Fewest links between chips of a slice of which nothing is broken.
class HopDistance {
public:
    explicit HopDistance(const topologies::Slice& slice);

    int between(int source, int destination)
    {
        return slice_.twisted() ? from(source)[static_cast<std::size_t>(destination)]
                                : along_axes(source, destination);
    }
    /// From one chip to all; on a twisted torus all chips see the same distances.
    const std::vector<int>& from(int source);

private:
    int at(int chip, std::size_t axis) const
    {
        return coordinates_[static_cast<std::size_t>(chip) * slice_.axes().size() + axis];
    }
    int along_axes(int source, int destination) const
    {
        int sum = 0;
        for (std::size_t axis = 0; axis < slice_.axes().size(); ++axis) {
            const topologies::Axis& along = slice_.axes()[axis];
            const int direct = std::abs(at(destination, axis) - at(source, axis));
            sum += along.wraps ? std::min(direct, along.length - direct) : direct;
        }
        return sum;
    }
    std::vector<int> measured_along_axes(int source) const;
    std::vector<int> measured_step_by_step(int source) const;

    const topologies::Slice& slice_;
    std::vector<int> coordinates_;             ///< [chip][axis]
    std::vector<std::vector<int>> neighbours_; ///< [chip]; of a twisted slice
    std::map<int, std::vector<int>> from_;
};

} // namespace alxsim::model
