// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"

#include "base/input_error.h"
#include "model/compiled_graph.h"
#include "model/explain_op.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/collective_times.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using topologies::Machine;

Picoseconds all_gather(std::int64_t bytes, const Machine& machine)
{
    return time_of(CollectiveKind::all_gather, bytes, machine);
}

// The easy machines send a byte per nanosecond and take a microsecond per hop.

TEST(AllGather, OnALineSendsAShardPerHop)
{
    for (int chips : {2, 3, 4, 8}) {
        const Machine line = easy_machine(chips, "1x" + std::to_string(chips), {false, false});
        EXPECT_EQ(all_gather(chips * 700, line), nanoseconds((chips - 1) * (700 + 1000))) << chips;
    }
}

TEST(AllGather, OnAnOddRingGoesHalfWayEitherWay)
{
    // floor(k/2) hops, (k-1)/2 shards
    EXPECT_EQ(all_gather(5 * 700, easy_machine(5, "1x5", {false, true})),
              nanoseconds(2 * 700 + 2 * 1000));
    EXPECT_EQ(all_gather(3 * 700, easy_machine(3, "1x3", {false, true})), nanoseconds(700 + 1000));
}

TEST(AllGather, OnAnEvenRingHalvesTheShardOfTheMemberOpposite)
{
    EXPECT_EQ(all_gather(4 * 700, easy_machine(4, "1x4", {false, true})),
              nanoseconds(700 + 350 + 2 * 1000));
    EXPECT_EQ(all_gather(8 * 700, easy_machine(8, "1x8", {false, true})),
              nanoseconds(3 * 700 + 350 + 4 * 1000));
}

TEST(AllGather, OnTwoEqualAxesRunsAColourOnEach)
{
    // Each colour carries half: first a shard of 1000 along one axis, then 4 of them along the
    // other; the colours never meet.
    EXPECT_EQ(all_gather(2 * 16 * 1000, easy_machine(16, "4x4", {true, true})),
              nanoseconds((1500 + 2000) + (6000 + 2000)));
    EXPECT_EQ(all_gather(2 * 4 * 1000, easy_machine(4, "2x2", {false, false})),
              nanoseconds((1000 + 1000) + (2000 + 1000)));
}

TEST(AllGather, OnThreeEqualAxesRunsAColourOnEach)
{
    const Machine cube = machine_of("tpu_v4", 128,
                                    {{"ici_link_bw_oneway", 1e9},
                                     {"ici_link_bw_effective_frac", 1},
                                     {"ici_hop_latency_s", 1e-6}});
    ASSERT_EQ(cube.slice.shape(), "4x4x4");
    EXPECT_EQ(all_gather(3 * 64 * 1000, cube), nanoseconds(1500 + 4 * 1500 + 16 * 1500 + 3 * 2000));
}

TEST(AllGather, OnAChipIsAnExchangeOfItsPair)
{
    EXPECT_EQ(all_gather(2 * 700, easy_pairs(1, "1x1", {false, false})), nanoseconds(700 + 1000));
}

TEST(AllGather, OfTwoDevicesAChipSharesTheChipsLinks)
{
    // Both shards cross the one link, then the second device passes on what came last.
    EXPECT_EQ(all_gather(4 * 700, easy_pairs(2, "1x2", {false, false})),
              nanoseconds((2 * 700 + 1000) + (2 * 700 + 1000)));
}

TEST(AllGather, OfTwoDevicesAChipTakesTheLinkTwiceAsLong)
{
    // Large shards, so that hops do not matter: both devices' bytes go over each link of the ring.
    const std::int64_t shard = 10'000'000;
    const Picoseconds link = nanoseconds(2 * shard * 7 / 2);
    const Picoseconds chip = nanoseconds(8 * shard);
    const Picoseconds time = all_gather(16 * shard, easy_pairs(8, "1x8", {false, true}));
    EXPECT_GE(time, link + chip);
    EXPECT_NEAR(time / (link + chip), 1, 0.01);
}

TEST(ReduceScatter, MirrorsTheAllGather)
{
    for (const Machine& machine :
         {easy_machine(3, "1x3", {false, false}), easy_machine(8, "1x8", {false, false}),
          easy_machine(5, "1x5", {false, true}), easy_machine(8, "1x8", {false, true}),
          easy_machine(16, "4x4", {true, true})}) {
        const std::int64_t bytes = machine.devices * 1400;
        EXPECT_EQ(time_of(CollectiveKind::reduce_scatter, bytes, machine),
                  all_gather(bytes, machine))
            << machine.slice.shape();
    }
}

