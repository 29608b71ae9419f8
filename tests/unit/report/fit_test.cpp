// SPDX-License-Identifier: Apache-2.0
#include "report/fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alxsim::report {
namespace {

std::vector<CoreTime> synthetic(double a, double b, double c, double log = 0)
{
    std::vector<CoreTime> curve;
    for (std::int64_t cores = 8; cores <= 2048; cores *= 2) {
        const auto n = static_cast<double>(cores);
        curve.push_back({cores, a / n + b + log * std::log2(n) + c * n});
    }
    return curve;
}

TEST(Fit, RecoversTheThreeTerms)
{
    const Fit fit = fit_of(synthetic(400, 0.25, 1e-4)).value();
    EXPECT_NEAR(fit.a_over_n, 400, 1e-9 * 400);
    EXPECT_NEAR(fit.constant, 0.25, 1e-9);
    EXPECT_NEAR(fit.per_core, 1e-4, 1e-12);
    EXPECT_FALSE(fit.log.has_value()) << "three terms say it all";
    EXPECT_NEAR(fit.r2, 1, 1e-12);
    EXPECT_NEAR(fit.largest_residual, 0, 1e-9);
    EXPECT_EQ(fit.spare_points, 6u);
}

TEST(Fit, RecoversALogTerm)
{
    const Fit fit = fit_of(synthetic(400, 0.25, 1e-4, 0.5)).value();
    EXPECT_NEAR(fit.a_over_n, 400, 1e-6);
    EXPECT_NEAR(fit.constant, 0.25, 1e-6);
    EXPECT_NEAR(fit.log.value_or(0), 0.5, 1e-6);
    EXPECT_NEAR(fit.per_core, 1e-4, 1e-9);
    EXPECT_EQ(fit.spare_points, 5u);
}

TEST(Fit, ATermThatIsNotThereIsZeroNotNegative)
{
    const Fit perfect = fit_of(synthetic(400, 0, 0)).value();
    EXPECT_NEAR(perfect.a_over_n, 400, 1e-6);
    EXPECT_NEAR(perfect.constant, 0, 1e-9);
    EXPECT_NEAR(perfect.per_core, 0, 1e-9);
    // Faster than 1/N: unconstrained, the constant would be negative.
    const Fit super = fit_of({{1, 8.0}, {2, 3.5}, {4, 1.5}, {8, 0.6}}).value();
    EXPECT_EQ(super.constant, 0);
    EXPECT_EQ(super.per_core, 0);
    EXPECT_GT(super.a_over_n, 0);
    EXPECT_LT(super.r2, 1);
    EXPECT_GT(super.largest_residual, 0);
}

TEST(Fit, NeedsThreePoints)
{
    EXPECT_FALSE(fit_of({{8, 8.0}, {16, 4.0}}).has_value());
}

TEST(Fit, ThatPassesThroughAllPointsHasNoneToSpare)
{
    const Fit fit = fit_of({{8, 8.0}, {16, 5.0}, {32, 4.0}}).value();
    EXPECT_NEAR(fit.r2, 1, 1e-12);
    EXPECT_EQ(fit.spare_points, 0u);
}

TEST(Fit, OfFewPointsHasNoLogTerm)
{
    const auto curve = [](std::size_t points) {
        std::vector<CoreTime> all = synthetic(100, 0, 0, 1);
        all.resize(points);
        return all;
    };
    EXPECT_FALSE(fit_of(curve(4)).value().log.has_value());
    EXPECT_TRUE(fit_of(curve(5)).value().log.has_value());
}

TEST(Fit, SaysWhatMoreCoresDoNotShrink)
{
    const Fit fit = fit_of(synthetic(400, 0.25, 1e-4)).value();
    EXPECT_NEAR(fit.floor_at(2048), 0.25 + 1e-4 * 2048, 1e-9);
    EXPECT_NEAR(fit.at(2048), fit.floor_at(2048) + 400.0 / 2048, 1e-9);
}

/// The seconds of a curve alone.
std::vector<double> seconds_of(const std::vector<CoreTime>& curve)
{
    std::vector<double> seconds;
    for (const CoreTime& point : curve) {
        seconds.push_back(point.seconds);
    }
    return seconds;
}

TEST(FitOfAPart, AddsUpToTheWhole)
{
    // Noise that no three terms explain: the sums agree for what least squares is, not for r2 = 1.
    std::vector<CoreTime> gather = synthetic(10, 0.5, 1e-4);
    std::vector<CoreTime> solve = synthetic(390, 0.01, 1e-5);
    std::vector<CoreTime> whole;
    for (std::size_t i = 0; i < gather.size(); ++i) {
        gather[i].seconds *= i % 2 == 0 ? 1.02 : 0.98;
        whole.push_back({gather[i].cores, gather[i].seconds + solve[i].seconds});
    }
    const Fit fit = fit_of(whole).value();
    const Fit of_gather = fit_part(whole, seconds_of(gather), fit);
    const Fit of_solve = fit_part(whole, seconds_of(solve), fit);
    EXPECT_LT(fit.r2, 1 - 1e-6);
    EXPECT_NEAR(of_gather.a_over_n + of_solve.a_over_n, fit.a_over_n, 1e-6);
    EXPECT_NEAR(of_gather.constant + of_solve.constant, fit.constant, 1e-9);
    EXPECT_NEAR(of_gather.per_core + of_solve.per_core, fit.per_core, 1e-12);
    EXPECT_NEAR(of_solve.a_over_n, 390, 1e-6) << "the noise is the gather's";
}

TEST(FitOfAPart, ThatIsConstantIsAConstant)
{
    const std::vector<CoreTime> whole = synthetic(400, 0.25, 0);
    const Fit part =
        fit_part(whole, std::vector<double>(whole.size(), 0.25), fit_of(whole).value());
    EXPECT_EQ(part.a_over_n, 0);
    EXPECT_NEAR(part.constant, 0.25, 1e-12);
    EXPECT_EQ(part.per_core, 0);
    EXPECT_EQ(part.r2, 1);
}

} // namespace
} // namespace alxsim::report
