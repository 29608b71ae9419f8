// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_group.h"
#include "model/schedules/schedule_choice.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

/// Returns when the last of the devices was ready that are in one group with `device`.
Picoseconds last_ready(const std::vector<int>& group_of, std::size_t device,
                       const std::vector<Picoseconds>& ready)
{
    Picoseconds last(0);
    for (std::size_t other = 0; other < ready.size(); ++other) {
        last = group_of[other] == group_of[device] ? std::max(last, ready[other]) : last;
    }
    return last;
}

/// Everybody late by its own time: up to a microsecond, or as long as the collective takes.
void expect_a_common_start(const Machine& machine, const Collective& collective)
{
    std::mt19937 random(7);
    const std::vector<int> group_of =
        model::groups_of_devices(model::group_of(collective, machine), machine);
    const auto schedule = std::make_shared<const model::CollectiveSchedule>(
        model::make_schedule(collective, machine));
    const Picoseconds alone = model::schedule_time(*schedule);
    for (const Picoseconds latest : {Picoseconds(0), Picoseconds(1'000'000), alone}) {
        std::vector<Picoseconds> ready(static_cast<std::size_t>(machine.devices));
        for (Picoseconds& time : ready) {
            time =
                Picoseconds(1 + static_cast<std::int64_t>(random() / 4294967296.0 *
                                                          static_cast<double>(latest.count() + 1)));
        }
        const std::vector<Picoseconds> done = simulated_finishes(machine, schedule, ready);
        for (std::size_t device = 0; device < done.size(); ++device) {
            const Picoseconds begin = last_ready(group_of, device, ready);
            EXPECT_GE(done[device], begin) << machine.slice.shape() << ' ' << schedule->name;
            EXPECT_EQ(last_ready(group_of, device, done), begin + alone)
                << machine.slice.shape() << ' ' << schedule->name;
        }
    }
}

TEST(CollectiveBarrier, CountFromWhenTheLastOfTheGroupWasReady)
{
    for (const Machine& machine :
         {easy_machine(8, "1x8", {false, false}), easy_machine(8, "1x8", {false, true}),
          easy_machine(16, "4x4", {false, true})}) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            Collective collective{kind, Bytes(64 << 12)};
            expect_a_common_start(machine, collective);
            collective.group = {"y"};
            expect_a_common_start(machine, collective);
        }
    }
}

/// Members in the middle of a line are done before those at its ends.
TEST(CollectiveBarrier, OneAfterTheOtherCollectivesTakeWhatEachTakesAlone)
{
    for (const auto& [devices, shape] :
         std::vector<std::pair<int, std::string>>{{8, "1x8"}, {8, "2x4"}, {32, "4x8"}}) {
        const Machine machine = easy_machine(devices, shape, {false, false});
        const auto schedule = std::make_shared<const model::CollectiveSchedule>(
            model::make_schedule({CollectiveKind::all_gather, Bytes(1 << 20)}, machine));
        const FreshContext context;
        Network network("network", machine);
        Picoseconds last(0);
        for (int device = 0; device < devices; ++device) {
            network.enter(device, schedule, Picoseconds(1), Picoseconds(1), {},
                          [&, device](const CollectiveDone&) {
                              network.enter(device, schedule, now(), now(), {},
                                            [&](const CollectiveDone&) { last = now(); });
                          });
        }
        sc_core::sc_start();
        EXPECT_EQ(last, Picoseconds(1) + model::schedule_time(*schedule) * 2) << shape;
    }
}

} // namespace
} // namespace alxsim::sim
