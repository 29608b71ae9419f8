// SPDX-License-Identifier: Apache-2.0
#include "base/work/long_work.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace alxsim {
namespace {

using std::chrono::milliseconds;

TEST(LongWork, ThatIsOverInAMomentTellsNothing)
{
    std::vector<std::string> told;
    const LongWorkWatch watch([&](const std::string& words) { told.push_back(words); });
    {
        LongWork work("reading links", 1000);
        for (int i = 0; i < 1000; ++i) {
            work.add(1);
        }
    }
    EXPECT_TRUE(told.empty());
}

TEST(LongWork, TellsHowFarItIsFromASecondOnAndThatItIsOver)
{
    std::vector<std::string> told;
    const LongWorkWatch watch([&](const std::string& words) { told.push_back(words); });
    const auto start = std::chrono::steady_clock::now();
    {
        LongWork work("reading \x1b links", 200);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 2; ++thread) {
            threads.emplace_back([&work] {
                for (int i = 0; i < 75; ++i) {
                    work.add(1);
                    std::this_thread::sleep_for(milliseconds(20));
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        std::this_thread::sleep_for(milliseconds(250));
        work.add(20);
        EXPECT_EQ(told.back(), "reading \\x1b links, 85 %");
        const auto took = std::chrono::steady_clock::now() - start;
        EXPECT_LE(told.size(), 1 + (took - milliseconds(1000)) / milliseconds(200));
    }
    EXPECT_GE(told.size(), 3U);
    EXPECT_EQ(told.back(), "");
}

TEST(LongWork, IsToldToTheInnermostWatchAlone)
{
    int outer = 0;
    int inner = 0;
    const LongWorkWatch outer_watch([&](const std::string&) { ++outer; });
    {
        const LongWorkWatch inner_watch([&](const std::string&) { ++inner; });
        LongWork work("reading", 10);
        std::this_thread::sleep_for(milliseconds(1050));
        work.add(5);
    }
    EXPECT_EQ(inner, 2); // how far, and that it is over
    LongWork work("reading", 10);
    std::this_thread::sleep_for(milliseconds(1050));
    work.add(5);
    EXPECT_EQ(inner, 2);
    EXPECT_EQ(outer, 1);
}

TEST(LongWork, OfWhichNobodyKnowsHowMuchItIsTellsNothing)
{
    std::vector<std::string> told;
    const LongWorkWatch watch([&](const std::string& words) { told.push_back(words); });
    LongWork work("reading a pipe", 0);
    std::this_thread::sleep_for(milliseconds(1050));
    work.add(5);
    EXPECT_TRUE(told.empty());
}

} // namespace
} // namespace alxsim
