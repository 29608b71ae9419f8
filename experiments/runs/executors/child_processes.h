// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/executors/executor.h"
#include "experiments/runs/executors/point_process.h"

#include <memory>
#include <vector>

namespace alxsim::experiments {

/// Points in processes of the program, a few at a time: one that crashes costs itself alone. Small
/// ones share a process, any other has one to itself.
class ChildProcesses : public Executor {
public:
    /// `executable`: the program `alxsim` of this version. `jobs`: processes at once.
    ChildProcesses(Program executable, int jobs);

    /// From now on so many processes.
    void run_at_once(int jobs) { jobs_ = static_cast<std::size_t>(jobs); }

    bool take(const PointOrder& order) override;
    bool idle() const override;
    void wait(PointListener& listener, std::chrono::milliseconds at_most) override;
    void stop() override { processes_.clear(); }

private:
    PointProcess* process_for(const PointOrder& order);
    template <class Predicate>
    PointProcess* find(const Predicate& predicate);
    void collect_ended(PointListener& listener);

    Program executable_;
    std::size_t jobs_;
    std::vector<std::unique_ptr<PointProcess>> processes_;
};

} // namespace alxsim::experiments
