// SPDX-License-Identifier: Apache-2.0
#include "model/costs/breakdown.h"

#include <gtest/gtest.h>

#include <random>

namespace alxsim::model {
namespace {

Picoseconds sum_of_phases(const Breakdown& breakdown)
{
    Picoseconds sum(0);
    for (const auto& [phase, time] : breakdown.phases) {
        sum += time;
    }
    return sum;
}

Picoseconds sum_of_shares(const Breakdown& breakdown)
{
    Picoseconds sum(0);
    for (const Picoseconds time : breakdown.shares) {
        sum += time;
    }
    return sum;
}

Breakdown random_breakdown(std::mt19937_64& random)
{
    Breakdown breakdown;
    for (int i = 0; i < 12; ++i) {
        breakdown.add("phase" + std::to_string(random() % 7),
                      static_cast<Share>(random() % share_count),
                      Picoseconds(static_cast<std::int64_t>(random() % 1'000'000)));
    }
    return breakdown;
}

TEST(Breakdown, BooksEachTimeOnceAsPhaseAndOnceAsShare)
{
    Breakdown breakdown;
    breakdown.add("solve", Share::compute, Picoseconds(3));
    breakdown.add("gather", Share::hbm, Picoseconds(4));
    breakdown.add("solve", Share::hbm, Picoseconds(5));
    breakdown.add("nothing", Share::idle, Picoseconds(0));
    EXPECT_EQ(breakdown.total, Picoseconds(12));
    EXPECT_EQ(breakdown.phases, (std::map<std::string, Picoseconds>{{"gather", Picoseconds(4)},
                                                                    {"solve", Picoseconds(8)}}));
    EXPECT_EQ(breakdown.share(Share::hbm), Picoseconds(9));
}

TEST(Breakdown, ScaledAndSummedStillAddsUp)
{
    std::mt19937_64 random(2);
    Breakdown sum = random_breakdown(random).scaled(5);
    sum += random_breakdown(random);
    EXPECT_EQ(sum_of_phases(sum), sum.total);
    EXPECT_EQ(sum_of_shares(sum), sum.total);
}

TEST(MeanOf, AddsUpExactlyWhateverTheNumbers)
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) {
        const Breakdown total = random_breakdown(random);
        const auto parts = static_cast<std::int64_t>(1 + random() % 17);
        const Breakdown mean = mean_of(total, parts);
        ASSERT_EQ(mean.total.count(), total.total.count() / parts);
        ASSERT_EQ(sum_of_phases(mean), mean.total);
        ASSERT_EQ(sum_of_shares(mean), mean.total);
        for (const auto& [phase, time] : mean.phases) {
            ASSERT_LE(std::abs(time.count() * parts - total.phases.at(phase).count()), parts);
        }
    }
}

TEST(MeanOf, GivesTheRestToTheLargestRemainder)
{
    Breakdown total;
    total.add("a", Share::compute, Picoseconds(4)); // 1 1/3
    total.add("b", Share::hbm, Picoseconds(5));     // 1 2/3
    const Breakdown mean = mean_of(total, 3);
    EXPECT_EQ(mean.phases.at("a"), Picoseconds(1));
    EXPECT_EQ(mean.phases.at("b"), Picoseconds(2));
}

} // namespace
} // namespace alxsim::model
