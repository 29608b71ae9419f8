// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/host_room.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

report::HostUse use_of(std::int64_t predicted, std::int64_t took)
{
    return {"numbers", 1, 1, 1, predicted, took};
}

TEST(HostRoom, IsForFewerPointsWhereOneKeptMoreThanPredicted)
{
    HostRoom room(8, Bytes(2 * gibibyte), Bytes(16 * gibibyte));
    EXPECT_EQ(room.points_at_once(), 8);
    EXPECT_TRUE(room.learn(use_of(gibibyte, 2 * gibibyte)));
    EXPECT_EQ(room.points_at_once(), 4) << "the largest is expected to keep twice as much, too";
    EXPECT_EQ(room.in_words().find("A point keeps up to about 4.0 GiB of 16.0 GiB"), 0U);
    EXPECT_FALSE(room.learn(use_of(gibibyte, gibibyte / 2))) << "another may be like the first";
    EXPECT_EQ(room.points_at_once(), 4);
}

TEST(HostRoom, LearnsNothingFromPointsWithoutAPredictionOrWithASmallOne)
{
    HostRoom room(8, Bytes(gibibyte), Bytes(8 * gibibyte));
    EXPECT_FALSE(room.learn({"analytic", 1, 1, 1}));
    EXPECT_FALSE(room.learn(use_of(1 << 20, 30 << 20)));
    EXPECT_EQ(room.points_at_once(), 8);
}

TEST(HostRoom, IsForOnePointAtLeast)
{
    HostRoom room(4, Bytes(gibibyte), Bytes(2 * gibibyte));
    EXPECT_TRUE(room.learn(use_of(gibibyte, 100 * gibibyte)));
    EXPECT_EQ(room.points_at_once(), 1);
}

} // namespace
} // namespace alxsim::experiments
