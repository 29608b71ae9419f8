// SPDX-License-Identifier: Apache-2.0
#include "alx/ranking_metric.h"

#include <charconv>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::pair<const char*, RankingMetric::Kind> kinds[] = {
    {"recall_at_", RankingMetric::Kind::recall},
    {"ndcg_at_", RankingMetric::Kind::ndcg},
    {"precision_at_", RankingMetric::Kind::precision},
    {"map_at_", RankingMetric::Kind::average_precision},
    {"mrr_at_", RankingMetric::Kind::reciprocal_rank},
    {"hit_rate_at_", RankingMetric::Kind::hit_rate},
    {"coverage_at_", RankingMetric::Kind::coverage}};

constexpr const char* area_name = "auc"; // of no K

} // namespace

std::string RankingMetric::name() const
{
    for (const auto& [prefix, of_name] : kinds) {
        if (of_name == kind) {
            return prefix + std::to_string(k);
        }
    }
    return area_name;
}

std::optional<RankingMetric> ranking_metric(const std::string& name)
{
    if (name == area_name) {
        return RankingMetric{RankingMetric::Kind::area_under_curve, 0};
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
