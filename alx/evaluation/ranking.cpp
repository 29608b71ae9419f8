// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/ranking.h"

#include "base/portable_math.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Of a relevant recommendation at place i, from 0.
double discounted_gain(std::size_t i)
{
    return 1 / portable::log2(static_cast<double>(i) + 2);
}

double ndcg(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
            std::size_t k)
{
    const std::vector<std::int32_t> ids = truth.ids(row);
    double gain = 0;
    for (std::size_t i = 0; i < std::min(k, top.size()); ++i) {
        gain += std::binary_search(ids.begin(), ids.end(), top[i].id) ? discounted_gain(i) : 0;
    }
    double best = 0;
    for (std::size_t i = 0; i < std::min(k, ids.size()); ++i) {
        best += discounted_gain(i);
    }
    return ids.empty() ? 0 : gain / best;
}

double recall(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
              std::size_t k)
{
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(k), truth.length(row));
    return wanted == 0
               ? 0.0
               : static_cast<double>(hits(truth, row, top, k)) / static_cast<double>(wanted);
}

} // namespace

double value_of(const RankingMetric& metric, const SparseMatrix& truth, std::int32_t row,
                const std::vector<Scored>& top)
{
    return metric.kind == RankingMetric::Kind::ndcg ? ndcg(truth, row, top, metric.k)
                                                    : recall(truth, row, top, metric.k);
}

std::int64_t hits(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
                  std::size_t k)
{
    const std::vector<std::int32_t> ids = truth.ids(row);
    const auto end = top.begin() + static_cast<std::ptrdiff_t>(std::min(k, top.size()));
    return std::count_if(top.begin(), end, [&](const Scored& one) {
        return std::binary_search(ids.begin(), ids.end(), one.id);
    });
}

} // namespace alxsim::alx
