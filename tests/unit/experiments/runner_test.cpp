// SPDX-License-Identifier: Apache-2.0
#include "experiments/runner.h"

#include <gtest/gtest.h>

#include <csignal>

namespace alxsim::experiments {
namespace {

/// Answers its point in the moment in which somebody presses Ctrl-C.
class InterruptedAtTheEnd : public Executor {
public:
    bool take(const PointOrder&) override { return has_point_ = true; }
    bool idle() const override { return !has_point_; }
    void wait(PointListener& listener, std::chrono::milliseconds) override
    {
        std::raise(SIGINT);
        has_point_ = false;
        PointResult result;
        result.point.error = "of no interest here";
        listener.finished(0, result, "{}");
    }
    void stop() override {}

private:
    bool has_point_ = false;
};

TEST(CtrlC, IsHeardWhileTheLastPointEnds)
{
    RunnerOptions options;
    options.catch_signals = true;
    options.quiet = true;
    InterruptedAtTheEnd executor;
    EXPECT_THROW(run_points(std::vector<PointSpec>(1), options, executor), Interrupted);
}

} // namespace
} // namespace alxsim::experiments
