// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/point_weights.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

PointSpec point_of(bool numerics, Fidelity fidelity)
{
    PointSpec point;
    point.study.numerics = numerics;
    point.study.fidelity = fidelity;
    return point;
}

const PointSpec with_numbers = point_of(true, Fidelity::detailed);
const PointSpec simulated = point_of(false, Fidelity::detailed);
const PointSpec analytic = point_of(false, Fidelity::analytic);

TEST(HostSpeed, IsLearnedForEachKindOfWorkByItself)
{
    HostSpeed speed;
    EXPECT_DOUBLE_EQ(speed.seconds("numbers", 10), 10);
    speed.learn({"numbers", 1, 4, 8});
    speed.learn({"numbers", 1, 6, 7});
    EXPECT_DOUBLE_EQ(speed.seconds("numbers", 10), 15);
    EXPECT_DOUBLE_EQ(speed.seconds("SystemC", 10), 10);
    EXPECT_EQ(speed.uses().front().points, 2);
}

TEST(PointWeights, OfPointsThatHaveNotBegunAreThoseOfTheirKindThatHave)
{
    PointWeights weights({with_numbers, with_numbers, with_numbers, analytic});
    weights.predict(0, Seconds(30));
    EXPECT_EQ(weights.weights(), (std::vector<double>{30, 30, 30, 0.02}));
    weights.predict(1, Seconds(10));
    EXPECT_EQ(weights.weights(), (std::vector<double>{30, 10, 20, 0.02}));
}

TEST(PointWeights, OfFinishedPointsCorrectWhatOthersWerePredictedToTake)
{
    PointWeights weights({simulated, simulated, with_numbers});
    weights.predict(0, Seconds(10));
    weights.predict(1, Seconds(40));
    weights.predict(2, Seconds(7));
    EXPECT_TRUE(weights.finish(0, report::HostUse{"SystemC", 1, 10, 5}));
    EXPECT_EQ(weights.weights(), (std::vector<double>{5, 20, 7}));
}

TEST(PointWeights, OfPointsTakenOverAreNothingAndTheyTeachAllTheSame)
{
    PointWeights weights({simulated, simulated});
    weights.take_over(0, report::HostUse{"SystemC", 1, 10, 30});
    weights.predict(1, Seconds(2));
    EXPECT_EQ(weights.weights(), (std::vector<double>{0, 6}));
}

} // namespace
} // namespace alxsim::experiments