TEST(AllReduce, IsNoSlowerThanAReduceScatterThenAnAllGather)
{
    for (const Machine& machine :
         {easy_machine(4, "1x4", {false, false}), easy_machine(5, "1x5", {false, true}),
          easy_machine(64, "8x8", {true, true})}) {
        const std::int64_t bytes = machine.devices * 1400;
        EXPECT_LE(time_of(CollectiveKind::all_reduce, bytes, machine),
                  all_gather(bytes, machine) * 2)
            << machine.slice.shape();
    }
}

TEST(AllReduce, OfOneDeviceIsNothing)
{
    const Machine one = easy_machine(1, "1x1", {false, false});
    EXPECT_EQ(time_of(CollectiveKind::all_reduce, 1 << 20, one), Picoseconds(0));
}

TEST(Collective, OfBytesThatDoNotDivideRoundsTheShardUp)
{
    EXPECT_EQ(all_gather(3 * 700 + 1, easy_machine(3, "1x3", {false, false})),
              nanoseconds(2 * (701 + 1000)));
}

TEST(Collective, OfAGroupThatTheSliceDoesNotHaveIsRefusedAtCompile)
{
    const Machine machine = easy_machine(4, "2x2", {false, false});
    PhaseNames phases;
    const auto graph =
        graph_of({op_of(Collective{CollectiveKind::broadcast, Bytes(8), {}, {"z"}})});
    EXPECT_THROW(compile(*graph, {}, machine, phases), InputError);
}

TEST(LinkBytes, OfARingAreAllShardsButTheOwnToEveryMember)
{
    const auto bytes = [](std::int64_t shard) {
        const Machine ring = easy_machine(4, "1x4", {false, true});
        return link_bytes(make_schedule({CollectiveKind::all_gather, Bytes(4 * shard)}, ring), 4);
    };
    EXPECT_EQ(bytes(1000), Bytes(4 * 3 * 1000));
    // The shard for the member opposite is cut in two; 501 bytes go either way.
    EXPECT_EQ(bytes(1001), Bytes(4 * (2 * 1001 + 2 * 501)));
}

/// XLA folds one ring over both cores of a v3 chip: its busiest link direction carries 1.00, 1.06
/// and 1.085 times the array at 8, 32 and 256 cores (rings of libtpu 0.0.42.1).
TEST(OnChipPath, HasABandThatHoldsARingFoldedOverTheCores)
{
    const auto moving = [](int cores, double overlap) {
        Machine machine = machine_of("tpu_v3", cores, {{"ici_on_chip_overlap_frac", overlap}});
        machine.schedule = topologies::ScheduleChoice::xla;
        const OpExplanation all =
            explain_op(op_of(Collective{CollectiveKind::all_reduce, Bytes(4 << 20)}), machine);
        const auto part = std::find_if(all.parts.begin(), all.parts.end(), [](const TimePart& one) {
            return one.mechanism == "link bandwidth";
        });
        return to_seconds(part->time).count();
    };
    const topologies::Preset v3 = topologies::Preset::load("tpu_v3");
    const topologies::PresetValue& overlap = v3.at("ici_on_chip_overlap_frac");
    for (const auto& [cores, share] : {std::pair(8, 1.0), {32, 1.06}, {256, 1.085}}) {
        const double array = share * (4 << 20) / v3.number("ici_link_bw_oneway");
        EXPECT_LT(moving(cores, overlap.high.get<double>()), array / 0.91) << cores;
        EXPECT_GT(moving(cores, overlap.low.get<double>()), array / 0.85) << cores;
    }
}

TEST(LinkBytes, LeaveOutTheChipsOwnPath)
{
    const auto schedule = make_schedule({CollectiveKind::all_gather, Bytes(2000)},
                                        easy_pairs(1, "1x1", {false, false}));
    EXPECT_EQ(link_bytes(schedule, 2), Bytes(0));
    const auto pair = make_schedule({CollectiveKind::all_gather, Bytes(4000)},
                                    easy_pairs(2, "1x2", {false, false}));
    EXPECT_EQ(link_bytes(pair, 4), Bytes(4000));
}

} // namespace
} // namespace alxsim::model
