// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/infer/evidence.h"
#include "experiments/schema/inferred.h"

namespace alxsim::experiments {

/// Why no world agrees: statements that hold in none of the
/// prior's draws, each with how near one comes and which unknowns would take it further; and pairs
/// of others of which no draw holds both.
Contradiction contradiction_of(const std::vector<WorldUnknown>& unknowns, const Evidence& evidence,
                               const Draws& prior);

} // namespace alxsim::experiments
