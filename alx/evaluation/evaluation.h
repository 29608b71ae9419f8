// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/evaluation/ranking.h"
#include "alx/evaluation/top_k.h"
#include "alx/solvers/normal_equations.h"
#include "alx/tables/factor_table.h"
#include "base/host_pool.h"

#include <cstdint>
#include <optional>
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

/// Means of the metrics over the test rows; 0 if there are none. `areas` [test rows]: the area
/// under each row's curve, where auc is among the metrics.
std::vector<double> ranking_means(const std::vector<RankingMetric>& metrics, const Dataset& data,
                                  const Recommendations& recommendations,
                                  const std::vector<double>& areas = {});

/// The standard error of a metric's mean over the test rows: sqrt(sum (x - mean)^2 / (n - 1) / n).
/// Nothing for fewer than two rows, or a metric of all rows together. `areas`: as above.
std::optional<double> standard_error(const RankingMetric& metric, const Dataset& data,
                                     const Recommendations& recommendations,
                                     const std::vector<double>& areas = {});

} // namespace alxsim::alx
