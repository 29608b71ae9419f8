// SPDX-License-Identifier: Apache-2.0
#include "model/costs/host_link.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

using topologies::Machine;

/// Dispatch 100 us, no overhead on the device, PCIe of a byte per nanosecond.
Machine easy_host(int depth)
{
    return machine_of("tpu_v5e", 1,
                      {{"step_dispatch_s", 100e-6},
                       {"program_overhead_s", 0},
                       {"op_overhead_s", 0},
                       {"clock_hz", 1e9},
                       {"pcie_bw_chip_oneway", 1e9},
                       {"host_prefetch_depth", depth}});
}

/// Compute of so many nanoseconds.
model::Op compute(std::int64_t time, std::vector<int> after = {})
{
    return op_of(model::Vector{1024, 4.0 * static_cast<double>(time), model::DType::f32},
                 std::move(after));
}

model::Op infeed(std::int64_t bytes)
{
    return op_of(model::infeed_of(Bytes(bytes)), {}, "infeed");
}

Picoseconds finish_of(const Machine& machine, std::vector<model::Op> ops, int steps)
{
    return simulate(machine, steps_of(graph_of(std::move(ops)), steps)).epochs.at(0).finish;
}

TEST(HostLink, StartsStepsShorterThanTheDispatchOneDispatchApart)
{
    for (const int depth : {1, 2, 4}) {
        EXPECT_EQ(finish_of(easy_host(depth), {compute(30'000)}, 10),
                  nanoseconds(10 * 100'000 + 30'000))
            << depth;
    }
}

TEST(HostLink, HidesTheDispatchBehindLongerSteps)
{
    for (const int depth : {1, 2, 4}) {
        EXPECT_EQ(finish_of(easy_host(depth), {compute(300'000)}, 10),
                  nanoseconds(100'000 + 10 * 300'000))
            << depth;
    }
}

TEST(HostLink, HidesTheInfeedBehindLongerSteps)
{
    EXPECT_EQ(finish_of(easy_host(2), {infeed(90'000), compute(300'000, {0})}, 10),
              nanoseconds(100'000 + 10 * 300'000));
}

TEST(HostLink, FeedsStepsShorterThanTheirInfeedAtThePaceOfPcie)
{
    EXPECT_EQ(finish_of(easy_host(2), {infeed(400'000), compute(150'000, {0})}, 10),
              nanoseconds(10 * 400'000 + 150'000));
}

TEST(HostLink, RunsAheadAtMostAsFarAsItsPrefetchDepth)
{
    // Two short steps after a long one: a host of depth 3 has dispatched both meanwhile, one of
    // depth 1 only the next, and one of depth 1 dispatches the last when the second starts.
    const auto finish = [](int depth) {
        const Machine machine = easy_host(depth);
        const auto lengthy = graph_of({compute(1'000'000)});
        const auto brief = graph_of({compute(10'000)});
        return simulate(machine, {{lengthy, {}, 1}, {brief, {}, 1}, {brief, {}, 1}})
            .epochs.at(0)
            .finish;
    };
    EXPECT_EQ(finish(3), nanoseconds(100'000 + 1'000'000 + 10'000 + 10'000));
    EXPECT_EQ(finish(1), nanoseconds(100'000 + 1'000'000 + 100'000 + 10'000));
}

TEST(HostLink, TransfersAtMostItsPrefetchDepthAhead)
{
    model::HostLink link(easy_host(2));
    const Picoseconds transfer = nanoseconds(10);
    EXPECT_EQ(link.delivered(nanoseconds(1000), transfer), nanoseconds(1000));
    EXPECT_EQ(link.delivered(nanoseconds(1000), transfer), nanoseconds(1000));
    // The third could be sent only when the first had been taken.
    EXPECT_EQ(link.delivered(nanoseconds(1000), transfer), nanoseconds(1010));
}

TEST(HostLink, GivesTheTwoDevicesOfAChipHalfOfItsPcieEach)
{
    const Machine chip = machine_of("tpu_v3", 2);
    const SimulationResult result = simulate(chip, steps_of(graph_of({infeed(80'000'000)})));
    EXPECT_EQ(result.epochs.at(0).finish, nanoseconds(10'000'000)); // from the job's beginning
}

} // namespace
} // namespace alxsim::sim
