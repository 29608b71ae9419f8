// SPDX-License-Identifier: Apache-2.0
#include "base/host_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace alxsim {
namespace {

// Under ThreadSanitizer these show, too, that it knows what for_chunks puts in order.

TEST(HostPool, CallsTheBodyForEveryItemOnce)
{
    HostPool pool(4);
    for (int round = 0; round < 50; ++round) {
        const std::vector<int> ones(1000, 1);
        std::vector<int> calls(ones.size(), round);
        pool.for_chunks(1000, 7, [&](std::int64_t begin, std::int64_t end) {
            const std::vector<int> own(ones.begin() + begin, ones.begin() + end);
            for (std::int64_t i = begin; i < end; ++i) {
                calls[i] += own[i - begin];
            }
        });
        EXPECT_EQ(std::count(calls.begin(), calls.end(), round + 1), 1000);
    }
}

TEST(HostPool, CutsChunksByTheGrainWhateverTheThreads)
{
    for (const int threads : {1, 3}) {
        HostPool pool(threads);
        std::vector<std::int64_t> ends(10, 0);
        pool.for_chunks(10, 4, [&](std::int64_t begin, std::int64_t end) { ends[begin] = end; });
        EXPECT_EQ(ends, (std::vector<std::int64_t>{4, 0, 0, 0, 8, 0, 0, 0, 10, 0})) << threads;
    }
}

TEST(HostPool, RethrowsWhatAChunkThrew)
{
    HostPool pool(4);
    std::vector<int> begun(100, 0);
    const auto body = [&](std::int64_t begin, std::int64_t) {
        begun[begin] = 1;
        throw std::runtime_error("chunk");
    };
    EXPECT_THROW(pool.for_chunks(100, 1, body), std::runtime_error);
    EXPECT_GT(std::count(begun.begin(), begun.end(), 1), 0);
}

} // namespace
} // namespace alxsim
