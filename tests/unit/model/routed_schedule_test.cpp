// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/routed_schedule.h"

#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/collective_times.h"
#include "tests/unit/model/refusals.h"

#include <gtest/gtest.h>

#include <random>

namespace alxsim::model {
namespace {

using topologies::Machine;

// The easy machines send a byte per nanosecond and take a microsecond per hop.

Collective routed(std::int64_t bytes, std::vector<std::string> group = {})
{
    return {CollectiveKind::all_to_all,
            Bytes(bytes),
            {0, 0, ScheduleAlgorithm::routed},
            std::move(group)};
}

Collective sending(std::vector<PairMessage> messages, CollectiveKind kind = CollectiveKind::permute)
{
    return {kind,
            Bytes(0),
            {},
            {},
            std::make_shared<const std::vector<PairMessage>>(std::move(messages))};
}

TEST(RoutedAllToAll, LoadsBothWaysOfARingAlike)
{
    const Machine ring = easy_machine(4, "1x4", {false, true});
    const CollectiveSchedule schedule = make_schedule(routed(4 * 700), ring);
    EXPECT_EQ(schedule.name, "routed, dimension order");
    EXPECT_TRUE(schedule.colours.empty());
    EXPECT_EQ(schedule_time(schedule), nanoseconds(2 * 700 + 2 * 1000));
    EXPECT_EQ(link_bytes(schedule, 4), Bytes(4 * (1 + 1 + 2) * 700));
}

TEST(RoutedAllToAll, SendsFromEachToEachOfItsGroup)
{
    const Machine pairs = easy_pairs(8, "2x4", {false, true});
    const CollectiveSchedule schedule = make_schedule(routed(8 * 700, {"y"}), pairs);
    ASSERT_EQ(schedule.messages.size(), 16u * 7);
    std::map<std::pair<int, int>, int> seen;
    for (const PairMessage& message : schedule.messages) {
        EXPECT_EQ(message.bytes, Bytes(700));
        EXPECT_EQ(message.source / 8, message.destination / 8); // rows of 4 pairs
        ++seen[{message.source, message.destination}];
    }
    EXPECT_EQ(seen.size(), schedule.messages.size());
    // Everybody begins somewhere else: the first with the next, its neighbour 37 mod 7 further on.
    EXPECT_EQ(schedule.messages[0].destination, 1);
    EXPECT_EQ(schedule.messages[7].destination, 4);
}

TEST(RoutedAllToAll, OfTooManyIsRefused)
{
    EXPECT_EQ(refusal_of(routed(1 << 20), machine_of("tpu_v3", 2048)),
              "collective/schedule/algorithm: found a routed all_to_all of 4192256 messages "
              "between 2048 devices; allowed: up to 1048576 messages, 1024 devices that all "
              "exchange");
}

TEST(RoutedMessages, ShareTheLinksOnTheirWay)
{
    const Machine line = easy_machine(4, "1x4", {false, false});
    EXPECT_EQ(time_of(sending({{0, 3, Bytes(700)}}), line), nanoseconds(700 + 3000));
    // The busiest link's bytes, and the longest way. But when the first message comes to the
    // middle link, the second has left it.
    const Collective both = sending({{0, 2, Bytes(700)}, {1, 3, Bytes(500)}});
    EXPECT_EQ(closed_form_time(make_schedule(both, line)), nanoseconds(700 + 500 + 2000));
    EXPECT_EQ(time_of(both, line), nanoseconds(700 + 2000));
    const Collective together = sending({{0, 2, Bytes(7000)}, {1, 3, Bytes(5000)}});
    EXPECT_EQ(time_of(together, line), nanoseconds(7000 + 5000 + 2000));
    EXPECT_EQ(time_of(sending({{0, 1, Bytes(700)}, {1, 0, Bytes(500)}}), line),
              nanoseconds(700 + 1000));
}

TEST(RoutedMessages, PaySoftwareOnce)
{
    Machine line = easy_machine(4, "1x4", {false, false});
    line.network.hop_latency = Seconds(0.25e-6);
    line.network.message_latency = Seconds(0.75e-6);
    EXPECT_EQ(time_of(sending({{0, 3, Bytes(700)}}), line), nanoseconds(700 + 3 * 250 + 750));
}

TEST(RoutedMessages, OnAChipTakeItsPath)
{
    const Machine pairs = easy_pairs(2, "1x2", {false, false});
    EXPECT_EQ(time_of(sending({{0, 1, Bytes(700)}}), pairs), nanoseconds(700 + 1000));
    EXPECT_EQ(time_of(sending({{0, 1, Bytes(9000)}, {2, 0, Bytes(70)}}), pairs),
              nanoseconds(9000 + 1000));
    EXPECT_EQ(
        link_bytes(make_schedule(sending({{0, 1, Bytes(9000)}, {2, 0, Bytes(70)}}), pairs), 4),
        Bytes(70));
}

TEST(RoutedMessages, ToOneselfDoNotTravel)
{
    const Machine line = easy_machine(4, "1x4", {false, false});
    EXPECT_EQ(time_of(sending({{2, 2, Bytes(700)}}), line), Picoseconds(0));
    EXPECT_EQ(make_schedule(sending({{2, 2, Bytes(700)}, {0, 1, Bytes(1)}}), line).messages.size(),
              1u);
}

TEST(RoutedMessages, AreCheckedAgainstTheSlice)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    EXPECT_EQ(refusal_of(sending({{0, 1, Bytes(1)}, {3, 16, Bytes(1)}}), torus),
              "collective/messages/1: found device 16; allowed: 0 to 15");
    Collective across = sending({{0, 4, Bytes(1)}});
    across.group = {"y"};
    EXPECT_EQ(refusal_of(across, torus),
              "collective/messages/0: found devices 0 and 4; allowed: two devices of one group");
    across.group = {"x"};
    EXPECT_EQ(time_of(across, torus), nanoseconds(1001));
}

TEST(RoutedMessages, OfADeviceThatIsAloneGoNowhereElse)
{
    const Machine one = easy_machine(1, "1x1", {false, false});
    const Collective away = sending({{0, 5, Bytes(1)}});
    EXPECT_EQ(refusal_of(away, one), "collective/messages/0: found device 5; allowed: 0");
    EXPECT_THROW(collective_bound(away, one), InputError);
    EXPECT_EQ(time_of(sending({{0, 0, Bytes(1)}}), one), Picoseconds(0));
    Collective alone = sending({{0, 1, Bytes(1)}}); // in groups of one each
    const Machine line = easy_machine(4, "1x4", {false, false});
    alone.group = {"x"};
    EXPECT_EQ(refusal_of(alone, line),
              "collective/messages/0: found devices 0 and 1; allowed: two devices of one group");
}

TEST(RoutedOptions, ThatDoNotFitAreRefused)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    Collective collective = routed(1 << 20);
    collective.schedule.colours = 2;
    EXPECT_EQ(refusal_of(collective, torus),
              "collective/schedule: found colours or directions for a routed collective; allowed: "
              "none, every message goes its own way");
    collective.kind = CollectiveKind::all_gather;
    EXPECT_EQ(refusal_of(collective, torus),
              "collective/schedule/algorithm: found routed; allowed: axes, unless the collective "
              "is an all_to_all or has messages");
    Collective messages = sending({{0, 1, Bytes(1)}});
    messages.schedule.algorithm = ScheduleAlgorithm::axes;
    EXPECT_EQ(refusal_of(messages, torus),
              "collective/schedule/algorithm: found axes for a collective with messages; allowed: "
              "routed");
    EXPECT_EQ(
        refusal_of(sending({{0, 1, Bytes(1)}}, CollectiveKind::broadcast), torus),
        "collective/messages: found messages; allowed: for all_to_all and permute only, unless "
        "they have an order");
}

