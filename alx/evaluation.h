// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/factor_table.h"
#include "alx/normal_equations.h"
#include "alx/split.h"
#include "base/host_pool.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Means over the test rows of |top r and truth| / min(r, |truth|).
struct Recall {
    double at_20 = 0;
    double at_50 = 0;
};

/// [test rows][k]: the ids recommended to each test row, best first.
using Recommendations = std::vector<std::vector<std::int32_t>>;

/// Folds each test row in (solves for it from its history, regularized as in training), scores all
/// real columns in f32 and takes the exact `top_k` best that are not in the history, ties to the
/// lower id. `equations` must be fixed to the columns' Gramian.
Recommendations recommend(const Dataset& data, const NormalEquations& equations,
                          const FactorTable& columns, int top_k, HostPool& pool);

/// Recommends to everybody the columns with the most links in training, ties to the lower id,
/// without those in the history.
Recommendations recommend_popular(const Dataset& data, const SparseMatrix& training_by_column,
                                  int top_k);

/// Recall of the recommendations; 0 if there are no test rows.
Recall recall(const Dataset& data, const Recommendations& recommendations);

} // namespace alxsim::alx
