// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/evaluate.h"
#include "workloads/workload.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// A plan as in the advice, not ranked and not compared yet. `role`: why it is listed; `estimated`
/// from Evaluator::point_of; `simulated` a point of a report, or null.
Json plan_json(const PlanSpace& space, const Place& place, const std::string& role,
               const Json& estimated, const Json& simulated);

/// Writes `best_in_draws`: the share of draws (drawn_seconds, times what the plan's figures are to
/// its analytic ones) in which a plan is the best of all; null for one that does not fit. `file`:
/// of the study. Throws InputError.
void tell_best_in_draws(std::vector<Json>& plans, const std::string& file, Objective objective);

/// Whether a simulation of the plan came to its end.
bool is_simulated(const Json& plan);

/// The simulated figures of a plan, or else the estimated ones.
const Json& figures_of(const Json& plan);

/// Writes `speedup` and `why` against the released plan: simulated against simulated where there
/// are both. No speed-up over a plan that does not fit.
void compare(Json& plan, const Json& released, const std::vector<std::string>& effects,
             const workloads::Workload& workload);

} // namespace alxsim::experiments
