// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/evaluation.h"

#include "alx/evaluation/recommender.h"
#include "alx/evaluation/scoring.h"
#include "alx/evaluation/top_k.h"
#include "alx/solvers/sharded_gramian.h"
#include "base/numbers/bf16.h"
#include "base/numbers/random.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

Ids ids_of(const std::vector<Scored>& list)
{
    Ids ids;
    std::transform(list.begin(), list.end(), std::back_inserter(ids),
                   [](const Scored& one) { return one.id; });
    return ids;
}

std::vector<Scored> scored(const Ids& ids)
{
    std::vector<Scored> list;
    std::transform(ids.begin(), ids.end(), std::back_inserter(list), [](std::int32_t id) {
        return Scored{0, id};
    });
    return list;
}

TEST(TopK, OrdersByScoreThenByLowerId)
{
    TopK top(3);
    const float scores[] = {1, 3, 2, 3, 2, 0};
    for (std::int32_t id = 0; id < 6; ++id) {
        top.offer(scores[id], id);
    }
    EXPECT_EQ(ids_of(top.take()), (Ids{1, 3, 2}));
}

TEST(TopK, IsTheSameInAnyOrderOfOffers)
{
    std::vector<Scored> all;
    for (std::int32_t id = 0; id < 500; ++id) { // of seven scores: most are equal
        all.push_back({static_cast<float>(id * 31 % 7), id});
    }
    for (const int k : {1, 3, 50, 71, 72, 499, 600}) {
        const auto offered = [&](const auto& candidates) {
            TopK top(k);
            for (const Scored& one : candidates) {
                top.offer(one.score, one.id);
            }
            return ids_of(top.take());
        };
        const Ids ascending = offered(all);
        std::vector<Scored> others(all.rbegin(), all.rend());
        EXPECT_EQ(offered(others), ascending) << k;
        std::stable_sort(others.begin(), others.end(),
                         [](const Scored& a, const Scored& b) { return a.id % 13 < b.id % 13; });
        EXPECT_EQ(offered(others), ascending) << k;
    }
}

TEST(MergeShards, TiesGoToTheLargerRankThenShard)
{
    const std::vector<std::vector<Scored>> lists{{{2, 0}, {1, 1}}, {{2, 10}, {1, 11}}};
    EXPECT_EQ(ids_of(merge_shards(lists, 4)), (Ids{10, 0, 11, 1}));
}

/// Few values, so that many are equal, and some that have no place or the last.
std::vector<float> scores_with_ties(std::size_t count, std::uint64_t seed)
{
    std::vector<float> scores(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t drawn = mix64(seed * 100'003 + i) % 40;
        scores[i] = drawn == 0   ? std::numeric_limits<float>::quiet_NaN()
                    : drawn == 1 ? -std::numeric_limits<float>::infinity()
                                 : static_cast<float>(drawn);
    }
    return scores;
}

std::vector<Scored> best_of(const std::vector<float>& scores, TopK top)
{
    for (std::size_t i = 0; i < scores.size(); ++i) {
        top.offer(scores[i], static_cast<std::int32_t>(i));
    }
    return top.take();
}

TEST(TopK, IsTheBeginningOfAStableSort)
{
    for (const int k : {1, 2, 7, 50, 400}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::vector<float> scores = scores_with_ties(300, seed);
            Ids expected;
            for (std::int32_t id = 0; id < 300; ++id) {
                if (scores[static_cast<std::size_t>(id)] == scores[static_cast<std::size_t>(id)]) {
                    expected.push_back(id);
                }
            }
            std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
                return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
            });
            expected.resize(std::min(expected.size(), static_cast<std::size_t>(k)));
            EXPECT_EQ(ids_of(best_of(scores, TopK(k))), expected) << k;
        }
    }
}

TEST(MergeFloor, LeavesOutWhatNoMergedListHolds)
{
    for (const int k : {1, 5, 30}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            std::vector<std::vector<Scored>> all;
            std::vector<std::vector<Scored>> above;
            MergeFloor floor(k);
            for (std::uint64_t shard = 0; shard < 6; ++shard) {
                const std::vector<float> scores = scores_with_ties(40, seed * 10 + shard);
                all.push_back(best_of(scores, TopK(k)));
                above.push_back(best_of(scores, TopK(k, floor.floor() - 0.5F)));
                floor.add(above.back());
                for (auto* list : {&all.back(), &above.back()}) {
                    for (Scored& one : *list) {
                        one.id += static_cast<std::int32_t>(40 * shard);
                    }
                }
            }
            EXPECT_EQ(ids_of(merge_shards(above, k)), ids_of(merge_shards(all, k))) << k;
        }
    }
}

