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

TEST(LatinHypercube, EveryUnknownHasOneDrawInEachEqualRange)
{
    const auto cube = latin_hypercube(50, 7, 3);
    ASSERT_EQ(cube.size(), 50u);
    for (std::size_t unknown = 0; unknown < 7; ++unknown) {
        std::set<int> ranges;
        for (const auto& draw : cube) {
            EXPECT_GT(draw[unknown], 0);
            EXPECT_LT(draw[unknown], 1);
            ranges.insert(static_cast<int>(draw[unknown] * 50));
        }
        EXPECT_EQ(ranges.size(), 50u) << "unknown " << unknown;
    }
}

TEST(LatinHypercube, UnknownsAreNotCoupled)
{
    const auto cube = latin_hypercube(400, 2, 1);
    double together = 0;
    for (const auto& draw : cube) {
        together += (draw[0] - 0.5) * (draw[1] - 0.5) * 12 / 400; // 12: 1 / variance
    }
    EXPECT_LT(std::abs(together), 0.15); // three standard deviations
}

TEST(LatinHypercube, TheSeedDecides)
{
    EXPECT_EQ(latin_hypercube(10, 3, 5), latin_hypercube(10, 3, 5));
    EXPECT_NE(latin_hypercube(10, 3, 5), latin_hypercube(10, 3, 6));
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
