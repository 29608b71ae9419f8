// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/group_source.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::model {

GroupSource::GroupSource(Program groups, std::function<void(double)> progress)
    : groups_(std::move(groups)),
      progress_(std::move(progress))
{
    for (const StepGroup& group : groups_) {
        if (group.times < 0) {
            throw std::logic_error("steps that are taken off cannot be played");
        }
        total_ += group.times;
    }
}

std::optional<Step> GroupSource::next()
{
    while (group_ < groups_.size() && done_in_group_ == groups_[group_].times) {
        ++group_;
        done_in_group_ = 0;
    }
    tell();
    if (group_ == groups_.size()) {
        return std::nullopt;
    }
    hand_out(1);
    return groups_[group_].step;
}

std::int64_t GroupSource::again() const
{
    return group_ == groups_.size() ? 0 : groups_[group_].times - done_in_group_;
}

void GroupSource::leave_out(std::int64_t steps)
{
    hand_out(steps);
}

void GroupSource::hand_out(std::int64_t steps)
{
    done_in_group_ += steps;
    handed_out_ += steps;
}

/// Those handed out are done when the next one is asked for.
void GroupSource::tell()
{
    const std::int64_t told_every = std::max<std::int64_t>(1, total_ / 1000);
    if (progress_ && handed_out_ / told_every != told_ / told_every) {
        told_ = handed_out_;
        progress_(static_cast<double>(told_) / static_cast<double>(total_));
    }
}

} // namespace alxsim::model
