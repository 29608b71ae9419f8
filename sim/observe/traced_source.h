// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "sim/observe/step_trace.h"

#include <optional>

namespace alxsim::sim {

/// Steps on their way to a simulator that a StepTrace observes: tells it the number of each, and
/// keeps those that are traced from being left out because they are like others. Which changes no
/// time.
class TracedSource : public model::StepSource {
public:
    /// Both outlive it.
    TracedSource(model::StepSource& source, StepTrace& trace, TracedSteps steps)
        : source_(source),
          trace_(trace),
          steps_(steps)
    {
    }

    std::optional<model::Step> next() override;
    std::int64_t again() const override;
    void leave_out(std::int64_t steps) override;

private:
    model::StepSource& source_;
    StepTrace& trace_;
    const TracedSteps steps_;
    std::optional<int> epoch_; ///< the first
    bool in_first_epoch_ = true;
    std::int64_t number_ = 0; ///< of the last step handed out, those left out counted
};

} // namespace alxsim::sim
