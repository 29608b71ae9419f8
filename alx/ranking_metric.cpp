// SPDX-License-Identifier: Apache-2.0
#include "alx/ranking_metric.h"

#include <charconv>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr const char* auc_name = "auc";

constexpr std::pair<const char*, RankingMetric::Kind> kinds[] = {
    {"recall_at_", RankingMetric::Kind::recall},
    {"precision_at_", RankingMetric::Kind::precision},
    {"hit_rate_at_", RankingMetric::Kind::hit_rate},
    {"mrr_at_", RankingMetric::Kind::mrr},
    {"map_at_", RankingMetric::Kind::map},
    {"ndcg_at_", RankingMetric::Kind::ndcg},
    {"coverage_at_", RankingMetric::Kind::coverage}};

} // namespace

std::string RankingMetric::name() const
{
    for (const auto& [prefix, of_name] : kinds) {
        if (of_name == kind) {
            return prefix + std::to_string(k);
        }
    }
    return auc_name;
}

std::optional<RankingMetric> ranking_metric(const std::string& name)
{
    if (name == auc_name) {
        return RankingMetric{RankingMetric::Kind::auc, 0};
    }
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

} // namespace alxsim::alx
