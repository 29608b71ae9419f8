// SPDX-License-Identifier: Apache-2.0
#include "base/work/stop.h"

#include "base/host_pool.h"
#include "base/inputs/input_files.h"
#include "base/work/long_work.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>

namespace alxsim {
namespace {

TEST(Stop, IsNotLookedForOutsideAScope)
{
    EXPECT_NO_THROW(look_for_stop());
}

TEST(Stop, EndsWorkOfItsScopeAlone)
{
    bool wanted = false;
    {
        const StopScope scope([&] { return wanted; });
        EXPECT_NO_THROW(look_for_stop());
        wanted = true;
        EXPECT_THROW(look_for_stop(), Stopped);
    }
    EXPECT_NO_THROW(look_for_stop());
}

TEST(Stop, OfAnOuterScopeEndsWorkOfAnInnerOne)
{
    const StopScope outer([] { return true; });
    const StopScope inner([] { return false; });
    EXPECT_THROW(look_for_stop(), Stopped);
}

TEST(Stop, EndsLoopsThatLookOnceInAWhile)
{
    const StopScope scope([] { return true; });
    StopLook look;
    int rounds = 0;
    EXPECT_THROW(
        for (; rounds < 1'000'000; ++rounds) { look(); }, Stopped);
    EXPECT_GT(rounds, 100);
    EXPECT_LT(rounds, 100'000);
}

TEST(Stop, ReachesWhatAPoolDoesForAScopeAndNothingElse)
{
    HostPool pool(3);
    std::atomic<bool> wanted{false};
    const StopScope scope([&] { return wanted.load(); });
    std::atomic<int> stopped{0};
    pool.for_chunks(30, 30, [&](std::int64_t, std::int64_t) { // all in one
        wanted = true;
        EXPECT_THROW(look_for_stop(), Stopped);
        ++stopped;
    });
    EXPECT_EQ(stopped, 1);
    std::thread([] { EXPECT_NO_THROW(look_for_stop()); }).join();
}

TEST(Stop, ComesOutOfAPool)
{
    HostPool pool(2);
    const StopScope scope([] { return true; });
    EXPECT_THROW(pool.for_chunks(8, 1, [](std::int64_t, std::int64_t) { look_for_stop(); }),
                 Stopped);
}

TEST(Stop, EndsAPoolBetweenChunksThatDoNotLookThemselves)
{
    for (const int threads : {1, 3}) {
        HostPool pool(threads);
        std::atomic<int> chunks{0};
        const StopScope scope([&] { return chunks > 4; });
        EXPECT_THROW(pool.for_chunks(1000, 1, [&](std::int64_t, std::int64_t) { ++chunks; }),
                     Stopped);
        EXPECT_LT(chunks, 100);
    }
}

TEST(Stop, EndsLongWork)
{
    const StopScope scope([] { return true; });
    LongWork work("reading", 1000);
    EXPECT_THROW(work.add(10), Stopped);
    LongWork pipe("reading what has no size", 0);
    EXPECT_THROW(pipe.add(10), Stopped);
}

TEST(Stop, EndsTheDigestOfALargeFileOnItsOwnThread)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("large", "");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 34); // minutes, all of it zeros
    std::atomic<bool> wanted{false};
    const StopScope scope([&] { return wanted.load(); });
    InputWatch watch;
    note_input(path);
    wanted = true;
    EXPECT_THROW(watch.files(), Stopped);
}

TEST(Stop, LeavesWorkThatCannotLookToItself)
{
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    const auto start = std::chrono::steady_clock::now();
    const auto is_late = [start] {
        return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(100);
    };
    const auto release = std::make_shared<std::atomic<bool>>(false);
    {
        const StopScope scope(is_late);
        EXPECT_THROW(run_stoppable([ended, release] {
                         while (!*release) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                         *ended = true;
                     }),
                     Stopped);
    }
    EXPECT_FALSE(*ended);
    *release = true;
    while (!*ended) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST(Stop, LeavesResultsAndErrorsOfWorkAsTheyAre)
{
    for (const bool in_scope : {false, true}) {
        std::unique_ptr<StopScope> scope;
        if (in_scope) {
            scope = std::make_unique<StopScope>([] { return false; });
        }
        int result = 0;
        run_stoppable([&result] { result = 7; });
        EXPECT_EQ(result, 7);
        EXPECT_THROW(run_stoppable([] { throw std::runtime_error("bad"); }), std::runtime_error);
    }
}

} // namespace
} // namespace alxsim
