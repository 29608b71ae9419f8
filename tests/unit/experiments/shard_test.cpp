// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/kept/shard.h"

#include "base/input_error.h"
#include "experiments/runs/kept/shard_record.h"
#include "experiments/version.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace alxsim::experiments {
namespace {

double cost_of(const std::vector<std::size_t>& points, const std::vector<double>& costs)
{
    return std::accumulate(points.begin(), points.end(), 0.0,
                           [&](double sum, std::size_t point) { return sum + costs[point]; });
}

TEST(Shards, HaveEachPointOnceAndAboutEqualWork)
{
    std::vector<double> costs;
    for (int i = 0; i < 500; ++i) {
        costs.push_back(1 + i * i % 97);
    }
    const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
    const double most = *std::max_element(costs.begin(), costs.end());
    for (const int of : {1, 2, 3, 16, 100}) {
        std::vector<int> times(costs.size());
        for (int index = 1; index <= of; ++index) {
            const std::vector<std::size_t> own = points_of({index, of}, costs);
            EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
            for (const std::size_t point : own) {
                ++times[point];
            }
            // Longest processing time first: no more than 4/3 of the best (Graham 1969).
            const double best = std::max(all / of, most);
            EXPECT_LE(cost_of(own, costs), 4.0 / 3 * best) << index << "/" << of;
        }
        EXPECT_EQ(times, std::vector<int>(costs.size(), 1)) << of;
    }
}

TEST(Shards, BeyondTheNumberOfPointsHaveNone)
{
    EXPECT_EQ(points_of({2, 5}, {1, 1}), std::vector<std::size_t>{1});
    EXPECT_TRUE(points_of({3, 5}, {1, 1}).empty());
    EXPECT_TRUE(points_of({1000000000, 1000000000}, {1, 1}).empty());
    EXPECT_TRUE(points_of({1, 2}, {}).empty());
}

TEST(Shards, AreReadFromTheirNames)
{
    const Shard shard = shard_of("3/16", "--shard");
    EXPECT_EQ(shard.index, 3);
    EXPECT_EQ(shard.of, 16);
    for (const char* const wrong :
         {"0/3", "4/3", "3", "3/", "/3", "a/3", "-1/3", "1/3x", " 1/3", "1/99999999999", ""}) {
        try {
            shard_of(wrong, "--shard");
            ADD_FAILURE() << wrong;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("like 3/16"), std::string::npos)
                << error.what();
        }
    }
}

std::string refused_shard(const std::string& folder)
{
    try {
        read_shard_record(folder);
    } catch (const InputError& error) {
        return error.what();
    }
    return "taken";
}

TEST(ShardRecord, IsReadAsItWasWrittenAndOfThisProgramAlone)
{
    const TemporaryFolder folder;
    ShardRecord record{version, commit, {2, 3}, {{"study", "s"}}, "s.json", {1, 4}, {}, {}, {}};
    record.failures.push_back({4, "lost", true});
    write_shard_record(folder.path(), record);
    const ShardRecord read = read_shard_record(folder.path());
    EXPECT_EQ(read.shard.name(), "2/3");
    EXPECT_EQ(read.study, record.study);
    EXPECT_EQ(read.points, record.points);
    ASSERT_EQ(read.failures.size(), 1U);
    EXPECT_EQ(read.failures.front().why, "lost");
    EXPECT_TRUE(read.failures.front().refused);

    record.commit = "another";
    write_shard_record(folder.path(), record);
    EXPECT_NE(refused_shard(folder.path()).find("(another); allowed: this program's"),
              std::string::npos);
    folder.write(".finished-points/shard", "1\n{}");
    EXPECT_NE(refused_shard(folder.path()).find("is damaged"), std::string::npos);
    EXPECT_NE(refused_shard(folder.path("none")).find("has no shard"), std::string::npos);
}

} // namespace
} // namespace alxsim::experiments
