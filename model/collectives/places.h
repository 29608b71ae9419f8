// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/phase_plan.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace alxsim::model {

/// Where devices stand along the axes of a network. Those that differ only along axes on which they
/// are alike have one place, which is its own neighbour there.
class Places {
public:
    /// `alike`: [axis]
    Places(std::vector<NetworkAxis> axes, const std::vector<bool>& alike) : axes_(std::move(axes))
    {
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            strides_.push_back(alike[axis] ? 0 : count_);
            count_ *= alike[axis] ? 1 : axes_[axis].length;
        }
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            for (int place = 0; place < count_; ++place) {
                positions_.push_back(
                    strides_[axis] == 0 ? 0 : place / strides_[axis] % axes_[axis].length);
            }
        }
    }

    int count() const { return count_; }
    const std::vector<NetworkAxis>& axes() const { return axes_; }

    int position(int axis, int place) const
    {
        return positions_[static_cast<std::size_t>(axis) * static_cast<std::size_t>(count_) +
                          static_cast<std::size_t>(place)];
    }

    int neighbour(int axis, int place, int way) const
    {
        const int stride = strides_[static_cast<std::size_t>(axis)];
        if (stride == 0) {
            return place;
        }
        const int length = axes_[static_cast<std::size_t>(axis)].length;
        const int from = position(axis, place);
        const int to = (from + (way == up ? 1 : length - 1)) % length;
        return place + (to - from) * stride;
    }

private:
    std::vector<NetworkAxis> axes_;
    int count_ = 1;
    std::vector<int> strides_;   ///< [axis]; 0 where one place stands for all
    std::vector<int> positions_; ///< [axis][place]
};

} // namespace alxsim::model