TEST(MessageBound, IsWhatChipsTakeInAndCutsLetPass)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const auto bound = [&ring](const std::vector<PairMessage>& messages) {
        return collective_bound(sending(messages, CollectiveKind::all_to_all), ring).count();
    };
    // One message could take both ways; nothing is faster than its hops.
    EXPECT_DOUBLE_EQ(bound({{0, 1, Bytes(2'000'000)}}), 1e-3);
    EXPECT_DOUBLE_EQ(bound({{0, 4, Bytes(1)}}), 4e-6);
    // All of one half to the other: both cuts, two ways out.
    EXPECT_DOUBLE_EQ(bound({{0, 4, Bytes(1'000'000)},
                            {1, 5, Bytes(1'000'000)},
                            {2, 6, Bytes(1'000'000)},
                            {3, 7, Bytes(1'000'000)}}),
                     2e-3);
    // Two into one chip.
    EXPECT_DOUBLE_EQ(bound({{0, 3, Bytes(1'000'000)}, {6, 3, Bytes(1'000'000)}}), 1e-3);
    EXPECT_DOUBLE_EQ(collective_bound(sending({{0, 1, Bytes(1'000'000)}, {2, 3, Bytes(5)}}),
                                      easy_pairs(2, "1x2", {false, false}))
                         .count(),
                     1e-3);
}

