// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/compiled_graph.h"
#include "model/estimate.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

/// What streams, row gathers and scatters cost: address by address, engine by engine.
namespace alxsim::model {
namespace {

using topologies::HbmSpec;
using topologies::Machine;

constexpr std::int64_t table_rows = 1 << 24;

RowGather gather_of(AccessPattern pattern, std::int64_t rows = 10'000)
{
    return {rows, Bytes(256), table_rows, pattern};
}

RowGather trace_of(std::vector<std::int64_t> ids, std::int64_t rows = 10'000)
{
    RowGather gather = gather_of(AccessPattern::trace, rows);
    gather.ids = std::make_shared<const std::vector<std::int64_t>>(std::move(ids));
    return gather;
}

template <class Action>
std::string message_of(Action action)
{
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

OpCost cost_of(const Op& op, const Machine& machine, const BufferPlacement& placement = {})
{
    return op_cost(op, placement, machine);
}

double alone(const RowGather& gather, const Machine& machine)
{
    return to_seconds(cost_of(op_of(gather), machine).hbm.alone).count();
}

RowGather trace_of_long_rows(std::int64_t rows, Bytes row_bytes)
{
    RowGather gather = trace_of({}, rows);
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < 1000; ++i) {
        ids.push_back(i * 7919 % 1000);
    }
    gather.ids = std::make_shared<const std::vector<std::int64_t>>(std::move(ids));
    gather.row_bytes = row_bytes;
    gather.table_rows = 1000;
    return gather;
}

// Found by fuzzing: 4 G rows of a megabyte, of which 16,384 were replayed, took a minute.
TEST(HbmCost, OfATraceOfLongRowsIsThatOfAPartOfThem)
{
    const Machine machine = machine_of("tpu_v3", 2);
    const double few = alone(trace_of_long_rows(16, Bytes(1'000'000)), machine);
    EXPECT_NEAR(alone(trace_of_long_rows(4'294'967'296, Bytes(1'000'000)), machine) / few,
                4'294'967'296 / 16.0, 0.01 * 4'294'967'296 / 16.0);
    const double all = alone(trace_of_long_rows(1000, Bytes(16'384)), machine); // 15.6 MiB
    EXPECT_NEAR(alone(trace_of_long_rows(3000, Bytes(16'384)), machine) / all, 3, 0.03)
        << "a part of them";
}

TEST(HbmCost, OfATraceFollowsTheIds)
{
    const Machine machine = machine_of("tpu_v3", 2);
    std::vector<std::int64_t> scattered;
    for (std::int64_t i = 0; i < 10'000; ++i) {
        scattered.push_back(i * 7919 % table_rows);
    }
    const double spread = alone(trace_of(scattered), machine);
    const double one_row = alone(trace_of({table_rows - 1}), machine);
    EXPECT_NEAR(spread / alone(gather_of(AccessPattern::uniform), machine), 1, 0.15);
    EXPECT_NEAR(one_row / alone(gather_of(AccessPattern::clamped), machine), 1, 0.05);
    EXPECT_GT(one_row, 5 * spread);
}

TEST(HbmCost, OfALongTraceGrowsWithItsRows)
{
    const Machine machine = machine_of("tpu_v3", 2);
    const double once = alone(trace_of({1, 5000, 90'000}, 100'000), machine);
    EXPECT_NEAR(alone(trace_of({1, 5000, 90'000}, 300'000), machine) / once, 3, 0.01);
}

TEST(HbmCost, OfAClampedGatherIsMostlyThatOfTheRowsItDoesNotOwn)
{
    const Machine machine = machine_of("tpu_v3", 2);
    RowGather gather = gather_of(AccessPattern::clamped);
    const double none_owned = alone(gather, machine);
    gather.owned_rows = gather.rows / 2;
    const double half_owned = alone(gather, machine);
    gather.owned_rows = gather.rows;
    EXPECT_NEAR(alone(gather, machine), alone(gather_of(AccessPattern::uniform), machine), 1e-12);
    EXPECT_LT(half_owned, 0.6 * none_owned);
    EXPECT_GT(half_owned, 0.5 * none_owned);
}

TEST(HbmCost, OfOneRowOverAllChannelsHasTheRateOfAll)
{
    // 256 bytes in each of 32, over and over.
    const Machine machine = machine_of("tpu_v3", 2);
    RowGather gather = gather_of(AccessPattern::clamped);
    gather.row_bytes = Bytes(8192);
    const double rate = static_cast<double>(gather.rows) * 8192 / alone(gather, machine);
    EXPECT_GT(rate, 0.8 * machine.hbm.peak_bytes_per_second());
    EXPECT_LT(rate, machine.hbm.peak_bytes_per_second());
}

TEST(HbmCost, OfAPoorMappingIsTwiceAsHighAndMore)
{
    // Rows of 256 bytes cut into pieces of 64 open four DRAM rows instead of one.
    const Machine good = machine_of("tpu_v3", 2, {{"hbm_access_granule_bytes", 64}});
    const Machine poor = machine_of(
        "tpu_v3", 2, {{"hbm_access_granule_bytes", 64}, {"hbm_channel_interleave_bytes", 64}});
    const HbmSpec& spec = good.hbm;
    RowAccess rows;
    rows.stride = Bytes(256);
    EXPECT_GT(row_bytes_per_second(spec, rows), 2 * row_bytes_per_second(poor.hbm, rows));
    // A whole stream in one channel after the other.
    const Machine piled =
        machine_of("tpu_v3", 2, {{"hbm_address_mapping", "channel row bank bank_group column"}});
    EXPECT_LT(stream_bytes_per_second(piled.hbm, 0), 0.1 * stream_bytes_per_second(spec, 0));
}

TEST(HbmCost, OfATableInVmemIsNone)
{
    const Machine machine = machine_of("tpu_v3", 2);
    Op op = op_of(gather_of(AccessPattern::uniform));
    op.reads = {{"small", Bytes(1 << 20)}};
    BufferPlacement placement;
    placement.in_vmem = {"small"};
    const OpCost cost = cost_of(op, machine, placement);
    EXPECT_EQ(cost.hbm.bytes, Bytes(0));
    EXPECT_LT(cost.body, cost_of(op, machine).body);
}

TEST(GatherEngine, OfAGenerationWithSparseCoresLeavesTheTensorCoreFree)
{
    const Machine machine = machine_of("tpu_7x", 1);
    const Op gather = op_of(gather_of(AccessPattern::uniform, 1'000'000));
    EXPECT_EQ(cost_of(gather, machine).unit, Unit::sparse_core);
    // A stream of its own DMA engine runs beside it.
    const Op stream = op_of(stream_of(Bytes(1 << 28), Bytes(0)));
    const auto seconds = [&](std::vector<Op> ops) {
        return AnalyticModel(machine).step({graph_of(std::move(ops)), {}, 1}).on_device.total;
    };
    EXPECT_LT(seconds({gather, stream}), seconds({gather}) + seconds({stream}));
}

TEST(GatherEngine, OfAGenerationWithoutSparseCoresIsRefused)
{
    EXPECT_EQ(message_of([] {
                  machine_of("tpu_v3", 2, {{"gather_engine", "sparsecore"}});
              }),
              "preset tpu_v3: gather_engine: found 'sparsecore'; allowed: tensorcore (this "
              "generation has no SparseCores)");
}

TEST(RowIssue, IsWhatTheRequestsUnderWayAllow)
{
    const Machine machine = machine_of("tpu_v3", 2, {{"dma_outstanding", 4}});
    const OpCost cost = cost_of(op_of(gather_of(AccessPattern::uniform, 1000)), machine);
    EXPECT_NEAR(to_seconds(cost.body).count(), 1000 * 4.6e-7 / 4, 1e-9);
}

TEST(RowIssue, TakesTheCyclesThatAGatherSaysOfEachCore)
{
    RowGather gather = gather_of(AccessPattern::uniform, 1000);
    gather.issue_cycles = 100;
    for (const auto& [chip, cores_of_device] : {std::pair("tpu_v3", 1), {"tpu_v4", 2}}) {
        const Machine machine = machine_of(chip, 2);
        EXPECT_NEAR(to_seconds(cost_of(op_of(gather), machine).body).count(),
                    1000 * 100 / machine.device.clock_hz / cores_of_device, 1e-9)
            << chip;
    }
    const Op op = op_of(gather);
    EXPECT_EQ(std::get<RowGather>(op_from_json(to_json(op), "op").work).issue_cycles, 100);
}

TEST(Trace, WithoutIdsIsRefused)
{
    const Json op{{"work", "row_gather"}, {"rows", 10}, {"row_bytes", 256}, {"pattern", "trace"}};
    EXPECT_EQ(
        message_of([&] { op_from_json(op, "OP"); }),
        "OP: /ops/0/ids: missing: a pattern of trace needs the ids of the rows, like [7, 7, 130]");
}

TEST(Mapping, ThatNamesAPartTwiceIsRefused)
{
    EXPECT_EQ(
        message_of([] {
            machine_of("tpu_v3", 2, {{"hbm_address_mapping", "row bank bank column channel"}});
        }),
        "preset tpu_v3: hbm_address_mapping: 'bank' stands twice; allowed: row, bank, "
        "bank_group, column and channel, each once, from the highest address bits to the "
        "lowest");
}

} // namespace
} // namespace alxsim::model
