// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"
#include "alx/placements/placement.h"
#include "alx/steps/evaluation_program.h"
#include "alx/steps/half_batches.h"
#include "alx/steps/step_graph.h"
#include "alx/steps/timing_program.h"
#include "alx/strategies/scatter.h"
#include "model/collectives/group_source.h"
#include "model/graph/memory.h"
#include "model/job_estimate.h"
#include "tests/device/running.h"
#include "tests/unit/alx/sharding.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

/// Tables of an ALX job that stand below HBM: what moves, what HBM needs, and what time it takes.
namespace alxsim::sim {
namespace {

using alx::AlxConfig;
using alx::DeviceMesh;
using alx::HalfShape;
using topologies::Machine;
using topologies::Tier;

const alx::Dataset& links()
{
    static const alx::Dataset data = [] {
        alx::GenerateConfig config;
        config.rows = 720;
        config.columns = 480;
        config.links = 9000;
        config.min_links = 2;
        return alx::without_split(alx::generate(config, 3));
    }();
    return data;
}

AlxConfig in_host(AlxConfig config)
{
    config.table_tier.updated = Tier::host;
    return config;
}

AlxConfig below(AlxConfig config, Tier fixed)
{
    config.table_tier = {Tier::host, fixed};
    return config;
}

AlxConfig released_config()
{
    AlxConfig config = alx::clean_config();
    config.table_dtype = model::DType::bf16;
    config.semantics = alx::Semantics::alx(config.table_dtype);
    config.gather = "all_reduce_loop";
    config.solver = "cg";
    return config;
}

alx::TimingProgram epoch_of(const AlxConfig& config, const DeviceMesh& mesh)
{
    return alx::timing_program(
        config, std::make_shared<const alx::PreparedLinks>(config, links().training, mesh), mesh);
}

/// Bytes by the name of the op, of copies between HBM, host memory and storage: of all `devices`.
void add_moved(const model::OpGraph& graph, std::int64_t times, int devices,
               std::map<std::string, std::int64_t>& bytes)
{
    for (const model::Op& op : graph.ops) {
        if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
            add_moved(*repeat->body, times * repeat->times, devices, bytes);
        }
        const auto* copy = std::get_if<model::Copy>(&op.work);
        if (copy == nullptr || !copy->with_host() || op.phase.text() == "infeed") {
            continue;
        }
        if (!op.work_of_device) {
            bytes[op.name] += times * devices * copy->bytes.count();
            continue;
        }
        for (const model::Work& work : *op.work_of_device) {
            bytes[op.name] += times * std::get<model::Copy>(work).bytes.count();
        }
    }
}

std::map<std::string, std::int64_t> moved(const model::Program& program, int devices)
{
    std::map<std::string, std::int64_t> bytes;
    for (const model::StepGroup& group : program) {
        add_moved(*group.step.graph, group.times, devices, bytes);
    }
    return bytes;
}

double estimated_seconds(const model::Program& program, const Machine& machine)
{
    return to_seconds(model::estimate(program, machine).total).count();
}

double simulated_seconds(const model::Program& program, const Machine& machine)
{
    model::GroupSource source(program, {});
    return to_seconds(Simulator(machine).run(source).epochs.at(0).finish).count();
}

/// Plans whose steps differ in what moves.
std::vector<AlxConfig> plans()
{
    std::vector<AlxConfig> all{alx::clean_config(), released_config()};
    for (const std::string& scatter : alx::scatter_strategies().names()) {
        all.push_back(alx::clean_config());
        all.back().scatter = scatter;
        all.push_back(alx::clean_config());
        all.back().scatter = scatter;
        all.back().gather = "all_to_all";
        all.back().prefetch_depth = 2;
    }
    return all;
}

TEST(TableTier, EachSolvedRowLeavesHbmOnceAndTablesChangePlacesOnceAHalf)
{
    for (const AlxConfig& plan : plans()) {
        for (const int devices : {1, 4, 8}) {
            const AlxConfig config = in_host(plan);
            const alx::TimingProgram program = epoch_of(config, devices);
            const std::int64_t row = config.dim * model::size_of(config.table_dtype).count();
            const auto bytes = moved(program.epoch, devices);
            const std::int64_t solved = (720 + 480) * row;
            const std::int64_t shards =
                (program.rows.shard_rows + program.columns.shard_rows) * devices * row;
            const bool strict = config.semantics.residual == alx::Residual::strict;
            EXPECT_EQ(bytes.at("solved rows to the host"), solved) << devices;
            EXPECT_EQ(bytes.at("table from the host"), shards) << devices;
            EXPECT_EQ(bytes.at("the other table to the host"), shards) << devices;
            EXPECT_EQ(bytes.count("old rows from the host"), strict ? 1 : 0) << devices;
            if (strict) {
                EXPECT_EQ(bytes.at("old rows from the host"), solved) << devices;
            }
        }
    }
}

/// Embedding shards hold parts of rows, replicas all of them once more.
TEST(TableTier, OnAMeshEachHolderOfARowMovesItsPart)
{
    for (const int replicas : {1, 2}) {
        for (const int embedding_shards : {1, 2}) {
            const DeviceMesh mesh = alx::mesh_of(2, embedding_shards, replicas);
            for (const Tier fixed : {Tier::hbm, Tier::host}) {
                const AlxConfig config = below(alx::clean_config(), fixed);
                const alx::TimingProgram program = epoch_of(config, mesh);
                const auto bytes = moved(program.epoch, mesh.devices);
                const std::int64_t row = config.dim * model::size_of(config.table_dtype).count();
                EXPECT_EQ(bytes.at("solved rows to the host"), (720 + 480) * row * replicas);
                if (fixed == Tier::host) {
                    const std::int64_t summed = ceil_divide(program.rows.shard_rows, replicas) +
                                                ceil_divide(program.columns.shard_rows, replicas);
                    EXPECT_EQ(bytes.at("chunk of the table from the host"),
                              summed * mesh.devices * row / embedding_shards);
                }
            }
        }
    }
}

TEST(TableTier, OfAJobKnownBySizesTheSameMoves)
{
    alx::WorkloadShape shape;
    shape.rows = shape.table_rows = 40'000;
    shape.columns = 24'000;
    shape.links = 800'000;
    shape.longest_row = shape.longest_column = 2000;
    for (const int depth : {0, 1, 3}) {
        AlxConfig config = in_host(released_config());
        config.prefetch_depth = depth;
        const alx::TimingProgram program = alx::timing_program(config, shape, DeviceMesh(8));
        const auto bytes = moved(program.epoch, 8);
        EXPECT_EQ(bytes.at("solved rows to the host"), (40'000 + 24'000) * 32);
        EXPECT_EQ(bytes.at("old rows from the host"), (40'000 + 24'000) * 32);
    }
}

/// Distinct rows that the batches of a step ask of a device, summed over devices and steps, and
/// those of the shards that the steps' batches ask.
struct Asked {
    std::int64_t rows = 0;
    std::int64_t passes = 0; ///< rows of the fixed shards, once for each step
};

Asked asked_of(const AlxConfig& config, const DeviceMesh& mesh)
{
    const alx::SparseMatrix& by_row = links().training;
    const alx::SparseMatrix by_column = alx::transpose(by_row);
    const alx::TablePlacement placed = alx::place_tables(config, by_row, by_column, mesh);
    alx::TrafficNeeds needs;
    needs.rows = true;
    Asked asked;
    const auto add = [&](const alx::SparseMatrix& matrix, const alx::ShardMap& own,
                         const alx::ShardMap& fixed, const alx::DenseBatches& batches) {
        const auto steps = static_cast<std::int64_t>(batches.batches.size()) / mesh.devices;
        for (std::int64_t step = 0; step < steps; ++step) {
            const alx::StepTraffic traffic =
                alx::gather_traffic({matrix, batches, own, fixed, mesh}, step, needs);
            for (const std::int64_t rows : traffic.rows.leaving) {
                asked.rows += rows;
            }
        }
        asked.passes += steps * fixed.shard_rows() * mesh.devices;
    };
    add(by_row, placed.rows, placed.columns, alx::batch_rows(config, by_row, mesh, placed.rows));
    add(by_column, placed.columns, placed.rows,
        alx::batch_columns(config, by_column, mesh, placed.columns));
    return asked;
}

TEST(TableTier, TheHostSendsEachStepTheRowsThatItsBatchesAskForAndTheGramianEachRow)
{
    for (const char* gather : {"all_reduce_loop", "reduce_scatter", "all_to_all"}) {
        for (const int devices : {1, 4}) {
            AlxConfig plan = alx::clean_config();
            plan.gather = gather;
            plan.batch = plan.column_batch = {64, 8, 16};
            const AlxConfig config = below(plan, Tier::host);
            const alx::TimingProgram program = epoch_of(config, devices);
            const auto bytes = moved(program.epoch, devices);
            const std::int64_t row = config.dim * model::size_of(config.table_dtype).count();
            const Asked asked = asked_of(config, devices);
            EXPECT_EQ(bytes.at("pick asked rows"), asked.rows * row) << gather << devices;
            EXPECT_EQ(bytes.at("asked rows from the host"), asked.rows * row) << gather << devices;
            EXPECT_EQ(bytes.at("chunk of the table from the host"),
                      (program.rows.shard_rows + program.columns.shard_rows) * devices * row);
            EXPECT_EQ(bytes.count("table from the host"), 0);
        }
    }
}

TEST(TableTier, ATableInStoragePassesTheHostOnceForAsManyStepsAsHaveRoomThere)
{
    for (const int devices : {1, 4}) {
        AlxConfig plan = alx::clean_config();
        plan.batch = plan.column_batch = {64, 8, 16};
        AlxConfig config = below(plan, Tier::storage);
        const std::int64_t row = config.dim * model::size_of(config.table_dtype).count();
        const auto bytes_of = [&](Bytes room) {
            config.table_tier.host_bytes = room;
            const alx::TimingProgram program = epoch_of(config, devices);
            const auto bytes = moved(program.epoch, devices);
            const std::int64_t shards =
                (program.rows.shard_rows + program.columns.shard_rows) * devices * row;
            EXPECT_EQ(bytes.at("chunk of the table from storage"), shards);
            EXPECT_EQ(bytes.at("solved rows to storage"), bytes.at("solved rows to the host"));
            EXPECT_EQ(bytes.at("asked rows from the host"), asked_of(config, devices).rows * row);
            return std::pair(bytes.at("fixed table past the host"), shards);
        };
        EXPECT_EQ(bytes_of(Bytes(0)).first, asked_of(config, devices).passes * row);
        const auto [once, shards] = bytes_of(Bytes(1 << 30));
        EXPECT_EQ(once, shards);
    }
}

/// For each step's scores the columns pass in chunks, and HBM holds two of these.
TEST(TableTier, AnEvaluationHoldsNoShardThatStandsBelowHbm)
{
    const Machine machine = machine_of("tpu_v3", 4);
    alx::EvaluationSize size;
    size.test_rows = 1000;
    size.mean_history = 20;
    size.row_shard = 1'000'000;
    size.column_shard = 10'000'000;
    AlxConfig plan = alx::clean_config();
    plan.evaluation.batch = alx::EvaluationBatch{64, 16};
    const Bytes shard = model::size_of(plan.table_dtype) * (size.column_shard * plan.dim);
    const auto in_hbm = alx::evaluation_program(plan, size, 4);
    for (const Tier fixed : {Tier::host, Tier::storage}) {
        const auto program = alx::evaluation_program(below(plan, fixed), size, 4);
        const std::int64_t steps = program.front().times;
        const auto bytes = moved(program, 4);
        EXPECT_EQ(bytes.at("chunk of the table from the host"), shard.count() * steps * 4);
        EXPECT_EQ(bytes.count("chunk of the table from storage"), fixed == Tier::storage ? 1 : 0);
        EXPECT_LT(model::memory_fit(program, machine).needed,
                  model::memory_fit(in_hbm, machine).needed - shard * 9 / 10);
        EXPECT_GE(estimated_seconds(program, machine), estimated_seconds(in_hbm, machine));
        EXPECT_NEAR(estimated_seconds(program, machine) / simulated_seconds(program, machine), 1,
                    0.05);
    }
}

TEST(TableTier, NothingMovesWhereTablesStandInHbm)
{
    for (const AlxConfig& plan : plans()) {
        EXPECT_TRUE(moved(epoch_of(plan, 4).epoch, 4).empty());
    }
}

/// A half needs less: the updated shard, and its copy where tables are not donated, for the rows of
/// two steps.
TEST(TableTier, HbmNeedsLessByTheUpdatedShardAndTheHostMoreByIt)
{
    const Machine machine = machine_of("tpu_v3", 8);
    const HalfShape half{"rows", "columns", {1024, 16, 128}, 10'000'000, 12'000'000};
    const Bytes row(16 * 2);
    for (AlxConfig config : {alx::clean_config(), released_config()}) {
        config.table_dtype = model::DType::bf16;
        const auto fit = [&](const AlxConfig& of) {
            auto graph = std::make_shared<const model::OpGraph>(
                alx::half_step_graph(of, half, DeviceMesh(8)));
            return model::memory_fit({{{graph, {}, 1}, 1}}, machine);
        };
        const model::MemoryFit in_hbm = fit(config);
        const model::MemoryFit below = fit(in_host(config));
        const std::int64_t shards = 1 + config.shard_copies();
        const std::int64_t freed = half.own_shard_rows * shards;
        const Bytes window = row * (2 * 128 * 8);
        EXPECT_LE(below.needed, in_hbm.needed - row * freed + window * 8);
        EXPECT_GE(below.needed, in_hbm.needed - row * freed);
        EXPECT_EQ(in_hbm.host_needed, Bytes(0));
        EXPECT_EQ(below.host_needed, row * half.own_shard_rows);
    }
}

/// Whatever the plan, in both engines.
TEST(TableTier, IsNeverFasterThanHbm)
{
    const Machine machine = machine_of("tpu_v3", 8);
    for (const AlxConfig& plan : plans()) {
        const model::Program in_hbm = epoch_of(plan, 8).epoch;
        const model::Program below = epoch_of(in_host(plan), 8).epoch;
        if (plan.shard_copies() == 0) {
            EXPECT_GE(estimated_seconds(below, machine), estimated_seconds(in_hbm, machine));
            EXPECT_GE(simulated_seconds(below, machine), simulated_seconds(in_hbm, machine));
            EXPECT_GE(
                estimated_seconds(epoch_of(alxsim::sim::below(plan, Tier::host), 8).epoch, machine),
                estimated_seconds(in_hbm, machine));
        }
    }
}

TEST(TableTier, TheModelMeetsSystemC)
{
    Machine machine = machine_of("tpu_v3", 8);
    for (const double pcie : {1e7, 1e9, 1.6e10}) {
        machine.host.pcie_bytes_per_second_per_chip = pcie;
        for (const AlxConfig& plan : plans()) {
            for (const Tier fixed : {Tier::hbm, Tier::host, Tier::storage}) {
                const model::Program program = epoch_of(below(plan, fixed), 8).epoch;
                EXPECT_NEAR(estimated_seconds(program, machine) /
                                simulated_seconds(program, machine),
                            1, 0.05)
                    << plan.gather << " " << plan.scatter << " " << pcie << " " << name_of(fixed);
            }
        }
    }
}

/// `faster(machine, rate)` sets a rate, from slow to fast.
void expect_never_slower(Tier fixed, const std::function<void(Machine&, double)>& faster)
{
    Machine machine = machine_of("tpu_v3", 8);
    for (const AlxConfig& plan : plans()) {
        const model::Program program = epoch_of(below(plan, fixed), 8).epoch;
        double before = std::numeric_limits<double>::infinity();
        for (double rate = 1e6; rate < 1e12; rate *= 2) {
            faster(machine, rate);
            const double now = estimated_seconds(program, machine);
            EXPECT_LE(now, before) << plan.gather << " " << plan.scatter << " " << rate;
            before = now;
        }
    }
}

TEST(TableTier, AFasterPcieIsNeverSlower)
{
    for (const Tier fixed : {Tier::hbm, Tier::host}) {
        expect_never_slower(fixed, [](Machine& machine, double rate) {
            machine.host.pcie_bytes_per_second_per_chip = rate;
        });
    }
}

TEST(TableTier, FasterDrivesAreNeverSlower)
{
    expect_never_slower(Tier::storage, [](Machine& machine, double rate) {
        machine.host.storage.kernel.read_bytes_per_second = rate;
        machine.host.storage.kernel.write_bytes_per_second = rate;
    });
}

/// Without what hosts feed.
model::Program without_infeed(model::Program program)
{
    for (model::StepGroup& group : program) {
        auto graph = std::make_shared<model::OpGraph>(*group.step.graph);
        for (model::Op& op : graph->ops) {
            if (op.phase.text() == "infeed") {
                std::get<model::Copy>(op.work).bytes = Bytes(0);
            }
        }
        group.step.graph = graph;
    }
    return program;
}

/// Over a PCIe that is far slower than all else, an epoch of a clean job takes bytes over rate:
/// with the fixed table in HBM what leaves and then what comes in, with both below what comes in,
/// beside which the rest leaves.
TEST(TableTier, BoundByPcieAnEpochTakesBytesOverRate)
{
    Machine machine = machine_of("tpu_v3", 1);
    constexpr double pcie = 1e5;
    machine.host.pcie_bytes_per_second_per_chip = pcie;
    AlxConfig plan = alx::clean_config();
    plan.batch = plan.column_batch = {64, 8, 16};
    for (const Tier fixed : {Tier::hbm, Tier::host}) {
        const alx::TimingProgram timed = epoch_of(below(plan, fixed), 1);
        const model::Program program = without_infeed(timed.epoch);
        const std::int64_t row = plan.dim * model::size_of(plan.table_dtype).count();
        auto moves = moved(program, 1);
        const std::int64_t exchanged =
            2 * std::max(timed.rows.shard_rows, timed.columns.shard_rows) * row;
        const auto bytes =
            static_cast<double>(fixed == Tier::hbm ? moves["solved rows to the host"] + exchanged
                                                   : moves["asked rows from the host"] +
                                                         moves["chunk of the table from the host"]);
        const double closed_form = bytes / (pcie / machine.devices_per_chip);
        EXPECT_NEAR(estimated_seconds(program, machine) / closed_form, 1, 0.02) << name_of(fixed);
        EXPECT_NEAR(simulated_seconds(program, machine) / closed_form, 1, 0.02) << name_of(fixed);
    }
}

/// Numbers know nothing of where tables stand.
TEST(TableTier, TablesAreTheSameBitForBit)
{
    for (AlxConfig plan : plans()) {
        plan.epochs = 2;
        const std::vector<float> in_hbm = alx::trained(plan, links(), 4);
        for (const Tier fixed : {Tier::hbm, Tier::host, Tier::storage}) {
            EXPECT_EQ(alx::trained(below(plan, fixed), links(), 4), in_hbm)
                << plan.gather << " " << plan.scatter << " " << name_of(fixed);
        }
    }
}

} // namespace
} // namespace alxsim::sim
