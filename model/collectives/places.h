// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/phase_plan.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace alxsim::model {

/// Where devices stand along the axes of a network. Those that differ only along axes on which they
/// are alike have one place, which is its own neighbour there. Along a line of even length whose
/// upper half does what the lower does, the other way round, the lower half stands for both.
class Places {
public:
    /// `alike`, `mirrored`: [axis]; none of `mirrored`: on no axis.
    Places(std::vector<NetworkAxis> axes, const std::vector<bool>& alike,
           const std::vector<bool>& mirrored = {})
        : axes_(std::move(axes))
    {
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            const bool half = !mirrored.empty() && mirrored[axis];
            lengths_.push_back(alike[axis] ? 1
                               : half      ? axes_[axis].length / 2
                                           : axes_[axis].length);
            mirrored_.push_back(half);
            strides_.push_back(alike[axis] ? 0 : count_);
            count_ *= lengths_.back();
        }
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            for (int place = 0; place < count_; ++place) {
                positions_.push_back(strides_[axis] == 0 ? 0
                                                         : place / strides_[axis] % lengths_[axis]);
            }
        }
        for (int axis = 0; axis < static_cast<int>(axes_.size()); ++axis) {
            for (int place = 0; place < count_; ++place) {
                for (const int way : {up, down}) {
                    neighbours_.push_back(next_place(axis, place, way));
                }
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
        return neighbours_[(static_cast<std::size_t>(axis) * static_cast<std::size_t>(count_) +
                            static_cast<std::size_t>(place)) *
                               2 +
                           static_cast<std::size_t>(way)];
    }

    /// Whether that neighbour is the place's own mirror image: what it sends that way is like what
    /// comes to itself from there.
    bool crosses_the_middle(int axis, int place, int way) const
    {
        const auto along = static_cast<std::size_t>(axis);
        return mirrored_[along] && way == up && position(axis, place) == lengths_[along] - 1;
    }

private:
    int next_place(int axis, int place, int way) const
    {
        const int stride = strides_[static_cast<std::size_t>(axis)];
        if (stride == 0 || crosses_the_middle(axis, place, way)) {
            return place;
        }
        const int length = lengths_[static_cast<std::size_t>(axis)];
        const int from = position(axis, place);
        const int to = (from + (way == up ? 1 : length - 1)) % length;
        return place + (to - from) * stride;
    }

    std::vector<NetworkAxis> axes_;
    int count_ = 1;
    std::vector<int> lengths_;    ///< [axis], in places
    std::vector<bool> mirrored_;  ///< [axis]
    std::vector<int> strides_;    ///< [axis]; 0 where one place stands for all
    std::vector<int> positions_;  ///< [axis][place]
    std::vector<int> neighbours_; ///< [axis][place][direction]
};

} // namespace alxsim::model
