// SPDX-License-Identifier: Apache-2.0
#include "model/graph/name.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace alxsim::model {
namespace {

TEST(Name, OfEqualTextsIsTheSameWhereverTheyStand)
{
    const std::string text = "solve.residual";
    const Name name = text;
    EXPECT_EQ(Name("solve.residual"), name);
    EXPECT_NE(Name("solve.direction"), name);
    EXPECT_EQ(name.text(), text);
    EXPECT_EQ(Name(), Name(""));
}

/// The table of recent literals goes by address: the text there may be another one.
TEST(Name, FollowsATextThatChanges)
{
    char text[] = "first";
    EXPECT_EQ(Name(static_cast<const char*>(text)).text(), "first");
    text[0] = 'F';
    EXPECT_EQ(Name(static_cast<const char*>(text)).text(), "First");
}

TEST(Name, IsTheSameInAllThreads)
{
    constexpr int names = 1000;
    std::vector<std::vector<std::uintptr_t>> seen(4);
    std::vector<std::thread> threads;
    for (auto& mine : seen) {
        threads.emplace_back([&mine] {
            for (int i = 0; i < names; ++i) {
                mine.push_back(Name("thread.buffer_" + std::to_string(i)).identity());
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& mine : seen) {
        EXPECT_EQ(mine, seen.front());
    }
}

TEST(Name, ComesInTheOrderOfTheAlphabet)
{
    EXPECT_LT(Name("a"), Name("b"));
    EXPECT_FALSE(Name("b") < Name("a"));
    EXPECT_FALSE(Name("a") < Name("a"));
}

TEST(NameSet, IsASet)
{
    NameSet set{"b", "a", "b"};
    EXPECT_EQ(set.size(), 2u);
    EXPECT_EQ(set, (NameSet{"a", "b"}));
    EXPECT_FALSE(set == NameSet{"a"});
    EXPECT_EQ(set.count("c"), 0u);
}

TEST(NameNumbers, CountFromZeroInTheOrderOfMeeting)
{
    NameNumbers numbers;
    for (std::size_t round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < 500; ++i) {
            EXPECT_EQ(numbers.number_of("numbered." + std::to_string(i)), i);
        }
    }
    EXPECT_EQ(numbers.names().size(), 500u);
}

} // namespace
} // namespace alxsim::model
