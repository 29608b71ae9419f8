// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_group.h"

#include "base/input_error.h"
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/collective_times.h"
#include "tests/unit/model/refusals.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace alxsim::model {
namespace {

using topologies::Machine;

// The easy machines send a byte per nanosecond and take a microsecond per hop.

Collective over(std::vector<std::string> group, CollectiveKind kind, std::int64_t bytes)
{
    return {kind, Bytes(bytes), {}, std::move(group)};
}

const std::vector<CollectiveKind> rings{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                        CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                        CollectiveKind::permute};

TEST(CollectiveGroup, AlongAnAxisIsThatAxisByItself)
{
    const Machine torus = easy_machine(32, "4x8", {true, false});
    const Machine ring = easy_machine(4, "4x1", {true, false});
    const Machine line = easy_machine(8, "1x8", {false, false});
    for (const CollectiveKind kind : rings) {
        EXPECT_EQ(time_of(over({"x"}, kind, 4 * 700), torus),
                  time_of({kind, Bytes(4 * 700)}, ring));
        EXPECT_EQ(time_of(over({"y"}, kind, 8 * 700), torus),
                  time_of({kind, Bytes(8 * 700)}, line));
    }
}

TEST(CollectiveGroup, OfTwoAxesOfThreeIsAPlane)
{
    const Overrides easy{{"ici_link_bw_oneway", 1e9},
                         {"ici_link_bw_effective_frac", 1},
                         {"ici_hop_latency_s", 1e-6}};
    const std::vector<bool> wrap{true, true, true};
    const Machine cube = machine_of("tpu_v4", topologies::SliceRequest{128, "4x4x4", wrap}, easy);
    const Machine plane = machine_of("tpu_v4", topologies::SliceRequest{32, "4x4x1", wrap}, easy);
    for (const CollectiveKind kind : rings) {
        EXPECT_EQ(time_of(over({"z", "x"}, kind, 32'000), cube),
                  time_of({kind, Bytes(32'000)}, plane));
    }
}

TEST(CollectiveGroup, HasAllDevicesOfItsChips)
{
    const Machine pairs = easy_pairs(8, "2x4", {false, true});
    const CollectiveGroup group = group_of(over({"y"}, CollectiveKind::all_gather, 8), pairs);
    EXPECT_EQ(group.chips, 4);
    EXPECT_EQ(group.devices, 8);
    EXPECT_EQ(group.used, (std::vector<int>{0, 2}));
    EXPECT_EQ(groups_of_chips(group, pairs.slice), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
}

Collective across(std::vector<std::string> group, CollectiveKind kind, std::int64_t bytes)
{
    Collective result = over(std::move(group), kind, bytes);
    result.across_chips = true;
    return result;
}

TEST(CollectiveGroup, AcrossChipsHasADeviceOfEach)
{
    const Machine pairs = easy_pairs(8, "2x4", {false, true});
    const CollectiveGroup group = group_of(across({"y"}, CollectiveKind::all_gather, 8), pairs);
    EXPECT_EQ(group.chips, 4);
    EXPECT_EQ(group.devices, 4);
    EXPECT_EQ(group.used, (std::vector<int>{2}));
    EXPECT_EQ(groups_of_devices(group, pairs),
              (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3}));
    const CollectiveGroup whole = group_of(over({"y"}, CollectiveKind::all_gather, 8), pairs);
    EXPECT_EQ(groups_of_devices(whole, pairs),
              (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(CollectiveGroup, AcrossChipsSharesTheLinksWithTheOthersOfItsChips)
{
    // Rings of 4 with a byte per nanosecond: 3/2 shards for each of two devices, and the last hop;
    // of the other hop at least a part is hidden behind what the other device sends.
    const Machine pairs = easy_pairs(4, "1x4", {false, true});
    Collective gather = across({}, CollectiveKind::all_gather, 4 * 4096 * 8);
    gather.schedule.colours = 1;
    const Picoseconds time = time_of(gather, pairs);
    EXPECT_GE(time, nanoseconds(3 * 4096 * 8 + 1000));
    EXPECT_LE(time, nanoseconds(3 * 4096 * 8 + 2 * 1000));
    EXPECT_DOUBLE_EQ(collective_bound(gather, pairs).count(), 3 * 4096 * 8 * 1e-9);
    EXPECT_EQ(link_bytes(make_schedule(gather, pairs), 8), Bytes(8 * 3 * 4096 * 8));
    EXPECT_FALSE(scaling_book_covers(gather, pairs));
}

TEST(CollectiveGroup, AcrossChipsOfOneDeviceIsAsWithout)
{
    const Machine torus = easy_machine(32, "4x8", {true, false});
    for (const std::vector<std::string>& group :
         std::vector<std::vector<std::string>>{{}, {"x"}, {"y"}}) {
        for (const CollectiveKind kind : rings) {
            EXPECT_EQ(time_of(across(group, kind, 70'000), torus),
                      time_of(over(group, kind, 70'000), torus));
            EXPECT_EQ(collective_bound(across(group, kind, 70'000), torus).count(),
                      collective_bound(over(group, kind, 70'000), torus).count());
        }
        EXPECT_EQ(scaling_book_covers(across(group, CollectiveKind::all_reduce, 8), torus),
                  scaling_book_covers(over(group, CollectiveKind::all_reduce, 8), torus));
    }
}

TEST(CollectiveGroup, AcrossChipsOnOneChipHasNothingToDo)
{
    const Machine pairs = easy_pairs(8, "1x8", {false, true});
    for (const CollectiveKind kind : rings) {
        EXPECT_EQ(time_of(across({"x"}, kind, 1 << 20), pairs), Picoseconds(0));
        EXPECT_EQ(collective_bound(across({"x"}, kind, 1 << 20), pairs).count(), 0);
    }
}

TEST(CollectiveGroup, AcrossChipsRoutesWithinItself)
{
    const Machine pairs = easy_pairs(4, "1x4", {false, true});
    Collective exchange = across({}, CollectiveKind::all_to_all, 4 * 100);
    exchange.schedule.algorithm = ScheduleAlgorithm::routed;
    const CollectiveSchedule schedule = make_schedule(exchange, pairs);
    EXPECT_EQ(schedule.messages.size(), 8u * 3u);
    for (const PairMessage& message : schedule.messages) {
        EXPECT_EQ(message.source % 2, message.destination % 2);
        EXPECT_EQ(message.bytes, Bytes(100));
    }
    exchange.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 3, Bytes(5)}});
    EXPECT_NE(refusal_of(exchange, pairs).find("two devices of one group"), std::string::npos);
}

TEST(CollectiveGroup, OfOneDeviceHasNothingToDo)
{
    const Machine torus = easy_machine(8, "1x8", {false, true});
    for (const CollectiveKind kind : rings) {
        EXPECT_EQ(time_of(over({"x"}, kind, 1 << 20), torus), Picoseconds(0));
        EXPECT_EQ(collective_bound(over({"x"}, kind, 1 << 20), torus).count(), 0);
    }
    EXPECT_EQ(time_of(over({"x"}, CollectiveKind::broadcast, 1 << 20), torus), Picoseconds(0));
}

TEST(CollectiveGroup, OfOneChipIsItsPair)
{
    const Machine pairs = easy_pairs(8, "1x8", {false, true});
    EXPECT_EQ(time_of(over({"x"}, CollectiveKind::all_gather, 1400), pairs),
              nanoseconds(700 + 1000));
}

TEST(CollectiveGroup, NeedsAxesOfTheSlice)
{
    EXPECT_EQ(refusal_of(over({"x", "z"}, CollectiveKind::all_gather, 8),
                         easy_machine(16, "4x4", {true, true})),
              "collective/group: found x, z on a slice of 4x4 chips; allowed: x, y");
}

TEST(CollectiveGroup, CountsItsOwnLinksInTheBound)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    EXPECT_DOUBLE_EQ(
        collective_bound(over({"x"}, CollectiveKind::all_gather, 4'000'000), torus).count(),
        3e-3 / 2);
    EXPECT_DOUBLE_EQ(
        collective_bound(over({"y"}, CollectiveKind::all_to_all, 8'000'000), torus).count(),
        8e-3 * 8 / (4 * 2));
    EXPECT_DOUBLE_EQ(collective_bound(over({"y"}, CollectiveKind::all_reduce, 4), torus).count(),
                     4e-6);
}

Machine twisted(int cores, const std::string& shape)
{
    return machine_of("tpu_v4", topologies::SliceRequest{cores, shape, {}, true},
                      {{"ici_link_bw_oneway", 1e9},
                       {"ici_link_bw_effective_frac", 1},
                       {"ici_hop_latency_s", 1e-6},
                       {"ici_hop_software_frac", 0}});
}

TEST(TwistedTorus, HasRingsThatTogetherReachEveryChipOnce)
{
    for (const auto& [cores, shape, expected] :
         {std::tuple{256, "4x4x8", std::vector<int>{8, 4, 4}},
          std::tuple{512, "4x8x8", std::vector<int>{8, 8, 4}}}) {
        const Machine machine = twisted(cores, shape);
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
            for (const CollectiveSchedule& schedule :
                 candidate_schedules({kind, Bytes(1 << 20)}, machine)) {
                for (const Colour& colour : schedule.colours) {
                    std::vector<int> members;
                    for (const AxisPhase& phase : colour.phases) {
                        members.push_back(phase.members);
                    }
                    if (kind == CollectiveKind::reduce_scatter) {
                        std::reverse(members.begin(), members.end());
                    }
                    EXPECT_EQ(members, expected) << schedule.name;
                    EXPECT_EQ(
                        std::accumulate(members.begin(), members.end(), 1, std::multiplies<int>()),
                        machine.slice.chips());
                }
            }
        }
    }
}

/// What each chip holds after gathering along `axis` from `members` chips in a row.
std::vector<std::set<int>> gathered(const std::vector<std::set<int>>& holds,
                                    const topologies::Slice& slice, int axis, int members)
{
    std::vector<std::set<int>> result(holds.size());
    for (int chip = 0; chip < slice.chips(); ++chip) {
        int from = chip;
        std::size_t sum = 0;
        for (int i = 0; i < members; ++i) {
            const std::set<int>& theirs = holds[static_cast<std::size_t>(from)];
            result[static_cast<std::size_t>(chip)].insert(theirs.begin(), theirs.end());
            sum += theirs.size();
            from = *slice.neighbour(from, axis, 1);
        }
        EXPECT_EQ(result[static_cast<std::size_t>(chip)].size(), sum) << "something came twice";
    }
    return result;
}

TEST(TwistedTorus, GathersEveryShardAlongItsLinksInAnyOrderOfAxes)
{
    for (const auto& [cores, shape] : {std::pair{256, "4x4x8"}, {512, "8x4x8"}}) {
        const Machine machine = twisted(cores, shape);
        const Collective gather{CollectiveKind::all_gather, Bytes(1 << 20), {3, 0}};
        for (const Colour& colour : make_schedule(gather, machine).colours) {
            std::vector<std::set<int>> holds;
            for (int chip = 0; chip < machine.slice.chips(); ++chip) {
                holds.push_back({chip});
            }
            for (const AxisPhase& phase : colour.phases) {
                const int axis =
                    network_axes(machine)[static_cast<std::size_t>(phase.axis)].torus_axis;
                holds = gathered(holds, machine.slice, axis, phase.members);
            }
            EXPECT_EQ(holds.front().size(), static_cast<std::size_t>(machine.slice.chips()));
        }
    }
}

TEST(TwistedTorus, TakesTheTimeOfItsRings)
{
    // Rings of k: floor(k/2) hops, (k-1)/2 shards.
    const Collective one_colour{CollectiveKind::all_gather, Bytes(128 * 700), {1, 0}};
    EXPECT_EQ(time_of(one_colour, twisted(256, "4x4x8")),
              nanoseconds((4 + 2 + 2) * 1000 + 700 * 127 / 2));
    // A third of the bytes on each axis at a time.
    const Collective three{CollectiveKind::all_gather, Bytes(3 * 256 * 700), {3, 0}};
    EXPECT_EQ(time_of(three, twisted(512, "4x8x8")),
              nanoseconds((4 + 4 + 2) * 1000 + 700 * 255 / 2));
}

TEST(TwistedTorus, GathersAsManyBytesAsEveryoneLacks)
{
    const Machine machine = twisted(256, "4x4x8");
    const Collective gather{CollectiveKind::all_gather, Bytes(128 * 700), {1, 0}};
    EXPECT_EQ(link_bytes(make_schedule(gather, machine), machine.devices), Bytes(128 * 127 * 700));
}

TEST(TwistedTorus, RoutesAllToAll)
{
    const Machine machine = twisted(256, "4x4x8");
    const Machine straight =
        machine_of("tpu_v4", topologies::SliceRequest{256, "4x4x8", {{true, true, true}}},
                   {{"ici_link_bw_oneway", 1e9},
                    {"ici_link_bw_effective_frac", 1},
                    {"ici_hop_latency_s", 1e-6},
                    {"ici_hop_software_frac", 0}});
    Collective exchange{CollectiveKind::all_to_all, Bytes(128 << 13)};
    EXPECT_EQ(make_schedule(exchange, machine).name, "routed, dimension order");
    // Half-way along the long axis there are twice as many links.
    const double bound = collective_bound(exchange, straight) / collective_bound(exchange, machine);
    EXPECT_GT(bound, 1.4);
    exchange.schedule.algorithm = ScheduleAlgorithm::routed;
    EXPECT_LT(time_of(exchange, machine), time_of(exchange, straight));
}

TEST(TwistedTorus, HasNoGroupsOnAnAxis)
{
    const Machine machine = twisted(256, "4x4x8");
    EXPECT_NE(refusal_of(over({"z"}, CollectiveKind::all_gather, 8), machine)
                  .find("found z on a twisted slice of 4x4x8 chips; allowed: all"),
              std::string::npos);
    EXPECT_EQ(time_of(over({"x", "y", "z"}, CollectiveKind::all_gather, 1 << 20), machine),
              time_of({CollectiveKind::all_gather, Bytes(1 << 20)}, machine));
}

} // namespace
} // namespace alxsim::model
