// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/member_times.h"

#include "model/collectives/collective_group.h"
#include "model/schedules/spread_schedules.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <random>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

/// The same by the closed form; devices one by one, in the order in which they are ready.
std::vector<Picoseconds> planned_finishes(const Machine& machine, const Schedule& schedule,
                                          const std::vector<Picoseconds>& ready)
{
    const model::DeviceGrid grid(machine);
    const model::Places places(grid.axes(), std::vector<bool>(grid.axes().size(), false));
    const model::MemberPlan plan(*schedule, places, model::schedule_time(*schedule));
    EXPECT_TRUE(plan.rooted());
    model::MemberTimes times(plan);
    std::vector<model::MemberDone> done;
    std::vector<int> device_at(ready.size());
    for (int device = 0; device < machine.devices; ++device) {
        int place = 0;
        while (!std::all_of(grid.axes().begin(), grid.axes().end(), [&](const auto& axis) {
            const int number = static_cast<int>(&axis - grid.axes().data());
            return places.position(number, place) == grid.position(number, device);
        })) {
            ++place;
        }
        device_at[static_cast<std::size_t>(place)] = device;
    }
    for (int place = 0; place < places.count(); ++place) {
        const auto device = static_cast<std::size_t>(device_at[static_cast<std::size_t>(place)]);
        times.enter(place, ready[device], done);
    }
    std::vector<Picoseconds> finishes(ready.size());
    for (const model::MemberDone& one : done) {
        finishes[static_cast<std::size_t>(device_at[static_cast<std::size_t>(one.member)])] =
            one.time;
    }
    EXPECT_EQ(done.size(), ready.size());
    return finishes;
}

/// Everybody late by its own time: up to a microsecond, or as long as the collective takes.
void expect_equal_finishes(const Machine& machine, const Collective& collective)
{
    std::mt19937 random(7);
    for (const model::CollectiveSchedule& candidate :
         model::spreading_schedules(collective, model::group_of(collective, machine))) {
        const auto schedule = std::make_shared<const model::CollectiveSchedule>(candidate);
        const Picoseconds alone = model::schedule_time(candidate);
        for (const Picoseconds latest : {Picoseconds(0), Picoseconds(1'000'000), alone}) {
            std::vector<Picoseconds> ready(static_cast<std::size_t>(machine.devices));
            for (Picoseconds& time : ready) {
                time = Picoseconds(
                    1 + static_cast<std::int64_t>(random() / 4294967296.0 *
                                                  static_cast<double>(latest.count() + 1)));
            }
            EXPECT_EQ(planned_finishes(machine, schedule, ready),
                      simulated_finishes(machine, schedule, ready))
                << machine.slice.shape() << ", root " << collective.root << ", " << candidate.name;
        }
    }
}

TEST(MemberTimes, AreTheSimulatedOnesOfBroadcastsAndReducesWhoeverIsLate)
{
    for (const Machine& machine :
         {easy_machine(5, "1x5", {false, false}), easy_machine(6, "1x6", {false, true}),
          easy_machine(12, "3x4", {false, true})}) {
        for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::reduce}) {
            for (int root = 0; root < machine.devices; root += 2) {
                Collective collective{kind, Bytes(64 << 12), {1, 0}};
                collective.root = root;
                expect_equal_finishes(machine, collective);
            }
        }
    }
}

} // namespace
} // namespace alxsim::sim
