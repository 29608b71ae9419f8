// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/replay_key.h"
#include "model/collectives/replays/schedule_replay.h"
#include "model/schedules/schedule_choice.h"
#include "model/schedules/spread_schedules.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/refusals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace alxsim::model {
namespace {

using topologies::Machine;

// The easy machines send a byte per nanosecond and take a microsecond per hop.

constexpr std::int64_t size = 64 << 12;

struct Case {
    Machine machine;
    int hops; ///< from the root to the farthest member along each axis, added up
    int root = 0;
};

std::vector<Case> cases()
{
    return {{easy_machine(8, "1x8", {false, true}), 4},
            {easy_machine(5, "1x5", {false, true}), 2},
            {easy_machine(8, "1x8", {false, false}), 7},
            {easy_machine(2, "1x2", {false, false}), 1},
            {easy_machine(32, "4x8", {true, true}), 6},
            {easy_pairs(4, "1x4", {false, false}), 4},
            {easy_pairs(1, "1x1", {false, false}), 1},
            {easy_machine(8, "1x8", {false, true}), 4, 5},
            {easy_machine(8, "1x8", {false, false}), 7, 7},
            {easy_machine(8, "1x8", {false, false}), 5, 5},
            {easy_machine(8, "1x8", {false, false}), 4, 3},
            {easy_machine(32, "4x8", {true, true}), 6, 13},
            {easy_machine(15, "3x5", {false, false}), 1 + 2, 7}, // the middle
            {easy_machine(15, "3x5", {false, false}), 2 + 3, 13},
            {easy_pairs(4, "1x4", {false, false}), 3, 3}}; // the second device of the second chip
}

Collective rooted(CollectiveKind kind, std::int64_t bytes, int root, ScheduleOptions options = {})
{
    Collective collective{kind, Bytes(bytes), options};
    collective.root = root;
    return collective;
}

constexpr std::array rooted_kinds{CollectiveKind::broadcast, CollectiveKind::reduce};

/// Expects it of a broadcast or reduce in one order of axes, with however many chunks.
void expect_a_pipeline(const Case& one, CollectiveKind kind)
{
    const Collective collective = rooted(kind, size, one.root, {1, 0});
    for (const CollectiveSchedule& schedule :
         spreading_schedules(collective, group_of(collective, one.machine))) {
        const auto chunks = static_cast<std::int64_t>(schedule.colours.size());
        const std::int64_t chunk = size / chunks;
        const Picoseconds time = nanoseconds(one.hops * (1000 + chunk) + (chunks - 1) * chunk);
        SCOPED_TRACE(one.machine.slice.shape() + " from " + std::to_string(one.root) + ", " +
                     schedule.name);
        EXPECT_EQ(schedule_time(schedule), time);
        EXPECT_EQ(closed_form_time(schedule), time);
    }
}

TEST(Broadcast, PipelinesItsChunksFromWhereverItsRootIs)
{
    for (const Case& one : cases()) {
        expect_a_pipeline(one, CollectiveKind::broadcast);
    }
}

TEST(Reduce, IsABroadcastBackwards)
{
    for (const Case& one : cases()) {
        expect_a_pipeline(one, CollectiveKind::reduce);
    }
}

TEST(Broadcast, RefusesARootOutsideOfItsGroup)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    Collective along_y = rooted(CollectiveKind::reduce, 8, 7);
    along_y.group = {"y"};
    EXPECT_EQ(refusal_of(along_y, torus), "nothing was refused");
    along_y.root = 8;
    EXPECT_EQ(refusal_of(along_y, torus),
              "collective/root: found 8; allowed: 0 to 7, the places in its group");
    EXPECT_EQ(refusal_of(rooted(CollectiveKind::all_reduce, 8, 1), torus),
              "collective/root: found for all_reduce; allowed: for broadcast and reduce only");
}

TEST(Broadcast, CutsChunksDownToAPacket)
{
    const auto candidates = [](std::int64_t bytes) {
        const Machine ring = easy_machine(8, "1x8", {false, true});
        const Collective broadcast{CollectiveKind::broadcast, Bytes(bytes)};
        const auto schedules = spreading_schedules(broadcast, group_of(broadcast, ring));
        return std::count_if(schedules.begin(), schedules.end(), [](const auto& schedule) {
            return schedule.colours.front().phases.front().directions == 2;
        });
    };
    EXPECT_EQ(candidates(1), 1);
    EXPECT_EQ(candidates(2 * 4096), 2);
    EXPECT_EQ(candidates(64 * 4096), 7);
    EXPECT_EQ(candidates(1 << 30), 9) << "with 128 the fill is still 2 % of all";
}

TEST(Broadcast, TheQuickestInClosedFormIsFoundWithoutTheOthers)
{
    std::set<std::string> names;
    for (const Case& one : cases()) {
        const CollectiveGroup group =
            group_of(rooted(CollectiveKind::broadcast, 1, one.root), one.machine);
        for (const std::int64_t bytes : {1, 5'001, 100'000, 3'000'017, 1 << 28}) {
            const Collective collective = rooted(CollectiveKind::reduce, bytes, one.root);
            const auto all = spreading_schedules(collective, group);
            const auto best =
                std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                    return closed_form_time(a) < closed_form_time(b);
                });
            const CollectiveSchedule found = quickest_spreading_schedule(collective, group);
            EXPECT_EQ(found.name, best->name) << one.machine.slice.shape() << ", " << bytes;
            EXPECT_EQ(closed_form_time(found), closed_form_time(*best));
            names.insert(found.name);
        }
    }
    EXPECT_GT(names.size(), 5U);
}

