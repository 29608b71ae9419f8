// SPDX-License-Identifier: Apache-2.0
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"
#include "tests/unit/model/astra_cases.h"

#include <gtest/gtest.h>

#include <iostream>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

/// Within 1 % of the exact schedule, never under the bound, and with the traffic of the schedule.
void expect_schedule(const Machine& machine)
{
    for (const CollectiveKind kind : {CollectiveKind::all_to_all, CollectiveKind::permute}) {
        for (const std::int64_t bytes : {1 << 10, 1 << 16, 8 << 20}) {
            const Collective collective{kind, Bytes(bytes)};
            const model::CollectiveSchedule schedule = model::make_schedule(collective, machine);
            const Outcome outcome = run_alone(machine, schedule);
            const std::string which = machine.preset.name() + " " + machine.slice.shape() + ", " +
                                      std::to_string(bytes) + " bytes, kind " +
                                      std::to_string(static_cast<int>(kind));
            EXPECT_EQ(outcome.completions, machine.devices) << which;
            EXPECT_NEAR(outcome.time / model::schedule_time(schedule), 1, 0.01) << which;
            EXPECT_GE(to_seconds(outcome.time).count(),
                      model::collective_bound(collective, machine).count() - 1e-12)
                << which;
            EXPECT_EQ(outcome.use.link_bytes, model::link_bytes(schedule, machine.devices))
                << which;
        }
    }
}

void expect_schedules(int chips, const std::string& shape, const std::vector<bool>& wrap)
{
    expect_schedule(machine_of("tpu_v5e", topologies::SliceRequest{chips, shape, wrap}));
    expect_schedule(machine_of("tpu_v3", topologies::SliceRequest{2 * chips, shape, wrap}));
}

TEST(CollectiveKinds, OnALineKeepTheExactSchedule)
{
    for (const int chips : {2, 3, 4, 8}) {
        expect_schedules(chips, "1x" + std::to_string(chips), {false, false});
    }
}

TEST(CollectiveKinds, OnARingKeepTheExactSchedule)
{
    for (const int chips : {3, 4, 5, 8}) {
        expect_schedules(chips, "1x" + std::to_string(chips), {false, true});
    }
}

TEST(CollectiveKinds, OfTwoAxesKeepTheExactSchedule)
{
    for (const std::vector<bool>& wrap :
         {std::vector<bool>{false, false}, {true, true}, {false, true}}) {
        expect_schedules(16, "4x4", wrap);
        expect_schedules(32, "4x8", wrap);
        expect_schedules(15, "3x5", wrap);
    }
}

TEST(CollectiveKinds, OfThreeAxesKeepTheExactSchedule)
{
    expect_schedule(machine_of("tpu_v4", 128)); // 4x4x4, a device a chip
    expect_schedule(machine_of("tpu_v4", 64));  // 2x4x4, a mesh
    expect_schedule(machine_of("tpu_7x", 128)); // 4x4x4, two devices a chip
}

TEST(CollectiveKinds, APermuteRunsInAProgram)
{
    // A byte per nanosecond, a microsecond per hop.
    const Machine ring = easy_machine(4, "1x4", {false, true});
    EXPECT_EQ(simulated(ring, op_of(Collective{CollectiveKind::permute, Bytes(700)})),
              to_picoseconds(ring.device.collective_launch) + nanoseconds(700 + 1000));
}

TEST(CollectiveKinds, OneWayAndOneColourTakeAstraSimsTime)
{
    const std::vector<model::AstraCase> cases = model::astra_cases();
    ASSERT_FALSE(cases.empty());
    for (const model::AstraCase& astra : cases) {
        const Outcome outcome =
            run_alone(astra.machine, model::make_schedule(astra.collective, astra.machine));
        EXPECT_NEAR(outcome.time / astra.time, 1, 0.001) << astra.which;
    }
}

/// How many times faster it gets with all colours and directions; never under the bound.
double gain_of_freedom(const model::AstraCase& astra, Bytes bytes)
{
    Collective restricted = astra.collective;
    restricted.bytes = bytes;
    Collective free = restricted;
    free.schedule = {};
    const Picoseconds slow = run_alone(astra.machine, restricted).time;
    const Picoseconds fast = run_alone(astra.machine, free).time;
    EXPECT_GE(to_seconds(fast).count(),
              model::collective_bound(free, astra.machine).count() - 1e-12)
        << astra.which;
    return slow / fast;
}

TEST(CollectiveKinds, AllColoursAndDirectionsAreAboutFourTimesFaster)
{
    const std::vector<model::AstraCase> cases = model::astra_cases();
    ASSERT_FALSE(cases.empty());
    for (const model::AstraCase& astra : cases) {
        const double gain = gain_of_freedom(astra, astra.collective.bytes);
        const double large = gain_of_freedom(astra, Bytes(64 << 20));
        std::cout << astra.which << ": " << gain << " times faster, 64 MiB " << large << " times\n";
        EXPECT_GE(gain, 3.5) << astra.which;
        EXPECT_GE(large, 3.5) << astra.which;
        if (astra.collective.kind != CollectiveKind::all_to_all) {
            EXPECT_LE(gain, 4) << astra.which;
            EXPECT_LE(large, 4) << astra.which;
        } // one way, one distance after the other, an all-to-all loses more than a factor of four
    }
}

/// The bound over the simulated time of a routed all-to-all on 8x8 chips of v5e, both axes rings.
double routed_efficiency(std::int64_t bytes)
{
    const Machine torus =
        machine_of("tpu_v5e", topologies::SliceRequest{64, "8x8", {{true, true}}});
    Collective routed{CollectiveKind::all_to_all, Bytes(bytes)};
    routed.schedule.algorithm = model::ScheduleAlgorithm::routed;
    const double bound = model::collective_bound(routed, torus).count();
    const double seconds = to_seconds(run_alone(torus, routed).time).count();
    EXPECT_GE(seconds, bound);
    std::cout << "routed all-to-all of " << bytes << " bytes on 8x8: " << 100 * bound / seconds
              << " % of the bound\n";
    testing::Test::RecordProperty("efficiency_" + std::to_string(bytes),
                                  std::to_string(bound / seconds));
    return bound / seconds;
}

TEST(RoutedAllToAll, KeepsItsShareOfTheBisectionBound)
{
    EXPECT_NEAR(routed_efficiency(1 << 20), 0.478, 0.05 * 0.478);
    EXPECT_NEAR(routed_efficiency(4 << 20), 0.401, 0.05 * 0.401);
}

} // namespace
} // namespace alxsim::sim
