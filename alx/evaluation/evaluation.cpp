// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/evaluation.h"

#include "alx/bf16.h"
#include "alx/evaluation/scoring.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

namespace alxsim::alx {
namespace {

/// Test rows that are scored together: few enough to share out.
constexpr std::int64_t rows_at_once = 64;

/// What the released code adds to the scores of columns in the history.
constexpr float history_score = -1e19F;

float round_to_bf16(float value)
{
    return to_float(to_bf16(value));
}

/// Columns that are ranked together: a shard, or all real ones.
struct Shard {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t candidates = 0; ///< the first ones, which may be recommended
    std::unique_ptr<const Scorer> scorer;
};

class Recommender {
public:
    Recommender(const AlxConfig& config, const SparseMatrix& history, const FactorTable& columns)
        : config_(config),
          history_(history),
          sharded_(config.semantics.ranking == Ranking::sharded || config.evaluation.approximate)
    {
        const std::int64_t shards = sharded_ ? columns.devices() : 1;
        const std::int64_t size = sharded_ ? columns.shard_rows() : columns.padded_rows();
        for (std::int64_t i = 0; i < shards; ++i) {
            Shard shard{i * size, size, size, nullptr};
            if (!config.semantics.phantom_candidates) {
                shard.candidates = std::clamp<std::int64_t>(columns.count() - shard.first, 0, size);
            }
            shard.scorer = make_scorer(columns.store(), shard.first, size);
            shards_.push_back(std::move(shard));
        }
    }

    /// Of the test rows [begin, begin + queries.rows()).
    void recommend(const RowStore& queries, std::int64_t begin, Recommendations& result) const
    {
        std::vector<std::vector<std::vector<Scored>>> lists(
            static_cast<std::size_t>(queries.rows()));
        for (const Shard& shard : shards_) {
            const std::int64_t stride = shard.scorer->stride();
            std::vector<float> scores(static_cast<std::size_t>(Scorer::queries_at_once * stride));
            for (std::int64_t q = 0; q < queries.rows(); q += Scorer::queries_at_once) {
                const auto count =
                    std::min<std::int64_t>(Scorer::queries_at_once, queries.rows() - q);
                shard.scorer->score(queries, q, count, scores.data());
                for (std::int64_t i = 0; i < count; ++i) {
                    lists[static_cast<std::size_t>(q + i)].push_back(
                        best_of(shard, scores.data() + i * stride,
                                static_cast<std::int32_t>(begin + q + i)));
                }
            }
        }
        for (std::size_t q = 0; q < lists.size(); ++q) {
            result[static_cast<std::size_t>(begin) + q] = merged(std::move(lists[q]));
        }
    }

private:
    /// Rounds the scores of a test row and marks what it must not be recommended.
    void prepare(const Shard& shard, float* scores, std::int32_t row) const
    {
        const bool in_bf16 = config_.semantics.score_dtype == ScoreDType::bf16;
        if (in_bf16) {
            std::transform(scores, scores + shard.count, scores, round_to_bf16);
        }
        const float mask = in_bf16 ? round_to_bf16(history_score) : history_score;
        const std::int32_t* id = std::lower_bound(history_.begin(row), history_.end(row),
                                                  static_cast<std::int32_t>(shard.first));
        for (; id != history_.end(row) && *id < shard.first + shard.count; ++id) {
            float& score = scores[*id - shard.first];
            score = config_.semantics.ranking == Ranking::global
                        ? -std::numeric_limits<float>::infinity()
                        : (in_bf16 ? round_to_bf16(score + mask) : score + mask);
        }
        std::fill(scores + shard.candidates, scores + shard.count,
                  -std::numeric_limits<float>::infinity());
    }

    /// Best first, with ids of the whole table.
    std::vector<Scored> best_of(const Shard& shard, float* scores, std::int32_t row) const
    {
        const int k = config_.evaluation.top_k;
        prepare(shard, scores, row);
        std::vector<Scored> best;
        if (config_.evaluation.approximate) {
            best = approximate_top_k({scores, scores + shard.count}, k);
        } else {
            TopK top(k);
            for (std::int64_t i = 0; i < shard.count; ++i) {
                top.offer(scores[i], static_cast<std::int32_t>(i));
            }
            best = top.take();
        }
        for (Scored& one : best) {
            one.id += static_cast<std::int32_t>(shard.first);
        }
        return best;
    }

    std::vector<Scored> merged(std::vector<std::vector<Scored>> lists) const
    {
        std::vector<Scored> best =
            sharded_ ? merge_shards(lists, config_.evaluation.top_k) : std::move(lists.front());
        if (config_.semantics.ranking == Ranking::global) {
            const auto excluded = [](const Scored& one) {
                return one.score == -std::numeric_limits<float>::infinity();
            };
            best.erase(std::remove_if(best.begin(), best.end(), excluded), best.end());
        }
        return best;
    }

    const AlxConfig& config_;
    const SparseMatrix& history_;
    bool sharded_;
    std::vector<Shard> shards_;
};

} // namespace

Recommendations recommend(const AlxConfig& config, const Dataset& data,
                          const NormalEquations& equations, const FactorTable& columns,
                          HostPool& pool)
{
    const SparseMatrix& history = data.history;
    const Recommender recommender(config, history, columns);
    const bool in_f64 = config.table_dtype == model::DType::f64;
    Recommendations result(static_cast<std::size_t>(history.rows));
    pool.for_chunks(history.rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
        RowStore queries(end - begin, columns.dim(),
                         in_f64 ? model::DType::f64 : model::DType::f32);
        for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
            equations.solve({&columns.store(), history.begin(row), 0, history.length(row)}, queries,
                            row - begin);
        }
        recommender.recommend(queries, begin, result);
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
        std::vector<Scored>& top = result[static_cast<std::size_t>(row)];
        for (auto id = ranking.begin();
             id != ranking.end() && top.size() < static_cast<std::size_t>(top_k); ++id) {
            if (!std::binary_search(data.history.begin(row), data.history.end(row), *id)) {
                top.push_back({static_cast<float>(training_by_column.length(*id)), *id});
            }
        }
    }
    return result;
}

std::int64_t hits(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
                  std::size_t r)
{
    const auto end = top.begin() + static_cast<std::ptrdiff_t>(std::min(r, top.size()));
    return std::count_if(top.begin(), end, [&](const Scored& one) {
        return std::binary_search(truth.begin(row), truth.end(row), one.id);
    });
}

double recall_at(const SparseMatrix& truth, std::int32_t row, const std::vector<Scored>& top,
                 std::size_t r)
{
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(r), truth.length(row));
    return wanted == 0
               ? 0.0
               : static_cast<double>(hits(truth, row, top, r)) / static_cast<double>(wanted);
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
