// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"
#include "model/program_cache.h"
#include "topologies/machine.h"

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace alxsim::sim {

/// A step as the devices run it.
struct ActiveStep {
    model::Step step;
    std::shared_ptr<const model::CompiledGraph> graph; ///< points into the step's
    int devices_left = 0;
    std::int64_t again = 0;                ///< so many of the next steps are this one once more
    std::vector<int> devices_of_role = {}; ///< that are simulated; without roles of them all

    /// How many run the graph that `device` runs.
    int devices_like(int device) const
    {
        const std::size_t role =
            graph->roles.empty()
                ? 0
                : static_cast<std::size_t>(graph->role_of[static_cast<std::size_t>(device)]);
        return devices_of_role[role];
    }
};

/// Hands the steps of a job to the devices: the first device to enter a step makes the source run
/// its numbers, the last one to leave it frees it.
class StepFeed {
public:
    /// `devices`: those that are simulated. If they are fewer than the machine's, as one chip
    /// stands for all, a step on which chips differ fails with ChipsDiffer.
    StepFeed(model::StepSource& source, const topologies::Machine& machine, int devices);

    /// Step number `index`, or nullptr when the job has no more or the source has failed.
    const ActiveStep* enter(std::int64_t index);
    /// True if that was the last device in it.
    bool leave(std::int64_t index);
    /// A device leaves out the next `steps` steps, which are the last one handed out once more. All
    /// do: the first time for each `skip`, the source does.
    void leave_out(std::int64_t steps, std::int64_t skip);
    /// Throws what the source or the compilation of a step threw: not through SystemC's scheduler,
    /// which would make another exception of it.
    void rethrow_failure() const;

    model::PhaseNames& phases() { return phases_; }

private:
    std::optional<ActiveStep> next_step();

    model::StepSource& source_;
    const topologies::Machine& machine_;
    const int devices_; ///< that are simulated
    model::PhaseNames phases_;
    model::ProgramCache programs_;
    std::deque<ActiveStep> active_;
    std::int64_t first_active_ = 0;
    std::int64_t last_skip_ = 0;
    bool ended_ = false;
    std::exception_ptr failure_;
};

} // namespace alxsim::sim
