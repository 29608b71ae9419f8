// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/group_box.h"

#include "model/collectives/mesh.h"
#include "model/graph/collective_json.h"
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/collective_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>

/// Lists of ranks that are axes, rectangles, spaced rows or rings of a slice, in whatever order.
namespace alxsim::model {
namespace {

using Groups = std::vector<std::vector<int>>;
using topologies::Machine;
using topologies::SliceRequest;

constexpr std::array kinds{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                           CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                           CollectiveKind::broadcast,  CollectiveKind::reduce};

Collective among(Groups groups, CollectiveKind kind, std::int64_t bytes)
{
    Collective collective{kind, Bytes(bytes)};
    collective.ranks = std::make_shared<const Groups>(std::move(groups));
    return collective;
}

/// Devices whose chips have the same coordinates, divided by `cut`, axis by axis.
Groups blocks(const Machine& machine, const std::vector<int>& cut)
{
    std::map<std::vector<int>, std::vector<int>> groups;
    for (int device = 0; device < machine.devices; ++device) {
        std::vector<int> at = machine.slice.coordinates(device / machine.devices_per_chip);
        for (std::size_t axis = 0; axis < cut.size(); ++axis) {
            at[axis] /= cut[axis];
        }
        groups[at].push_back(device);
    }
    Groups all;
    for (auto& [at, group] : groups) {
        all.push_back(std::move(group));
    }
    return all;
}

/// Shuffles them; the first of each stays for a broadcast or reduce, whose root it is.
Groups shuffled(Groups groups, CollectiveKind kind, unsigned seed)
{
    std::mt19937 engine(seed);
    for (std::vector<int>& group : groups) {
        std::shuffle(group.begin() + (has_root(kind) ? 1 : 0), group.end(), engine);
    }
    return groups;
}

TEST(Ranks, ThatAreAxesInAnyOrderTakeWhatTheAxesTake)
{
    const std::vector<Machine> machines{
        machine_of("tpu_v5e", SliceRequest{32, "4x8", {{false, true}}}),
        machine_of("tpu_v4", SliceRequest{128, "4x4x4", {}}),
        machine_of("tpu_v3", SliceRequest{32, "4x4", {{true, true}}})};
    for (const Machine& machine : machines) {
        const std::vector<std::string> names = machine.slice.axis_names();
        for (unsigned chosen = 1; chosen < 1U << names.size(); ++chosen) {
            Collective along{CollectiveKind::all_reduce, Bytes(0)};
            std::vector<int> cut;
            for (std::size_t axis = 0; axis < names.size(); ++axis) {
                const bool spans = (chosen >> axis & 1U) != 0;
                cut.push_back(spans ? 1000 : 1);
                if (spans) {
                    along.group.push_back(names[axis]);
                }
            }
            for (const CollectiveKind kind : kinds) {
                for (const std::int64_t bytes : {1 << 12, 1 << 24}) {
                    along.kind = kind;
                    along.bytes = Bytes(bytes);
                    const Groups groups = shuffled(blocks(machine, cut), kind, chosen);
                    const Collective listed = among(groups, kind, bytes);
                    EXPECT_EQ(time_of(listed, machine), time_of(along, machine))
                        << machine.preset.name() << " " << to_json(listed).dump();
                    EXPECT_EQ(collective_bound(listed, machine), collective_bound(along, machine));
                }
            }
        }
    }
}

TEST(Ranks, ThatAreRectanglesTakeWhatASliceOfThatShapeTakes)
{
    const Machine large = easy_machine(64, "8x8", {false, true});
    const Machine small = easy_machine(8, "2x4", {false, false});
    for (const CollectiveKind kind : kinds) {
        for (const std::int64_t bytes : {1 << 10, 1 << 17, 1 << 24}) {
            const Groups groups = shuffled(blocks(large, {2, 4}), kind, 7);
            EXPECT_EQ(time_of(among(groups, kind, bytes), large),
                      time_of(Collective{kind, Bytes(bytes)}, small))
                << to_json(among(groups, kind, bytes));
        }
    }
}

TEST(Ranks, ThatAreEverySecondChipOfARingShareItsLinks)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const Machine half = machine_of("tpu_v5e", SliceRequest{4, "1x4", {{false, true}}},
                                    {{"ici_link_bw_oneway", 0.5e9},
                                     {"ici_link_bw_effective_frac", 1},
                                     {"ici_line_bw_effective_frac", 1},
                                     {"ici_hop_latency_s", 2e-6},
                                     {"ici_hop_software_frac", 0}});
    const Machine alone = machine_of("tpu_v5e", SliceRequest{4, "1x4", {{false, true}}},
                                     {{"ici_link_bw_oneway", 1e9},
                                      {"ici_link_bw_effective_frac", 1},
                                      {"ici_line_bw_effective_frac", 1},
                                      {"ici_hop_latency_s", 2e-6},
                                      {"ici_hop_software_frac", 0}});
    for (const CollectiveKind kind : kinds) {
        const Collective wanted{kind, Bytes(1 << 20)};
        const auto close = [&](Groups groups, const Machine& machine) {
            const Picoseconds time = time_of(among(std::move(groups), kind, 1 << 20), ring);
            EXPECT_NEAR(time / time_of(wanted, machine), 1, 0.03) << static_cast<int>(kind);
        };
        close({{0, 4, 6, 2}, {1, 7, 3, 5}}, half);
        close({{0, 6, 2, 4}}, alone);
    }
}

TEST(Ranks, ThatAreARingOfNeighboursTakeWhatARingTakes)
{
    // Round the middle of 3 x 3 chips.
    const Machine square = easy_machine(9, "3x3", {false, false});
    const Machine ring = easy_machine(8, "1x8", {false, true});
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce}) {
        EXPECT_EQ(time_of(among({{0, 8, 1, 7, 2, 6, 3, 5}}, kind, 1 << 20), square),
                  time_of(Collective{kind, Bytes(1 << 20)}, ring));
    }
}

