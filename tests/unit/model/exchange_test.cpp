// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"

#include "base/input_error.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/collective_times.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using topologies::Machine;

// The easy machines send a byte per nanosecond and take a microsecond per hop.

Picoseconds all_to_all(std::int64_t bytes, const Machine& machine)
{
    return time_of(CollectiveKind::all_to_all, bytes, machine);
}

Picoseconds permute(std::int64_t bytes, const Machine& machine)
{
    return time_of(CollectiveKind::permute, bytes, machine);
}

TEST(AllToAll, OnARingGoesTheNearestWay)
{
    // floor(k/2) hops and k^2/8 shards, on an odd ring (k^2-1)/8
    EXPECT_EQ(all_to_all(4 * 700, easy_machine(4, "1x4", {false, true})),
              nanoseconds(2 * 1000 + 2 * 700));
    EXPECT_EQ(all_to_all(8 * 700, easy_machine(8, "1x8", {false, true})),
              nanoseconds(4 * 1000 + 8 * 700));
    EXPECT_EQ(all_to_all(5 * 700, easy_machine(5, "1x5", {false, true})),
              nanoseconds(2 * 1000 + 3 * 700));
}

TEST(AllToAll, OnALineIsItsMiddleLink)
{
    EXPECT_EQ(all_to_all(2 * 700, easy_machine(2, "1x2", {false, false})), nanoseconds(1700));
    // Three of them: two shards over either link; the second of the far link waits for its first
    // hop.
    EXPECT_EQ(all_to_all(3 * 700, easy_machine(3, "1x3", {false, false})),
              nanoseconds(2 * (700 + 1000)));
    // Large shards: a x b of them over the middle link.
    const std::int64_t shard = 10'000'000;
    EXPECT_NEAR(all_to_all(8 * shard, easy_machine(8, "1x8", {false, false})) /
                    nanoseconds(4 * 4 * shard),
                1, 0.01);
}

TEST(AllToAll, OnTwoEqualAxesTakesEitherAtOnce)
{
    // Each colour has half of what a device sends, and exchanges it along both axes in turn.
    EXPECT_EQ(all_to_all(2 * 16 * 100, easy_machine(16, "4x4", {true, true})),
              nanoseconds(2 * (2 * 1000 + 2 * 400)));
}

TEST(AllToAll, OnAChipSwapsHalves)
{
    EXPECT_EQ(all_to_all(2 * 700, easy_pairs(1, "1x1", {false, false})), nanoseconds(700 + 1000));
}

TEST(Permute, OnARingIsAHop)
{
    EXPECT_EQ(permute(700, easy_machine(8, "1x8", {false, true})), nanoseconds(700 + 1000));
    EXPECT_EQ(permute(700, easy_machine(16, "4x4", {true, true})), nanoseconds(700 + 1000));
    EXPECT_EQ(permute(700, easy_pairs(4, "1x4", {false, true})), nanoseconds(2 * 700 + 1000));
    EXPECT_EQ(permute(700, easy_pairs(1, "1x1", {false, false})), nanoseconds(700 + 1000));
    EXPECT_EQ(permute(700, easy_machine(1, "1x1", {false, false})), Picoseconds(0));
}

TEST(Permute, OnALineTravelsBack)
{
    EXPECT_EQ(permute(700, easy_machine(2, "1x2", {false, false})), nanoseconds(700 + 1000));
    // One packet, three times passed on.
    EXPECT_EQ(permute(700, easy_machine(4, "1x4", {false, false})), nanoseconds(3 * (700 + 1000)));
    // 32 parts, the first of which is passed on twice.
    EXPECT_EQ(permute(32'000'000, easy_machine(4, "1x4", {false, false})),
              nanoseconds(34 * 1'000'000 + 3 * 1000));
}

TEST(LinkBytes, OfAnAllToAllAreItsShardsTimesTheirHops)
{
    const auto ring = easy_machine(5, "1x5", {false, true});
    const auto line = easy_machine(4, "1x4", {false, false});
    const auto bytes = [](CollectiveKind kind, std::int64_t size, const Machine& machine) {
        return link_bytes(make_schedule({kind, Bytes(size)}, machine), machine.devices);
    };
    EXPECT_EQ(bytes(CollectiveKind::all_to_all, 5 * 700, ring), Bytes(5 * 2 * (1 + 2) * 700));
    EXPECT_EQ(bytes(CollectiveKind::all_to_all, 4 * 700, line), Bytes(2 * (3 + 4 + 3) * 700));
    EXPECT_EQ(bytes(CollectiveKind::permute, 700, ring), Bytes(5 * 700));
    EXPECT_EQ(bytes(CollectiveKind::permute, 700, line), Bytes((3 + 3) * 700));
}

