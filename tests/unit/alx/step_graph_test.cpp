// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/step_graph.h"

#include "alx/solvers/solver.h"
#include "alx/strategies/gather.h"
#include "model/graph/buffer_placement.h"

#include <gtest/gtest.h>

namespace alxsim::alx {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::OpGraph;
using model::Repeat;

AlxConfig small_config()
{
    AlxConfig config;
    config.dim = 32;
    config.batch = {128, 8, 64};
    return config;
}

OpGraph row_step(const AlxConfig& config, int devices)
{
    return half_step_graph(config, {"rows", "columns", config.batch, 1000, 2000}, devices);
}

/// Bytes of all collectives of a kind, those in repeats as often as they run.
std::int64_t collective_bytes(const OpGraph& graph, CollectiveKind kind)
{
    std::int64_t bytes = 0;
    for (const model::Op& op : graph.ops) {
        if (const auto* collective = std::get_if<Collective>(&op.work)) {
            bytes += collective->kind == kind ? collective->bytes.count() : 0;
        } else if (const auto* repeat = std::get_if<Repeat>(&op.work)) {
            bytes += repeat->times * collective_bytes(*repeat->body, kind);
        }
    }
    return bytes;
}

model::Op op_named(const OpGraph& graph, const std::string& name)
{
    for (const model::Op& op : graph.ops) {
        if (op.name == name) {
            return op;
        }
        if (const auto* repeat = std::get_if<Repeat>(&op.work)) {
            for (const model::Op& inner : repeat->body->ops) {
                if (inner.name == name) {
                    return inner;
                }
            }
        }
    }
    throw std::logic_error("no op " + name);
}

TEST(HalfStep, AllReducedRowsAreDevicesTimesBatchForEveryMaskingGather)
{
    AlxConfig config = small_config();
    for (const char* gather : {"all_reduce_loop", "all_reduce"}) {
        config.gather = gather;
        for (const int devices : {2, 8, 256}) {
            // M serial all-reduces of [B L, d], or one of [M B L, d]: bf16, whatever is owned.
            EXPECT_EQ(collective_bytes(row_step(config, devices), CollectiveKind::all_reduce),
                      std::int64_t{devices} * 128 * 8 * 32 * 2)
                << gather;
        }
    }
}

TEST(HalfStep, ExchangesIdsAndSolutions)
{
    const OpGraph graph = row_step(small_config(), 8);
    EXPECT_EQ(collective_bytes(graph, CollectiveKind::all_gather),
              8 * 128 * 8 * 4 + 8 * 64 * 32 * 2 + 8 * 64 * 4);
}

TEST(HalfStep, OneDeviceCommunicatesNothing)
{
    AlxConfig config = small_config();
    for (const std::string& gather : gather_strategies().names()) {
        config.gather = gather;
        const OpGraph graph = row_step(config, 1);
        EXPECT_EQ(collective_bytes(graph, CollectiveKind::all_gather), 0);
        EXPECT_EQ(collective_bytes(graph, CollectiveKind::all_reduce), 0);
        EXPECT_EQ(std::get<model::RowGather>(op_named(graph, "look up rows").work).rows, 128 * 8);
    }
}

TEST(HalfStep, EveryDeviceLooksUpEverybodysIdsAndOwnsItsShare)
{
    AlxConfig config = small_config();
    const auto in_loop =
        std::get<model::RowGather>(op_named(row_step(config, 8), "look up rows").work);
    EXPECT_EQ(in_loop.rows, 128 * 8);
    EXPECT_EQ(in_loop.owned_rows, 128);
    EXPECT_EQ(in_loop.table_rows, 2000);
    EXPECT_EQ(in_loop.row_bytes, Bytes(64));
    config.gather = "all_reduce";
    const auto at_once =
        std::get<model::RowGather>(op_named(row_step(config, 8), "look up rows").work);
    EXPECT_EQ(at_once.rows, 8 * 128 * 8);
    EXPECT_EQ(at_once.owned_rows, 128 * 8);
}

TEST(HalfStep, StatisticsAreLineGramiansSummedByRow)
{
    const OpGraph graph = row_step(small_config(), 8);
    const model::Op products = op_named(graph, "outer products");
    const auto matmul = std::get<model::Matmul>(products.work);
    EXPECT_EQ(matmul.batch * matmul.m * matmul.k * matmul.n, 128 * 32 * 8 * 32);
    EXPECT_EQ(matmul.dtype, model::DType::bf16);
    EXPECT_EQ(products.writes[0].touched, Bytes(128 * 32 * 32 * 4));
    const auto sum = std::get<model::RowScatter>(op_named(graph, "sum outer products by row").work);
    EXPECT_EQ(sum.rows, 128);
    EXPECT_EQ(sum.row_bytes, Bytes(32 * 32 * 4));
    EXPECT_TRUE(sum.accumulate);
}

TEST(HalfStep, AnF32TableNeedsPasses)
{
    AlxConfig config = small_config();
    config.table_dtype = model::DType::f32;
    config.matmul_passes = 3;
    const auto matmul =
        std::get<model::Matmul>(op_named(row_step(config, 2), "outer products").work);
    EXPECT_EQ(matmul.dtype, model::DType::f32);
    EXPECT_EQ(matmul.passes, 3);
}

TEST(HalfStep, StrictResidualsLookUpOldRowsAndAdd)
{
    AlxConfig config = small_config();
    config.semantics.residual = Residual::strict;
    const OpGraph graph = row_step(config, 8);
    const auto old = std::get<model::RowGather>(op_named(graph, "look up old rows").work);
    const auto write = std::get<model::RowScatter>(op_named(graph, "write own rows").work);
    EXPECT_EQ(old.rows, write.rows);
    EXPECT_EQ(old.table_rows, 1000);
    EXPECT_TRUE(write.accumulate);
}

TEST(HalfStep, SolutionsCastToBf16TravelInBf16)
{
    AlxConfig config = small_config();
    config.table_dtype = model::DType::f32;
    const Bytes wide = op_named(row_step(config, 8), "exchange solutions").writes[0].touched;
    config.semantics.solution_cast = SolutionCast::bf16;
    EXPECT_EQ(op_named(row_step(config, 8), "exchange solutions").writes[0].touched * 2, wide);
}

TEST(HalfStep, ReadsTheFixedShardAndWritesTheOwnOne)
{
    const OpGraph graph = row_step(small_config(), 4);
    EXPECT_EQ(op_named(graph, "look up rows").reads[0].buffer, "tables.columns");
    EXPECT_EQ(op_named(graph, "look up rows").reads[0].touched, Bytes(2000 * 64));
    EXPECT_EQ(op_named(graph, "write own rows").writes[0].buffer, "tables.rows");
    EXPECT_EQ(op_named(graph, "write own rows").writes[0].touched, Bytes(1000 * 64));
}

TEST(HalfStep, OpsStandInTopologicalOrder)
{
    for (const std::string& solver : solvers().names()) {
        AlxConfig config = small_config();
        config.solver = solver;
        const OpGraph graph = row_step(config, 8);
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            for (const int before : graph.ops[i].after) {
                EXPECT_LT(before, static_cast<int>(i));
            }
        }
    }
}