/// No boxes, and no rings of neighbours.
const Groups scattered{{0, 5, 10, 3}, {1, 2, 13, 8}};

TEST(Ranks, OfNoShapeTakeTheSameInAnyOrder)
{
    const Machine machine = easy_machine(16, "4x4", {true, true});
    for (const CollectiveKind kind : kinds) {
        const Picoseconds first = time_of(among(scattered, kind, 1 << 20), machine);
        for (const unsigned seed : {1U, 2U, 3U}) {
            EXPECT_EQ(time_of(among(shuffled(scattered, kind, seed), kind, 1 << 20), machine),
                      first);
        }
    }
}

TEST(Ranks, KeepTheirOrderIfAsked)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    Collective listed = among({{0, 4, 1, 5, 2, 6, 3, 7}}, CollectiveKind::all_gather, 1 << 20);
    const Picoseconds best = time_of(listed, ring);
    EXPECT_EQ(best, time_of(Collective{CollectiveKind::all_gather, Bytes(1 << 20)}, ring));
    listed.listed = true;
    EXPECT_GT(time_of(listed, ring) / best, 2);
    EXPECT_EQ(to_json(listed).at("group").at("order"), "listed");
    EXPECT_TRUE(collective_from_json(to_json(listed), {}).listed);
}

TEST(Ranks, OfAPermuteGoToTheNextAsListed)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const auto permute = [](Groups groups) {
        return among(std::move(groups), CollectiveKind::permute, 1 << 20);
    };
    EXPECT_EQ(time_of(permute({{0, 1, 2, 3, 4, 5, 6, 7}}), ring),
              time_of(Collective{CollectiveKind::permute, Bytes(1 << 20)}, ring));
    EXPECT_GT(time_of(permute({{0, 4, 1, 5, 2, 6, 3, 7}}), ring),
              time_of(permute({{0, 1, 2, 3, 4, 5, 6, 7}}), ring));
}

TEST(Ranks, WithRootsAtSeveralPlacesOfABoxAreARing)
{
    const Machine line = easy_machine(4, "1x4", {false, false});
    const Collective from_ends = among({{0, 1}, {3, 2}}, CollectiveKind::broadcast, 1000);
    EXPECT_EQ(time_of(from_ends, line), nanoseconds(1000 + 1000));
}

TEST(GroupBox, OnATwistedTorusUsesNoWraps)
{
    const Machine twisted = machine_of("tpu_v4", SliceRequest{256, "4x4x8", {}, true});
    ASSERT_TRUE(twisted.slice.twisted());
    EXPECT_EQ(box_of(blocks(twisted, {4, 1, 1}), twisted), std::nullopt);
    EXPECT_NE(box_of(blocks(twisted, {1, 1, 4}), twisted), std::nullopt);
}

/// [axis]: its length, in another order.
std::string named(const std::vector<int>& lengths)
{
    std::string shape;
    for (const int length : lengths) {
        shape += (shape.empty() ? "" : "x") + std::to_string(length);
    }
    return shape;
}

TEST(Collectives, TakeTheSameWhateverTheNamesOfTheAxes)
{
    struct Case {
        std::string chip;
        int cores;
        std::vector<int> lengths; // ascending
    };
    const std::vector<Case> cases{{"tpu_v5p", 256, {4, 4, 8}}, {"tpu_v4", 64, {2, 4, 4}},
                                  {"tpu_v5p", 128, {2, 4, 8}}, {"tpu_7x", 48, {2, 3, 4}},
                                  {"tpu_v5e", 32, {4, 8}},     {"tpu_v3", 64, {2, 16}}};
    for (const Case& one : cases) {
        std::vector<int> lengths = one.lengths;
        std::map<std::tuple<CollectiveKind, std::int64_t, std::vector<int>>, Picoseconds> times;
        do {
            const Machine machine =
                machine_of(one.chip, SliceRequest{one.cores, named(lengths), {}});
            const std::vector<std::string> names = machine.slice.axis_names();
            for (unsigned chosen = 1; chosen < 1U << names.size(); ++chosen) {
                Collective collective{CollectiveKind::all_reduce, Bytes(0)};
                std::vector<int> spans;
                for (std::size_t axis = 0; axis < names.size(); ++axis) {
                    if ((chosen >> axis & 1U) != 0) {
                        collective.group.push_back(names[axis]);
                        spans.push_back(lengths[axis]);
                    }
                }
                std::sort(spans.begin(), spans.end());
                for (const CollectiveKind kind : kinds) {
                    for (const std::int64_t bytes : {1 << 10, 1 << 20, 1 << 26}) {
                        collective.kind = kind;
                        collective.bytes = Bytes(bytes);
                        const Picoseconds time = time_of(collective, machine);
                        const auto [known, is_new] = times.try_emplace({kind, bytes, spans}, time);
                        EXPECT_EQ(known->second, time)
                            << one.chip << " " << named(lengths) << ", " << to_json(collective);
                    }
                }
            }
        } while (std::next_permutation(lengths.begin(), lengths.end()));
    }
}

} // namespace
} // namespace alxsim::model