class Scores : public testing::TestWithParam<model::DType> {};

TEST_P(Scores, AreDotProducts)
{
    constexpr int dim = 5;
    constexpr std::int32_t count = Scorer::block_rows - 7; // whole tiles and single rows
    RowStore store(count + 4, dim, GetParam());
    RowStore queries(70, dim, GetParam()); // whole panels and a part of one
    std::vector<float> row(dim);
    const auto fill = [&](RowStore& target, std::uint64_t key) {
        for (std::int64_t r = 0; r < target.rows(); ++r) {
            for (float& number : row) {
                number = static_cast<float>(mix64(key++) % 4); // exact sums
            }
            target.set(r, row.data());
        }
    };
    fill(store, 0);
    fill(queries, 5000);
    const auto scorer = make_scorer(queries);
    const auto width = static_cast<std::size_t>(scorer->panel_width());
    std::vector<float> scores(count * width);
    scorer->take_block(store, 4, count);
    std::vector<float> query(dim);
    for (std::int64_t q = 0; q < queries.rows(); ++q) {
        queries.get(q, query.data());
        const auto place = static_cast<std::size_t>(q) % width;
        scorer->score(q / scorer->panel_width(), 0, count, scores.data());
        for (std::int64_t r = 0; r < count; ++r) {
            store.get(4 + r, row.data());
            EXPECT_EQ(scores[static_cast<std::size_t>(r) * width + place],
                      std::inner_product(row.begin(), row.end(), query.begin(), 0.0F));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(DTypes, Scores,
                         testing::Values(model::DType::bf16, model::DType::f32, model::DType::f64));

/// Two test rows; columns 0..4 have 3, 2, 2, 1, 0 training links.
Dataset hand_example()
{
    Dataset data;
    data.training = matrix_of({{0, 1, 2}, {0, 1}, {0, 2, 3}, {}, {}}, 5);
    data.test_rows = {3, 4};
    data.history = matrix_of({{0}, {1, 2}}, 5);
    data.ground_truth = matrix_of({{2}, {3, 4}}, 5);
    return data;
}

TEST(Popularity, RanksByTrainingLinksThenByIdAndLeavesOutTheHistory)
{
    const Dataset data = hand_example();
    const auto top = recommend_popular(data.history, transpose(data.training), 2);
    EXPECT_EQ(ids_of(top[0]), (Ids{1, 2}));
    EXPECT_EQ(ids_of(top[1]), (Ids{0, 3}));
    EXPECT_EQ(ranking_means(usual_metrics(), data, top),
              (std::vector<double>{(1.0 + 0.5) / 2, (1.0 + 0.5) / 2}));
}

TEST(Recall, DividesByTheSmallerOfCutAndTruth)
{
    Dataset data;
    std::vector<std::int32_t> many(40);
    std::iota(many.begin(), many.end(), 0);
    data.ground_truth = matrix_of({many}, 100);
    std::vector<std::int32_t> top(50);
    std::iota(top.begin(), top.end(), 0);
    const std::vector<RankingMetric> metrics = usual_metrics();
    EXPECT_EQ(ranking_means(metrics, data, {scored(top)}), (std::vector<double>{1, 1}));
    std::reverse(top.begin(), top.end());
    EXPECT_EQ(ranking_means(metrics, data, {scored(top)}), (std::vector<double>{10.0 / 20, 1}));
}

TEST(Ndcg, CountsWhatIsFoundLaterLess)
{
    const SparseMatrix truth = matrix_of({{2, 7}, {}}, 10);
    const RankingMetric ndcg = *ranking_metric("ndcg_at_3");
    const double second = 1 / std::log2(3.0); // the first place counts 1
    const double third = 1 / std::log2(4.0);
    EXPECT_DOUBLE_EQ(value_of(ndcg, truth, 0, scored({2, 7, 1})), 1);
    EXPECT_DOUBLE_EQ(value_of(ndcg, truth, 0, scored({7, 1, 2})), (1 + third) / (1 + second));
    EXPECT_DOUBLE_EQ(value_of(ndcg, truth, 0, scored({1, 3, 4, 2})), 0) << "beyond the third place";
    EXPECT_DOUBLE_EQ(value_of(ndcg, truth, 1, scored({1, 3, 4})), 0) << "nothing to be found";
    EXPECT_DOUBLE_EQ(value_of(*ranking_metric("ndcg_at_1"), truth, 0, scored({2})), 1)
        << "one place cannot hold more than one";
}

double value_of(const char* metric, const SparseMatrix& truth, const Ids& top)
{
    return alx::value_of(*ranking_metric(metric), truth, 0, scored(top));
}

TEST(RankingMetric, CountsHitsAsItsNameSays)
{
    const SparseMatrix truth = matrix_of({{2, 7, 9}}, 10);
    const Ids top{1, 7, 3, 2}; // hits at places 2 and 4
    EXPECT_DOUBLE_EQ(value_of("precision_at_4", truth, top), 2.0 / 4);
    EXPECT_DOUBLE_EQ(value_of("recall_at_4", truth, top), 2.0 / 3);
    EXPECT_DOUBLE_EQ(value_of("recall_at_2", truth, top), 1.0 / 2) << "of two, two can be found";
    EXPECT_DOUBLE_EQ(value_of("hit_rate_at_1", truth, top), 0);
    EXPECT_DOUBLE_EQ(value_of("hit_rate_at_2", truth, top), 1);
    EXPECT_DOUBLE_EQ(value_of("mrr_at_4", truth, top), 1.0 / 2);
    EXPECT_DOUBLE_EQ(value_of("mrr_at_1", truth, top), 0);
    EXPECT_DOUBLE_EQ(value_of("map_at_4", truth, top), (1.0 / 2 + 2.0 / 4) / 3);
    EXPECT_DOUBLE_EQ(value_of("map_at_2", truth, top), (1.0 / 2) / 2);
    for (const char* all : {"precision_at_3", "recall_at_3", "map_at_3", "mrr_at_3", "ndcg_at_3"}) {
        EXPECT_DOUBLE_EQ(value_of(all, truth, {9, 2, 7}), 1) << all;
    }
}

TEST(RankingMetric, OfCoverageCountsColumnsThatAnybodyIsRecommended)
{
    Dataset data = hand_example(); // of five columns
    const Recommendations all{scored({1, 2}), scored({2, 0})};
    EXPECT_EQ(ranking_means({*ranking_metric("coverage_at_1"), *ranking_metric("coverage_at_2")},
                            data, all),
              (std::vector<double>{2.0 / 5, 3.0 / 5}));
}

/// By its definition: over all pairs of what is to be found and what is neither that nor known.
double auc_of_pairs(const Ids& truth, const Ids& known, const std::vector<float>& scores)
{
    double right = 0;
    double pairs = 0;
    const auto is_in = [](const Ids& ids, std::size_t id) {
        return std::find(ids.begin(), ids.end(), static_cast<std::int32_t>(id)) != ids.end();
    };
    for (const std::int32_t good : truth) {
        for (std::size_t bad = 0; bad < scores.size(); ++bad) {
            if (is_in(truth, bad) || is_in(known, bad)) {
                continue;
            }
            const float mine = scores[static_cast<std::size_t>(good)];
            right += mine > scores[bad] ? 1 : mine == scores[bad] ? 0.5 : 0;
            pairs += 1;
        }
    }
    return right / pairs;
}

TEST(RankingMetric, OfAucIsTheShareOfPairsInTheRightOrder)
{
    SplitMix64 random(7);
    for (int draw = 0; draw < 50; ++draw) {
        std::vector<float> scores;
        for (int i = 0; i < 30; ++i) {
            scores.push_back(static_cast<float>(random.below(8))); // many ties
        }
        const Ids truth{3, 8, 21};
        const Ids known{1, 2, 29};
        std::vector<Scored> ranking;
        for (std::int32_t id = 0; id < 30; ++id) {
            if (!std::binary_search(known.begin(), known.end(), id)) {
                ranking.push_back({scores[static_cast<std::size_t>(id)], id});
            }
        }
        std::stable_sort(ranking.begin(), ranking.end(),
                         [](const Scored& a, const Scored& b) { return a.score > b.score; });
        EXPECT_NEAR(auc(matrix_of({truth}, 30), matrix_of({known}, 30), 0, ranking, 30),
                    auc_of_pairs(truth, known, scores), 1e-12);
    }
}

TEST(RankingMetric, OfAucTakesWhatHasNoScoreAsLast)
{
    const SparseMatrix truth = matrix_of({{0}}, 4);
    const SparseMatrix nothing = matrix_of({{}}, 4);
    EXPECT_DOUBLE_EQ(auc(truth, nothing, 0, scored({}), 4), 0.5);
    EXPECT_DOUBLE_EQ(auc(truth, nothing, 0, {{3, 0}}, 4), 1);
    EXPECT_DOUBLE_EQ(auc(truth, nothing, 0, {{3, 1}}, 4), (0 + 0.5 + 0.5) / 3);
}

TEST(RankingMetric, HasANameThatSaysItAll)
{
    for (const char* name : {"recall_at_20", "ndcg_at_10", "recall_at_1", "precision_at_5",
                             "hit_rate_at_3", "mrr_at_10", "map_at_10", "coverage_at_20", "auc"}) {
        EXPECT_EQ(ranking_metric(name)->name(), name);
    }
    for (const char* word : {"recall", "recall_at_", "recall_at_0", "ndcg_at_5x", "auc_at_10"}) {
        EXPECT_FALSE(ranking_metric(word)) << word;
    }
}

TEST(Recommendations, NeverContainHistoryOrPhantomRows)
{
    const SparseMatrix matrix = power_law_matrix(800, 61, 5);
    const Dataset data = split(matrix, {0.3, 0.25, 4, 1});
    HostPool pool(2);
    FactorTable columns(61, 16, 4, model::DType::bf16);
    columns.initialize(1, 1, 2, PhantomRows::random, pool);
    AlxConfig config;
    config.dim = 16;
    config.evaluation.top_k = 61;
    ShardedGramian gramian(config, columns);
    gramian.compute(pool);
    NormalEquations equations(config);
    equations.fix(gramian.matrix(), 61);
    const auto top = recommend(config, data.history, equations, columns, pool);
    for (std::int32_t row = 0; row < data.history.rows; ++row) {
        const Ids ids = ids_of(top[static_cast<std::size_t>(row)]);
        EXPECT_EQ(static_cast<std::int64_t>(ids.size()), 61 - data.history.length(row));
        const Ids known = data.history.ids(row);
        for (const std::int32_t id : ids) {
            EXPECT_LT(id, 61);
            EXPECT_FALSE(std::binary_search(known.begin(), known.end(), id));
        }
    }
}

/// The released code's ranking, as it is written: all scores of a shard, its best, then the merge.
std::vector<Scored> ranked_shard_by_shard(const AlxConfig& config, const FactorTable& columns,
                                          const std::vector<float>& query,
                                          const SparseMatrix& history, std::int32_t row)
{
    const auto rounded = [](float value) { return to_float(to_bf16(value)); };
    std::vector<float> values(query.size());
    std::vector<std::vector<Scored>> lists;
    const Ids known = history.ids(row);
    for (int shard = 0; shard < columns.devices(); ++shard) {
        TopK top(config.evaluation.top_k);
        for (std::int64_t i = 0; i < columns.shard_rows(); ++i) {
            const auto id = static_cast<std::int32_t>(shard * columns.shard_rows() + i);
            columns.store().get(id, values.data());
            float score = 0;
            for (std::size_t j = 0; j < query.size(); ++j) {
                score = std::fma(values[j], query[j], score);
            }
            score = rounded(score);
            if (std::binary_search(known.begin(), known.end(), id)) {
                score = rounded(score + rounded(-1e19F));
            }
            top.offer(score, id);
        }
        lists.push_back(top.take());
    }
    return merge_shards(lists, config.evaluation.top_k);
}

TEST(Recommendations, OfManyShardsAreThoseOfEachShardMerged)
{
    constexpr std::int32_t count = 640;
    HostPool pool(1);
    FactorTable columns(count, 3, 16, model::DType::bf16);
    columns.initialize(1, 1, 2, PhantomRows::random, pool);
    AlxConfig config;
    config.dim = 3;
    config.semantics = Semantics::alx(model::DType::bf16);
    ASSERT_EQ(config.semantics.ranking, Ranking::sharded);
    ASSERT_EQ(config.semantics.score_dtype, ScoreDType::bf16);
    RowStore queries(70, 3, model::DType::f32);
    std::vector<float> query(3);
    for (std::int64_t q = 0; q < queries.rows(); ++q) {
        for (std::size_t j = 0; j < query.size(); ++j) {
            query[j] = static_cast<float>(normal(static_cast<std::uint64_t>(q) * 3 + j));
        }
        queries.set(q, query.data());
    }
    const SparseMatrix history = matrix_of(std::vector<Ids>(70, Ids{3, 41, 300, 639}), count);
    for (const int k : {1, 7, 30, 100}) {
        config.evaluation.top_k = k;
        const auto found = Recommender(config, history, columns).recommend(queries, 0);
        for (std::int32_t q = 0; q < 70; ++q) {
            queries.get(q, query.data());
            EXPECT_EQ(ids_of(found[static_cast<std::size_t>(q)]),
                      ids_of(ranked_shard_by_shard(config, columns, query, history, q)))
                << "query " << q << ", k " << k;
        }
    }
}

} // namespace
} // namespace alxsim::alx
