// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/evaluation.h"

#include "alx/evaluation/folded_rows.h"
#include "alx/evaluation/recommender.h"
#include "alx/evaluation/score_bound.h"
#include "base/work/long_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alxsim::alx {
namespace {

/// Test rows that meet the table together: few enough to share out.
constexpr std::int64_t rows_at_once = 128;

/// Returns the share of the columns that have a link.
double coverage(std::size_t k, const Dataset& data, const Recommendations& recommendations)
{
    std::vector<bool> recommended(static_cast<std::size_t>(data.training.columns));
    for (const std::vector<Scored>& top : recommendations) {
        for (std::size_t i = 0; i < std::min(k, top.size()); ++i) {
            if (top[i].id < data.training.columns) {
                recommended[static_cast<std::size_t>(top[i].id)] = true;
            }
        }
    }
    const auto left_out = data.unlinked.left_out ? 0 : data.unlinked.columns.size();
    const double columns = static_cast<double>(recommended.size() - left_out);
    return static_cast<double>(std::count(recommended.begin(), recommended.end(), true)) /
           std::max(1.0, columns);
}

std::vector<double> values_of(const RankingMetric& metric, const Dataset& data,
                              const Recommendations& recommendations)
{
    std::vector<double> values;
    for (std::int32_t row = 0; row < data.ground_truth.rows; ++row) {
        values.push_back(value_of(metric, data.ground_truth, row,
                                  recommendations[static_cast<std::size_t>(row)]));
    }
    return values;
}

double mean_of(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) /
           static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

} // namespace

Recommendations recommend(const AlxConfig& config, const SparseMatrix& history,
                          const NormalEquations& equations, const FactorTable& columns,
                          HostPool& pool)
{
    // Each row's reach costs about as much as a few scores of it.
    const bool many = history.rows > rows_at_once;
    const Recommender recommender(config, history, columns,
                                  many ? reaches_of(columns.store(), pool) : std::vector<float>());
    Recommendations result(static_cast<std::size_t>(history.rows));
    LongWork work("evaluating " + std::to_string(history.rows) + " test rows", history.rows);
    pool.for_chunks(history.rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
        auto lists = recommender.recommend(
            folded_in(config, history, begin, end, equations, columns), begin);
        std::move(lists.begin(), lists.end(), result.begin() + begin);
        work.add(end - begin);
    });
    return result;
}

Recommendations recommend_popular(const SparseMatrix& history,
                                  const SparseMatrix& training_by_column, int top_k)
{
    std::vector<std::int32_t> ranking(static_cast<std::size_t>(training_by_column.rows));
    std::iota(ranking.begin(), ranking.end(), 0);
    std::stable_sort(ranking.begin(), ranking.end(), [&](std::int32_t a, std::int32_t b) {
        return training_by_column.length(a) > training_by_column.length(b);
    });
    Recommendations result(static_cast<std::size_t>(history.rows));
    for (std::int32_t row = 0; row < history.rows; ++row) {
        std::vector<Scored>& top = result[static_cast<std::size_t>(row)];
        const std::vector<std::int32_t> known = history.ids(row);
        for (auto id = ranking.begin();
             id != ranking.end() && top.size() < static_cast<std::size_t>(top_k); ++id) {
            if (!std::binary_search(known.begin(), known.end(), *id)) {
                top.push_back({static_cast<float>(training_by_column.length(*id)), *id});
            }
        }
    }
    return result;
}

std::vector<double> ranking_means(const std::vector<RankingMetric>& metrics, const Dataset& data,
                                  const Recommendations& recommendations,
                                  const std::vector<double>& areas)
{
    std::vector<double> means;
    for (const RankingMetric& metric : metrics) {
        means.push_back(metric.kind == RankingMetric::Kind::coverage
                            ? coverage(metric.k, data, recommendations)
                        : metric.kind == RankingMetric::Kind::auc
                            ? mean_of(areas)
                            : mean_of(values_of(metric, data, recommendations)));
    }
    return means;
}

std::optional<double> standard_error(const RankingMetric& metric, const Dataset& data,
                                     const Recommendations& recommendations,
                                     const std::vector<double>& areas)
{
    using Kind = RankingMetric::Kind;
    if (metric.kind == Kind::coverage || data.ground_truth.rows < 2) {
        return std::nullopt;
    }
    const std::vector<double> values =
        metric.kind == Kind::auc ? areas : values_of(metric, data, recommendations);
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    const double rows = data.ground_truth.rows;
    return std::sqrt(squares / (rows - 1) / rows);
}

} // namespace alxsim::alx
