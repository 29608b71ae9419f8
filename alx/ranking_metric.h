// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// How good a list of recommendations is, looked at down to place k: "recall_at_20", "ndcg_at_10".
/// Both count what stands in the row's ground truth as relevant and all else as not; a row without
/// truth counts as 0.
///
/// recall  |top k and truth| / min(k, |truth|), as the ALX authors have it
/// ndcg    normalized discounted cumulative gain: the sum over relevant places i = 1..k of
///         1 / log2(i + 1), over that of the best possible list (Järvelin and Kekäläinen, 2002)
struct RankingMetric {
    enum class Kind { recall, ndcg };

    Kind kind = Kind::recall;
    std::size_t k = 20;

    std::string name() const;
};

/// The metric of that name; nothing for another word.
std::optional<RankingMetric> ranking_metric(const std::string& name);

/// What every run with test rows tells.
inline std::vector<RankingMetric> usual_metrics()
{
    return {{RankingMetric::Kind::recall, 20}, {RankingMetric::Kind::recall, 50}};
}

} // namespace alxsim::alx
