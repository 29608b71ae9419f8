// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/advise.h"
#include "experiments/answers/advise/evaluate.h"
#include "experiments/answers/advise/space.h"

#include <functional>
#include <vector>

namespace alxsim::experiments {

/// The best plan of each chip and count among the slices to choose from, in their order. The search
/// goes on by itself on each of them, from the best plan there and from the best ones of all,
/// until `stop`.
std::vector<MachineBest> machine_table(const PlanSpace& space, Evaluator& evaluator,
                                       const std::vector<RankedSelection>& ranked,
                                       const AdviseOptions& options,
                                       const std::function<bool()>& stop);

} // namespace alxsim::experiments
