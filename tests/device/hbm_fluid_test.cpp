// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/hbm_fluid.h"

#include "tests/device/hbm_kernel.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

using topologies::Machine;

const model::Copy streamed = model::stream_of(Bytes(50'000'000), Bytes(40'000'000));

model::HbmCost cost_of(Bytes read, Bytes written, const Machine& machine)
{
    model::HbmAccess access;
    access.read = read;
    access.written = written;
    return model::hbm_cost(access, machine);
}

/// Returns the cost of `streamed`.
model::HbmCost stream_cost(const Machine& machine)
{
    return cost_of(Bytes(50'000'000), Bytes(40'000'000), machine);
}

/// A stream on one of a chip's two devices only, or on both.
Picoseconds streaming(const Machine& machine, std::vector<std::int64_t> times)
{
    const auto graph = graph_of({repeat_of(1, {op_of(streamed)}, "times")});
    return on_device(machine, simulate(machine, {{graph, {{"times", std::move(times)}}, 1}}));
}

/// When transfers that begin at time 0 are over; each is {busy, alone} nanoseconds.
std::vector<Picoseconds> over(const std::vector<std::pair<int, int>>& transfers)
{
    const HbmKernel kernel;
    Alarms alarms("alarms");
    HbmFluid fluid("hbm", alarms);
    std::vector<HbmKernel::Transfer> all;
    for (const auto& [busy, alone] : transfers) {
        all.push_back({{}, {Bytes(64), nanoseconds(busy), nanoseconds(alone), ""}});
    }
    return HbmKernel::run(fluid, all);
}

TEST(HbmFluid, GivesALoneDeviceWhatItCanUse)
{
    const Machine chip = machine_of("tpu_v3", 2);
    const double time = to_seconds(streaming(chip, {1, 0})).count();
    const double alone = to_seconds(stream_cost(chip).alone).count();
    EXPECT_GE(time, alone);
    EXPECT_NEAR(time, alone, 4e-6); // launch, loop, DMA latency
}

TEST(HbmFluid, GivesTwoDevicesOfAChipAsMuchAsTheMemoryHas)
{
    const Machine chip = machine_of("tpu_v3", 2);
    const model::HbmCost cost = stream_cost(chip);
    const Picoseconds alone = streaming(chip, {1, 0});
    const Picoseconds both = streaming(chip, {1, 1});
    EXPECT_LE((both - alone - (cost.busy * 2 - cost.alone)).count(), 2);
    EXPECT_GE((both - alone - (cost.busy * 2 - cost.alone)).count(), -2);
}

TEST(HbmFluid, IsEachChipsOwn)
{
    const Machine two_chips = machine_of("tpu_v3", 4);
    EXPECT_EQ(streaming(two_chips, {1, 0, 1, 0}), streaming(two_chips, {1, 0, 0, 0}));
}

TEST(HbmFluid, SharesAlikeAndGivesBackTheShareOfATransferThatIsOver)
{
    // Both at half speed until the small one is over; then the other alone.
    const std::vector<Picoseconds> times = over({{300, 300}, {100, 100}});
    EXPECT_EQ(times[1], nanoseconds(200));
    EXPECT_EQ(times[0], nanoseconds(400));
}

TEST(HbmFluid, GivesOthersTheShareThatATransferCannotUse)
{
    // One uses a tenth at most: the other two get 0.45 each, and are no slower for it than fair.
    const std::vector<Picoseconds> times = over({{100, 1000}, {450, 450}, {450, 450}});
    EXPECT_EQ(times[0], nanoseconds(1000));
    EXPECT_EQ(times[1], nanoseconds(1000));
    EXPECT_EQ(times[2], nanoseconds(1000));
}

TEST(HbmFluid, NeverLetsATransferGoFasterThanAlone)
{
    const std::vector<Picoseconds> times = over({{100, 500}, {100, 250}});
    EXPECT_EQ(times[0], nanoseconds(500));
    EXPECT_EQ(times[1], nanoseconds(250));
}

TEST(HbmFluid, CountsTheBytesOfAllChips)
{
    const SimulationResult result =
        simulate(machine_of("tpu_v3", 8), steps_of(graph_of({op_of(streamed)}), 3));
    EXPECT_EQ(result.statistics.value("hbm_bytes"), 3 * 8 * 90'000'000LL);
}

} // namespace
} // namespace alxsim::sim
