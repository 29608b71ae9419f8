// SPDX-License-Identifier: Apache-2.0
#include "model/uncertainty.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace alxsim::model {
namespace {

TEST(UnknownNumber, TheCentralValueIsTheMedianAndTheEndsAreTheBand)
{
    const UnknownNumber gather{4e-9, 40e-9, 120e-9};
    EXPECT_DOUBLE_EQ(value_at(gather, 0.5), 40e-9);
    EXPECT_DOUBLE_EQ(value_at(gather, 0), 4e-9);
    EXPECT_DOUBLE_EQ(value_at(gather, 1), 120e-9);
}

TEST(UnknownNumber, EachSideIsEvenInTheLogarithm)
{
    EXPECT_NEAR(value_at({1, 100, 400}, 0.25), 10, 1e-12);
    EXPECT_NEAR(value_at({1, 100, 400}, 0.75), 200, 1e-12);
}

TEST(UnknownNumber, WithoutALowerEndAboveZeroASideIsEvenInTheNumber)
{
    EXPECT_NEAR(value_at({0, 0.4, 1}, 0.25), 0.2, 1e-12);
    EXPECT_NEAR(value_at({-1, 0, 1}, 0.75), 0.5, 1e-12);
}

TEST(LatinColumn, HasOneDrawInEachEqualRange)
{
    for (const char* name : {"gather_row_s", "line length", ""}) {
        const std::vector<double> column = latin_column(50, 3, name);
        ASSERT_EQ(column.size(), 50u);
        std::set<int> ranges;
        for (const double quantile : column) {
            EXPECT_GT(quantile, 0);
            EXPECT_LT(quantile, 1);
            ranges.insert(static_cast<int>(quantile * 50));
        }
        EXPECT_EQ(ranges.size(), 50u) << name;
    }
}

TEST(LatinColumn, ThoseOfTwoNamesAreNotCoupled)
{
    const std::vector<double> one = latin_column(400, 1, "hop");
    const std::vector<double> two = latin_column(400, 1, "launch");
    double together = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        together += (one[i] - 0.5) * (two[i] - 0.5) * 12 / 400; // 12: 1 / variance
    }
    EXPECT_LT(std::abs(together), 0.15); // three standard deviations
}

TEST(LatinColumn, FollowsFromSeedAndNameAlone)
{
    EXPECT_EQ(latin_column(10, 5, "hop"), latin_column(10, 5, "hop"));
    EXPECT_NE(latin_column(10, 5, "hop"), latin_column(10, 6, "hop"));
    EXPECT_NE(latin_column(10, 5, "hop"), latin_column(10, 5, "hops"));
}

TEST(Quantile, IsInterpolatedBetweenNeighbours)
{
    EXPECT_DOUBLE_EQ(quantile_of({3, 1, 2}, 0), 1);
    EXPECT_DOUBLE_EQ(quantile_of({3, 1, 2}, 0.25), 1.5);
    EXPECT_DOUBLE_EQ(quantile_of({3, 1, 2}, 1), 3);
    EXPECT_THROW(quantile_of({}, 0.5), std::invalid_argument);
}

} // namespace
} // namespace alxsim::model
