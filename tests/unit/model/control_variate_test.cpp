// SPDX-License-Identifier: Apache-2.0
#include "model/control_variate.h"

#include "base/numbers/mix64.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace alxsim::model {
namespace {

double random_share(std::uint64_t& state)
{
    state = mix64(state);
    return static_cast<double>(state >> 11) * 0x1.0p-53;
}

TEST(ControlVariate, FindsALineThatHoldsExactly)
{
    const ControlVariate line({{1, 12}, {2, 14}, {4, 18}});
    EXPECT_NEAR(line.predict(10), 30, 1e-12);
    EXPECT_NEAR(line.variance_of_sum(1000, 3), 0, 1e-9);
}

TEST(ControlVariate, EqualControlsLeaveTheMean)
{
    const ControlVariate line({{5, 10}, {5, 14}, {5, 12}});
    EXPECT_DOUBLE_EQ(line.predict(5), 12);
    // Sample variance 4, three of a hundred observed: 100^2 * 4 * (1 - 0.03) / 3.
    EXPECT_NEAR(line.variance_of_sum(100, 5), 10000 * 4 * 0.97 / 3, 1e-9);
}

TEST(ControlVariate, OneObservationSaysNothingOfItsError)
{
    const ControlVariate line({{5, 10}});
    EXPECT_TRUE(std::isinf(line.variance_of_sum(100, 5)));
    EXPECT_DOUBLE_EQ(line.variance_of_sum(1, 5), 0) << "all observed";
}

TEST(ControlVariate, ItsIntervalsHoldTheTruthAsOftenAsTheySay)
{
    // A population of 2000 whose values follow the control with noise that is not normal.
    std::vector<Observation> population;
    std::uint64_t state = 1;
    double truth = 0;
    double mean_control = 0;
    for (int i = 0; i < 2000; ++i) {
        const double control = 10 + 5 * random_share(state);
        const double noise = random_share(state);
        population.push_back({control, 3 * control + 4 * noise * noise});
        truth += population.back().value;
        mean_control += control / 2000;
    }
    int held = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        std::set<std::size_t> chosen;
        std::vector<Observation> sample;
        while (sample.size() < 16) {
            const auto at = static_cast<std::size_t>(random_share(state) * 2000);
            if (chosen.insert(at).second) {
                sample.push_back(population[at]);
            }
        }
        const ControlVariate line(sample);
        const double half = student_t(0.95, line.degrees_of_freedom()) *
                            std::sqrt(line.variance_of_sum(2000, mean_control));
        held += std::abs(line.predict(mean_control) * 2000 - truth) <= half ? 1 : 0;
    }
    EXPECT_NEAR(held, 950, 30);
}

TEST(StudentT, AgreesWithTheTables)
{
    // Abramowitz and Stegun, table 26.10.
    EXPECT_NEAR(student_t(0.95, 5), 2.571, 0.012);
    EXPECT_NEAR(student_t(0.95, 14), 2.145, 0.001);
    EXPECT_NEAR(student_t(0.99, 30), 2.750, 0.001);
    EXPECT_NEAR(student_t(0.90, 10), 1.812, 0.001);
}

} // namespace
} // namespace alxsim::model
