// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// How good recommendations are, looked at down to place k: "recall_at_20", "ndcg_at_10". What
/// stands in a row's ground truth is relevant and all else is not; a row without truth counts as 0,
/// and figures of rows are averaged. hits = |top k and truth|.
///
/// recall       hits / min(k, |truth|), as the ALX authors have it (`implicit` calls that
///              precision)
/// ndcg         normalized discounted cumulative gain: the sum over relevant places i = 1..k of
///              1 / log2(i + 1), over that of the best possible list (Järvelin and Kekäläinen,
///              2002)
/// precision    hits / k, also of a shorter list (trec_eval's P_k, RecBole)
/// map          mean average precision: the sum over relevant places i of hits among the first i
///              over i, over min(k, |truth|), so that the best list has 1 (`implicit`, RecBole;
///              trec_eval's map_cut_k divides by |truth|)
/// mrr          1 / the place of the first relevant one, 0 if it is beyond k (trec_eval's
///              recip_rank, cut; RecBole)
/// hit_rate     1 if hits > 0
/// coverage     of all rows together: columns that stand in any top k, over all columns (RecBole's
///              ItemCoverage)
/// auc          area under the ROC curve, of all scores: the share of pairs of a relevant column
///              and one that is neither relevant nor history in which the relevant one scores
///              more, ties half; 0.5 where there is no such pair (Rendle et al., BPR, 2009)
struct RankingMetric {
    enum class Kind {
        recall,
        ndcg,
        precision,
        average_precision,
        reciprocal_rank,
        hit_rate,
        coverage,
        area_under_curve
    };

    Kind kind = Kind::recall;
    std::size_t k = 20; ///< 0 of auc

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
