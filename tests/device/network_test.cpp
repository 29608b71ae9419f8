// SPDX-License-Identifier: Apache-2.0
#include "sim/network.h"

#include "model/collectives/collective.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

constexpr CollectiveKind ring_kinds[] = {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                         CollectiveKind::all_reduce};
constexpr std::int64_t payloads[] = {1 << 10, 1 << 16, 8 << 20};

/// Simulated time of a collective without its launch.
Picoseconds network_time(const Machine& machine, const SimulationResult& result)
{
    return on_device(machine, result) - to_picoseconds(machine.device.collective_launch);
}

/// Every kind and size on `machine`: within 1 % of the exact schedule, never under the bound, and
/// with the traffic that the schedule says.
void expect_exact_schedule(const Machine& machine)
{
    for (const CollectiveKind kind : ring_kinds) {
        for (const std::int64_t bytes : payloads) {
            const Collective collective{kind, Bytes(bytes)};
            const model::CollectiveSchedule schedule = model::make_schedule(collective, machine);
            const SimulationResult result =
                simulate(machine, steps_of(graph_of({op_of(collective)})));
            const Picoseconds time = network_time(machine, result);
            const std::string which = machine.preset.name() + " " + machine.slice.shape() + ", " +
                                      std::to_string(bytes) + " bytes, kind " +
                                      std::to_string(static_cast<int>(kind));
            EXPECT_NEAR(time / model::schedule_time(schedule), 1, 0.01) << which;
            EXPECT_GE(to_seconds(time).count(),
                      model::collective_bound(collective, machine).count() - 1e-12)
                << which;
            EXPECT_EQ(result.network.link_bytes, model::link_bytes(schedule, machine.devices))
                << which;
        }
    }
}

Machine slice_of(const std::string& chip, int cores, const std::string& shape,
                 const std::vector<bool>& wrap)
{
    return machine_of(chip, topologies::SliceRequest{cores, shape, wrap});
}

struct PlaneShape {
    int chips;
    std::string text;
};

const std::vector<PlaneShape> planes{
    {16, "4x4"}, {32, "4x8"}, {64, "8x8"}, {128, "8x16"}, {256, "16x16"}};

TEST(Network, OnALineKeepsTheExactSchedule)
{
    for (const int chips : {2, 3, 4, 8}) {
        const std::string shape = "1x" + std::to_string(chips);
        expect_exact_schedule(slice_of("tpu_v5e", chips, shape, {false, false}));
        expect_exact_schedule(slice_of("tpu_v3", 2 * chips, shape, {false, false}));
    }
}

TEST(Network, OnARingKeepsTheExactSchedule)
{
    for (const int chips : {4, 5, 8}) {
        const std::string shape = "1x" + std::to_string(chips);
        expect_exact_schedule(slice_of("tpu_v5e", chips, shape, {false, true}));
        expect_exact_schedule(slice_of("tpu_v3", 2 * chips, shape, {false, true}));
    }
}

TEST(Network, OnAMeshKeepsTheExactSchedule)
{
    for (const PlaneShape& shape : planes) {
        expect_exact_schedule(slice_of("tpu_v5e", shape.chips, shape.text, {false, false}));
        expect_exact_schedule(slice_of("tpu_v3", 2 * shape.chips, shape.text, {false, false}));
    }
}

TEST(Network, OnATorusKeepsTheExactSchedule)
{
    for (const PlaneShape& shape : planes) {
        expect_exact_schedule(slice_of("tpu_v5e", shape.chips, shape.text, {true, true}));
        expect_exact_schedule(slice_of("tpu_v3", 2 * shape.chips, shape.text, {true, true}));
        expect_exact_schedule(slice_of("tpu_v3", 2 * shape.chips, shape.text, {false, true}));
    }
}

TEST(Network, OfThreeAxesKeepsTheExactSchedule)
{
    expect_exact_schedule(machine_of("tpu_v4", 128)); // 4x4x4, a device a chip
    expect_exact_schedule(machine_of("tpu_v4", 64));  // 2x4x4, a mesh
    expect_exact_schedule(machine_of("tpu_7x", 128)); // 4x4x4, two devices a chip
}

TEST(Network, OnAnEvenRingTakesTheTextbooksTime)
{
    // Half the ring in hops, (k - 1) / 2 shards of 700 bytes at a byte per nanosecond.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const SimulationResult result = simulate(
        ring, steps_of(graph_of({op_of(Collective{CollectiveKind::all_gather, Bytes(8 * 700)})})));
    EXPECT_EQ(network_time(ring, result), nanoseconds(7 * 350 + 4 * 1000));
}

