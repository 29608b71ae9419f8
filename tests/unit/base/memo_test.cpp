// SPDX-License-Identifier: Apache-2.0
#include "base/memo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace alxsim {
namespace {

TEST(Memo, HasWhatTakesLongComputedOnceForAllThreads)
{
    Memo<int, int> memo;
    std::atomic<int> computed{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int key = 0; key < 3; ++key) {
                const int value = memo.get_once(key, [&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    ++computed;
                    return 10 * key;
                });
                EXPECT_EQ(value, 10 * key);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(computed, 3);
}

TEST(Memo, ComputesAnewWhatCouldNotBeComputed)
{
    Memo<int, int> memo;
    EXPECT_THROW(memo.get_once(1, []() -> int { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_EQ(memo.get_once(1, [] { return 7; }), 7);
    EXPECT_EQ(memo.get(1, [] { return 8; }), 7);
}

TEST(Memo, ForgetsAllThatIsTooMuch)
{
    Memo<int, int> memo(2);
    for (int key = 0; key < 3; ++key) {
        memo.get(key, [&] { return key; });
    }
    EXPECT_EQ(memo.all().size(), 1U);
}

} // namespace
} // namespace alxsim