TEST(MessageBound, OfEqualPartsIsThatOfTheAllToAll)
{
    for (const Machine& machine :
         {easy_machine(8, "1x8", {false, true}), easy_machine(7, "1x7", {false, false}),
          easy_machine(32, "4x8", {true, false})}) {
        const Collective equal{CollectiveKind::all_to_all, Bytes(machine.devices * 100'000)};
        Collective listed =
            sending(make_schedule(routed(machine.devices * 100'000), machine).messages,
                    CollectiveKind::all_to_all);
        EXPECT_GE(collective_bound(listed, machine).count(),
                  collective_bound(equal, machine).count() * (1 - 1e-12));
        EXPECT_LE(collective_bound(listed, machine).count(),
                  collective_bound(equal, machine).count() * 1.15);
    }
}

TEST(MessageBound, IsNeverUndercutByARoute)
{
    std::mt19937 random(7);
    std::vector<Machine> machines{
        easy_machine(15, "3x5", {true, false}), easy_pairs(8, "2x4", {false, true}),
        machine_of("tpu_v4", 128), machine_of("tpu_v5e", 64),
        machine_of("tpu_v4", topologies::SliceRequest{256, "4x4x8", {}, true})};
    Machine broken = easy_machine(32, "4x8", {true, true});
    broken.faults.links = {{3, 1, 0.5}, {9, 1, 0}};
    machines.push_back(broken);
    for (const Machine& machine : machines) {
        std::uniform_int_distribution<int> device(0, machine.devices - 1);
        for (int round = 0; round < 50; ++round) {
            std::vector<PairMessage> messages;
            for (int i = 0; i <= round * 3; ++i) {
                messages.push_back(
                    {device(random), device(random), Bytes(1 + random() % (1 << (round % 20)))});
            }
            const Collective collective = sending(messages, CollectiveKind::all_to_all);
            EXPECT_GE(to_seconds(time_of(collective, machine)).count(),
                      collective_bound(collective, machine).count() - 1e-12)
                << machine.preset.name() << " " << machine.slice.shape() << " " << round;
        }
    }
}

TEST(RoutedMessages, OverASlowLinkTakeItsTime)
{
    Machine ring = easy_machine(8, "1x8", {false, true});
    ring.faults.links = {{2, 1, 0.25}};
    EXPECT_EQ(time_of(sending({{2, 3, Bytes(700)}}), ring), nanoseconds(4 * 700 + 1000));
    EXPECT_EQ(time_of(sending({{3, 2, Bytes(700)}}), ring), nanoseconds(4 * 700 + 1000));
    EXPECT_EQ(time_of(sending({{3, 4, Bytes(700)}}), ring), nanoseconds(700 + 1000));
}

TEST(RoutedMessages, GoRoundADeadLink)
{
    Machine ring = easy_machine(8, "1x8", {false, true});
    ring.faults.links = {{2, 1, 0}};
    EXPECT_EQ(time_of(sending({{2, 3, Bytes(700)}}), ring), nanoseconds(700 + 7 * 1000));
}

} // namespace
} // namespace alxsim::model
