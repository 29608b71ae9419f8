// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

/// Least squares in the unit box, against minima that are known.
namespace alxsim::experiments {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Sums of two costs, as epochs are; [3] of 2 values.
VectorXd epochs(const VectorXd& x)
{
    const double a = std::exp(3 * x[0]);
    const double b = std::exp(2 * x[1]);
    return Vector3d(std::log(a + b), std::log(a + 5 * b), std::log(10 * a + b));
}

BoxResiduals against(const VectorXd& truth)
{
    return [measured = epochs(truth)](const VectorXd& x) { return VectorXd(epochs(x) - measured); };
}

TEST(LeastSquares, FindsTheValuesThatMadeTheData)
{
    const BoxFit fit = least_squares(against(Vector2d(0.2, 0.9)), Vector2d(0.6, 0.3));
    EXPECT_NEAR(fit.at[0], 0.2, 1e-5);
    EXPECT_NEAR(fit.at[1], 0.9, 1e-5);
    EXPECT_LT(fit.cost(), 1e-10);
}

TEST(LeastSquares, StopsAtTheWallWhereTheTruthIsBeyondIt)
{
    const BoxFit fit = least_squares(against(Vector2d(1.02, 0.4)), Vector2d(0.5, 0.5));
    EXPECT_EQ(fit.at[0], 1);
    EXPECT_GT(fit.at[1], 0.01);
    EXPECT_LT(fit.at[1], 0.99);
    // Along the wall nothing is better.
    for (const double aside : {-0.01, 0.01}) {
        const Vector2d beside(1, fit.at[1] + aside);
        EXPECT_GT(against(Vector2d(1.02, 0.4))(beside).squaredNorm(), fit.cost());
    }
}

TEST(LeastSquares, LeavesAWallThatItStartsAt)
{
    const BoxFit fit = least_squares(against(Vector2d(0.5, 0.5)), Vector2d(1, 0));
    EXPECT_NEAR(fit.at[0], 0.5, 1e-5);
    EXPECT_NEAR(fit.at[1], 0.5, 1e-5);
}

TEST(LeastSquares, LeavesAloneWhatHasNoInfluence)
{
    const BoxResiduals residuals = [](const VectorXd& x) {
        return VectorXd(Vector2d(x[0] - 0.25, 2 * x[0] - 0.5));
    };
    const BoxFit fit = least_squares(residuals, Vector2d(0.7, 0.7));
    EXPECT_NEAR(fit.at[0], 0.25, 1e-6);
    EXPECT_EQ(fit.at[1], 0.7);
}

TEST(LeastSquares, MoreStartsGetOffAPlateau)
{
    const BoxResiduals plateau = [](const VectorXd& x) {
        return VectorXd(VectorXd::Constant(1, std::max(0.4, x[0]) - 0.8));
    };
    const VectorXd start = VectorXd::Constant(1, 0.1);
    EXPECT_EQ(least_squares(plateau, start).at[0], 0.1);
    EXPECT_NEAR(least_squares(plateau, start, 4, 1).at[0], 0.8, 1e-6);
}

TEST(LeastSquares, TheJacobianIsTheChangeAcrossTheBox)
{
    const BoxResiduals line = [](const VectorXd& x) {
        return VectorXd(VectorXd::Constant(1, 3 * x[0] - 2 * x[1]));
    };
    for (const Vector2d& at : {Vector2d(0, 0), Vector2d(1, 1)}) {
        const BoxFit fit = linearized(line, at);
        EXPECT_NEAR(fit.jacobian(0, 0), 3, 1e-9);
        EXPECT_NEAR(fit.jacobian(0, 1), -2, 1e-9);
    }
}

} // namespace
} // namespace alxsim::experiments