/// On rings from wherever, on lines from as far from either end: played each by itself, they are
/// remembered as one.
TEST(Broadcast, FromRootsThatLookAlikeTakesTheSame)
{
    const std::vector<Machine> machines{
        easy_machine(15, "3x5", {false, true}), easy_machine(16, "4x4", {false, false}),
        easy_machine(35, "5x7", {true, true}),  easy_pairs(8, "2x4", {true, true}),
        easy_pairs(6, "2x3", {false, false}),   machine_of("tpu_v4", {64, "2x4x4", {}})};
    std::map<std::vector<std::int64_t>, Picoseconds> known;
    std::size_t played = 0;
    for (const Machine& machine : machines) {
        for (int root = 0; root < machine.devices; ++root) {
            for (const CollectiveKind kind : rooted_kinds) {
                const Collective collective = rooted(kind, 100'003, root);
                for (const CollectiveSchedule& schedule :
                     spreading_schedules(collective, group_of(collective, machine))) {
                    const Picoseconds time = ScheduleReplay(schedule, places_of(schedule)).finish();
                    const auto first = known.try_emplace(replay_key(schedule), time).first;
                    EXPECT_EQ(time, first->second)
                        << machine.slice.shape() << ", " << root << ", " << schedule.name;
                    ++played;
                }
            }
        }
    }
    EXPECT_LT(3 * known.size(), played);
}

/// V/(2 w) and the fill of a pipeline: 1.11 ms and a little (at 45 GB/s, 0.95 of it 1.17 ms).
TEST(Broadcast, OfALargeArrayGoesHalfEachWayRoundARing)
{
    Collective broadcast{CollectiveKind::broadcast, Bytes(100'000'000)};
    const Machine ring = machine_of("tpu_v5e", topologies::SliceRequest{8, "1x8", {{false, true}}});
    const CollectiveSchedule chosen = make_schedule(broadcast, ring);
    const double half_each_way = 1e8 / (2 * ring.network.link_bytes_per_second);
    const double time = to_seconds(schedule_time(chosen)).count();
    EXPECT_GT(time, half_each_way);
    EXPECT_LT(time, 1.1 * half_each_way) << chosen.name;
    broadcast.kind = CollectiveKind::reduce;
    EXPECT_EQ(schedule_time(make_schedule(broadcast, ring)), schedule_time(chosen));
}

TEST(Broadcast, PutsEachByteOnALinkToEveryChipOnce)
{
    for (const Case& one : cases()) {
        for (const CollectiveKind kind : rooted_kinds) {
            for (const ScheduleOptions& options : {ScheduleOptions{}, ScheduleOptions{1, 0}}) {
                const Collective collective = rooted(kind, size, one.root, options);
                for (const CollectiveSchedule& schedule :
                     spreading_schedules(collective, group_of(collective, one.machine))) {
                    EXPECT_EQ(link_bytes(schedule, one.machine.devices),
                              Bytes(size * (one.machine.slice.chips() - 1)))
                        << one.machine.slice.shape() << " " << schedule.name;
                }
            }
        }
    }
}

TEST(Broadcast, OnATorusOfTwoAxesIsSoonerAddedUpWithZeros)
{
    // A spread sends all bytes over each link of the origin; an all-reduce divides them.
    const Machine torus = easy_machine(64, "8x8", {true, true});
    const Collective broadcast{CollectiveKind::broadcast, Bytes(64 << 20)};
    const CollectiveSchedule chosen = make_schedule(broadcast, torus);
    EXPECT_EQ(chosen.name, "all-reduce with zeros, 2 colours, both directions");
    const Collective all_reduce{CollectiveKind::all_reduce, Bytes(64 << 20)};
    EXPECT_EQ(schedule_time(chosen), schedule_time(make_schedule(all_reduce, torus)));
    const Collective small{CollectiveKind::broadcast, Bytes(100), {1, 0}};
    EXPECT_EQ(make_schedule(small, torus).name, "spread in 1 chunk");
    EXPECT_EQ(schedule_time(make_schedule(small, torus)), nanoseconds(8 * (1000 + 100)));
    // Halves that take the axes in different order are one after the other at the origin only.
    EXPECT_EQ(schedule_time(make_schedule({CollectiveKind::broadcast, Bytes(100)}, torus)),
              nanoseconds(8 * (1000 + 50) + 50));
}

TEST(Broadcast, OfAGroupBeginsAtItsOwnFirstDevice)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    const Collective broadcast{CollectiveKind::broadcast, Bytes(100), {}, {"y"}};
    EXPECT_EQ(schedule_time(make_schedule(broadcast, torus)), nanoseconds(4 * (1000 + 100)));
    EXPECT_EQ(link_bytes(make_schedule(broadcast, torus), 32), Bytes(4 * 7 * 100));
}

TEST(Broadcast, OnATwistedTorusIsAddedUpWithZeros)
{
    const Machine torus = machine_of("tpu_v4", topologies::SliceRequest{256, "4x4x8", {}, true});
    const Collective broadcast{CollectiveKind::broadcast, Bytes(1 << 20)};
    for (const CollectiveSchedule& schedule : candidate_schedules(broadcast, torus)) {
        EXPECT_EQ(schedule.name.rfind("all-reduce with zeros", 0), 0u) << schedule.name;
    }
    EXPECT_GE(to_seconds(schedule_time(make_schedule(broadcast, torus))).count(),
              collective_bound(broadcast, torus).count());
}

} // namespace
} // namespace alxsim::model
