// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/advice.h"
#include "experiments/answers/advise/space.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// An epoch's seconds, or its dollars (chip-seconds where the chip has no price); of plans whose
/// intervals get through more or less, of one unit of that.
double objective_of(double epoch_seconds, const PlanEstimate& plan, Objective objective);

/// How many times what is allowed an epoch takes, of the limit that is missed most; at most 1: it
/// keeps them all.
double use_of_limits(double epoch_seconds, const PlanEstimate& plan, const PlanLimits& limits);

/// A plan that is not ranked and not compared yet. `role`: why it is listed; `simulated`: a point
/// that was run, if it was.
Plan plan_of(const PlanSpace& space, const Selection& selection, const std::string& role,
             const PlanEstimate& estimate, const std::optional<report::Point>& simulated);

/// Writes the bands of simulated plans, and `best_in_draws`: the share of the same draws (times
/// what the plan's figures are to its analytic ones) in which a plan is the best of those that keep
/// the limits. Nothing where the study wants no band. `threads`: of this host; the figures are the
/// same for any. Throws InputError.
void tell_draws(std::vector<Plan>& plans, Objective objective, const PlanLimits& limits,
                int threads);

/// Writes `speedup` and `why` against the studied plan: simulated against simulated where there
/// are both. No speed-up over a plan that does not fit.
void compare(Plan& plan, const Plan& studied, const std::vector<std::string>& effects);

} // namespace alxsim::experiments
