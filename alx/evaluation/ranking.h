// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/evaluation/top_k.h"
#include "alx/ranking_metric.h"
#include "alx/sparse_matrix.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Of one test row, whose recommendations are `top`, best first. Not of auc and coverage, which go
/// by more than one list.
double value_of(const RankingMetric& metric, const SparseMatrix& truth, std::int32_t row,
                const std::vector<Scored>& top);

/// How many of the first `k` recommendations stand in the row's ground truth.
std::int64_t hits(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
                  std::size_t k);

/// auc of one test row, of `columns` in all: `ranking` has all of them that it does not know
/// (`history`) and that have a score, best first; what is not in it stands behind, all alike.
double auc(const SparseMatrix& truth, const SparseMatrix& history, std::int32_t row,
           const std::vector<Scored>& ranking, std::int32_t columns);

} // namespace alxsim::alx
