// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/advice.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// The longest phase of an epoch, and which share is most of it.
BoundBy bound_of(const report::Breakdown& epoch);

/// Why a plan is faster than the studied one, or is not: the phases that became shorter most, and
/// longer, and what the choices do. `studied` and `plan`: an epoch of each; `effects`: of the
/// plan's options; `remarks`: of the plan's phases. A phase has the time that an epoch is longer by
/// it: work that goes on behind others' is not in it, and the remarks say so.
std::string why(const report::Breakdown& studied, const report::Breakdown& plan,
                const std::vector<std::string>& effects, const Named<std::string>& remarks);

} // namespace alxsim::experiments
