// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/bounds.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

/// Copies between HBM, VMEM and host memory: closed form beside SystemC.
namespace alxsim::sim {
namespace {

using model::Copy;
using topologies::Machine;
using topologies::Tier;

/// Launch 1 us, DMA latency 2 us, PCIe of a byte per nanosecond for each of two chips of a host,
/// whose memory has `dram` bytes per nanosecond.
Machine easy_host(double dram = 100)
{
    return machine_of("tpu_v5e", 4,
                      {{"op_overhead_s", 1e-6},
                       {"dma_latency_s", 2e-6},
                       {"pcie_bw_chip_oneway", 1e9},
                       {"chips_per_host", 2},
                       {"host_dram_bw_host", dram * 1e9}});
}

model::Op copy_of(Tier from, Tier to, std::int64_t bytes, std::vector<int> after = {})
{
    model::Op op = op_of(Copy{from, to, Bytes(bytes)}, std::move(after));
    if (from == Tier::host) {
        op.reads = {{"offloaded", Bytes(bytes)}};
    }
    return op;
}

/// Times a graph that has a buffer in host memory; what SystemC and the closed form agree on.
Picoseconds time_of(const Machine& machine, std::vector<model::Op> ops)
{
    auto graph = std::make_shared<model::OpGraph>();
    graph->ops = std::move(ops);
    graph->buffers = {{"offloaded", Bytes(1'000'000), model::Residency::host}};
    const Picoseconds time = simulated(machine, graph);
    EXPECT_EQ(estimated(machine, graph), time);
    return time;
}

TEST(MemoryTiers, CopiesToAndFromTheHostTakeLaunchLatencyAndBytesOverPcie)
{
    for (const auto& [from, to] : {std::pair(Tier::host, Tier::hbm), {Tier::hbm, Tier::host}}) {
        EXPECT_EQ(time_of(easy_host(), {copy_of(from, to, 500'000)}),
                  nanoseconds(1000 + 2000 + 500'000));
    }
}

TEST(MemoryTiers, BothWaysGoAtOnceAndOneWayInTurn)
{
    const model::Op in = copy_of(Tier::host, Tier::hbm, 500'000);
    const model::Op out = copy_of(Tier::hbm, Tier::host, 400'000);
    EXPECT_EQ(time_of(easy_host(), {in, out}), nanoseconds(3000 + 500'000));
    EXPECT_EQ(time_of(easy_host(), {out, out}), nanoseconds(2 * (3000 + 400'000)));
}

TEST(MemoryTiers, TheHostsMemoryLimitsTheCopiesOfItsChips)
{
    // Half a byte per nanosecond for two chips.
    EXPECT_EQ(time_of(easy_host(0.5), {copy_of(Tier::hbm, Tier::host, 500'000)}),
              nanoseconds(3000 + 2'000'000));
}

TEST(MemoryTiers, CopiesOverlapWithComputeThatDoesNotWaitForThem)
{
    const Machine machine = easy_host();
    const model::Op compute = op_of(model::Vector{1 << 20, 1000, model::DType::f32});
    const Picoseconds alone = time_of(machine, {compute});
    const Picoseconds moved = time_of(machine, {copy_of(Tier::host, Tier::hbm, 500'000)});
    EXPECT_EQ(time_of(machine, {copy_of(Tier::host, Tier::hbm, 500'000), compute}),
              std::max(alone, moved));
    model::Op after = compute;
    after.after = {0};
    EXPECT_EQ(time_of(machine, {copy_of(Tier::host, Tier::hbm, 500'000), after}), alone + moved);
}

TEST(MemoryTiers, CopiesOfTheHostCountAsItsTime)
{
    auto graph = graph_of({op_of(Copy{Tier::hbm, Tier::host, Bytes(500'000)})});
    const Machine machine = easy_host();
    const SimulationResult result = simulate(machine, steps_of(graph));
    const model::Breakdown estimated = model::AnalyticModel(machine).step({graph, {}, 1}).on_device;
    EXPECT_EQ(estimated.share(model::Share::host), nanoseconds(1000 + 2000 + 500'000));
    EXPECT_EQ(result.epochs.at(0).breakdown.share(model::Share::host) - dispatch_of(machine) -
                  program_overhead_of(machine),
              nanoseconds(1000 + 2000 + 500'000));
}

TEST(MemoryTiers, AnOffloadedStepTakesItsSlowestPartPerLayer)
{
    // Weights come in while the layer before computes, gradients go out while the next one does:
    // the first transfer and the last stick out.
    const Machine machine = easy_host();
    const std::int64_t bytes = 300'000;
    const int layers = 8;
    const model::Op compute = op_of(model::Vector{1 << 20, 3000, model::DType::f32});
    const Picoseconds computing = time_of(machine, {compute});
    const Picoseconds moving = time_of(machine, {copy_of(Tier::host, Tier::hbm, bytes)});
    ASSERT_LT(moving, computing);
    std::vector<model::Op> ops;
    for (int layer = 0; layer < layers; ++layer) {
        const int first = 3 * layer;
        ops.push_back(copy_of(Tier::host, Tier::hbm, bytes));
        ops.push_back(compute);
        ops.back().after = {first};
        ops.push_back(copy_of(Tier::hbm, Tier::host, bytes, {first + 1}));
    }
    EXPECT_EQ(time_of(machine, ops), moving + computing * layers + moving);
}

TEST(MemoryTiers, InfeedAndHbmStreamAreCopiesUnderOtherNames)
{
    const auto work = [](const std::string& text) {
        Json json = model::to_json(model::op_from_json(Json::parse(text), "op"));
        json.erase("name");
        json.erase("phase");
        return json;
    };
    EXPECT_EQ(work(R"({"work": "infeed", "bytes": 7})"),
              work(R"({"work": "copy", "from": "host", "to": "hbm", "bytes": 7})"));
    const std::string part =
        R"({"work": "copy", "from": "storage", "to": "host", "bytes": 7, "in_a_stream": true})";
    EXPECT_TRUE(work(part).at("in_a_stream").get<bool>());
    EXPECT_EQ(
        work(R"({"work": "hbm_stream", "bytes_read": 7, "bytes_written": 9})"),
        work(R"({"work": "copy", "from": "hbm", "to": "vmem", "bytes": 7, "bytes_back": 9})"));
    const Machine machine = machine_of("tpu_v3", 8);
    const std::int64_t bytes = 12'345'678;
    const auto time = [&](const Copy& copy) { return simulated(machine, op_of(copy)); };
    EXPECT_EQ(time({Tier::hbm, Tier::hbm, Bytes(bytes)}),
              time(model::stream_of(Bytes(bytes), Bytes(bytes))));
    EXPECT_EQ(time({Tier::vmem, Tier::hbm, Bytes(bytes)}),
              time(model::stream_of(Bytes(0), Bytes(bytes))));
}

std::string refusal_of(const Copy& copy)
{
    try {
        simulated(easy_host(), op_of(copy));
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(MemoryTiers, OtherCopiesAreRefused)
{
    EXPECT_EQ(refusal_of({Tier::host, Tier::vmem, Bytes(1)}),
              "copy 'work': found from host to vmem; allowed: between hbm and vmem, hbm and hbm, "
              "also with bytes_back; host and hbm, storage and host, host and host, one way");
    EXPECT_NE(refusal_of({Tier::hbm, Tier::host, Bytes(1), Bytes(1)}).find("hbm to host and back"),
              std::string::npos);
}

/// A machine whose host has one chip, whose drives read a byte per nanosecond from user space,
/// write half of that, and the half again through the kernel; blocks of 1000 bytes, latency 5 us
/// and 4 us.
Machine easy_storage()
{
    return machine_of("tpu_v5e", 1,
                      {{"chips_per_host", 1},
                       {"host_dram_bw_host", 1e11},
                       {"storage_drives", 1},
                       {"storage_read_bw", 1e9},
                       {"storage_write_bw", 0.5e9},
                       {"storage_kernel_read_frac", 0.5},
                       {"storage_kernel_write_frac", 0.5},
                       {"storage_io_cpu_s", 0},
                       {"storage_kernel_io_cpu_s", 0},
                       {"storage_block_bytes", 1000},
                       {"storage_queue_depth", 16},
                       {"storage_read_latency_s", 5e-6},
                       {"storage_write_latency_s", 4e-6}});
}

model::Op storage_op(Tier from, Tier to, std::int64_t bytes, topologies::StorageIo io)
{
    model::Op op = copy_of(from, to, bytes);
    std::get<Copy>(op.work).io = io;
    return op;
}

TEST(MemoryTiers, StorageReadsBesideItsWritesAndByTheWayAsked)
{
    using topologies::StorageIo;
    const Machine machine = easy_storage();
    const model::Op read = storage_op(Tier::storage, Tier::host, 500'000, StorageIo::user);
    const model::Op write = storage_op(Tier::host, Tier::storage, 500'000, StorageIo::user);
    EXPECT_EQ(time_of(machine, {read}), nanoseconds(5000 + 500'000));
    EXPECT_EQ(time_of(machine, {write}), nanoseconds(4000 + 1'000'000));
    EXPECT_EQ(time_of(machine, {read, write}), nanoseconds(4000 + 1'000'000));
    EXPECT_EQ(time_of(machine, {read, read}), nanoseconds(2 * (5000 + 500'000)));
    EXPECT_EQ(time_of(machine, {storage_op(Tier::storage, Tier::host, 500'000, StorageIo::kernel)}),
              nanoseconds(5000 + 1'000'000));
}

TEST(MemoryTiers, PartsOfAStreamTakeBytesOverRateHoweverSmall)
{
    using topologies::StorageIo;
    model::Op part = storage_op(Tier::storage, Tier::host, 1500, StorageIo::user);
    EXPECT_EQ(time_of(easy_storage(), {part, part}), nanoseconds(2 * (5000 + 1500)));
    std::get<Copy>(part.work).in_a_stream = true;
    EXPECT_EQ(time_of(easy_storage(), {part, part}), nanoseconds(2 * 1500));
}

TEST(MemoryTiers, DrivesAreSharedByTheChipsOfAHost)
{
    const Machine eight = machine_of("tpu_v5e", 8);
    const Machine one = machine_of("tpu_v5e", 1, {{"chips_per_host", 1}});
    const auto seconds = [](const Machine& machine, auto run) {
        const auto graph = graph_of(
            {storage_op(Tier::storage, Tier::host, 1'000'000'000, topologies::StorageIo::user)});
        return to_seconds(run(machine, graph)).count();
    };
    const auto by_blocks = [](const Machine& machine, const auto& graph) {
        return simulated(machine, graph);
    };
    const auto closed = [](const Machine& machine, const auto& graph) {
        return estimated(machine, graph);
    };
    EXPECT_NEAR(seconds(eight, by_blocks) / seconds(one, by_blocks), 8, 0.05);
    // The core that issues requests delays the first of each drive.
    EXPECT_NEAR(seconds(eight, by_blocks) / seconds(eight, closed), 1, 1e-5);
    EXPECT_NEAR(seconds(one, by_blocks) / seconds(one, closed), 1, 1e-4);
}

TEST(MemoryTiers, TheHostsCoresReadAndWriteEachByteInItsMemory)
{
    // 28 bytes of a parameter for Adam: half of them are read.
    EXPECT_EQ(time_of(easy_storage(), {copy_of(Tier::host, Tier::host, 14'000'000)}),
              nanoseconds(280'000));
}

TEST(MemoryTiers, GoOnWhileTheDeviceTakesPartInACollective)
{
    const Machine machine = machine_of("tpu_v3", 2, {{"host_dram_bw_host", 1e12}});
    const auto of = [&](std::vector<model::Op> ops) {
        const auto graph = graph_of(std::move(ops));
        const Picoseconds time = simulated(machine, graph);
        EXPECT_NEAR(to_seconds(estimated(machine, graph)) / to_seconds(time), 1, 1e-4);
        return to_seconds(time).count();
    };
    const model::Op read =
        storage_op(Tier::storage, Tier::host, 1'000'000'000, topologies::StorageIo::user);
    const model::Op meet =
        op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1'000'000)});
    const model::Op work = op_of(model::Fixed{Seconds(1), model::FixedUnit::tensor_core});
    model::Op after = work;
    after.after = {1};
    const double alone = of({read});
    ASSERT_GT(alone, 1.1);
    EXPECT_NEAR(of({read, meet, after}), alone, 0.001);
    EXPECT_NEAR(of({op_of(model::Fixed{Seconds(2), model::FixedUnit::host_cpu}), meet, after}), 2,
                0.001);
}

TEST(MemoryTiers, APresetThatDoesNotKnowStorageSaysSo)
{
    Machine machine = easy_storage();
    machine.host.storage = {};
    try {
        time_of(machine, {copy_of(Tier::storage, Tier::host, 1)});
        FAIL() << "nothing was refused";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("storage_read_bw"), std::string::npos);
    }
}

TEST(MemoryTiers, ComputeDoesNotReadHostMemory)
{
    model::Op op = op_of(model::Vector{1, 1, model::DType::f32});
    op.reads = {{"offloaded", Bytes(1)}};
    EXPECT_THROW(time_of(easy_host(), {op}), InputError);
}

TEST(MemoryTiers, EveryPresetSaysWhatItsHostHas)
{
    for (const std::string& chip : topologies::Preset::names()) {
        const Machine machine = machine_of(chip, 8);
        EXPECT_GT(topologies::device_capacity(machine, Tier::host), Bytes(1 << 30)) << chip;
        EXPECT_GT(topologies::memory_tier(machine, Tier::host).bytes_per_second, 0) << chip;
        EXPECT_GT(topologies::device_capacity(machine, Tier::storage), Bytes(1 << 30)) << chip;
        EXPECT_GT(machine.host.storage.user.read_bytes_per_second,
                  machine.host.storage.kernel.read_bytes_per_second)
            << chip;
    }
}

} // namespace
} // namespace alxsim::sim
