// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace alxsim::report {

/// 1, 2 and 5 times powers of ten that hold all from `low` to `high` (both > 0) between the first
/// and the last; powers alone in between where they are many.
std::vector<double> round_values_around(double low, double high);

/// Steps of 1, 2 or 5 times a power of ten from 0 up to `high` at most, four to ten of them.
std::vector<double> even_values(double high);

} // namespace alxsim::report
