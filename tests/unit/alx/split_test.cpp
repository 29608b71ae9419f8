// SPDX-License-Identifier: Apache-2.0
#include "alx/data/split.h"

#include "matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace alxsim::alx {
namespace {

TEST(Split, HistoryGroundTruthAndTrainingAreDisjointAndComplete)
{
    const SparseMatrix matrix = power_law_matrix(1000, 300, 4);
    const Dataset data = split(matrix, {0.2, 0.25, 4, 9});
    ASSERT_GT(data.test_rows.size(), 20u);
    for (std::size_t i = 0; i < data.test_rows.size(); ++i) {
        const std::int32_t row = data.test_rows[i];
        const auto test = static_cast<std::int32_t>(i);
        EXPECT_EQ(data.training.length(row), 0);
        EXPECT_GE(matrix.length(row), 4);
        EXPECT_EQ(data.ground_truth.length(test),
                  std::max<std::int64_t>(1, matrix.length(row) / 4));
        std::vector<std::int32_t> together = data.history.ids(test);
        const std::vector<std::int32_t> truth = data.ground_truth.ids(test);
        together.insert(together.end(), truth.begin(), truth.end());
        std::sort(together.begin(), together.end());
        EXPECT_EQ(together, matrix.ids(row));
    }
    EXPECT_EQ(data.training.links() + data.history.links() + data.ground_truth.links(),
              matrix.links());
}

TEST(Split, TakesTheGivenShareOfEligibleRows)
{
    const SparseMatrix matrix = planted_matrix(500, 100, 5, 8, 1);
    EXPECT_EQ(split(matrix, {0.1, 0.25, 8, 1}).test_rows.size(), 50u);
    EXPECT_EQ(split(matrix, {0.1, 0.25, 9, 1}).test_rows.size(), 0u);
}

TEST(Split, DependsOnTheSeedAlone)
{
    const SparseMatrix matrix = power_law_matrix(1000, 300, 4);
    EXPECT_EQ(split(matrix, {}).test_rows, split(matrix, {}).test_rows);
    EXPECT_TRUE(split(matrix, {}).ground_truth.lists == split(matrix, {}).ground_truth.lists);
    SplitConfig other;
    other.seed = 2;
    EXPECT_NE(split(matrix, {}).test_rows, split(matrix, other).test_rows);
}

TEST(Transpose, OfTheTransposeIsTheMatrix)
{
    const SparseMatrix matrix = power_law_matrix(200, 90, 3);
    const SparseMatrix twice = transpose(transpose(matrix));
    EXPECT_TRUE(twice.lists == matrix.lists);
    EXPECT_EQ(transpose(matrix).rows, 90);
}

} // namespace
} // namespace alxsim::alx
