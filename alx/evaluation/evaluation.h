// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/evaluation/ranking.h"
#include "alx/evaluation/top_k.h"
#include "alx/solvers/normal_equations.h"
#include "alx/tables/factor_table.h"
#include "base/host_pool.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace alxsim::alx {

/// [rows][at most k]: what is recommended to each row, best first.
using Recommendations = std::vector<std::vector<Scored>>;

/// Folds each row of `history` ([rows x columns]) in (solves for it from its links), scores the
/// columns and takes the `config.evaluation.top_k` best, as config.semantics says. `equations` must
/// be fixed to the columns' Gramian.
Recommendations recommend(const AlxConfig& config, const SparseMatrix& history,
                          const NormalEquations& equations, const FactorTable& columns,
                          HostPool& pool);

/// Recommends to all rows the columns with the most links in training, ties to the lower id,
/// without those in the history. The score is the number of links.
Recommendations recommend_popular(const SparseMatrix& history,
                                  const SparseMatrix& training_by_column, int top_k);

/// What the rows of a matrix are recommended, [rows of `history`], at most `top_k` each.
using RecommendTo = std::function<Recommendations(const SparseMatrix& history, std::int32_t top_k)>;

/// The metrics over the test rows, to whom `recommend` recommends; 0 if there are none. For auc all
/// columns are ranked, a few rows at a time; without it, `recommend` is not called.
std::vector<double> ranking_means(const std::vector<RankingMetric>& metrics, const Dataset& data,
                                  const Recommendations& recommendations,
                                  const RecommendTo& recommend = {});

} // namespace alxsim::alx
