// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "experiments/infer/evidence.h"

namespace alxsim::experiments {

/// Why no world agrees: {hold_nowhere, exclude_each_other}. Statements that hold in none of the
/// prior's draws, each with how near one comes and which unknowns would take it further; and pairs
/// of others of which no draw holds both.
Json contradiction_json(const std::vector<WorldUnknown>& unknowns, const Evidence& evidence,
                        const Draws& prior);

} // namespace alxsim::experiments
