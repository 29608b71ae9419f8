// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/memo.h"
#include "experiments/advise/advice.h"
#include "experiments/advise/space.h"
#include "topologies/machine.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// What the analytic model says of plans, and a tally of those that are not possible.
class Evaluator {
public:
    /// `needs_price`: a plan on a chip without one is not possible.
    Evaluator(const PlanSpace& space, Objective objective, const PlanLimits& limits,
              bool needs_price)
        : space_(space),
          objective_(objective),
          limits_(limits),
          needs_price_(needs_price)
    {
    }

    /// Times by closed forms. Throws InputError for a plan that is not possible.
    PlanEstimate estimate_of(const Selection& selection) const;
    /// To be searched by: nothing for a plan that does not fit or is not possible; plans beyond the
    /// limits come after all others. Safe from several threads.
    std::optional<double> cost_of(const Selection& selection);

    /// What was not possible, and what did not fit, so far.
    NotPossible not_possible() const;
    TooLarge too_large() const;

private:
    std::shared_ptr<const topologies::Machine> machine_of_plan(const PointStudy& study) const;
    void note_too_large(const Selection& selection, double cost);

    const PlanSpace& space_;
    Objective objective_;
    PlanLimits limits_;
    bool needs_price_;
    mutable Memo<std::string, std::shared_ptr<const topologies::Machine>> machines_;
    std::mutex mutex_; ///< of what follows
    std::map<std::string, int> reasons_;
    int too_large_ = 0;
    std::optional<RankedSelection> best_too_large_;
};

} // namespace alxsim::experiments
