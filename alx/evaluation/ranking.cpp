// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/ranking.h"

#include "base/portable_math.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace alxsim::alx {
namespace {

/// Returns the gain of a relevant recommendation at place i, from 0.
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

/// Places of what is relevant among the first k, from 1.
std::vector<std::size_t> relevant_places(const SparseMatrix& truth, std::int32_t row,
                                         const std::vector<Scored>& top, std::size_t k)
{
    const std::vector<std::int32_t> ids = truth.ids(row);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < std::min(k, top.size()); ++i) {
        if (std::binary_search(ids.begin(), ids.end(), top[i].id)) {
            places.push_back(i + 1);
        }
    }
    return places;
}

double average_precision(const SparseMatrix& truth, std::int32_t row,
                         const std::vector<Scored>& top, std::size_t k)
{
    double sum = 0;
    double found = 0;
    for (const std::size_t place : relevant_places(truth, row, top, k)) {
        sum += ++found / static_cast<double>(place);
    }
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(k), truth.length(row));
    return wanted == 0 ? 0.0 : sum / static_cast<double>(wanted);
}

double reciprocal_rank(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
                       std::size_t k)
{
    const std::vector<std::size_t> places = relevant_places(truth, row, top, k);
    return places.empty() ? 0 : 1 / static_cast<double>(places.front());
}

} // namespace

double value_of(const RankingMetric& metric, const SparseMatrix& truth, std::int32_t row,
                const std::vector<Scored>& top)
{
    using Kind = RankingMetric::Kind;
    switch (metric.kind) {
    case Kind::recall:
        return recall(truth, row, top, metric.k);
    case Kind::precision:
        return static_cast<double>(hits(truth, row, top, metric.k)) / static_cast<double>(metric.k);
    case Kind::hit_rate:
        return hits(truth, row, top, metric.k) > 0 ? 1 : 0;
    case Kind::mrr:
        return reciprocal_rank(truth, row, top, metric.k);
    case Kind::map:
        return average_precision(truth, row, top, metric.k);
    case Kind::ndcg:
        return ndcg(truth, row, top, metric.k);
    case Kind::auc:
    case Kind::coverage:
        break;
    }
    throw std::logic_error("a metric of more than one list: " + metric.name());
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
