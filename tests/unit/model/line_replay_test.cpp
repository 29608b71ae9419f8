// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/replays/line_replay.h"

#include "base/portable_math.h"
#include "model/collectives/replays/box_tiles.h"
#include "model/collectives/replays/rank_replay.h"
#include "model/collectives/replays/replay_key.h"
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <utility>

/// Collectives of boxes with others' chips between theirs, played along one line of each axis in
/// place of all.
namespace alxsim::model {
namespace {

using topologies::Machine;
using Lists = std::vector<std::vector<int>>;

/// What a group has of an axis of the slice: so many chips, each so many further.
struct Side {
    int length = 1;
    int hops = 1;
};

/// All groups of that shape.
Lists boxes_of(const std::vector<Side>& sides, const topologies::Slice& slice)
{
    std::map<std::vector<int>, std::vector<int>> groups;
    for (int chip = 0; chip < slice.chips(); ++chip) {
        std::vector<int> place;
        for (std::size_t axis = 0; axis < sides.size(); ++axis) {
            const int at = slice.coordinates(chip)[axis];
            place.push_back(at % sides[axis].hops);
            place.push_back(at / (sides[axis].hops * sides[axis].length));
        }
        groups[place].push_back(chip);
    }
    Lists lists;
    for (auto& [place, members] : groups) {
        lists.push_back(std::move(members));
    }
    return lists;
}

Collective among_lists(Lists lists, CollectiveKind kind, std::int64_t bytes)
{
    Collective collective{kind, Bytes(bytes)};
    collective.ranks = std::make_shared<const Lists>(std::move(lists));
    return collective;
}

/// Sides that divide the slice's axes, at least one of them with others' chips in between.
std::vector<Side> drawn_sides(const topologies::Slice& slice, std::mt19937& engine)
{
    std::vector<Side> sides;
    for (const topologies::Axis& axis : slice.axes()) {
        std::vector<Side> all;
        for (int length = 1; length <= axis.length; ++length) {
            for (int hops = 1; length * hops <= axis.length; ++hops) {
                if (axis.length % (length * hops) == 0 && (length > 1 || hops == 1)) {
                    all.push_back({length, hops});
                }
            }
        }
        sides.push_back(all[engine() % all.size()]);
    }
    const bool spaced =
        std::any_of(sides.begin(), sides.end(), [](const Side& side) { return side.hops > 1; });
    return spaced ? sides : drawn_sides(slice, engine);
}

/// Groups of one device of each chip, of lists of chips.
Lists one_of_each(const Lists& chips, int devices_per_chip)
{
    Lists lists;
    for (const std::vector<int>& group : chips) {
        for (int local = 0; local < devices_per_chip; ++local) {
            lists.emplace_back();
            for (const int chip : group) {
                lists.back().push_back(chip * devices_per_chip + local);
            }
        }
    }
    return lists;
}

std::vector<Machine> machines_of_one_device_a_chip()
{
    return {machine_of("tpu_v5e", {256, "16x16", {}}), machine_of("tpu_v5e", {32, "4x8", {}}),
            machine_of("tpu_v5e", {48, "6x8", {{true, true}}}),
            machine_of("tpu_v5p", {128, "4x4x4", {}}), machine_of("tpu_v4", {64, "4x4x2", {}})};
}

/// Rings and lines.
std::vector<Machine> machines_of_two_devices_a_chip()
{
    return {machine_of("tpu_7x", {256, "4x4x8", {}}), machine_of("tpu_7x", 128),
            machine_of("tpu_v3", {256, "8x16", {}}),
            machine_of("tpu_v3", {32, "4x4", {{true, true}}}), easy_pairs(24, "4x6", {true, true})};
}

/// Candidates of drawn collectives that go along lines.
std::vector<CollectiveSchedule> drawn_schedules(unsigned seed, const std::vector<Machine>& machines)
{
    std::mt19937 engine(seed);
    constexpr std::array kinds{CollectiveKind::all_reduce, CollectiveKind::all_gather,
                               CollectiveKind::reduce_scatter, CollectiveKind::all_to_all};
    std::vector<CollectiveSchedule> schedules;
    while (schedules.size() < 150) {
        Machine machine = machines[engine() % machines.size()];
        machine.schedule = engine() % 2 == 0 ? topologies::ScheduleChoice::xla
                                             : topologies::ScheduleChoice::fastest;
        const std::int64_t bytes = (std::int64_t{64} << engine() % 18) + engine() % 64;
        const Lists chips = boxes_of(drawn_sides(machine.slice, engine), machine.slice);
        const Collective collective = among_lists(one_of_each(chips, machine.devices_per_chip),
                                                  kinds[engine() % kinds.size()], bytes);
        for (CollectiveSchedule& schedule : candidate_schedules(collective, machine)) {
            if (goes_along_lines(schedule)) {
                schedules.push_back(std::move(schedule));
            }
        }
    }
    return schedules;
}

TEST(LineReplay, IsWhatAllChipsTakeWherePhasesMeetAlikeAndNearItWhereAlmost)
{
    std::size_t exact = 0;
    std::size_t near = 0;
    double off = 0;
    const auto schedules = drawn_schedules(3, machines_of_one_device_a_chip());
    for (const CollectiveSchedule& schedule : schedules) {
        const LineTime along_lines = line_schedule_time(schedule);
        const Picoseconds all_chips = rank_schedule_time(schedule);
        if (along_lines.apart == Picoseconds(0)) {
            ++exact;
            EXPECT_EQ(along_lines.time, all_chips) << schedule.name;
        }
        const Picoseconds taken = schedule_time(schedule);
        EXPECT_TRUE(taken == along_lines.time || taken == all_chips) << schedule.name;
        if (taken != all_chips || along_lines.apart > Picoseconds(0)) {
            ++near;
            off += std::abs(taken / all_chips - 1);
        }
        EXPECT_NEAR(taken / all_chips, 1, 0.01) << schedule.name;
    }
    EXPECT_GT(exact, schedules.size() * 3 / 4);
    EXPECT_GT(near, 0U);
    EXPECT_LE(off, 0.002 * static_cast<double>(near));
}

/// Whose groups have a device of each chip: as those of one device, and never taken where almost.
TEST(LineReplay, OfSeveralDevicesOfAChipIsWhatAllChipsTake)
{
    std::size_t exact = 0;
    std::size_t on_several_axes = 0;
    const auto schedules = drawn_schedules(5, machines_of_two_devices_a_chip());
    for (const CollectiveSchedule& schedule : schedules) {
        const LineTime along_lines = line_schedule_time(schedule);
        const Picoseconds all_chips = rank_schedule_time(schedule);
        if (along_lines.apart == Picoseconds(0)) {
            ++exact;
            on_several_axes += schedule.group.size() > 1 ? 1 : 0;
            EXPECT_EQ(along_lines.time, all_chips) << schedule.name;
        }
        EXPECT_EQ(schedule_time(schedule), all_chips) << schedule.name;
    }
    EXPECT_GT(exact, schedules.size() * 3 / 4);
    EXPECT_GT(on_several_axes, 20U);
}

TEST(LineReplay, OfOneAxisIsExact)
{
    const Machine torus = machine_of("tpu_v5e", {256, "16x16", {}});
    for (const Side side : {Side{4, 4}, Side{8, 2}, Side{2, 8}, Side{4, 2}, Side{2, 2}}) {
        for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce}) {
            const Collective collective =
                among_lists(boxes_of({{}, side}, torus.slice), kind, (1 << 20) + 12);
            for (const CollectiveSchedule& schedule : candidate_schedules(collective, torus)) {
                ASSERT_TRUE(goes_along_lines(schedule)) << schedule.name;
                const LineTime along_lines = line_schedule_time(schedule);
                EXPECT_EQ(along_lines.apart, Picoseconds(0)) << schedule.name;
                EXPECT_EQ(along_lines.time, rank_schedule_time(schedule)) << schedule.name;
            }
        }
    }
}