TEST(HalfStep, ConjugateGradientsIterateAsTheCounterSays)
{
    const OpGraph graph = row_step(small_config(), 2);
    const auto repeat = std::get<Repeat>(op_named(graph, "conjugate gradients").work);
    EXPECT_EQ(model::iterations(repeat, {{"cg_iterations", {7, 12}}}, 1), 12);
    EXPECT_EQ(model::iterations(repeat, {}, 1), row_cg_iterations.central);
}

TEST(HalfStep, TheColumnHalfIsTakenToNeedMoreIterations)
{
    const AlxConfig config = small_config();
    const OpGraph graph = half_step_graph(config, {"columns", "rows", config.batch, 1000, 2000}, 2);
    const auto repeat = std::get<Repeat>(op_named(graph, "conjugate gradients").work);
    EXPECT_EQ(model::iterations(repeat, {}, 0), column_cg_iterations.central);
    EXPECT_GT(column_cg_iterations.central, row_cg_iterations.central);
}

TEST(HalfStep, WithoutDonationTheUpdatedShardIsCopied)
{
    AlxConfig config = small_config();
    const auto copied = [&] {
        const OpGraph graph = row_step(config, 4);
        return std::get<model::Copy>(op_named(graph, "copy of the shard").work);
    };
    EXPECT_THROW(copied(), std::logic_error) << "clean semantics donate";
    config.semantics.donate = false;
    const Bytes shard(1000 * 32 * 2); // of the rows' table, in bf16
    EXPECT_EQ(copied().from, topologies::Tier::hbm);
    EXPECT_EQ(copied().to, topologies::Tier::hbm);
    EXPECT_EQ(copied().bytes, shard);
}

