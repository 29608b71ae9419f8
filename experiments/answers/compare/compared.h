// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/compare/comparison.h"
#include "experiments/answers/compare/gate.h"

#include <optional>

namespace alxsim::experiments {

/// What `alxsim compare A B --json` prints. What a field is stands beside it in list_fields().
struct Compared {
    Comparison comparison;
    std::optional<Gate> gate; ///< where --fail-above asked for one
};

template <class Fields>
void list_fields(Fields& fields, Compared& compared)
{
    Comparison& comparison = compared.comparison;
    std::string by = name_of(comparison.by);
    fields("by", by, "Which point of B is held against one of A.",
           limits::one_of(names_of_compare_by));
    fields("points_a", comparison.points_a, "How many points A has.", limits::amount);
    fields("points_b", comparison.points_b, "How many points B has.", limits::amount);
    fields("pairs", comparison.pairs, "In the order of A's points.");
    fields("only_a", comparison.only_a, "Points of A with a time and without a counterpart.");
    fields("only_b", comparison.only_b, "The same of B; told where by is sweep.");
    fields.unless_empty("without_price", comparison.without_price,
                        "Chips of points with results that have no price.");
    fields("gate", compared.gate, "With --fail-above: whether B takes no more than it may.");
}

/// The JSON Schema of what `compare --json` prints: of two reports, or of a trace and a profile.
const Json& compared_schema();

} // namespace alxsim::experiments