TEST(LineReplay, CostsNoMoreThanTheChips)
{
    // Twice as long axes, of which groups have twice as many chips: exponents of at most 1.1.
    const auto hops_on = [](const std::string& shape, int chips, std::vector<Side> sides) {
        const Machine machine = machine_of(
            sides.size() == 2 ? "tpu_v5e" : "tpu_v4",
            {sides.size() == 2 ? chips : 2 * chips, shape, std::vector<bool>(sides.size(), true)});
        const CollectiveSchedule schedule = make_schedule(
            among_lists(boxes_of(sides, machine.slice), CollectiveKind::all_reduce, 64 << 20),
            machine);
        return static_cast<double>(line_schedule_time(schedule).packet_hops);
    };
    const auto exponent = [](double few, double many, double times) {
        return portable::log(many / few) / portable::log(times);
    };
    EXPECT_LT(
        exponent(hops_on("8x8", 64, {{4, 2}, {4, 2}}), hops_on("16x16", 256, {{8, 2}, {8, 2}}), 4),
        1.1);
    const double small = hops_on("4x4x4", 64, {{2, 2}, {4, 1}, {4, 1}});
    const double middle = hops_on("8x8x8", 512, {{4, 2}, {8, 1}, {8, 1}});
    EXPECT_GT(small, 0);
    EXPECT_LT(exponent(small, middle, 8), 1.1);
    EXPECT_LT(exponent(middle, hops_on("16x16x16", 4096, {{8, 2}, {16, 1}, {16, 1}}), 8), 1.1);
}