TEST(CollectiveBound, OfAnAllToAllIsTheScalingBooksQuarterOnEvenRings)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const Collective exchange{CollectiveKind::all_to_all, Bytes(8'000'000)};
    EXPECT_DOUBLE_EQ(collective_bound(exchange, ring).count(), 8e-3 * 8 / (4 * 2));
    EXPECT_DOUBLE_EQ(collective_bound(exchange, ring).count(),
                     scaling_book_time(exchange, ring).count());
    // A line has half the links across its middle; of the axes of 4x8 the longer one counts.
    EXPECT_DOUBLE_EQ(collective_bound(exchange, easy_machine(8, "1x8", {false, false})).count(),
                     8e-3 * 8 / 4);
    const Machine torus = easy_machine(32, "4x8", {true, true});
    EXPECT_DOUBLE_EQ(collective_bound(exchange, torus).count(), 8e-3 * 8 / (4 * 2));
    EXPECT_DOUBLE_EQ(scaling_book_time(exchange, torus).count(), 8e-3 * 8 / (4 * 2));
}

TEST(CollectiveBound, OfAPermuteIsItsLongestWay)
{
    const Collective shift{CollectiveKind::permute, Bytes(1'000'000)};
    EXPECT_DOUBLE_EQ(collective_bound(shift, easy_machine(8, "1x8", {false, true})).count(),
                     1e-3 + 1e-6);
    EXPECT_DOUBLE_EQ(collective_bound(shift, easy_machine(8, "1x8", {false, false})).count(),
                     1e-3 + 7e-6);
    EXPECT_DOUBLE_EQ(collective_bound(shift, easy_pairs(8, "1x8", {false, true})).count(),
                     2e-3 + 1e-6);
}

/// The book's v4 4x4x4 (W = 9e10 both ways), with a microsecond per hop, all of it wire.
Machine book_cube()
{
    return machine_of("tpu_v4", topologies::SliceRequest{128, "4x4x4", {{true, true, true}}},
                      {{"ici_link_bw_oneway", 45e9},
                       {"ici_link_bw_effective_frac", 1},
                       {"ici_hop_latency_s", 1e-6},
                       {"ici_hop_software_frac", 0}});
}

TEST(ScalingBook, WorkedAnswersOfItsChapterOnSharding)
{
    const Machine cube = book_cube();
    const auto expect = [&cube](const Collective& collective, double answer) {
        EXPECT_NEAR(scaling_book_time(collective, cube).count(), answer, 0.02 * answer);
    };
    // bf16[1024, 4096] split over X and Y. Gathered along X: V is a quarter of it.
    const std::int64_t array = 2 * 1024 * 4096;
    const Collective x{CollectiveKind::all_gather, Bytes(array / 4), {}, {"x"}};
    expect(x, 23e-6);
    const Collective xy{CollectiveKind::all_gather, Bytes(array), {}, {"x", "y"}};
    expect(xy, 46e-6);
    // Unreduced over Z, split over X and Y: V is a sixteenth.
    const Collective z{CollectiveKind::all_reduce, Bytes(array / 16), {}, {"z"}};
    expect(z, 11.6e-6);
    const Collective small{CollectiveKind::all_gather, Bytes(256), {}, {"x"}};
    expect(small, 2e-6);
    // The book counts the own share as sent; what no schedule can undercut does not.
    const auto bound_to_book = [&cube](const Collective& collective) {
        return collective_bound(collective, cube).count() /
               scaling_book_time(collective, cube).count();
    };
    EXPECT_NEAR(bound_to_book(x), 3.0 / 4, 1e-9);
    EXPECT_NEAR(bound_to_book(xy), 15.0 / 16, 1e-9);
    EXPECT_NEAR(bound_to_book(z), 3.0 / 4, 1e-9);
    EXPECT_DOUBLE_EQ(collective_bound(small, cube).count(), 2e-6);
}

TEST(ScalingBook, KeepsToWhatItCovers)
{
    const Machine cube = book_cube();
    const Machine line = easy_machine(8, "1x8", {false, false});
    EXPECT_FALSE(scaling_book_covers({CollectiveKind::broadcast, Bytes(8)}, cube));
    EXPECT_FALSE(scaling_book_covers({CollectiveKind::all_gather, Bytes(8)}, line));
    EXPECT_THROW(scaling_book_time({CollectiveKind::all_gather, Bytes(8)}, line), InputError);
    // A slice with a line and a ring has a textbook time along the ring.
    const Machine mixed = easy_machine(32, "4x8", {false, true});
    EXPECT_TRUE(scaling_book_covers({CollectiveKind::all_gather, Bytes(8), {}, {"y"}}, mixed));
    EXPECT_FALSE(scaling_book_covers({CollectiveKind::all_gather, Bytes(8), {}, {"x"}}, mixed));
}

} // namespace
} // namespace alxsim::model
