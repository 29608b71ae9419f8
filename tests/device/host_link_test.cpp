// SPDX-License-Identifier: Apache-2.0
#include "model/costs/host_link.h"
#include "model/job_estimate.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <array>

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

model::Op infeed_through_link(std::int64_t bytes)
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
    EXPECT_EQ(finish_of(easy_host(2), {infeed_through_link(90'000), compute(300'000, {0})}, 10),
              nanoseconds(100'000 + 10 * 300'000));
}

TEST(HostLink, FeedsStepsShorterThanTheirInfeedAtThePaceOfPcie)
{
    EXPECT_EQ(finish_of(easy_host(2), {infeed_through_link(400'000), compute(150'000, {0})}, 10),
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
    EXPECT_EQ(link.delivered(nanoseconds(1000), {{}, {}, transfer}), nanoseconds(1000));
    EXPECT_EQ(link.delivered(nanoseconds(1000), {{}, {}, transfer}), nanoseconds(1000));
    // The third could be sent only when the first had been taken.
    EXPECT_EQ(link.delivered(nanoseconds(1000), {{}, {}, transfer}), nanoseconds(1010));
}

/// A batch of so many nanoseconds of reading, parsing and PCIe, by a host of one device.
model::Op fed_by(std::int64_t read, std::int64_t parse, std::int64_t transfer)
{
    return op_of(model::infeed_of(Bytes(transfer), Bytes(read), parse), {}, "infeed");
}

Machine reading_host(int depth)
{
    Machine machine = easy_host(depth);
    machine.host.input = {1e9, 1e9, false};
    return machine;
}

TEST(HostLink, ReadsParsesAndSendsSideBySide)
{
    // The first batch passes all three stages; then the slowest sets the pace.
    for (const int depth : {1, 2, 4}) {
        EXPECT_EQ(finish_of(reading_host(depth),
                            {fed_by(300'000, 200'000, 100'000), compute(150'000, {0})}, 10),
                  nanoseconds(600'000 + 9 * 300'000 + 150'000))
            << depth;
        EXPECT_EQ(finish_of(reading_host(depth),
                            {fed_by(100'000, 350'000, 200'000), compute(150'000, {0})}, 10),
                  nanoseconds(650'000 + 9 * 350'000 + 150'000))
            << depth;
    }
}

TEST(HostLink, HidesReadingAndParsingBehindLongerSteps)
{
    EXPECT_EQ(
        finish_of(reading_host(2), {fed_by(250'000, 200'000, 100'000), compute(400'000, {0})}, 10),
        nanoseconds(550'000 + 10 * 400'000)); // but for the first batch
}

TEST(HostLink, ReadsAtMostItsPrefetchDepthAheadInEachStage)
{
    model::HostLink link(easy_host(1));
    const model::InputTimes batch{nanoseconds(10), nanoseconds(10), nanoseconds(10)};
    // One batch was sent, one parsed and one read when the device asks late.
    EXPECT_EQ(link.delivered(nanoseconds(1000), batch), nanoseconds(1000));
    EXPECT_EQ(link.delivered(nanoseconds(1000), batch), nanoseconds(1010));
    EXPECT_EQ(link.delivered(nanoseconds(1000), batch), nanoseconds(1020));
    EXPECT_EQ(link.delivered(nanoseconds(1000), batch), nanoseconds(1030));
}

TEST(HostLink, IsEstimatedToThePicosecond)
{
    const std::array<std::int64_t, 4> times[] = {{300, 200, 100, 150},
                                                 {100, 350, 200, 900},
                                                 {10, 10, 800, 150},
                                                 {500, 500, 500, 500},
                                                 {0, 700, 10, 600}};
    for (const int depth : {1, 2, 3}) {
        for (const auto& [read, parse, transfer, work] : times) {
            const auto graph = graph_of(
                {fed_by(1000 * read, 1000 * parse, 1000 * transfer), compute(1000 * work, {0})});
            const Machine machine = reading_host(depth);
            EXPECT_EQ(model::estimate({{{graph, {}, 1}, 40}}, machine).total,
                      simulate(machine, steps_of(graph, 40)).epochs.at(0).finish)
                << depth << ": " << read << " " << parse << " " << transfer << " " << work;
        }
    }
}

TEST(HostLink, IsEstimatedToThePicosecondWhileItsLeadMelts)
{
    // The host is six batches ahead after a long step, and then slower than the device.
    const auto longer = graph_of({compute(20'000'000)});
    for (const std::int64_t work : {150, 250, 290, 299}) {
        const auto shorter = graph_of({fed_by(300'000, 0, 1'000), compute(1000 * work, {0})});
        const Machine machine = reading_host(2);
        std::vector<model::Step> steps = steps_of(shorter, 1);
        steps.push_back({longer, {}, 1});
        for (const model::Step& step : steps_of(shorter, 1000)) {
            steps.push_back(step);
        }
        EXPECT_EQ(
            model::estimate({{{shorter, {}, 1}, 1}, {{longer, {}, 1}, 1}, {{shorter, {}, 1}, 1000}},
                            machine)
                .total,
            simulate(machine, steps).epochs.at(0).finish)
            << work;
    }
}

/// Seconds of ten steps on so many cores of v5e, 8 of which are a host's, with 16 MB of records
/// for all devices a step and a gigabyte a second.
double fed_seconds(int cores, bool every_host_reads_all)
{
    Machine machine = machine_of("tpu_v5e", cores);
    machine.host.input = {1e9, 0, every_host_reads_all};
    const auto graph =
        graph_of({op_of(model::infeed_of(Bytes(8), Bytes(16'000'000 / cores)), {}, "infeed")});
    return to_seconds(simulate(machine, steps_of(graph, 10)).epochs.at(0).finish).count();
}

TEST(HostLink, DoesNotReadFasterWithMoreHostsWhereEachReadsAll)
{
    for (const int cores : {8, 16, 64}) {
        EXPECT_NEAR(fed_seconds(cores, true), 0.160, 0.001) << cores;
        EXPECT_NEAR(fed_seconds(cores, false), 0.160 * 8 / cores, 0.001) << cores;
    }
}

TEST(HostLink, FeedsTheDevicesThatThereAreWhereTheyAreFewerThanAHostHas)
{
    EXPECT_NEAR(fed_seconds(1, false), 0.160, 0.001);
    EXPECT_NEAR(fed_seconds(4, false), 0.160, 0.001);
}

TEST(HostLink, GivesTheTwoDevicesOfAChipHalfOfItsPcieEach)
{
    const Machine chip = machine_of("tpu_v3", 2);
    const SimulationResult result =
        simulate(chip, steps_of(graph_of({infeed_through_link(80'000'000)})));
    EXPECT_EQ(result.epochs.at(0).finish, nanoseconds(10'000'000)); // from the job's beginning
}

} // namespace
} // namespace alxsim::sim
