// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"
#include "alx/placements/placement.h"
#include "alx/steps/half_batches.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "tests/unit/alx/sharding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

/// What every gather, scatter and statistic computes, against what its own ops carry and write: a
/// new one is tested without a word here.
namespace alxsim::alx {
namespace {

const Dataset& web_of_700()
{
    static const Dataset data = [] {
        GenerateConfig config;
        config.rows = 700;
        config.columns = 500;
        config.links = 9000;
        config.min_links = 2;
        config.locality = 0.5;
        return without_split(generate(config, 3));
    }();
    return data;
}

/// One device; row shards alone; embedding shards, replicas, and both.
std::vector<DeviceMesh> meshes()
{
    std::vector<DeviceMesh> all{1, 8, mesh_of(4, 2, 1), mesh_of(4, 1, 2), mesh_of(2, 2, 2)};
    for (DeviceMesh& mesh : all) {
        mesh.replica_axes = {"z"};
    }
    return all;
}

/// The row half of a job: its batches, and who owns what.
class RowHalf {
public:
    RowHalf(const AlxConfig& config, const DeviceMesh& mesh)
        : mesh_(mesh),
          placed_(place_tables(config, links(), transpose(links()), mesh)),
          batches_(batch_rows(config, links(), mesh, placed_.rows))
    {
    }

