// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation.h"

#include "alx/random.h"
#include "alx/sharded_gramian.h"
#include "alx/top_k.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(TopK, OrdersByScoreThenByLowerId)
{
    TopK top(3);
    const float scores[] = {1, 3, 2, 3, 2, 0};
    for (std::int32_t id = 0; id < 6; ++id) {
        top.offer(scores[id], id);
    }
    EXPECT_EQ(top.take(), (Ids{1, 3, 2}));
}

TEST(ScorePanels, AgreeWithSortingAllScores)
{
    constexpr int dim = 5;
    constexpr std::int32_t count = 333;
    RowStore store(count + 4, dim, model::DType::f32);
    std::vector<float> row(dim);
    for (std::int32_t r = 0; r < count + 4; ++r) {
        for (int j = 0; j < dim; ++j) {
            // Small whole numbers: many ties, exact sums. The last four rows score highest.
            row[static_cast<std::size_t>(j)] =
                r >= count ? 100.0F
                           : static_cast<float>(mix64(static_cast<std::uint64_t>(r * dim + j)) % 4);
        }
        store.set(r, row.data());
    }
    const std::vector<float> queries = {1, 2, 0, 1, 3, 2, 2, 1, 0, 1, 0, 0, 0,
                                        0, 0, 1, 1, 1, 1, 1, 3, 0, 1, 0, 2};
    const Ids excluded = {0, 7, 8, 300};
    const std::vector<const std::int32_t*> begin(5, excluded.data());
    const std::vector<const std::int32_t*> end(5, excluded.data() + 4);
    const auto best = ScorePanels(store, count).best(queries.data(), 5, 20, begin, end);
    for (std::size_t q = 0; q < 5; ++q) {
        std::vector<float> scores(count);
        for (std::int32_t r = 0; r < count; ++r) {
            store.get(r, row.data());
            scores[static_cast<std::size_t>(r)] = std::inner_product(
                row.begin(), row.end(), queries.begin() + static_cast<int>(q) * dim, 0.0F);
        }
        Ids ids(count);
        std::iota(ids.begin(), ids.end(), 0);
        std::stable_sort(ids.begin(), ids.end(), [&](std::int32_t a, std::int32_t b) {
            return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
        });
        ids.erase(std::remove_if(ids.begin(), ids.end(),
                                 [&](std::int32_t id) {
                                     return std::binary_search(excluded.begin(), excluded.end(),
                                                               id);
                                 }),
                  ids.end());
        ids.resize(20);
        EXPECT_EQ(best[q], ids) << "query " << q;
    }
}

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
    const auto top = recommend_popular(data, transpose(data.training), 2);
    EXPECT_EQ(top[0], (Ids{1, 2}));
    EXPECT_EQ(top[1], (Ids{0, 3}));
    const Recall found = recall(data, top);
    EXPECT_DOUBLE_EQ(found.at_20, (1.0 + 0.5) / 2);
    EXPECT_DOUBLE_EQ(found.at_50, (1.0 + 0.5) / 2);
}

TEST(Recall, DividesByTheSmallerOfCutAndTruth)
{
    Dataset data;
    std::vector<std::int32_t> many(40);
    std::iota(many.begin(), many.end(), 0);
    data.ground_truth = matrix_of({many}, 100);
    std::vector<std::int32_t> top(50);
    std::iota(top.begin(), top.end(), 0);
    EXPECT_DOUBLE_EQ(recall(data, {top}).at_20, 1.0);
    EXPECT_DOUBLE_EQ(recall(data, {top}).at_50, 1.0);
    std::reverse(top.begin(), top.end());
    EXPECT_DOUBLE_EQ(recall(data, {top}).at_20, 10.0 / 20);
}

TEST(Recommendations, NeverContainHistoryOrPhantomRows)
{
    const SparseMatrix matrix = power_law_matrix(800, 61, 5);
    const Dataset data = split(matrix, {0.3, 0.25, 4, 1});
    HostPool pool(2);
    FactorTable columns(61, 16, 4, model::DType::bf16);
    columns.initialize(1, 1, 2, pool);
    ShardedGramian gramian(columns);
    gramian.compute(pool);
    AlxConfig config;
    config.dim = 16;
    NormalEquations equations(config);
    equations.fix(gramian.matrix(), 61);
    const auto top = recommend(data, equations, columns, 61, pool);
    for (std::int32_t row = 0; row < data.history.rows; ++row) {
        const Ids& ids = top[static_cast<std::size_t>(row)];
        EXPECT_EQ(static_cast<std::int64_t>(ids.size()), 61 - data.history.length(row));
        for (const std::int32_t id : ids) {
            EXPECT_LT(id, 61);
            EXPECT_FALSE(std::binary_search(data.history.begin(row), data.history.end(row), id));
        }
    }
}

} // namespace
} // namespace alxsim::alx
