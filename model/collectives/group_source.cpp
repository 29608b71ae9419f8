// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/group_source.h"

#include <algorithm>
#include <utility>

namespace alxsim::model {

GroupSource::GroupSource(Program groups, std::function<void(double)> progress)
    : groups_(std::move(groups)),
      progress_(std::move(progress))
{
    for (const StepGroup& group : groups_) {
        total_ += group.times;
    }
}

std::optional<Step> GroupSource::next()
{
    while (group_ < groups_.size() && done_in_group_ == groups_[group_].times) {
        ++group_;
        done_in_group_ = 0;
    }
    if (group_ == groups_.size()) {
        return std::nullopt;
    }
    ++done_in_group_;
    ++done_;
    if (progress_ && done_ % std::max<std::int64_t>(1, total_ / 1000) == 0) {
        progress_(static_cast<double>(done_) / static_cast<double>(total_));
    }
    return groups_[group_].step;
}

} // namespace alxsim::model