    static const SparseMatrix& links() { return web_of_700().training; }
    const DeviceMesh& mesh() const { return mesh_; }
    const DenseBatches& batches() const { return batches_; }
    std::int64_t steps() const
    {
        return static_cast<std::int64_t>(batches_.batches.size()) / mesh_.devices;
    }
    SolvedStep solved(std::int64_t step) const { return {batches_, step, placed_.rows, mesh_}; }
    TrafficSource source() const
    {
        return {links(), batches_, placed_.rows, placed_.columns, mesh_};
    }
    const ShardMap& columns() const { return placed_.columns; }

private:
    DeviceMesh mesh_;
    TablePlacement placed_;
    DenseBatches batches_;
};

/// Rows stand apart from what they link to, and owners have unequal numbers of them.
AlxConfig hashed_config()
{
    AlxConfig config = clean_config();
    config.placement = "hash";
    config.semantics.solution_cast = SolutionCast::bf16;
    return config;
}

std::int64_t members_of(const model::Collective& collective, const DeviceMesh& mesh)
{
    if (collective.group.empty()) {
        return mesh.devices;
    }
    const std::map<std::string, int> sizes{
        {"x", mesh.row_shards}, {"y", mesh.embedding_shards}, {"z", mesh.replicas}};
    std::int64_t members = 1;
    for (const std::string& axis : collective.group) {
        members *= axis == "y" ? 1 : sizes.at(axis);
    }
    return members;
}

/// What the collectives of a graph bring a device from others.
Bytes received_by(int device, const model::OpGraph& graph, const DeviceMesh& mesh)
{
    Bytes received(0);
    for (const model::Op& op : graph.ops) {
        const auto* collective = std::get_if<model::Collective>(&op.work);
        if (collective != nullptr && collective->messages) {
            for (const model::PairMessage& message : *collective->messages) {
                received += message.destination == device ? message.bytes : Bytes(0);
            }
        } else if (collective != nullptr) {
            EXPECT_EQ(collective->kind, model::CollectiveKind::all_gather) << op.name.text();
            const std::int64_t members = members_of(*collective, mesh);
            received += Bytes(collective->bytes.count() / members * (members - 1));
        }
    }
    return received;
}

/// The ops of a step's scatter, and nothing else.
model::OpGraph ops_of(const ScatterStrategy& scatter, const AlxConfig& config, const RowHalf& half,
                      const ScatterShape& shape)
{
    model::OpGraph graph;
    const int solved =
        graph.add({"solved", "solve", model::Vector{}, {}, {{shape.solved, Bytes(0)}}, {}, {}});
    scatter.add_ops(graph, shape, solved, {solved}, nullptr);
    EXPECT_GT(graph.ops.size(), 1U) << config.scatter << " on " << half.mesh().devices;
    return graph;
}

ScatterShape shape_of(const AlxConfig& config, const RowHalf& half, std::int64_t step,
                      const RowExchange& solutions)
{
    ScatterShape shape;
    shape.systems = half.solved(step).slots();
    shape.dim = config.dim / half.mesh().embedding_shards;
    shape.exchange = config.exchange_dtype();
    shape.mesh = &half.mesh();
    shape.solutions = &solutions;
    return shape;
}

void expect_same_bytes(const AlxConfig& config, const RowHalf& half)
{
    const auto scatter = scatter_strategies().create(config.scatter);
    for (std::int64_t step = 0; step < half.steps(); ++step) {
        const RowExchange solutions = solution_traffic(half.source(), step);
        const ScatterShape shape = shape_of(config, half, step, solutions);
        const model::OpGraph graph = ops_of(*scatter, config, half, shape);
        const ScatteredRows scattered = scatter->scatter(half.solved(step));
        for (int device = 0; device < half.mesh().devices; ++device) {
            EXPECT_EQ((shape.exchanged(1) + Bytes(id_bytes)) *
                          scattered.received.at(static_cast<std::size_t>(device)),
                      received_by(device, graph, half.mesh()))
                << config.scatter << ", device " << device << " of " << half.mesh().devices;
        }
    }
}

TEST(EveryAlxStrategy, BringsSolutionsInTheBytesThatItsScatterOpsCarry)
{
    for (const std::string& scatter : scatter_strategies().names()) {
        AlxConfig config = hashed_config();
        config.scatter = scatter;
        for (const DeviceMesh& mesh : meshes()) {
            expect_same_bytes(config, RowHalf(config, mesh));
        }
    }
}

/// How often each row is written in a half; all by holders of their shard.
std::map<std::int32_t, int> writes_of(const ScatterStrategy& scatter, const RowHalf& half)
{
    std::map<std::int32_t, int> writes;
    for (std::int64_t step = 0; step < half.steps(); ++step) {
        const SolvedStep solved = half.solved(step);
        const ScatteredRows scattered = scatter.scatter(solved);
        for (std::size_t device = 0; device < scattered.written.size(); ++device) {
            const DeviceMesh::Coordinates& at = half.mesh().coordinates.at(device);
            for (const SolvedRow& row : scattered.written[device]) {
                ++writes[row.row];
                EXPECT_EQ(at.row_shard, solved.own.owner(row.row));
                const BatchRange& range = half.batches().batches.at(
                    static_cast<std::size_t>(step * half.mesh().devices + row.device));
                EXPECT_EQ(row.row, half.batches().examples.at(
                                       static_cast<std::size_t>(range.first + row.slot)));
            }
        }
    }
    return writes;
}

TEST(EveryAlxStrategy, WritesEachSolutionOnceInTheShardOfItsRow)
{
    for (const std::string& scatter : scatter_strategies().names()) {
        AlxConfig config = hashed_config();
        config.scatter = scatter;
        for (const DeviceMesh& mesh : meshes()) {
            const RowHalf half(config, mesh);
            const auto writes = writes_of(*scatter_strategies().create(scatter), half);
            EXPECT_EQ(writes.size(), half.batches().examples.size()) << scatter;
            for (const auto& [row, times] : writes) {
                EXPECT_EQ(times, 1) << scatter << ", row " << row;
            }
        }
    }
}

TEST(EveryAlxStrategy, ThatSolvesAtOwnersRefusesARowThatIsSolvedElsewhere)
{
    const RowHalf anywhere(hashed_config(), 8);
    int seen = 0;
    for (const std::string& name : scatter_strategies().names()) {
        const auto scatter = scatter_strategies().create(name);
        if (scatter->at_owner()) {
            ++seen;
            EXPECT_THROW(scatter->scatter(anywhere.solved(0)), std::logic_error) << name;
        }
    }
    EXPECT_GT(seen, 0);
}

/// Windows: sums of a row's links that are made by themselves, and travel.
std::vector<std::int64_t> windows_of(const AlxConfig& config, const RowHalf& half,
                                     std::int64_t step)
{
    const auto numbers = gather_strategies().create(config.gather)->numbers(config, half.mesh());
    std::vector<std::int64_t> windows(static_cast<std::size_t>(half.mesh().devices));
    for (const SolvedRow& solved : half.solved(step).rows()) {
        std::vector<std::int32_t> ids = RowHalf::links().ids(solved.row);
        const std::vector<std::int64_t> ends = numbers->order(ids, half.columns());
        EXPECT_TRUE(ends.empty() || ends.back() == RowHalf::links().length(solved.row))
            << config.gather;
        windows.at(static_cast<std::size_t>(solved.device)) +=
            static_cast<std::int64_t>(ends.size());
    }
    return windows;
}

TEST(EveryAlxStrategy, SumsApartTheWindowsThatItsGatherOpsCarry)
{
    for (const std::string& gather : gather_strategies().names()) {
        AlxConfig config = hashed_config();
        config.gather = gather;
        config.gather_options = {{"min_length", 30}}; // so that some rows are long
        const RowHalf half(config, 8);
        const TrafficNeeds needs = gather_strategies().create(gather)->needs(config, half.mesh());
        for (std::int64_t step = 0; step < half.steps(); ++step) {
            EXPECT_EQ(windows_of(config, half, step),
                      gather_traffic(half.source(), step, needs).windows.arriving)
                << gather;
        }
    }
}

TEST(EveryAlxStrategy, WritesAWindowForEachSumOfItsStatistics)
{
    const AlxConfig config = clean_config();
    const BatchGeometry& geometry = config.batch;
    for (const std::string& name : statistics_strategies().names()) {
        const auto statistics = statistics_strategies().create(name);
        const std::int64_t sums = std::max(
            geometry.rows, ceil_divide(geometry.slots(), statistics->links_per_sum(geometry)));
        model::OpGraph graph;
        const int gathered =
            graph.add({"gathered", "gather.rows", model::Vector{}, {}, {}, {}, {}});
        statistics->add_ops(graph, {config, geometry, "gather.rows", "batch.line_slots"},
                            {gathered});
        int products = 0;
        for (const model::Op& op : graph.ops) {
            if (const auto* matmul = std::get_if<model::Matmul>(&op.work)) {
                ++products;
                EXPECT_EQ(matmul->batch, sums) << name;
                EXPECT_EQ(op.writes.front().touched,
                          model::size_of(config.solve_dtype) * (sums * config.dim * config.dim))
                    << name;
            }
        }
        EXPECT_EQ(products, 1) << name;
    }
}

} // namespace
} // namespace alxsim::alx
