// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/profile/matching.h"
#include "experiments/answers/profile/profile.h"

#include <gtest/gtest.h>

/// Profiles of the form that JAX's profiler writes, by hand.
namespace alxsim::experiments {
namespace {

std::string step(int number, int begin, int duration)
{
    return R"({"ph":"X","pid":2,"tid":1,"name":")" + std::to_string(number) + R"(","ts":)" +
           std::to_string(begin) + R"(,"dur":)" + std::to_string(duration) + "},";
}

std::string op(const std::string& name, int begin, int duration)
{
    return R"({"ph":"X","pid":2,"tid":3,"name":")" + name + R"(","ts":)" + std::to_string(begin) +
           R"(,"dur":)" + std::to_string(duration) +
           R"(,"args":{"hlo_category":"loop fusion","source":"step.py:7"}},)";
}

std::string trace(const std::string& events)
{
    return R"({"traceEvents":[)" + events +
           R"({"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:TPU:1"}},
              {"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
              {"ph":"M","pid":2,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},{}]})";
}

TEST(Profile, TakesTheStepOfMedianLength)
{
    const Profile profile = profile_of(trace(step(1, 0, 100) + step(2, 100, 40) + step(3, 140, 60) +
                                             op("fusion.1", 0, 90) + op("fusion.1", 100, 10) +
                                             op("fusion.1", 140, 20) + op("fusion.1", 170, 25)),
                                       "t");
    EXPECT_EQ(profile.device, 1);
    EXPECT_EQ(profile.step, "3");
    EXPECT_EQ(profile.chosen, "the median of 3 steps");
    EXPECT_DOUBLE_EQ(profile.step_seconds, 60e-6);
    ASSERT_EQ(profile.ops.size(), 1U);
    EXPECT_EQ(profile.ops[0].calls, 2);
    EXPECT_DOUBLE_EQ(profile.ops[0].seconds, 45e-6);
    EXPECT_EQ(profile.ops[0].source, "step.py:7");
}

TEST(Profile, TakesTheBodyOfALoopOutOfIt)
{
    const Profile profile =
        profile_of(trace(step(1, 0, 100) + op("while.1", 0, 100) + op("fusion.2", 10, 30) +
                         op("while.3", 50, 40) + op("fusion.2", 50, 40)),
                   "t");
    ASSERT_EQ(profile.ops.size(), 3U);
    EXPECT_EQ(profile.ops[0].name, "fusion.2");
    EXPECT_DOUBLE_EQ(profile.ops[0].seconds, 70e-6);
    EXPECT_DOUBLE_EQ(profile.ops[1].seconds, 30e-6); // while.1, without both others
    EXPECT_DOUBLE_EQ(profile.ops[2].seconds, 0);
    EXPECT_DOUBLE_EQ(profile.busy_seconds, profile.step_seconds);
}

TEST(Profile, MatchesExactNamesThenThoseWithoutNumber)
{
    EXPECT_EQ(name_without_number("fusion.12.3"), "fusion");
    EXPECT_EQ(name_without_number("fusion.remat"), "fusion.remat");
    EXPECT_EQ(name_without_number("copy-start.3"), "copy-start/done");
    EXPECT_EQ(name_without_number("copy-done"), "copy-start/done");
    const Matching matching = matched({"fusion.1", "fusion.2", "copy-start.1", "sort.1"},
                                      {"fusion.2", "fusion.7", "fusion.8", "copy-done.4", "dot"});
    ASSERT_EQ(matching.pairs.size(), 3U);
    EXPECT_EQ(matching.pairs[0].name, "fusion.2");
    EXPECT_TRUE(matching.pairs[0].exact);
    EXPECT_EQ(matching.pairs[1].name, "copy-start/done");
    EXPECT_EQ(matching.pairs[2].a, std::vector<std::string>{"fusion.1"});
    EXPECT_EQ(matching.pairs[2].b, (std::vector<std::string>{"fusion.7", "fusion.8"}));
    EXPECT_EQ(matching.only_a, std::vector<std::string>{"sort.1"});
    EXPECT_EQ(matching.only_b, std::vector<std::string>{"dot"});
}

} // namespace
} // namespace alxsim::experiments