TEST(Network, KeepsEveryLinkOfALargeTorusBusy)
{
    const Machine torus = machine_of("tpu_v5e", 256);
    const SimulationResult result = simulate(
        torus, steps_of(graph_of({op_of(Collective{CollectiveKind::all_reduce, Bytes(1 << 30)})})));
    EXPECT_EQ(result.network.links, 4 * 256);
    const double busy = to_seconds(result.network.link_busy).count() / (4 * 256);
    EXPECT_NEAR(busy / to_seconds(network_time(torus, result)).count(), 1, 0.02);
}

TEST(Network, CountsTheLinksOfAMeshOnce)
{
    const SimulationResult result =
        simulate(machine_of("tpu_v3", 8),
                 steps_of(graph_of({op_of(Collective{CollectiveKind::all_gather, Bytes(8000)})})));
    EXPECT_EQ(result.network.links, 8); // four pairs of chips, both ways
    EXPECT_GT(result.network.on_chip_bytes, Bytes(0));
}

TEST(Network, ALateMemberDelaysEverybodyByItsLateness)
{
    // On a line of two, one device computes 3 iterations and the other 5 before they exchange.
    const Machine line = easy_machine(2, "1x2", {false, false});
    const auto graph = [](const std::string& counter) {
        return graph_of(
            {repeat_of(3, {op_of(model::Vector{1 << 22, 4, model::DType::f32})}, counter),
             op_of(Collective{CollectiveKind::all_gather, Bytes(2 * 700)}, {0})});
    };
    model::Step late{graph("times"), {{"times", {3, 5}}}, 1};
    const Picoseconds together = simulated(line, graph(""));
    const Picoseconds one_late = on_device(line, simulate(line, {late}));
    const Picoseconds iteration =
        simulated(line, repeat_of(1, {op_of(model::Vector{1 << 22, 4, model::DType::f32})}));
    EXPECT_EQ(one_late - together, iteration * 2);
    EXPECT_EQ(one_late,
              iteration * 5 + to_picoseconds(line.device.collective_launch) + nanoseconds(1700));
}

TEST(Network, NobodySendsBeforeTheLastOfItsGroupIsReady)
{
    // On a line of three the middle one is late: the ends do not send ahead of it, since a TPU
    // program begins a collective with a barrier.
    const Machine line = easy_machine(3, "1x3", {false, false});
    const auto graph =
        graph_of({repeat_of(0, {op_of(model::Vector{1 << 22, 4, model::DType::f32})}, "times"),
                  op_of(Collective{CollectiveKind::all_gather, Bytes(3 * 700)}, {0})});
    const Picoseconds lateness =
        simulated(line, repeat_of(1, {op_of(model::Vector{1 << 22, 4, model::DType::f32})}));
    ASSERT_GT(lateness, nanoseconds(1700));
    const Picoseconds time = on_device(line, simulate(line, {{graph, {{"times", {0, 1, 0}}}, 1}}));
    EXPECT_EQ(time, lateness + to_picoseconds(line.device.collective_launch) +
                        nanoseconds(2 * (700 + 1000)));
}

TEST(Network, RunsUnorderedCollectivesInProgramOrder)
{
    // Device 0 is ready for the second one first, device 1 for the first: neither may start it.
    const Machine line = easy_machine(2, "1x2", {false, false});
    const auto work = op_of(model::Vector{1 << 22, 4, model::DType::f32});
    const auto graph =
        graph_of({repeat_of(1, {work}, "before_first"), repeat_of(1, {work}, "before_second"),
                  op_of(Collective{CollectiveKind::all_gather, Bytes(1400)}, {0}, "first"),
                  op_of(Collective{CollectiveKind::all_reduce, Bytes(2800)}, {1}, "second")});
    const SimulationResult result =
        simulate(line, {{graph, {{"before_first", {4, 1}}, {"before_second", {1, 4}}}, 1}});
    EXPECT_EQ(result.epochs.size(), 1u);
    EXPECT_EQ(result.network.link_bytes, Bytes(2 * 700 + 2 * 2 * 1400));
}

TEST(Network, OfOneDeviceOnlyLaunches)
{
    const Machine one = machine_of("tpu_v3", 1);
    EXPECT_EQ(simulated(one, op_of(Collective{CollectiveKind::all_reduce, Bytes(1 << 20)})),
              to_picoseconds(one.device.collective_launch));
}

} // namespace
} // namespace alxsim::sim
