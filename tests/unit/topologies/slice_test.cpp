// SPDX-License-Identifier: Apache-2.0
#include "topologies/slice.h"

#include "base/input_error.h"
#include "topologies/listed_slice.h"

#include <gtest/gtest.h>

namespace alxsim::topologies {
namespace {

/// "8x16" with a star behind every axis that wraps, and a question mark where assumed.
std::string text_of(const Slice& slice)
{
    std::string text;
    for (const Axis& axis : slice.axes()) {
        text += (text.empty() ? "" : "x") + std::to_string(axis.length) + (axis.wraps ? "*" : "");
    }
    return text + (slice.assumed() ? " ?" : "");
}

std::string chosen(const std::string& chip, const SliceRequest& request)
{
    try {
        const Slice slice = Slice::choose(Preset::load(chip), request);
        EXPECT_EQ(slice.cores(), request.cores);
        return text_of(slice);
    } catch (const InputError& error) {
        return error.what();
    }
}

std::string chosen(const std::string& chip, int cores)
{
    return chosen(chip, {cores, {}, {}});
}

TEST(SeveralSlices, AreAlikeAndNumberedOneAfterTheOther)
{
    SliceRequest request{64, {}, {}};
    request.slices = 2;
    const Slice two = Slice::choose(Preset::load("tpu_v5e"), request);
    EXPECT_EQ(two.words(), "2 slices of 4x8");
    EXPECT_EQ(two.shape(), "4x8");
    EXPECT_EQ(two.chips(), 64);
    EXPECT_EQ(two.axis_names(), (std::vector<std::string>{"x", "y", "dcn"}));
    EXPECT_EQ(two.coordinates(32 + 8 + 3), (std::vector<int>{1, 3, 1}));
    EXPECT_EQ(two.chip_at({1, 3, 1}), 32 + 8 + 3);
    EXPECT_EQ(two.neighbour(11, 2, +1), 32 + 11);
    EXPECT_EQ(two.neighbour(11, 2, -1), std::nullopt);
    request.cores = 96;
    request.slices = 3;
    const Slice three = Slice::choose(Preset::load("tpu_v5e"), request);
    EXPECT_EQ(three.neighbour(11, 2, -1), 64 + 11); // a ring
    for (int chip = 0; chip < three.chips(); ++chip) {
        EXPECT_EQ(three.chip_at(three.coordinates(chip)), chip);
    }
}

TEST(ListedSlices, OfV3AreChosenByTheirCoreCount)
{
    EXPECT_EQ(chosen("tpu_v3", 8), "2x2");
    EXPECT_EQ(chosen("tpu_v3", 64), "4x8");
    EXPECT_EQ(chosen("tpu_v3", 256), "8x16");
    EXPECT_EQ(chosen("tpu_v3", 1024), "16x32*");
    EXPECT_EQ(chosen("tpu_v3", 2048), "32*x32*");
}

TEST(ListedSlices, Of3DGenerationsWrapWhenMadeOfWholeCubes)
{
    EXPECT_EQ(chosen("tpu_v4", 64), "2x4x4");
    EXPECT_EQ(chosen("tpu_v4", 128), "4*x4*x4*");
    EXPECT_EQ(chosen("tpu_v5p", 12288), "16*x16*x24*");
    EXPECT_EQ(chosen("tpu_7x", 16384), "16*x16*x32*");
}

TEST(ListedSlices, OfV5eAndV6eWrapAxesOf16Only)
{
    EXPECT_EQ(chosen("tpu_v5e", 1), "1x1");
    EXPECT_EQ(chosen("tpu_v5e", 64), "8x8");
    EXPECT_EQ(chosen("tpu_v6e", 128), "8x16*");
    EXPECT_EQ(chosen("tpu_v6e", 256), "16*x16*");
}

TEST(ListedSlices, OfTwoWithTheSameChipsTheFirstIsChosen)
{
    EXPECT_EQ(chosen("tpu_v4", 512), "4*x8*x8*");
}

TEST(ListedSlices, GrowAndNeverWrapAnAxisOfTwo)
{
    for (const std::string& name : Preset::names()) {
        int chips = 0;
        for (const ListedSlice& slice : listed_slices(Preset::load(name))) {
            EXPECT_GE(chips_of(slice.axes), chips) << name;
            chips = chips_of(slice.axes);
            EXPECT_FALSE(slice.source.empty());
            for (const Axis& axis : slice.axes) {
                EXPECT_FALSE(axis.wraps && axis.length <= 2) << name << shape_of(slice.axes);
            }
        }
    }
}

TEST(EveryPowerOfTwo, RunsUpToTheLargestSlice)
{
    for (const std::string& name : Preset::names()) {
        const Preset preset = Preset::load(name);
        const int most = chips_of(listed_slices(preset).back().axes) *
                         static_cast<int>(preset.number("tensorcores_per_chip"));
        for (int cores = 1; cores <= most; cores *= 2) {
            EXPECT_EQ(Slice::choose(preset, {cores, {}, {}}).cores(), cores) << name;
        }
    }
}

TEST(UnlistedCounts, UseTheSquarestMeshAndAreAssumed)
{
    EXPECT_EQ(chosen("tpu_v3", 1), "1x1 ?");
    EXPECT_EQ(chosen("tpu_v3", 2), "1x1 ?");
    EXPECT_EQ(chosen("tpu_v3", 4), "1x2 ?");
    EXPECT_EQ(chosen("tpu_v3", 6), "1x3 ?");
    EXPECT_EQ(chosen("tpu_v3", 16), "2x4 ?");
    EXPECT_EQ(chosen("tpu_v3", 24), "3x4 ?");
    EXPECT_EQ(chosen("tpu_v2", 64), "4x8 ?");
    EXPECT_EQ(chosen("tpu_v5p", 32), "2x2x4 ?");
}

TEST(OneCore, OfAChipWithTwoUsesPartOfIt)
{
    const Slice slice = Slice::choose(Preset::load("tpu_v3"), {1, {}, {}});
    EXPECT_EQ(slice.cores_per_chip(), 1);
    EXPECT_EQ(slice.chips(), 1);
}

TEST(RefusedCounts, AreToldWhatWorks)
{
    EXPECT_EQ(chosen("tpu_v3", 3), "3 cores are no whole chips of tpu_v3 (2 cores a chip); nearest "
                                   "that work: 2, 4");
    EXPECT_EQ(chosen("tpu_v3", 0), "found 0 cores; allowed: at least 1");
    EXPECT_EQ(chosen("tpu_v3", 74), "74 cores are 37 chips, which form no rectangle within the "
                                    "largest slice of tpu_v3 (32x32); nearest that work: 72, 76");
    EXPECT_EQ(chosen("tpu_v3", 4096),
              "4096 cores are 2048 chips, which form no rectangle within the largest slice of "
              "tpu_v3 (32x32); nearest that work: 2048");
    EXPECT_EQ(chosen("tpu_v3", 4097), "4097 cores are no whole chips of tpu_v3 (2 cores a chip); "
                                      "nearest that work: 2048");
    EXPECT_EQ(chosen("tpu_v5e", 2147483647), // whose boxes' sums need more than 32 bits
              "2147483647 cores are 2147483647 chips, which form no rectangle within the largest "
              "slice of tpu_v5e (16x16); nearest that work: 256");
}

TEST(RequestedShapes, TakeTheListedWrapHoweverTurned)
{
    EXPECT_EQ(chosen("tpu_v3", {1024, "16x32", {}}), "16x32*");
    EXPECT_EQ(chosen("tpu_v3", {1024, "32x16", {}}), "32*x16");
    EXPECT_EQ(chosen("tpu_v4", {512, "4x4x16", {}}), "4*x4*x16*");
}

TEST(RequestedShapes, ThatAreNotListedFollowTheSourcedRule)
{
    EXPECT_EQ(chosen("tpu_v4", {2048, "4x4x64", {}}), "4*x4*x64* ?"); // 16 cubes in a row
    EXPECT_EQ(chosen("tpu_v5p", {384, "4x12x4", {}}), "4*x12*x4* ?");
    EXPECT_EQ(chosen("tpu_7x", {384, "4x4x12", {}}), "4*x4*x12* ?");
    EXPECT_EQ(chosen("tpu_v4", {64, "2x2x8", {}}), "2x2x8 ?"); // no whole cube
    EXPECT_EQ(chosen("tpu_v5e", {64, "4x16", {}}), "4x16* ?");
    EXPECT_EQ(chosen("tpu_v6e", {32, "16x2", {}}), "16*x2 ?");
    EXPECT_EQ(chosen("tpu_v6e", {96, "8x12", {}}), "8x12 ?");
}

TEST(RequestedShapes, ThatNoRuleCoversAreAssumedMeshes)
{
    EXPECT_EQ(chosen("tpu_v3", {256, "4x32", {}}), "4x32 ?");
    EXPECT_EQ(chosen("tpu_v2", {64, "2x16", {}}), "2x16 ?");
}

TEST(UnlistedCounts, NeverWrapEvenWhereTheRuleForShapesWould)
{
    EXPECT_EQ(chosen("tpu_v4", 384), "4x6x8 ?");
    EXPECT_EQ(chosen("tpu_v4", 1536), "8*x8*x12*"); // listed
    EXPECT_EQ(chosen("tpu_v4", 3456), "12x12x12 ?");
}

TEST(RequestedShapes, ThatDoNotFitAreRefused)
{
    EXPECT_EQ(chosen("tpu_v3", {256, "8x8", {}}),
              "slice 8x8 has 64 chips of tpu_v3, but the cores asked for need 128");
    EXPECT_EQ(chosen("tpu_v3", {256, "2x64", {}}),
              "slice 2x64 does not fit into a pod of tpu_v3 (largest listed slice: 32x32)");
    for (const char* shape : {"8", "8x", "x16", "8x-16", "8x16x1", "8 x16", "", "8x9999999"}) {
        EXPECT_NE(chosen("tpu_v3", {256, shape, {}}).find("is not understood"), std::string::npos)
            << shape;
    }
}

TEST(RequestedWrap, ReplacesTheListedOneAndIsThenAssumed)
{
    EXPECT_EQ(chosen("tpu_v3", {256, {}, std::vector<bool>{false, true}}), "8x16* ?");
    EXPECT_EQ(chosen("tpu_v3", {256, {}, std::vector<bool>{false, false}}), "8x16");
    EXPECT_EQ(chosen("tpu_v3", {8, {}, std::vector<bool>{true, true}}), "2x2");
    EXPECT_EQ(chosen("tpu_v3", {256, "8x16", std::vector<bool>{true}}),
              "wrap has 1 entries; slice 8x16 has 2 axes");
}

const char* const twisted_v4 = "4x4x8, 4x8x8, 8x8x16, 8x16x16, 12x12x24";

TEST(TwistedSlices, AreThoseThatThePresetLists)
{
    for (const char* shape : {"4x4x8", "8x4x4", "4x8x4"}) {
        EXPECT_TRUE(Slice::choose(Preset::load("tpu_v4"), {256, shape, {}, true}).twisted());
    }
    EXPECT_TRUE(Slice::choose(Preset::load("tpu_v5p"), {512, {}, {}, true}).twisted());
    EXPECT_FALSE(Slice::choose(Preset::load("tpu_v5p"), {512, {}, {}, false}).twisted());
    EXPECT_EQ(chosen("tpu_v4", {6912, "12x12x24", {}, true}), "12*x12*x24* ?");
}

TEST(TwistedSlices, AreRefusedElsewhereWithWhatIsAllowed)
{
    EXPECT_EQ(chosen("tpu_v4", {1024, {}, {}, true}),
              std::string("a slice of 8x8x8 chips of tpu_v4 cannot be twisted; allowed, in any "
                          "order of axes: ") +
                  twisted_v4);
    EXPECT_EQ(chosen("tpu_v3", {256, {}, {}, true}),
              "slices of tpu_v3 cannot be twisted (no preset value 'twisted_ok'); allowed: a chip "
              "whose slices can: tpu_v4, tpu_v5p");
    EXPECT_EQ(chosen("tpu_v4", {256, "4x4x8", std::vector<bool>{true, true, false}, true}),
              "a twisted slice has k x k x 2k or k x 2k x 2k chips with k at least 4 and wraps on "
              "every axis; 4x4x8 as asked for does not");
}

TEST(TwistedSlices, HaveThreeAxesOfKAnd2KThatAllWrap)
{
    const auto twisted = [](std::vector<Axis> axes) { return Slice(axes, 1, false, true); };
    EXPECT_NO_THROW(twisted({{4, true}, {8, true}, {4, true}}));
    EXPECT_NO_THROW(twisted({{10, true}, {5, true}, {10, true}}));
    EXPECT_THROW(twisted({{4, true}, {8, true}}), std::invalid_argument);
    EXPECT_THROW(twisted({{4, true}, {4, true}, {4, true}}), std::invalid_argument);
    EXPECT_THROW(twisted({{4, true}, {4, true}, {12, true}}), std::invalid_argument);
    EXPECT_THROW(twisted({{4, true}, {8, true}, {16, true}}), std::invalid_argument);
    EXPECT_THROW(twisted({{4, true}, {4, false}, {8, true}}), std::invalid_argument);
    EXPECT_THROW(twisted({{2, true}, {2, true}, {4, true}}), std::invalid_argument);
}

TEST(TwistedSlices, ComeOutHalfWayPastTheWrapOfAShortAxis)
{
    const Slice one_long({{4, true}, {4, true}, {8, true}}, 1, false, true);
    const auto from = [](const Slice& slice, std::vector<int> place, int axis, int direction) {
        return slice.coordinates(*slice.neighbour(slice.chip_at(place), axis, direction));
    };
    EXPECT_EQ(from(one_long, {3, 1, 1}, 0, 1), (std::vector<int>{0, 1, 5}));
    EXPECT_EQ(from(one_long, {2, 0, 6}, 1, -1), (std::vector<int>{2, 3, 2}));
    EXPECT_EQ(from(one_long, {3, 1, 7}, 2, 1), (std::vector<int>{3, 1, 0}));
    EXPECT_EQ(from(one_long, {1, 1, 1}, 0, 1), (std::vector<int>{2, 1, 1}));
    const Slice two_long({{8, true}, {4, true}, {8, true}}, 1, false, true);
    EXPECT_EQ(from(two_long, {1, 3, 6}, 1, 1), (std::vector<int>{5, 0, 2}));
    EXPECT_EQ(from(two_long, {7, 3, 6}, 0, 1), (std::vector<int>{0, 3, 6}));
}

TEST(Chips, AreNumberedWithTheLastAxisFastest)
{
    const Slice slice({{2, false}, {3, false}, {4, true}}, 2, false);
    EXPECT_EQ(slice.chips(), 24);
    EXPECT_EQ(slice.cores(), 48);
    EXPECT_EQ(slice.chip_at({1, 2, 3}), 23);
    EXPECT_EQ(slice.chip_at({1, 0, 2}), 14);
    for (int chip = 0; chip < slice.chips(); ++chip) {
        EXPECT_EQ(slice.chip_at(slice.coordinates(chip)), chip);
    }
    EXPECT_THROW(slice.coordinates(24), std::out_of_range);
    EXPECT_THROW(slice.chip_at({0, 0, 4}), std::out_of_range);
    EXPECT_THROW(slice.chip_at({0, 0}), std::out_of_range);
}

TEST(Neighbours, ThereAndBackIsTheSameChip)
{
    for (const Slice& slice : {Slice({{3, true}, {4, false}, {2, true}}, 1, false),
                               Slice({{4, true}, {4, true}, {8, true}}, 1, false, true),
                               Slice({{10, true}, {5, true}, {10, true}}, 1, false, true)}) {
        for (int chip = 0; chip < slice.chips(); ++chip) {
            for (int axis = 0; axis < 3; ++axis) {
                for (const int direction : {-1, 1}) {
                    if (const std::optional<int> next = slice.neighbour(chip, axis, direction)) {
                        EXPECT_NE(*next, chip);
                        EXPECT_EQ(slice.neighbour(*next, axis, -direction), chip);
                    }
                }
            }
        }
    }
}

TEST(Neighbours, ARingHasNoEndAndALineHasTwo)
{
    const Slice slice({{4, false}, {4, true}}, 1, false);
    EXPECT_EQ(slice.neighbour(0, 0, -1), std::nullopt);
    EXPECT_EQ(slice.neighbour(12, 0, 1), std::nullopt);
    EXPECT_EQ(slice.neighbour(0, 0, 1), 4);
    EXPECT_EQ(slice.neighbour(0, 1, -1), 3);
    EXPECT_EQ(slice.neighbour(3, 1, 1), 0);
}

TEST(Neighbours, ShortAxesAreLines)
{
    const Slice slice({{1, true}, {2, true}}, 1, false);
    EXPECT_EQ(slice.neighbour(0, 0, 1), std::nullopt);
    EXPECT_EQ(slice.neighbour(0, 1, 1), 1);
    EXPECT_EQ(slice.neighbour(0, 1, -1), std::nullopt);
    EXPECT_FALSE(slice.axes()[1].wraps);
}

} // namespace
} // namespace alxsim::topologies
