// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"

#include <functional>
#include <vector>

namespace alxsim::model {

/// Plays a program of step groups to the simulator: steps without effects.
class GroupSource : public StepSource {
public:
    /// `progress`, if given, is called with the share of the steps that are done, about a thousand
    /// times.
    explicit GroupSource(Program groups, std::function<void(double)> progress = {});

    std::optional<Step> next() override;
    std::int64_t again() const override;
    void leave_out(std::int64_t steps) override;

private:
    void hand_out(std::int64_t steps);
    void tell();

    Program groups_;
    std::function<void(double)> progress_;
    std::size_t group_ = 0;
    std::int64_t done_in_group_ = 0;
    std::int64_t handed_out_ = 0;
    std::int64_t told_ = 0;
    std::int64_t total_ = 0;
};

} // namespace alxsim::model
