// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/executors/executor.h"
#include "experiments/runs/executors/task_runner.h"

#include <optional>

namespace alxsim::experiments {

/// Points in this process, one after another. wait() lasts as long as a point; a point that crashes
/// takes the program along. Not for two threads at once.
class InProcess : public Executor {
public:
    bool take(const PointOrder& order) override;
    bool idle() const override { return !order_; }
    void wait(PointListener& listener, std::chrono::milliseconds at_most) override;
    void stop() override { order_.reset(); }

private:
    std::optional<PointOrder> order_;
    TaskRunner runner_;
};

} // namespace alxsim::experiments
