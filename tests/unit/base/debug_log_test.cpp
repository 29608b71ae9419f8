// SPDX-License-Identifier: Apache-2.0
#include "base/work/debug_log.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace alxsim {
namespace {

// The environment is read once: each of these has a process of its own.

TEST(DebugLogDeathTest, TellsOfTheRoomsThatAreAskedFor)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("ALXSIM_DEBUG", "memo,runs", 1);
            debug_log(DebugRoom::memo, [] { return std::string("left out"); });
            debug_log(DebugRoom::schedules, [] { return std::string("not asked for"); });
            std::exit(debugs(DebugRoom::runs) && !debugs(DebugRoom::schedules) ? 0 : 1);
        },
        testing::ExitedWithCode(0), "^\\[memo\\] left out\n$");
}

TEST(DebugLogDeathTest, RefusesARoomThatThereIsNot)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            setenv("ALXSIM_DEBUG", "memos", 1);
            try {
                debugs(DebugRoom::memo);
            } catch (const InputError& error) {
                std::fputs(error.what(), stderr);
                std::exit(0);
            }
        },
        testing::ExitedWithCode(0),
        "ALXSIM_DEBUG: found 'memos'; allowed: all, schedules, .*did you mean 'memo'");
}

} // namespace
} // namespace alxsim
