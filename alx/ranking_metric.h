// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// How good a list of recommendations is, looked at down to place k: "recall_at_20", "ndcg_at_10".
/// What stands in the row's ground truth is relevant and all else is not; a row without truth
/// counts as 0. Means are over test rows.
///
/// recall     |top k and truth| / min(k, |truth|), as the ALX authors have it
/// precision  |top k and truth| / k
/// hit_rate   1 where any of the top k is in the truth, else 0
/// mrr        1 / the first relevant place, 0 where none is (mean reciprocal rank)
/// map        the sum over relevant places i = 1..k of precision at i, over min(k, |truth|) (mean
///            average precision; as in RecBole and `implicit`. TREC divides by |truth|)
/// ndcg       normalized discounted cumulative gain: the sum over relevant places i = 1..k of
///            1 / log2(i + 1), over that of the best possible list (Järvelin and Kekäläinen, 2002)
/// auc        without k: the chance that a column of the truth scores more than one that is in
///            neither truth nor history, ties counting half (Rendle et al., 2009)
/// coverage   of all rows together: the share of the columns that stands in any row's top k
struct RankingMetric {
    enum class Kind { recall, precision, hit_rate, mrr, map, ndcg, auc, coverage };

    Kind kind = Kind::recall;
    std::size_t k = 20; ///< 0 where the whole ranking counts

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
