// SPDX-License-Identifier: Apache-2.0
#include "sim/hbm_fluid.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

using topologies::Machine;

const model::HbmStream stream{Bytes(50'000'000), Bytes(40'000'000)};

/// A stream on one of a chip's two devices only, or on both.
Picoseconds streaming(const Machine& machine, std::vector<std::int64_t> times)
{
    const auto graph = graph_of({repeat_of(1, {op_of(stream)}, "times")});
    return on_device(machine, simulate(machine, {{graph, {{"times", std::move(times)}}, 1}}));
}

TEST(HbmFluid, GivesALoneDeviceTheWholeChip)
{
    // 90 MB at 900 GB/s
    const Picoseconds time = streaming(machine_of("tpu_v3", 2), {1, 0});
    const double seconds = to_seconds(time).count();
    EXPECT_GE(seconds, 100e-6);
    EXPECT_NEAR(seconds, 100e-6, 4e-6); // launch, loop, DMA latency
}

TEST(HbmFluid, SharedByTheTwoDevicesOfAChipHalvesEachOnesRate)
{
    const Machine chip = machine_of("tpu_v3", 2);
    const Picoseconds alone = streaming(chip, {1, 0});
    const Picoseconds both = streaming(chip, {1, 1});
    EXPECT_EQ(both - alone, nanoseconds(100'000));
}

TEST(HbmFluid, IsEachChipsOwn)
{
    const Machine two_chips = machine_of("tpu_v3", 4);
    EXPECT_EQ(streaming(two_chips, {1, 0, 1, 0}), streaming(two_chips, {1, 0, 0, 0}));
}

TEST(HbmFluid, GivesBackTheRateOfATransferThatIsOver)
{
    // Two streams of the same device, one a third of the other: they share until the small one is
    // done, and all bytes are through after the sum at the full rate.
    const Machine chip = machine_of("tpu_v3", 1);
    model::Op fused = op_of(model::Vector{8, 1, model::DType::f32});
    fused.reads = {{"outside", Bytes(30'000'000)}};
    const double seconds = to_seconds(simulated(chip, graph_of({op_of(stream), fused}))).count();
    EXPECT_GE(seconds, 120e6 / 900e9);
    EXPECT_NEAR(seconds, 120e6 / 900e9, 2e-6);
}

TEST(HbmFluid, CountsTheBytesOfAllChips)
{
    const SimulationResult result =
        simulate(machine_of("tpu_v3", 8), steps_of(graph_of({op_of(stream)}), 3));
    EXPECT_EQ(result.hbm_bytes, Bytes(3 * 8 * 90'000'000LL));
}

} // namespace
} // namespace alxsim::sim
