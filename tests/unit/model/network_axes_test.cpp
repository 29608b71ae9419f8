// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/collectives/collective.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using topologies::Machine;

TEST(NetworkAxes, HaveTheRateThatMessagesSee)
{
    Machine machine = easy_pairs(8, "2x4", {false, true});
    machine.network.ring_efficiency = 0.9;
    machine.network.line_efficiency = 0.5;
    machine.network.packet = Bytes(1024);
    const std::vector<NetworkAxis> axes = network_axes(machine);
    ASSERT_EQ(axes.size(), 3u);
    EXPECT_EQ(axes[0].torus_axis, NetworkAxis::on_chip);
    EXPECT_DOUBLE_EQ(axes[0].bytes_per_second, 1e9);
    EXPECT_DOUBLE_EQ(axes[1].bytes_per_second, 0.5e9);
    EXPECT_DOUBLE_EQ(axes[2].bytes_per_second, 0.9e9);
    EXPECT_EQ(axes[2].packet, Bytes(1024));
}

TEST(NetworkAxes, PayWireAndSoftwareAtEveryStep)
{
    Machine machine = easy_machine(8, "1x8", {false, true});
    machine.network.hop_latency = Seconds(0.25e-6);
    machine.network.message_latency = Seconds(0.5e-6);
    EXPECT_EQ(network_axes(machine).front().latency, nanoseconds(750));
}

TEST(NetworkAxes, AreAsSlowAsTheirSlowestLink)
{
    Machine machine = easy_machine(32, "4x8", {true, true});
    machine.faults.links = {{3, 1, 0.5}, {9, 1, 0.25}};
    const std::vector<NetworkAxis> axes = network_axes(machine);
    EXPECT_DOUBLE_EQ(axes[0].bytes_per_second, 1e9);
    EXPECT_DOUBLE_EQ(axes[1].bytes_per_second, 0.25e9);
    EXPECT_EQ(axes[1].latency, nanoseconds(1000));
}

TEST(NetworkAxes, WithADeadLinkGoTheOtherWayRound)
{
    Machine machine = easy_machine(32, "4x8", {true, true});
    machine.faults.links = {{3, 1, 0}};
    const NetworkAxis axis = network_axes(machine)[1];
    EXPECT_DOUBLE_EQ(axis.bytes_per_second, 0.5e9);
    EXPECT_EQ(axis.latency, nanoseconds(7000));
    machine = easy_machine(8, "1x8", {false, false});
    machine.faults.links = {{3, 1, 0}};
    EXPECT_THROW(network_axes(machine), InputError);
}

TEST(NetworkAxes, LeaveTheBoundAtWhatAWholeMachineCouldDo)
{
    const Machine whole = easy_machine(32, "4x8", {true, true});
    Machine broken = whole;
    broken.faults.links = {{3, 1, 0.5}, {9, 1, 0}};
    broken.network.ring_efficiency = 0.9;
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_to_all,
                                      CollectiveKind::permute, CollectiveKind::broadcast}) {
        const Collective collective{kind, Bytes(1 << 20)};
        EXPECT_EQ(collective_bound(collective, whole).count(),
                  collective_bound(collective, broken).count());
        EXPECT_GE(schedule_time(make_schedule(collective, broken)),
                  schedule_time(make_schedule(collective, whole)));
    }
}

} // namespace
} // namespace alxsim::model
