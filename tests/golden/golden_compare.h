// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "golden_study.h"

#include <string>
#include <vector>

namespace alxsim {

/// Tolerances of the reference results' README, by what the tables are.
struct Tolerance {
    bool in_bf16 = true; ///< compare in bf16 ulps
    double table = 4;    ///< ulps of the row's largest entry; else relative to the largest entry
    double objective = 2e-4; ///< relative
};

Tolerance tolerance_of(const Json& config);

/// The largest difference, in the tolerance's measure.
double error_of(const NpyMatrix& found, const std::vector<double>& expected, const Tolerance& by);

/// Recommendations without the rows that fill the shards of columns, which exports leave out.
Json without_phantoms(Json rows, const Json& config);

/// One line of the test's output: how near to its tolerance a comparison came.
void print_error(const std::string& name, const std::string& what, double error, double tolerance);

/// Tables, Gramians, objectives and CG iterations of a run; `name` is the case's.
void compare_run(const GoldenRun& run, const Json& golden, const std::string& name,
                 const Tolerance& tolerance);

} // namespace alxsim
