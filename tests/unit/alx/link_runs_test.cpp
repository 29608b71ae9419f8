// SPDX-License-Identifier: Apache-2.0
#include "alx/data/link_runs.h"

#include "base/numbers/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::alx {
namespace {

using Rows = std::vector<std::vector<std::int32_t>>;

Rows rows_of(LinkRuns& runs, std::int64_t count)
{
    Rows rows;
    runs.for_rows(count, [&rows](const std::vector<std::int32_t>& ids) { rows.push_back(ids); });
    return rows;
}

TEST(LinkRuns, PutsLinksInOrderEachOnce)
{
    LinkRuns runs;
    for (const auto& [row, column] : {std::pair(3, 1), std::pair(0, 2147483646), std::pair(3, 0),
                                      std::pair(0, 5), std::pair(3, 1)}) {
        runs.add(row, column);
    }
    EXPECT_EQ(runs.links(), 5);
    EXPECT_EQ(rows_of(runs, 5), (Rows{{5, 2147483646}, {}, {}, {0, 1}, {}}));
}

TEST(LinkRuns, OfManyRunsAreAsOneSortedSet)
{
    constexpr std::int32_t count = 1000;
    SplitMix64 random(1);
    LinkRuns runs;
    Rows expected(count);
    for (int i = 0; i < 2200000; ++i) { // three runs
        const auto row = static_cast<std::int32_t>(random.next() % count);
        const auto column = static_cast<std::int32_t>(random.next() % 5000);
        runs.add(row, column);
        expected[static_cast<std::size_t>(row)].push_back(column);
    }
    const Rows found = rows_of(runs, count);
    for (std::vector<std::int32_t>& row : expected) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    EXPECT_EQ(found, expected);
}

TEST(LinkRuns, TakesThreeBytesOfALinkThatIsNear)
{
    constexpr std::int64_t links = 5 << 20;
    LinkRuns runs;
    for (std::int32_t i = 0; i < links; ++i) {
        runs.add(i / 16, i % 16 * 100);
    }
    EXPECT_LT(runs.bytes(), 3 * links);
    EXPECT_EQ(rows_of(runs, links / 16).back().size(), 16U);
}

TEST(LinkRuns, WithoutLinksHasEmptyRows)
{
    LinkRuns runs;
    EXPECT_EQ(rows_of(runs, 2), (Rows{{}, {}}));
}

} // namespace
} // namespace alxsim::alx
