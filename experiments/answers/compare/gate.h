// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/compare/comparison.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Whether B is no slower than A, by how much it may be: for somebody's continuous integration.
struct Gate {
    double fail_above = 0;              ///< 0.05: B may take 5 % longer
    bool passed = true;                 ///< no pair exceeds it, and no point of A is missing
    std::vector<std::size_t> exceeding; ///< into the comparison's pairs
    std::vector<LonePoint> missing;     ///< timed in A, without one in B
};

/// "5%" as 0.05. Throws InputError for what is no percentage of 0 or more.
double fail_above_of(const std::string& words);

/// Judges by central values. Throws InputError for a pair that says nothing of speed: its points
/// leave out different shares of their data, or have other intervals or another fidelity.
Gate judge(const Comparison& comparison, double fail_above);

/// Writes which points exceed, which are missing, and the verdict.
void tell_gate(Document& document, const Comparison& comparison, const Gate& gate);

template <class Fields>
void list_fields(Fields& fields, Gate& gate)
{
    fields("fail_above", gate.fail_above);
    fields("passed", gate.passed);
    fields("exceeding", gate.exceeding);
    fields("missing", gate.missing);
}

} // namespace alxsim::experiments
