// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "base/memo.h"
#include "experiments/advise/space.h"
#include "topologies/machine.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// What is made small: seconds of an epoch, or chip-seconds (what the chips cost).
enum class Objective { time, cost };

/// An epoch's seconds, or its chip-seconds; of a point that fits.
double objective_of(const Json& point, Objective objective);

/// What the analytic model says of plans, and a tally of those that are not possible.
class Evaluator {
public:
    Evaluator(const PlanSpace& space, Objective objective) : space_(space), objective_(objective) {}

    /// A point as in the report, as far as the analytic model knows it: machine, fits, memory,
    /// geometry, epoch_seconds, phases, shares; cost_usd where the preset has a price. Throws
    /// InputError for a plan that is not possible.
    Json point_of(const Place& place) const;
    /// To be searched by: nothing for a plan that does not fit or is not possible. Safe from
    /// several threads.
    std::optional<double> cost_of(const Place& place);

    /// {not_possible: {plans, reasons: [{why, plans}]}, too_large: {plans, best: {...} | null}}
    Json tally() const;

private:
    std::shared_ptr<const topologies::Machine> machine_of_plan(const Json& document) const;
    void note_too_large(const Place& place, double cost);

    const PlanSpace& space_;
    Objective objective_;
    mutable Memo<std::string, std::shared_ptr<const topologies::Machine>> machines_;
    std::mutex mutex_; ///< of what follows
    std::map<std::string, int> reasons_;
    int too_large_ = 0;
    std::optional<RankedPlace> best_too_large_;
};

} // namespace alxsim::experiments