TEST(LineReplay, OfAnyBlockIsThatOfTheFirst)
{
    // Where lines do not do: from roots, and of several devices of a chip.
    const Machine torus = machine_of("tpu_v5e", {64, "8x8", {{true, true}}});
    const Machine pairs = easy_pairs(16, "2x8", {false, true});
    const Lists of_pairs{{0, 1, 4, 5},     {2, 3, 6, 7},     {8, 9, 12, 13},   {10, 11, 14, 15},
                         {16, 17, 20, 21}, {18, 19, 22, 23}, {24, 25, 28, 29}, {26, 27, 30, 31}};
    std::vector<std::pair<Collective, const Machine*>> all;
    for (const Lists& lists :
         {boxes_of({{2, 2}, {2, 1}}, torus.slice), boxes_of({{}, {2, 2}}, torus.slice),
          boxes_of({{2, 2}, {2, 2}}, torus.slice)}) {
        all.emplace_back(among_lists(lists, CollectiveKind::broadcast, 100'000), &torus);
        all.emplace_back(among_lists(lists, CollectiveKind::all_reduce, 100'000), &torus);
    }
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce}) {
        all.emplace_back(among_lists(of_pairs, kind, 100'000), &pairs);
    }
    for (const auto& [collective, machine] : all) {
        for (const CollectiveSchedule& schedule : candidate_schedules(collective, *machine)) {
            ASSERT_TRUE(are_tiles(schedule)) << schedule.name;
            const CollectiveSchedule block = of_one_block(schedule);
            EXPECT_LT(block.ranks->groups.size(), schedule.ranks->groups.size());
            EXPECT_EQ(rank_schedule_time(block), rank_schedule_time(schedule)) << schedule.name;
        }
    }
}

TEST(LineReplay, IsRememberedByShape)
{
    const Machine torus = machine_of("tpu_v5e", {64, "8x8", {{true, true}}});
    const auto key_of = [&torus](Lists lists) {
        return replay_key(make_schedule(
            among_lists(std::move(lists), CollectiveKind::all_reduce, 1 << 16), torus));
    };
    const Lists groups = boxes_of({{4, 2}, {2, 4}}, torus.slice);
    Lists turned = groups;
    std::reverse(turned.begin(), turned.end());
    EXPECT_EQ(key_of(groups), key_of(turned));
    EXPECT_LT(key_of(groups).size(), 200U);
    EXPECT_NE(key_of(groups), key_of(boxes_of({{2, 4}, {4, 2}}, torus.slice)));
}

TEST(LineReplay, IsOfGroupsThatCoverAllChipsAlike)
{
    const Machine torus = machine_of("tpu_v5e", {64, "8x8", {{true, true}}});
    const auto goes = [](Lists lists, const Machine& machine) {
        return goes_along_lines(make_schedule(
            among_lists(std::move(lists), CollectiveKind::all_gather, 1 << 16), machine));
    };
    Lists groups = boxes_of({{}, {4, 2}}, torus.slice);
    EXPECT_TRUE(goes(groups, torus));
    groups.pop_back(); // whose links the others would share with it
    EXPECT_FALSE(goes(groups, torus));
    const Machine pairs = easy_pairs(8, "1x8", {false, true});
    EXPECT_FALSE(goes({{0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15}}, pairs));
}

} // namespace
} // namespace alxsim::model
