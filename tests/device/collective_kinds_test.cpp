// SPDX-License-Identifier: Apache-2.0
#include "sim/network.h"

#include "sim/kernel_time.h"
#include "tests/device/running.h"
#include "tests/unit/model/astra_cases.h"

#include <gtest/gtest.h>
#include <memory>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

/// A fresh SystemC context while it lives; the one before is put back after.
class OwnContext {
public:
    OwnContext() { sc_core::sc_curr_simcontext = fresh_.get(); }
    ~OwnContext() { sc_core::sc_curr_simcontext = previous_; }
    OwnContext(const OwnContext&) = delete;
    OwnContext& operator=(const OwnContext&) = delete;

private:
    sc_core::sc_simcontext* previous_ = sc_core::sc_curr_simcontext;
    std::unique_ptr<sc_core::sc_simcontext> fresh_ = std::make_unique<sc_core::sc_simcontext>();
};

/// What the network alone does when all devices enter at once.
struct Outcome {
    Picoseconds time{0};
    Bytes link_bytes{0};
    int done = 0;
};

Outcome run_alone(const Machine& machine, const model::CollectiveSchedule& made)
{
    const auto schedule = std::make_shared<const model::CollectiveSchedule>(made);
    const OwnContext context;
    Network network("network", machine);
    const Picoseconds start(1'000'000);
    Outcome outcome;
    for (int device = 0; device < machine.devices; ++device) {
        network.enter(device, schedule, start, start, {}, [&](const CollectiveDone&) {
            outcome.time = now() - start;
            ++outcome.done;
        });
    }
    sc_core::sc_start();
    outcome.link_bytes = network.use().link_bytes;
    return outcome;
}

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
            EXPECT_EQ(outcome.done, machine.devices) << which;
            EXPECT_NEAR(outcome.time / model::schedule_time(schedule), 1, 0.01) << which;
            EXPECT_GE(to_seconds(outcome.time).count(),
                      model::collective_bound(collective, machine).count() - 1e-12)
                << which;
            EXPECT_EQ(outcome.link_bytes, model::link_bytes(schedule, machine.devices)) << which;
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
    if (cases.empty()) {
        GTEST_SKIP() << "no oracle file";
    }
    for (const model::AstraCase& astra : cases) {
        const Outcome outcome =
            run_alone(astra.machine, model::make_schedule(astra.collective, astra.machine));
        EXPECT_NEAR(outcome.time / astra.time, 1, 0.001) << astra.which;
    }
}

} // namespace
} // namespace alxsim::sim
