// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/memo.h"
#include "experiments/answers/advise/advice.h"
#include "experiments/answers/advise/space.h"
#include "topologies/machine.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

    /// Times by closed forms, of all steps. Throws InputError for a plan that is not possible.
    PlanEstimate estimate_of(const Selection& selection) const;
    /// To be searched by: nothing for a plan that does not fit or is not possible; plans beyond the
    /// limits come after all others. Of steps that differ some stand for all. Safe from several
    /// threads.
    std::optional<double> cost_of(const Selection& selection);
    /// What cost_of() found of a plan that is possible and fits; null: it was not asked.
    const PlanEstimate* found(const Selection& selection) const;

    /// What was not possible, and what did not fit, so far.
    NotPossible not_possible() const;
    TooLarge too_large() const;
    /// Chips of which no plan is possible and fits, and why.
    std::vector<ChipWithoutPlan> chips_without_plan() const;

private:
    /// Plans of a chip that were tried.
    struct ChipTally {
        bool has_plan = false;
        int too_large = 0;
        std::optional<report::PointMemory> smallest; ///< of these, by what it needs of HBM
        std::map<std::string, int> refused;          ///< by reason
    };
    std::string chip_of_plan(const Selection& selection) const;
    std::shared_ptr<const topologies::Machine> machine_of_plan(const PointStudy& study) const;
    PlanEstimate sketch_estimate_of(const Selection& selection) const;
    void note_too_large(const Selection& selection, double cost, const PlanEstimate& plan);

    const PlanSpace& space_;
    Objective objective_;
    PlanLimits limits_;
    bool needs_price_;
    mutable Memo<std::string, std::shared_ptr<const topologies::Machine>> machines_;
    std::mutex mutex_; ///< of what follows
    std::map<std::string, int> reasons_;
    std::map<std::string, ChipTally> chips_;
    int too_large_ = 0;
    std::optional<RankedSelection> best_too_large_;
    std::optional<PlanEstimate> estimate_too_large_;             ///< of that
    std::map<Selection, std::pair<double, PlanEstimate>> found_; ///< with its cost
    std::set<Selection> refused_;                                ///< not possible, or too large
};

} // namespace alxsim::experiments
