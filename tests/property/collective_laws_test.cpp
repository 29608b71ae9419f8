// SPDX-License-Identifier: Apache-2.0
// What holds among the times of collectives, whatever runs them.
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"
#include "topologies/listed_slice.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::ScheduleChoice;
using topologies::SliceRequest;

const std::vector<std::string> chips{"tpu_v2",  "tpu_v3",  "tpu_v4", "tpu_v5e",
                                     "tpu_v5p", "tpu_v6e", "tpu_7x"};
const std::vector<std::int64_t> sizes{1000, 1 << 14, 1 << 20, (1 << 24) + 4096, 1 << 26};

/// Slices of up to 128 chips.
std::vector<Machine> machines()
{
    std::vector<Machine> result;
    for (const std::string& chip : chips) {
        const topologies::Preset preset = topologies::Preset::load(chip);
        const int cores_a_chip = static_cast<int>(preset.number("tensorcores_per_chip"));
        for (int count = 2; count <= 128; count *= 2) {
            result.push_back(machine_of(chip, count * cores_a_chip));
        }
    }
    return result;
}

Picoseconds time_of(CollectiveKind kind, std::int64_t bytes, const Machine& machine,
                    ScheduleChoice choice = ScheduleChoice::fastest)
{
    Collective collective{kind, Bytes(bytes)};
    collective.schedule.choice = choice;
    return schedule_time(make_schedule(collective, machine));
}

std::string words(const Machine& machine, std::int64_t bytes)
{
    return machine.preset.name() + " " + machine.slice.shape() + ", " + std::to_string(bytes) +
           " bytes";
}

TEST(CollectiveLaws, AnAllReduceIsNoSlowerThanAReduceScatterAndAnAllGather)
{
    for (const Machine& machine : machines()) {
        for (const std::int64_t bytes : sizes) {
            // Launch times: two ops are launched, one is.
            const Picoseconds launch = to_picoseconds(machine.device.collective_launch);
            EXPECT_LE(time_of(CollectiveKind::all_reduce, bytes, machine),
                      time_of(CollectiveKind::reduce_scatter, bytes, machine) +
                          time_of(CollectiveKind::all_gather, bytes, machine) + launch)
                << words(machine, bytes);
        }
    }
}

TEST(CollectiveLaws, ABroadcastAndAReduceAreNoSlowerThanAnAllReduce)
{
    for (const Machine& machine : machines()) {
        for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{1 << 20}}) {
            const Picoseconds all_reduce = time_of(CollectiveKind::all_reduce, bytes, machine);
            for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::reduce}) {
                EXPECT_LE(time_of(kind, bytes, machine), all_reduce) << words(machine, bytes);
            }
        }
    }
}

TEST(CollectiveLaws, TheFastestIsNoSlowerThanWhatTheCompilerTakes)
{
    for (const Machine& machine : machines()) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            for (const std::int64_t bytes : sizes) {
                EXPECT_LE(time_of(kind, bytes, machine),
                          time_of(kind, bytes, machine, ScheduleChoice::xla))
                    << words(machine, bytes) << ", kind " << static_cast<int>(kind);
            }
        }
    }
}

TEST(CollectiveLaws, MoreBytesNeverTakeLessTimeByTheFastest)
{
    for (const Machine& machine : machines()) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            Picoseconds before(0);
            for (std::int64_t bytes = 512; bytes <= 1 << 26; bytes = bytes * 3 / 2 + 4) {
                const Picoseconds now = time_of(kind, bytes, machine);
                // A hundredth: turns that packets of several colours take on a link.
                EXPECT_GE(static_cast<double>(now.count()),
                          0.99 * static_cast<double>(before.count()))
                    << words(machine, bytes) << ", kind " << static_cast<int>(kind);
                before = now;
            }
        }
    }
}

TEST(CollectiveLaws, MoreBytesTakeLessTimeByTheCompilersChoiceOnlyWhereItRunsAnotherAlgorithm)
{
    int steps_down = 0;
    for (const Machine& machine : machines()) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            Picoseconds before(0);
            std::string ran;
            for (std::int64_t bytes = 512; bytes <= 1 << 26; bytes *= 2) {
                Collective collective{kind, Bytes(bytes)};
                collective.schedule.choice = ScheduleChoice::xla;
                const CollectiveSchedule schedule = make_schedule(collective, machine);
                const Picoseconds now = schedule_time(schedule);
                // A hundredth, as above.
                if (static_cast<double>(now.count()) < 0.99 * static_cast<double>(before.count())) {
                    EXPECT_NE(schedule.name, ran) << words(machine, bytes);
                    ++steps_down;
                }
                before = now;
                ran = schedule.name;
            }
        }
    }
    EXPECT_GT(steps_down, 0); // the compiler's table has some
}

TEST(CollectiveLaws, TheNamesOfAxesChangeNothing)
{
    const std::vector<std::pair<std::string, std::string>> shapes{{"4x8", "8x4"}, {"2x4", "4x2"}};
    const std::vector<std::pair<std::string, std::string>> boxes{{"4x4x8", "8x4x4"},
                                                                 {"2x2x4", "2x4x2"}};
    for (const std::string& chip : chips) {
        const bool flat =
            chip == "tpu_v2" || chip == "tpu_v3" || chip == "tpu_v5e" || chip == "tpu_v6e";
        for (const auto& [one, other] : flat ? shapes : boxes) {
            const topologies::Preset preset = topologies::Preset::load(chip);
            const auto machine = [&](const std::string& shape) {
                int cores = static_cast<int>(preset.number("tensorcores_per_chip"));
                for (const char digit : shape) {
                    cores *= digit == 'x' ? 1 : digit - '0';
                }
                return machine_of(chip, SliceRequest{cores, shape, {}});
            };
            for (const CollectiveKind kind :
                 {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                  CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                  CollectiveKind::broadcast}) {
                for (const std::int64_t bytes : sizes) {
                    EXPECT_EQ(time_of(kind, bytes, machine(one)),
                              time_of(kind, bytes, machine(other)))
                        << chip << ' ' << one << ' ' << bytes << ", kind "
                        << static_cast<int>(kind);
                }
            }
        }
    }
}

} // namespace
} // namespace alxsim::model
