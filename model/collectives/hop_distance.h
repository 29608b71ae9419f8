// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/slice.h"

#include <map>
#include <vector>

namespace alxsim::model {

/// Fewest links between chips of a slice of which nothing is broken.
class HopDistance {
public:
    explicit HopDistance(const topologies::Slice& slice);

    int between(int source, int destination);
    /// From one chip to all; on a twisted torus all chips see the same distances.
    const std::vector<int>& from(int source);

private:
    std::vector<int> measured_along_axes(int source) const;
    std::vector<int> measured_step_by_step(int source) const;

    const topologies::Slice& slice_;
    std::vector<std::vector<int>> neighbours_; ///< [chip]; of a twisted slice
    std::map<int, std::vector<int>> from_;
};

} // namespace alxsim::model
