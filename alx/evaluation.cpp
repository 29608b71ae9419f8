// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation.h"

#include "alx/top_k.h"

#include <algorithm>
#include <numeric>

namespace alxsim::alx {
namespace {

/// Test rows that are scored together: enough to hide reading the table, few enough to share out.
constexpr std::int64_t rows_at_once = 64;

double recall_at(const SparseMatrix& truth, std::int32_t row, const std::vector<std::int32_t>& top,
                 std::size_t r)
{
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(r), truth.length(row));
    if (wanted == 0) {
        return 0;
    }
    const auto end = top.begin() + static_cast<std::ptrdiff_t>(std::min(r, top.size()));
    const auto hits = std::count_if(top.begin(), end, [&](std::int32_t id) {
        return std::binary_search(truth.begin(row), truth.end(row), id);
    });
    return static_cast<double>(hits) / static_cast<double>(wanted);
}

} // namespace

Recommendations recommend(const Dataset& data, const NormalEquations& equations,
                          const FactorTable& columns, int top_k, HostPool& pool)
{
    const SparseMatrix& history = data.history;
    const ScorePanels panels(columns.store(), columns.count());
    Recommendations result(static_cast<std::size_t>(history.rows));
    pool.for_chunks(history.rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
        const auto dim = static_cast<std::size_t>(columns.dim());
        std::vector<float> queries(static_cast<std::size_t>(end - begin) * dim);
        std::vector<const std::int32_t*> excluded_begin;
        std::vector<const std::int32_t*> excluded_end;
        for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
            excluded_begin.push_back(history.begin(row));
            excluded_end.push_back(history.end(row));
            equations.solve({&columns.store(), history.begin(row), 0, history.length(row)},
                            queries.data() + static_cast<std::size_t>(row - begin) * dim);
        }
        auto best =
            panels.best(queries.data(), excluded_begin.size(), top_k, excluded_begin, excluded_end);
        std::move(best.begin(), best.end(), result.begin() + begin);
    });
    return result;
}

Recommendations recommend_popular(const Dataset& data, const SparseMatrix& training_by_column,
                                  int top_k)
{
    std::vector<std::int32_t> ranking(static_cast<std::size_t>(training_by_column.rows));
    std::iota(ranking.begin(), ranking.end(), 0);
    std::stable_sort(ranking.begin(), ranking.end(), [&](std::int32_t a, std::int32_t b) {
        return training_by_column.length(a) > training_by_column.length(b);
    });
    Recommendations result(static_cast<std::size_t>(data.history.rows));
    for (std::int32_t row = 0; row < data.history.rows; ++row) {
        std::vector<std::int32_t>& top = result[static_cast<std::size_t>(row)];
        for (auto id = ranking.begin();
             id != ranking.end() && top.size() < static_cast<std::size_t>(top_k); ++id) {
            if (!std::binary_search(data.history.begin(row), data.history.end(row), *id)) {
                top.push_back(*id);
            }
        }
    }
    return result;
}

Recall recall(const Dataset& data, const Recommendations& recommendations)
{
    Recall sum;
    for (std::int32_t row = 0; row < data.ground_truth.rows; ++row) {
        const auto& top = recommendations[static_cast<std::size_t>(row)];
        sum.at_20 += recall_at(data.ground_truth, row, top, 20);
        sum.at_50 += recall_at(data.ground_truth, row, top, 50);
    }
    const double rows = std::max(data.ground_truth.rows, 1);
    return {sum.at_20 / rows, sum.at_50 / rows};
}

} // namespace alxsim::alx