TEST(HalfStep, WithoutDonationAThirdShardStandsInHbm)
{
    AlxConfig config = small_config();
    const auto tables = [&] {
        return model::place(row_step(config, 4), Bytes(1 << 20)).hbm_parts().at("tables");
    };
    EXPECT_EQ(tables(), Bytes((1000 + 2000) * 32 * 2));
    config.semantics.donate = false;
    EXPECT_EQ(tables(), Bytes((2 * 1000 + 2000) * 32 * 2));
}

TEST(HalfStep, TheLoopMasksABatchInAnOpOfItsOwnAndCopiesOneAStep)
{
    const Bytes batch(128 * 8 * 32 * 2);
    const OpGraph graph = row_step(small_config(), 4);
    const model::Op mask = op_named(graph, "mask rows of others");
    EXPECT_EQ(mask.reads.at(0).touched, batch);
    EXPECT_EQ(mask.writes.at(0).touched, batch);
    EXPECT_EQ(std::get<model::Copy>(op_named(graph, "keep own rows").work).bytes, batch);
    const auto loop = std::get<Repeat>(op_named(graph, "gather batch by batch").work);
    EXPECT_EQ(loop.body->ops.size(), 6u) << "kernels of a turn (libtpu 0.0.42.1)";
    EXPECT_THROW(op_named(*loop.body, "keep own rows"), std::logic_error);
}

TEST(HalfStep, WindowsAreAddedToAlphaGAndTheRegularizerWithoutAPassOfItsOwn)
{
    const OpGraph graph = row_step(small_config(), 4);
    const model::Op initial = op_named(graph, "alpha G and regularizer");
    for (const model::BufferUse& use : initial.reads) {
        EXPECT_NE(use.buffer, "statistics.gramians");
    }
    EXPECT_EQ(initial.writes.at(0).buffer, "statistics.gramians");
    EXPECT_EQ(graph.ops.at(static_cast<std::size_t>(initial.after.at(0))).name, "keep own rows");
    AlxConfig config = small_config();
    config.statistics = "batched_matmul";
    EXPECT_EQ(op_named(row_step(config, 4), "add alpha G and regularizer").reads.at(0).buffer,
              "statistics.gramians");
}

OpGraph step_of_part(int depth, StepPart part)
{
    AlxConfig config = small_config();
    config.prefetch_depth = depth;
    return half_step_graph(config, {"rows", "columns", config.batch, 1000, 2000}, 4, {}, {}, part);
}

