// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"
#include "model/collectives/replays/routed_network.h"
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

/// What collectives among lists of ranks put on links, and what no schedule of theirs undercuts.
namespace alxsim::model {
namespace {

using topologies::Machine;
using Lists = std::vector<std::vector<int>>;

Collective among_lists(Lists lists, CollectiveKind kind, std::int64_t bytes)
{
    Collective collective{kind, Bytes(bytes)};
    collective.ranks = std::make_shared<const Lists>(std::move(lists));
    return collective;
}

constexpr std::array kinds_of_lists{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                    CollectiveKind::broadcast,  CollectiveKind::reduce};

TEST(RankPackets, OfSpacedMembersPassEveryLinkBetweenThem)
{
    // Two groups of every second chip of a ring: each of a group's 4 shards comes to 3 others, over
    // 2 links each time.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const std::int64_t shard = 7000;
    const Collective gather =
        among_lists({{0, 2, 4, 6}, {1, 3, 5, 7}}, CollectiveKind::all_gather, 4 * shard);
    for (const CollectiveSchedule& schedule : candidate_schedules(gather, ring)) {
        EXPECT_TRUE(schedule.has_rank_network()) << schedule.name;
        EXPECT_EQ(link_bytes(schedule, ring.devices), Bytes(2 * 4 * 3 * 2 * shard))
            << schedule.name;
    }
}

TEST(RankPackets, OfNoShapePassTheHopsFromEachToTheNext)
{
    // Members of a ring of 8 chips, 1, 1, 3 and 3 links from one to the next. Round all of them 3
    // shards pass each of the 8; along the list 4, counted both ways, each of the first 5.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const std::int64_t shard = 7000;
    Collective gather = among_lists({{0, 1, 2, 5}}, CollectiveKind::all_gather, 4 * shard);
    gather.listed = true;
    int rings = 0;
    int lines = 0;
    for (const CollectiveSchedule& schedule : candidate_schedules(gather, ring)) {
        const bool wraps = schedule.axes.front().wraps;
        EXPECT_EQ(link_bytes(schedule, ring.devices), Bytes((wraps ? 8 * 3 : 5 * 4) * shard))
            << schedule.name;
        ++(wraps ? rings : lines);
    }
    EXPECT_GT(rings, 0);
    EXPECT_GT(lines, 0);
}

TEST(RankPackets, OfManyGroupsAreThoseOfOneAsManyTimes)
{
    // On a torus that looks the same from everywhere.
    const Machine torus = easy_machine(64, "8x8", {true, true});
    const auto group_from = [](int row) {
        const int first = 8 * row;
        return std::vector<int>{first, first + 2, first + 4, first + 6};
    };
    for (const CollectiveKind kind : kinds_of_lists) {
        const auto bytes_of = [&](Lists lists) {
            const CollectiveSchedule schedule =
                make_schedule(among_lists(std::move(lists), kind, 1 << 16), torus);
            return link_bytes(schedule, torus.devices);
        };
        const Bytes one = bytes_of({group_from(0)});
        EXPECT_GT(one, Bytes(0));
        EXPECT_EQ(bytes_of({group_from(0), group_from(3), group_from(6)}), one * 3)
            << static_cast<int>(kind);
    }
}

/// The devices in any order, in groups of that many.
Lists drawn_lists(int devices, int members, unsigned seed)
{
    std::vector<int> all(static_cast<std::size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    std::mt19937 engine(seed);
    std::shuffle(all.begin(), all.end(), engine);
    Lists lists;
    for (auto first = all.begin(); first != all.end(); first += members) {
        lists.emplace_back(first, first + members);
    }
    return lists;
}

TEST(RankPackets, OfAnyListsUndercutNoBound)
{
    for (const Machine& machine :
         {easy_machine(16, "4x4", {true, true}), easy_machine(16, "2x8", {false, false}),
          easy_pairs(8, "2x4", {false, true})}) {
        for (unsigned seed = 0; seed < 4; ++seed) {
            const Lists lists = drawn_lists(machine.devices, 4, seed);
            for (const CollectiveKind kind : kinds_of_lists) {
                for (const std::int64_t bytes : {100, 1 << 12, 1 << 18}) {
                    const Collective collective = among_lists(lists, kind, bytes);
                    const double bound = collective_bound(collective, machine).count();
                    for (const CollectiveSchedule& schedule :
                         candidate_schedules(collective, machine)) {
                        EXPECT_GE(to_seconds(schedule_time(schedule)).count(), bound - 1e-12)
                            << schedule.name << ", seed " << seed << ", " << bytes << " bytes";
                    }
                }
            }
        }
    }
}

TEST(RankPackets, OfLongMessagesAreLargerForTheSakeOfTimeAndTakeAsLong)
{
    // The same lists in packets as the machine has them, however many.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce}) {
        CollectiveSchedule schedule =
            make_schedule(among_lists({{0, 1, 2, 5}, {3, 4, 6, 7}}, kind, 8 << 20), ring);
        ASSERT_TRUE(schedule.has_rank_network());
        const Picoseconds in_larger = schedule_time(schedule);
        auto exact = std::make_shared<RankGroups>(*schedule.ranks);
        exact->network = std::make_shared<const RoutedNetwork>(ring, 1 << 20);
        schedule.ranks = exact;
        EXPECT_NEAR(in_larger / schedule_time(schedule), 1, 0.03) << schedule.name;
    }
}

} // namespace
} // namespace alxsim::model
