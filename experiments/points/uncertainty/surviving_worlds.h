// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// The worlds that survive, for bands and rankings that are given them.
struct SurvivingWorlds {
    std::vector<std::string> unknowns;
    std::vector<double> weights;
    std::vector<std::vector<double>> quantiles; ///< [world][unknown]
};

template <class Fields>
void list_fields(Fields& fields, SurvivingWorlds& worlds)
{
    fields("unknowns", worlds.unknowns);
    fields("weights", worlds.weights);
    fields("quantiles", worlds.quantiles);
}

} // namespace alxsim::experiments
