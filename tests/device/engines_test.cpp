// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/graph/op_graph.h"
#include "tests/device/running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

/// The SparseCore's queue beside the TensorCore's, and messages that no program is launched for.
namespace alxsim::sim {
namespace {

using model::Op;
using topologies::Machine;

constexpr std::int64_t rows = 100'000;

Op scatter(bool on_sparse_core)
{
    model::RowScatter work{rows, Bytes(32), 1 << 20};
    work.on_sparse_core = on_sparse_core;
    return op_of(work);
}

Op gather(bool on_sparse_core)
{
    model::RowGather work;
    work.rows = rows;
    work.row_bytes = Bytes(32);
    work.table_rows = 1 << 20;
    work.on_sparse_core = on_sparse_core;
    return op_of(work);
}

TEST(Engines, SparseCoreMovesRowsAtItsOwnRate)
{
    const Machine machine = machine_of("tpu_v6e", 4);
    const Machine slow = machine_of(
        "tpu_v6e", 4, {{"sparsecore_gather_row_s", 2 * machine.device.sparsecore_row.count()}});
    for (const auto& op_on : {scatter, gather}) {
        const Picoseconds there = simulated(machine, op_on(true));
        EXPECT_EQ(there, estimated(machine, op_on(true)));
        EXPECT_LT(there, simulated(machine, op_on(false)));
        const auto added = static_cast<double>((simulated(slow, op_on(true)) - there).count());
        EXPECT_NEAR(added, 1e12 * rows * machine.device.sparsecore_row.count(), 2);
        EXPECT_EQ(simulated(slow, op_on(false)), simulated(machine, op_on(false)));
    }
}

TEST(Engines, SparseCoreWorksBesideTheTensorCore)
{
    const Machine machine = machine_of("tpu_v6e", 4);
    const Op vector = op_of(model::Vector{1 << 18, 60, model::DType::f32}, {});
    const Op other = scatter(true);
    const auto graph = graph_of({other, vector});
    const Picoseconds longer =
        std::max(simulated(machine, graph_of({other})), simulated(machine, graph_of({vector})));
    EXPECT_EQ(simulated(machine, graph), estimated(machine, graph));
    EXPECT_LT(simulated(machine, graph), longer + longer / 50);
    // Two calls of the SparseCore follow each other.
    const auto two = graph_of({other, scatter(true)});
    EXPECT_EQ(simulated(machine, two), estimated(machine, two));
    EXPECT_GT(simulated(machine, two),
              2 * simulated(machine, graph_of({other})) - to_picoseconds(Seconds(2e-6)));
}

TEST(Engines, NoSparseCoreWhereTheChipHasNone)
{
    for (const auto& op_on : {scatter, gather}) {
        try {
            simulated(machine_of("tpu_v5e", 4), op_on(true));
            FAIL();
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(),
                        testing::HasSubstr("sparse_core, but tpu_v5e has no SparseCores"));
        }
    }
}

TEST(Engines, AMessageWithoutALaunchTakesThatMuchLess)
{
    const Machine machine = machine_of("tpu_v5e", 4);
    model::Collective permute{model::CollectiveKind::permute, Bytes(1 << 20)};
    permute.messages = std::make_shared<const std::vector<model::PairMessage>>(
        std::vector<model::PairMessage>{{0, 1, Bytes(1 << 20)}});
    const Picoseconds launched = simulated(machine, op_of(permute));
    permute.launched = false;
    const Picoseconds sent = simulated(machine, op_of(permute));
    EXPECT_EQ(launched - sent, to_picoseconds(machine.device.collective_launch));
    EXPECT_EQ(sent, estimated(machine, op_of(permute)));
}

TEST(Engines, AreWrittenAndReadAgain)
{
    for (const Op& op : {scatter(true), gather(true)}) {
        const Op again = model::op_from_json(model::to_json(op), "op");
        EXPECT_EQ(model::to_json(again), model::to_json(op));
        EXPECT_EQ(model::to_json(again).at("engine"), "sparse_core");
    }
    model::Collective sum{model::CollectiveKind::all_reduce, Bytes(1024)};
    sum.launched = false;
    const Op again = model::op_from_json(model::to_json(op_of(sum)), "op");
    EXPECT_FALSE(std::get<model::Collective>(again.work).launched);
}

} // namespace
} // namespace alxsim::sim
