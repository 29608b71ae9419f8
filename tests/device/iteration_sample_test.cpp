// SPDX-License-Identifier: Apache-2.0
#include "sim/memo/iteration_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace alxsim::sim {
namespace {

using Offset = std::function<std::int64_t(int device, int iteration)>;

constexpr int devices = 8;

Offset together()
{
    return [](int, int) { return 0; };
}

/// Iterations of `takes(iteration)` picoseconds on devices that are `offset` late.
IterationSample sample_of(int iterations, const std::function<std::int64_t(int)>& takes,
                          const Offset& offset = together())
{
    IterationSample sample;
    std::int64_t begins = 1000;
    for (int iteration = 0; iteration <= iterations; ++iteration) {
        std::vector<Picoseconds> times;
        for (int device = 0; device < devices; ++device) {
            times.emplace_back(begins + offset(device, iteration));
        }
        sample.add(times);
        begins += takes(iteration);
    }
    return sample;
}

std::int64_t always_the_same(int)
{
    return 1'000'000;
}

TEST(IterationSample, SaysNothingOfFewIterations)
{
    EXPECT_FALSE(sample_of(31, always_the_same).mean());
    EXPECT_TRUE(sample_of(32, always_the_same).mean());
}

TEST(IterationSample, KnowsForSureWhatIsAlwaysTheSame)
{
    const auto mean = sample_of(40, always_the_same).mean();
    EXPECT_EQ(mean->picoseconds, 1e6);
    EXPECT_EQ(mean->standard_error, 0);
}

TEST(IterationSample, LeavesOutTheEarlierHalf)
{
    const auto mean =
        sample_of(64, [](int iteration) { return iteration < 32 ? 5'000'000 : 1'000'000; }).mean();
    EXPECT_EQ(mean->picoseconds, 1e6);
}

TEST(IterationSample, IsWhatItWasUntilThereAreTwiceAsMany)
{
    const auto takes = [](int iteration) { return 1'000'000 + iteration * 1000; };
    EXPECT_EQ(sample_of(32, takes).mean()->picoseconds, sample_of(63, takes).mean()->picoseconds);
    EXPECT_LT(sample_of(63, takes).mean()->picoseconds, sample_of(64, takes).mean()->picoseconds);
}

/// Of `trials` samples, the share whose interval of 95 % holds the mean that is known.
double share_that_holds(int trials, const std::function<double(std::mt19937&, double)>& next)
{
    constexpr double student_of_95_percent = 3.182; // 3 degrees of freedom
    std::mt19937 random(1);
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
        double now = 0;
        const auto mean = sample_of(128, [&](int) {
                              now = next(random, now);
                              return static_cast<std::int64_t>(1e6 + now);
                          }).mean();
        const double width = student_of_95_percent * mean->standard_error;
        held += std::abs(mean->picoseconds - 1e6) < width ? 1 : 0;
    }
    return static_cast<double>(held) / trials;
}

double between_minus_and_plus(std::mt19937& random, double most)
{
    return most * (static_cast<double>(random() % 20001) / 10000 - 1);
}

TEST(IterationSample, ItsErrorIsThatOfTheMean)
{
    const double held = share_that_holds(
        2000, [](std::mt19937& random, double) { return between_minus_and_plus(random, 50'000); });
    EXPECT_NEAR(held, 0.95, 0.02);
}

TEST(IterationSample, ItsErrorHoldsWhereIterationsHaveToDoWithEachOther)
{
    const double held = share_that_holds(2000, [](std::mt19937& random, double before) {
        return 0.5 * before + between_minus_and_plus(random, 50'000);
    });
    EXPECT_GT(held, 0.90);
}

TEST(IterationSample, SaysNothingWhileDevicesDriftApart)
{
    // Each iteration takes the same time in the mean, for as long as the last device may fall back.
    const Offset drift = [](int device, int iteration) { return device * 100 * iteration; };
    EXPECT_FALSE(sample_of(64, always_the_same, drift).mean());
    const Offset until_they_stop = [](int device, int iteration) {
        return device * 100 * std::min(iteration, 60);
    };
    EXPECT_FALSE(sample_of(64, always_the_same, until_they_stop).mean());
    EXPECT_TRUE(sample_of(128, always_the_same, until_they_stop).mean());
}

TEST(IterationSample, TakesSwingsForNoDrift)
{
    std::mt19937 random(3);
    std::vector<std::int64_t> late(devices * 65);
    for (std::int64_t& one : late) {
        one = static_cast<std::int64_t>(random() % 100'000);
    }
    const Offset swings = [&](int device, int iteration) {
        return late[static_cast<std::size_t>(iteration * devices + device)];
    };
    EXPECT_TRUE(sample_of(64, always_the_same, swings).mean());
}

TEST(IterationSample, BeginsAnewWhenItIsCleared)
{
    IterationSample sample = sample_of(64, always_the_same);
    sample.clear();
    EXPECT_FALSE(sample.mean());
}

} // namespace
} // namespace alxsim::sim
