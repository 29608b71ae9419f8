// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/space.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// A plan that is worth a simulation.
struct Contender {
    Selection selection;
    std::string role; ///< "best by the model", "best by the model with another gather"
    bool studied = false;
};

/// The study's own plan.
Contender studied_contender(const PlanSpace& space);

/// The studied plan, then up to `top` others: the best one, and for one choice after
/// the other (gather, placement, ...) the best plan that decides it differently, so that the table
/// says what each choice is worth, and the best with each option of Choices::compared. Plans that
/// differ in no more than batches come last. A change that brings less than a thousandth is left
/// out of a plan. `ranked`: as searched, the best first.
std::vector<Contender> contenders_of(const PlanSpace& space,
                                     const std::vector<RankedSelection>& ranked, int top);

} // namespace alxsim::experiments
