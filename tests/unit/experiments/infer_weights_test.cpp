// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/measure.h"
#include "experiments/answers/infer/posterior.h"

#include <gtest/gtest.h>

#include <stdexcept>

/// What is counted with the weights of drawn worlds.
namespace alxsim::experiments {
namespace {

TEST(ExpectedRatio, IsOneAfterTheFigureItselfIsMeasuredAndTheBandItselfAfterSomethingElse)
{
    MeasuredWorlds worlds;
    for (int i = 0; i < 1000; ++i) {
        worlds.asked.push_back(1 + i % 100 / 100.0);
        worlds.weights.push_back(1);
    }
    worlds.found = worlds.asked;
    EXPECT_LT(expected_ratio(worlds, 0.001), 1.05) << "50 worlds stay, 0.05 apart";
    for (int i = 0; i < 1000; ++i) {
        worlds.found[static_cast<std::size_t>(i)] = i / 100 + 1; // says nothing of the other
    }
    EXPECT_NEAR(expected_ratio(worlds, 0.001), 1.94 / 1.04, 0.02);
}

TEST(WeightedQuantile, CountsWeights)
{
    EXPECT_EQ(weighted_quantile({1, 2, 3}, {1, 1, 1}, 0.5), 2);
    EXPECT_EQ(weighted_quantile({3, 1, 2}, {8, 1, 1}, 0.5), 3);
    EXPECT_THROW(weighted_quantile({}, {}, 0.5), std::invalid_argument);
}

TEST(DistanceToPrior, IsThatOfKolmogorovAndSmirnov)
{
    EXPECT_NEAR(distance_to_prior({0.125, 0.375, 0.625, 0.875}, {1, 1, 1, 1}), 0.125, 1e-12);
    EXPECT_NEAR(distance_to_prior({0.05, 0.1}, {1, 1}), 0.9, 1e-12) << "all below 0.1";
}

TEST(Survivors, OfUnequalWeightsTellAsMuchAsFewerEqualOnes)
{
    EXPECT_DOUBLE_EQ((Survivors{{0, 1, 2}, {1, 1, 1}}.effective()), 3);
    EXPECT_NEAR((Survivors{{0, 1, 2}, {1, 0.001, 0.001}}.effective()), 1, 0.01);
}

} // namespace
} // namespace alxsim::experiments
