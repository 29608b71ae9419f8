// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/hop_distance.h"

namespace alxsim::model {

HopDistance::HopDistance(const topologies::Slice& slice) : slice_(slice)
{
    const int axes = slice.twisted() ? static_cast<int>(slice.axes().size()) : 0;
    for (int chip = 0; chip < slice.chips(); ++chip) {
        for (std::size_t axis = 0; axis < slice.axes().size(); ++axis) {
            coordinates_.push_back(chip / slice.stride(static_cast<int>(axis)) %
                                   slice.axes()[axis].length);
        }
        neighbours_.emplace_back();
        for (int axis = 0; axis < axes; ++axis) {
            for (const int direction : {1, -1}) {
                if (const auto next = slice.neighbour(chip, axis, direction)) {
                    neighbours_.back().push_back(*next);
                }
            }
        }
    }
}

const std::vector<int>& HopDistance::from(int source)
{
    std::vector<int>& distances = from_[source];
    if (distances.empty()) {
        distances = slice_.twisted() ? measured_step_by_step(source) : measured_along_axes(source);
    }
    return distances;
}

std::vector<int> HopDistance::measured_along_axes(int source) const
{
    std::vector<int> distances;
    for (int chip = 0; chip < slice_.chips(); ++chip) {
        distances.push_back(along_axes(source, chip));
    }
    return distances;
}

std::vector<int> HopDistance::measured_step_by_step(int source) const
{
    std::vector<int> distances(neighbours_.size(), -1);
    std::vector<int> reached{source};
    distances[static_cast<std::size_t>(source)] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const auto here = static_cast<std::size_t>(reached[i]);
        for (int next : neighbours_[here]) {
            int& distance = distances[static_cast<std::size_t>(next)];
            if (distance < 0) {
                distance = distances[here] + 1;
                reached.push_back(next);
            }
        }
    }
    return distances;
}

} // namespace alxsim::model
