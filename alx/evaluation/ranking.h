// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/evaluation/top_k.h"
#include "alx/ranking_metric.h"
#include "alx/sparse_matrix.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Returns the metric of one test row, whose recommendations are `top`, best first. Not for auc and
/// coverage, which go by more than one list.
double value_of(const RankingMetric& metric, const SparseMatrix& truth, std::int32_t row,
                const std::vector<Scored>& top);

/// How many of the first `k` recommendations stand in the row's ground truth.
std::int64_t hits(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
                  std::size_t k);

} // namespace alxsim::alx
