// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/ranking_metric.h"

#include "alx/evaluation/top_k.h"
#include "alx/sparse_matrix.h"
#include "base/portable_math.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::pair<const char*, RankingMetric::Kind> kinds[] = {
    {"recall_at_", RankingMetric::Kind::recall}, {"ndcg_at_", RankingMetric::Kind::ndcg}};

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

std::string RankingMetric::name() const
{
    for (const auto& [prefix, of_name] : kinds) {
        if (of_name == kind) {
            return prefix + std::to_string(k);
        }
    }
    return "";
}

double RankingMetric::value(const SparseMatrix& truth, std::int32_t row,
                            const std::vector<Scored>& top) const
{
    return kind == Kind::ndcg ? ndcg(truth, row, top, k) : recall(truth, row, top, k);
}

std::optional<RankingMetric> ranking_metric(const std::string& name)
{
    for (const auto& [prefix, kind] : kinds) {
        const std::string words = prefix;
        if (name.compare(0, words.size(), words) != 0) {
            continue;
        }
        std::size_t k = 0;
        const char* const end = name.data() + name.size();
        const auto [rest, problem] = std::from_chars(name.data() + words.size(), end, k);
        if (problem == std::errc() && rest == end && k > 0) {
            return RankingMetric{kind, k};
        }
    }
    return std::nullopt;
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
