// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/observe/observer.h"
#include "sim/observe/timeline.h"
#include "sim/observe/traced_steps.h"
#include "topologies/machine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace alxsim::sim {

/// Keeps all that happens in some steps of a simulation. Memory is bounded by the steps kept, and
/// by those that are under way at once. Which step of the epoch each one is says a TracedSource.
class StepTrace final : public Observer {
public:
    /// `most_activities`: when so many are kept, the other steps asked for are left out.
    StepTrace(const topologies::Machine& machine, TracedSteps steps,
              std::int64_t most_activities = std::int64_t{1} << 20);

    /// The next step that the simulator gets is number `number` of the epoch, after `repeats` that
    /// are left out; 0: of another epoch.
    void hand_out(std::int64_t number) { numbers_.push_back(number); }

    /// After the run; nothing if no step asked for was simulated.
    std::optional<Timeline> timeline() const;

    void finished(const FinishedActivity& told) override;
    void repeated(const RepeatedPart& part) override;
    void step_closed(const ClosedStep& closed) override;
    void hbm_moved(const HbmTransfer& transfer) override;
    void link_carried(const LinkTransfer& transfer) override;
    void collective_left(const CollectiveMember& member) override;

private:
    using Direction = std::pair<int, int>; ///< axis, +1 or -1
    struct Step {
        TimelineStep step;
        Picoseconds skipped{0}; ///< in `repeats`
        std::vector<TimelineActivity> activities;
        std::vector<TimelineTransfer> transfers;
        std::map<Direction, LoadCurve> links;
    };

    /// Null unless it may be kept.
    Step* open(std::int64_t step);
    std::optional<CollectiveMember> just_left(const OpRun& run);
    void keep(Step&& step);
    static Picoseconds took(const Step& step) { return step.step.end - step.step.begin; }

    const topologies::Machine& machine_;
    const TracedSteps wanted_;
    const std::int64_t most_activities_;
    std::vector<std::int64_t> numbers_;    ///< [step of the simulation]
    std::map<std::int64_t, Step> open_;    ///< by step of the simulation
    std::optional<CollectiveMember> left_; ///< of what was told last
    std::vector<Step> kept_;
    std::int64_t kept_activities_ = 0;
    std::int64_t left_out_ = 0;
    Picoseconds last_closed_{0};
};

} // namespace alxsim::sim
