// SPDX-License-Identifier: Apache-2.0
// Schedules of ten billion parameters on one chip, with transfers between storage, host and HBM.
#include "base/json_document.h"
#include "free_transfers.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace alxsim::offload {
namespace {

using topologies::StorageIo;
using topologies::Tier;

constexpr int layers = 50;
constexpr std::int64_t parameters = std::int64_t{12} * 4096 * 4096;

/// A host of its own: DeepNVMe's rates of four drives, 60 GB/s of host memory, 16 GB/s of PCIe.
topologies::Machine ten_billion_machine()
{
    return one_chip({{"chips_per_host", 1},
                     {"host_dram_bw_host", 6e10},
                     {"pcie_bw_chip_oneway", 1.6e10},
                     {"storage_read_bw", 9.6e9},
                     {"storage_write_bw", 5e9},
                     {"storage_kernel_read_frac", 7.0 / 9.6},
                     {"storage_kernel_write_frac", 0.8},
                     {"storage_block_bytes", 1 << 24}}); // few for SystemC to move
}

model::Op copied(Tier from, Tier to, std::int64_t bytes_a_parameter, StorageIo io = StorageIo::user)
{
    model::Copy copy{from, to, Bytes(bytes_a_parameter * parameters)};
    copy.io = io;
    model::Op op = model::op_of(copy);
    if (from == Tier::host && to == Tier::hbm) {
        op.reads = {{"host.weights", Bytes(2 * parameters)}};
    }
    return op;
}

StepOps with_transfers(double forward, double backward, StorageIo io)
{
    StepOps ops = free_transfers(forward, backward, 0);
    ops.layer.fetch = copied(Tier::storage, Tier::host, 2, io);
    ops.layer.load = copied(Tier::host, Tier::hbm, 2);
    ops.layer.unload = copied(Tier::hbm, Tier::host, 2);
    ops.layer.read = copied(Tier::storage, Tier::host, 12, io);
    ops.layer.update = copied(Tier::host, Tier::host, 14);
    ops.layer.write = copied(Tier::host, Tier::storage, 14, io);
    ops.buffers = {{"host.weights", Bytes(4 * parameters), model::Residency::host}};
    return ops;
}

using BySchedule = std::map<std::string, double>;

/// By both engines, which agree.
BySchedule found(const Json& one, StorageIo io)
{
    const topologies::Machine machine = ten_billion_machine();
    const Json& microseconds = one.at("per_layer_us");
    const StepOps ops = with_transfers(microseconds.at("f").get<double>() * 1e-6,
                                       microseconds.at("b").get<double>() * 1e-6, io);
    BySchedule seconds;
    for (const auto& [name, schedule] : value_names(Schedule())) {
        const TwoEngines both = seconds_of(OffloadShape{schedule, layers}, ops, machine);
        EXPECT_NEAR(both.simulated / both.estimated, 1, 2e-3) << name;
        seconds[name] = both.simulated;
    }
    return seconds;
}

TEST(OffloadTransfers, TenBillionParametersTakeWhatAnIndependentEventSimulationSays)
{
    const Json cases =
        load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/offload.json").at("ten_billion");
    ASSERT_EQ(cases.size(), 3U);
    for (const Json& one : cases) {
        std::map<StorageIo, BySchedule> all;
        for (const auto& [io, words] : {std::pair(StorageIo::kernel, "kernel, bounce copy"),
                                        std::pair(StorageIo::user, "user space, no copy")}) {
            all[io] = found(one, io);
            for (const auto& [schedule, seconds] : all[io]) {
                EXPECT_NEAR(seconds / one.at(words).at(schedule).get<double>(), 1, 0.02)
                    << schedule << ", " << words << ", batch " << one.at("batch");
            }
        }
        const double kernel = all[StorageIo::kernel]["sync"];
        EXPECT_NEAR(kernel / all[StorageIo::user]["sync"], one.at("gain_io_only").get<double>(),
                    0.01);
        EXPECT_NEAR(kernel / all[StorageIo::user]["edf"], one.at("gain_both").get<double>(), 0.02);
    }
}

TEST(OffloadTransfers, WithoutACopyTheDrivesAreFasterByWhatIsPublished)
{
    const Json golden =
        load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/offload.json").at("io_paths");
    const topologies::Machine machine = ten_billion_machine();
    const LayerTimes kernel = times_of(with_transfers(1, 1, StorageIo::kernel), machine);
    const LayerTimes user = times_of(with_transfers(1, 1, StorageIo::user), machine);
    EXPECT_NEAR(kernel.read / user.read, golden.at("read_gain").get<double>(), 2e-3);
    EXPECT_NEAR(kernel.write / user.write, golden.at("write_gain").get<double>(), 2e-3);
    EXPECT_NEAR((kernel.read + kernel.write) / (user.read + user.write),
                golden.at("optimizer_mix_gain_12_read_14_write").get<double>(), 2e-3);
}

/// What waits less takes no longer, whatever takes longest.
TEST(OffloadTransfers, EdfTakesNoLongerThanFifoAndThatNoLongerThanSync)
{
    const topologies::Machine machine = ten_billion_machine();
    for (const double forward : {0.005, 0.02, 0.07, 0.3, 1.0}) {
        for (const StorageIo io : {StorageIo::kernel, StorageIo::user}) {
            const StepOps ops = with_transfers(forward, 3 * forward, io);
            for (const int buffers : {1, 4, 9}) {
                std::map<Schedule, double> seconds;
                for (const Schedule schedule : {Schedule::sync, Schedule::fifo, Schedule::edf}) {
                    OffloadShape shape{schedule, layers};
                    shape.buffers = buffers;
                    const OptimizerOrder order = optimizer_order(shape, ops, machine);
                    for (const model::StepGroup& group : offload_program(shape, ops, order)) {
                        seconds[schedule] +=
                            static_cast<double>(group.times) *
                            to_seconds(sim::estimated(machine, group.step.graph)).count();
                    }
                }
                EXPECT_LE(seconds[Schedule::edf], seconds[Schedule::fifo] * (1 + 1e-6))
                    << forward << ", " << buffers;
                EXPECT_LE(seconds[Schedule::fifo], seconds[Schedule::sync] * (1 + 1e-6))
                    << forward << ", " << buffers;
            }
        }
    }
}

/// With few buffers and late updates it takes most steps until they are alike.
TEST(OffloadTransfers, MoreStepsBeforeTheOneThatIsToldChangeNothing)
{
    const topologies::Machine machine = ten_billion_machine();
    for (const double forward : {0.01, 0.04, 0.2}) {
        const StepOps ops = with_transfers(forward, 2 * forward, StorageIo::user);
        for (const Schedule schedule : {Schedule::fifo, Schedule::edf, Schedule::stale}) {
            for (const int buffers : {1, 2, 4}) {
                OffloadShape shape{schedule, 8};
                shape.buffers = buffers;
                const OptimizerOrder order = optimizer_order(shape, ops, machine);
                const auto seconds = [&](const model::Program& program) {
                    return seconds_of(program, machine).estimated;
                };
                const double told = seconds(offload_program(shape, ops, order));
                for (const int steps : {4, 5, 8}) {
                    EXPECT_NEAR(told, seconds(offload_program(shape, ops, order, steps)), 1e-6)
                        << name_of_value(schedule) << ", " << forward << ", " << buffers;
                }
            }
        }
    }
}

TEST(OffloadTransfers, AStepTakesNoLessThanWhatItsDrivesWrite)
{
    const topologies::Machine machine = ten_billion_machine();
    const StepOps ops = with_transfers(1e-3, 3e-3, StorageIo::user);
    const double written = layers * 14.0 * parameters / 5e9;
    for (const auto& [name, schedule] : value_names(Schedule())) {
        const TwoEngines both = seconds_of(OffloadShape{schedule, layers}, ops, machine);
        EXPECT_GE(both.simulated, written * (1 - 1e-6)) << name;
    }
    const TwoEngines stale = seconds_of(OffloadShape{Schedule::stale, layers}, ops, machine);
    EXPECT_NEAR(stale.simulated, written, written * 0.01);
}

} // namespace
} // namespace alxsim::offload
