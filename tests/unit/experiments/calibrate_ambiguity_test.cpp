// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/answers/calibrate/ambiguity.h"

#include <gtest/gtest.h>

#include <cmath>

/// What the figures of a calibration do not see, and where values lie in their bands.
namespace alxsim::experiments {
namespace {

const FittedValue decade{"decade", "s", 1e-6, 2e-6, 1e-5};
const FittedValue century{"century", "s", 1e-8, 1e-7, 1e-6};
const FittedValue share{"share", "1", 0, 0.25, 1};

TEST(Ambiguity, NamesAProductOfWhichOnlyTheWholeIsSeen)
{
    // log t = log a + log b, in bands of one and of two decades: b moves as fast as a, against it.
    Eigen::MatrixXd jacobian(3, 2);
    jacobian << std::log(10), std::log(100), std::log(10), std::log(100), std::log(10),
        std::log(100);
    const Ambiguity ambiguity = ambiguity_of(jacobian, {decade, century});
    EXPECT_TRUE(ambiguity.without_influence.empty());
    ASSERT_EQ(ambiguity.combinations.size(), 1U);
    EXPECT_NEAR(ambiguity.combinations[0].exponents[0] + ambiguity.combinations[0].exponents[1], 0,
                1e-9);
    EXPECT_LT(ambiguity.combinations[0].effect, 1e-9);
}

TEST(Ambiguity, SeesTwoValuesThatDifferentPointsWeighDifferently)
{
    Eigen::MatrixXd jacobian(2, 2);
    jacobian << 1, 0.5, 0.5, 1;
    const Ambiguity ambiguity = ambiguity_of(jacobian, {decade, century});
    EXPECT_TRUE(ambiguity.without_influence.empty());
    EXPECT_TRUE(ambiguity.combinations.empty());
}

TEST(Ambiguity, NamesAValueWithoutInfluenceByItself)
{
    Eigen::MatrixXd jacobian(2, 2);
    jacobian << 1, 0.001, 0.5, 0.001;
    const Ambiguity ambiguity = ambiguity_of(jacobian, {decade, century});
    EXPECT_EQ(ambiguity.without_influence, std::vector<std::size_t>{1});
    EXPECT_TRUE(ambiguity.combinations.empty());
}

TEST(Ambiguity, FewerFiguresThanValuesLeaveACombination)
{
    Eigen::MatrixXd jacobian(1, 2);
    jacobian << 1, 1;
    EXPECT_EQ(ambiguity_of(jacobian, {decade, century}).combinations.size(), 1U);
}

TEST(FittedValue, LiesInItsBandByRatioOrStraightFromZero)
{
    EXPECT_DOUBLE_EQ(century.place_of(1e-7), 0.5);
    EXPECT_DOUBLE_EQ(century.at(0.5), 1e-7);
    EXPECT_DOUBLE_EQ(share.place_of(0.25), 0.25);
    EXPECT_DOUBLE_EQ(share.at(0.75), 0.75);
    for (const FittedValue& value : {decade, century, share}) {
        EXPECT_EQ(value.at(0), value.low);
        EXPECT_EQ(value.at(1), value.high);
        EXPECT_NEAR(value.at(value.place_of(value.central)), value.central, 1e-9 * value.high);
    }
}

TEST(FittedValue, IsANumberWithABandThatMayMoveSteadily)
{
    const topologies::Preset v3 = topologies::Preset::load("tpu_v3");
    EXPECT_EQ(fitted_value(v3, "gather_row_s").central, v3.number("gather_row_s"));
    for (const char* key : {"gather_engine", "collectives_overlap_compute", "hbm_stacks",
                            "clock_hz", "gather_rows"}) {
        EXPECT_THROW(fitted_value(v3, key), InputError) << key;
    }
}

} // namespace
} // namespace alxsim::experiments