TEST(Prefetch, SolvesABatchBesideTheGatherOfALaterOne)
{
    const OpGraph both = step_of_part(1, StepPart::solve_and_gather_ahead);
    const OpGraph gather = step_of_part(1, StepPart::gather_ahead);
    const OpGraph solve = step_of_part(1, StepPart::solve_gathered);
    EXPECT_EQ(both.ops.size(), gather.ops.size() + solve.ops.size());
    EXPECT_NO_THROW(op_named(gather, "combine rows"));
    EXPECT_THROW(op_named(gather, "outer products"), std::logic_error);
    EXPECT_THROW(op_named(solve, "combine rows"), std::logic_error);
    // Neither waits for the other.
    EXPECT_TRUE(op_named(both, "alpha G and regularizer").after.empty());
    EXPECT_TRUE(op_named(both, "infeed batch").after.empty());
}

TEST(Prefetch, HoldsABatchMoreForEveryStepAhead)
{
    const auto needed = [](int depth) {
        return model::place(step_of_part(depth, StepPart::solve_and_gather_ahead), Bytes(0))
            .hbm_peak.count();
    };
    const std::int64_t rows = 128 * 8 * 32 * 2;
    const std::int64_t ids = (128 + 2 * 64) * 4;
    EXPECT_EQ(needed(2) - needed(1), rows + ids);
    EXPECT_EQ(needed(5) - needed(1), 4 * (rows + ids));
    const std::int64_t without =
        model::place(row_step(small_config(), 4), Bytes(0)).hbm_peak.count();
    EXPECT_GE(needed(1) - without, rows);
}

TEST(BatchedMatmul, WritesNoWindowOfALine)
{
    AlxConfig config = small_config();
    config.statistics = "batched_matmul";
    const OpGraph graph = row_step(config, 4);
    for (const model::Op& op : graph.ops) {
        for (const model::BufferUse& use : op.writes) {
            EXPECT_NE(use.buffer, "statistics.line_gramians");
        }
    }
    const auto product = std::get<model::Matmul>(op_named(graph, "Gramians of rows").work);
    EXPECT_EQ(product.batch * product.k, 128 * 8); // the same products
}

TEST(GramianStep, OfABf16TableTravelsInBf16IfToldTo)
{
    AlxConfig config = small_config();
    config.semantics.gramian_dtype = GramianDType::table;
    EXPECT_EQ(collective_bytes(gramian_step_graph(config, "rows", 1000, 1000, 16),
                               CollectiveKind::all_reduce),
              32 * 32 * 2);
}

TEST(GramianStep, ReducesOneSquareMatrix)
{
    const OpGraph graph = gramian_step_graph(small_config(), "rows", 1000, 1000, 16);
    EXPECT_EQ(collective_bytes(graph, CollectiveKind::all_reduce), 32 * 32 * 4);
    EXPECT_EQ(std::get<model::Matmul>(graph.ops[0].work).k, 1000);
    EXPECT_EQ(graph.ops[0].reads[0].touched, Bytes(1000 * 64));
    EXPECT_EQ(collective_bytes(gramian_step_graph(small_config(), "rows", 1000, 1000, 1),
                               CollectiveKind::all_reduce),
              0);
}

/// d x d and d numbers, in f32, whatever the batch holds.
TEST(HalfStep, OfSplitRowsCarriesOneWindowFromStepToStep)
{
    const AlxConfig config = small_config();
    HalfShape half{"rows", "columns", config.batch, 1000, 2000};
    const std::size_t whole = half_step_graph(config, half, 4).ops.size();
    half.splits_rows = true;
    const OpGraph graph = half_step_graph(config, half, 4);
    EXPECT_EQ(graph.ops.size(), whole + 2);
    const model::Op kept = op_named(graph, "keep statistics of a row that goes on");
    EXPECT_EQ(kept.writes.at(0).touched, Bytes((32 * 32 + 32) * 4));
    const model::Op added = op_named(graph, "add carried statistics");
    EXPECT_EQ(added.reads.at(0).touched, kept.writes.at(0).touched);
    EXPECT_EQ(std::string(added.reads.at(0).buffer), std::string(kept.writes.at(0).buffer));
}

} // namespace
} // namespace alxsim::alx
