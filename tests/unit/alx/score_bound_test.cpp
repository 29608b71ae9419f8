// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/score_bound.h"

#include "alx/evaluation/recommender.h"
#include "alx/evaluation/scoring.h"
#include "base/numbers/random.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

float normal_number(std::uint64_t i)
{
    return static_cast<float>(normal(i));
}

/// Rows of lengths from 1 to 2^-20, popular ones first in each hundred; some are zero, some alike.
FactorTable table_of_uneven_rows(std::int32_t count, int dim, model::DType dtype)
{
    FactorTable table(count, dim, 4, dtype);
    std::vector<float> row(static_cast<std::size_t>(dim));
    for (std::int32_t r = 0; r < count; ++r) {
        const auto alike = static_cast<std::uint64_t>(r % 7 == 3 ? r - 3 : r);
        const float length = std::ldexp(r % 11 == 5 ? 0.0F : 1.0F, -(r % 100) / 5);
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = length * normal_number(alike * row.size() + i);
        }
        table.store().set(r, row.data());
    }
    return table;
}

RowStore queries_of(std::int64_t count, int dim, model::DType dtype)
{
    RowStore queries(count, dim, dtype);
    std::vector<float> query(static_cast<std::size_t>(dim));
    for (std::int64_t q = 0; q < count; ++q) {
        for (std::size_t i = 0; i < query.size(); ++i) {
            const std::uint64_t number = 1000000 + static_cast<std::uint64_t>(q) * query.size() + i;
            query[i] = q % 10 == 9 ? 0.0F : normal_number(number);
        }
        queries.set(q, query.data());
    }
    return queries;
}

void expect_equal_lists(const std::vector<std::vector<Scored>>& some,
                        const std::vector<std::vector<Scored>>& all)
{
    ASSERT_EQ(some.size(), all.size());
    for (std::size_t q = 0; q < all.size(); ++q) {
        ASSERT_EQ(some[q].size(), all[q].size()) << q;
        for (std::size_t i = 0; i < all[q].size(); ++i) {
            EXPECT_EQ(some[q][i].id, all[q][i].id) << q << " " << i;
            EXPECT_EQ(some[q][i].score, all[q][i].score) << q << " " << i;
        }
    }
}

/// Scored in part and in full; a table and queries as validation in f64 has them, or others.
void expect_reaches_change_nothing(const AlxConfig& config, model::DType table_dtype)
{
    constexpr std::int32_t count = 1500;
    const bool exact = table_dtype == model::DType::f64;
    const FactorTable columns = table_of_uneven_rows(count, config.dim, table_dtype);
    const RowStore queries =
        queries_of(70, config.dim, exact ? model::DType::f64 : model::DType::f32);
    const SparseMatrix history = matrix_of(std::vector<Ids>(70, Ids{0, 41, 300, 1499}), count);
    HostPool pool(2);
    expect_equal_lists(Recommender(config, history, columns, reaches_of(columns.store(), pool))
                           .recommend(queries, 0),
                       Recommender(config, history, columns).recommend(queries, 0));
}

TEST(ScoreBound, RowsThatCannotEnterAListNeedNotBeScored)
{
    for (const model::DType dtype : {model::DType::bf16, model::DType::f32, model::DType::f64}) {
        for (const int dim : {1, 3, 16, 40}) {
            for (const int k : {1, 20, 400}) {
                AlxConfig config;
                config.dim = dim;
                config.evaluation.top_k = k;
                expect_reaches_change_nothing(config, dtype);
                config.semantics = Semantics::alx(dtype);
                expect_reaches_change_nothing(config, dtype);
                config.evaluation.approximate = true;
                expect_reaches_change_nothing(config, dtype);
            }
        }
    }
}

TEST(ScoreBound, ColumnsOfEqualScoresAreRankedByTheirIds)
{
    constexpr std::int32_t count = 1500;
    for (const bool released : {false, true}) {
        AlxConfig config;
        config.dim = 2;
        config.evaluation.top_k = 40;
        config.semantics = released ? Semantics::alx(model::DType::bf16) : Semantics{};
        FactorTable columns(count, 2, 1, model::DType::bf16);
        for (std::int32_t id = 0; id < count;
             ++id) { // one score, of shorter rows among longer ones
            const std::vector<float> row{1.0F, id % 3 == 0 ? 0.0F : static_cast<float>(id % 5)};
            columns.store().set(id, row.data());
        }
        RowStore queries(70, 2, model::DType::f32);
        for (std::int64_t q = 0; q < queries.rows(); ++q) {
            const std::vector<float> query{1.0F, 0.0F};
            queries.set(q, query.data());
        }
        const SparseMatrix history = matrix_of(std::vector<Ids>(70, Ids{0, 41, 300}), count);
        HostPool pool(1);
        expect_equal_lists(Recommender(config, history, columns, reaches_of(columns.store(), pool))
                               .recommend(queries, 0),
                           Recommender(config, history, columns).recommend(queries, 0));
    }
}

/// Expects no score of `row` beyond its own times `factor`, which is the most that any query of its
/// length yields.
void expect_no_score_beyond_the_reach(std::vector<float> row, float factor)
{
    const auto dim = static_cast<int>(row.size());
    RowStore rows(1, dim, model::DType::f32);
    RowStore queries(1, dim, model::DType::f32);
    rows.set(0, row.data());
    for (float& number : row) {
        number *= factor;
    }
    queries.set(0, row.data());
    const std::unique_ptr<Scorer> scorer = make_scorer(queries);
    scorer->take_block(rows, 0, 1);
    std::vector<float> scores(static_cast<std::size_t>(scorer->panel_width()));
    scorer->score(0, 0, 1, scores.data());
    HostPool pool(1);
    const float reach = reaches_of(rows, pool)[0];
    const double length = length_of(queries, 0);
    const float below = std::nextafter(scores[0], -std::numeric_limits<float>::infinity());
    EXPECT_FALSE(reach <= reach_below(below, length, dim)) << dim << " " << scores[0];
    const float above = scores[0] + std::abs(scores[0]) * 0.01F + 1e-40F;
    EXPECT_LE(reach, reach_below(above, length, dim)) << "said of hardly any row: " << dim;
}

TEST(ScoreBound, HoldsOfParallelRowsHoweverSumsAreRounded)
{
    std::uint64_t number = 0;
    for (const int dim : {1, 2, 7, 16, 64, 200}) {
        for (int sample = 0; sample < 50; ++sample) {
            std::vector<float> row(static_cast<std::size_t>(dim));
            for (float& value : row) {
                value = normal_number(number++);
            }
            for (const float factor : {1.0F, 0.37F, 1e-20F, 1e20F}) {
                expect_no_score_beyond_the_reach(row, factor);
            }
        }
    }
}

TEST(ScoreBound, SaysNothingWhereABoundIsBelowZero)
{
    EXPECT_LT(reach_below(-1.0F, 2.0, 8), 0.0);
    EXPECT_LT(reach_below(-1.0F, 0.0, 8), 0.0);
    EXPECT_EQ(reach_below(1.0F, 0.0, 8), std::numeric_limits<double>::infinity())
        << "a query of zeros scores zero";
}

TEST(ScoreBound, SaysNothingOfARowThatHoldsInfinity)
{
    RowStore rows(1, 2, model::DType::f32);
    const std::vector<float> row{1.0F, std::numeric_limits<float>::infinity()};
    rows.set(0, row.data());
    HostPool pool(1);
    EXPECT_FALSE(reaches_of(rows, pool)[0] <= reach_below(1e30F, 1.0, 2));
}

} // namespace
} // namespace alxsim::alx
