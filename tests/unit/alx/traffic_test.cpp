// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"
#include "alx/steps/half_batches.h"
#include "alx/steps/timing_program.h"
#include "model/graph/op_graph.h"
#include "sharding.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

/// What every strategy's collectives carry in an epoch of real batches, against its closed form.
namespace alxsim::alx {
namespace {

using model::CollectiveKind;

constexpr std::int64_t row_bytes = 16 * 4; ///< of clean_config(): d f32 numbers
constexpr std::int64_t id_size = 4;

const Dataset& links()
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

/// Bytes by op: of a device's buffers, or of all messages where a collective has them.
struct Carried {
    std::map<std::string, std::int64_t> payload;
    std::map<std::string, std::int64_t> messages;
};

void add(const model::OpGraph& graph, std::int64_t times, Carried& carried)
{
    for (const model::Op& op : graph.ops) {
        if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
            add(*repeat->body, times * repeat->times, carried);
        }
        const auto* collective = std::get_if<model::Collective>(&op.work);
        if (collective != nullptr && collective->messages) {
            for (const model::PairMessage& message : *collective->messages) {
                carried.messages[op.name] += times * message.bytes.count();
            }
        } else if (collective != nullptr) {
            carried.payload[op.name] += times * collective->bytes.count();
        }
    }
}

Carried carried_by(const AlxConfig& config, const DeviceMesh& mesh)
{
    Carried carried;
    const auto prepared = std::make_shared<const PreparedLinks>(config, links().training, mesh);
    for (const model::StepGroup& group : timing_program(config, prepared, mesh).epoch) {
        add(*group.step.graph, group.times, carried);
    }
    return carried;
}

AlxConfig with(const std::string& gather, const std::string& scatter = "all_gather")
{
    AlxConfig config = clean_config();
    config.gather = gather;
    config.scatter = scatter;
    return config;
}

/// Both halves: links by row, placement of the own and of the fixed table, batches.
struct Half {
    SparseMatrix matrix;
    ShardMap own;
    ShardMap fixed;
    DenseBatches batches;
    std::int64_t slots;
};

std::vector<Half> halves(const AlxConfig& config, const DeviceMesh& mesh)
{
    const SparseMatrix& by_row = links().training;
    const SparseMatrix by_column = transpose(by_row);
    const TablePlacement placed = place_tables(config, by_row, by_column, mesh);
    std::vector<Half> result;
    result.push_back({by_row, placed.rows, placed.columns,
                      batch_rows(config, by_row, mesh, placed.rows),
                      config.batch.lines * config.batch.line_length});
    result.push_back({by_column, placed.columns, placed.rows,
                      batch_columns(config, by_column, mesh, placed.columns),
                      config.column_batch.lines * config.column_batch.line_length});
    return result;
}

/// Over all batches: sum of visit(device, rows of the batch).
std::int64_t sum_over_batches(
    const Half& half, int devices,
    const std::function<std::int64_t(int device, const std::vector<std::int32_t>& rows)>& visit)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < half.batches.batches.size(); ++i) {
        const BatchRange& range = half.batches.batches[i];
        const auto first = half.batches.examples.begin() + range.first;
        sum += visit(static_cast<int>(i) % devices, {first, first + range.count});
    }
    return sum;
}

/// Distinct rows of the fixed table that the links of rows shorter than `limit` need from
/// elsewhere.
std::int64_t distinct_remote_rows(const Half& half, int devices, std::int64_t limit)
{
    return sum_over_batches(half, devices, [&](int device, const std::vector<std::int32_t>& rows) {
        std::set<std::int32_t> distinct;
        for (const std::int32_t row : rows) {
            if (half.matrix.length(row) < limit) {
                const std::vector<std::int32_t> ids = half.matrix.ids(row);
                distinct.insert(ids.begin(), ids.end());
            }
        }
        return static_cast<std::int64_t>(
            std::count_if(distinct.begin(), distinct.end(),
                          [&](std::int32_t id) { return half.fixed.owner(id) != device; }));
    });
}

/// Pairs of a long row and a shard elsewhere that owns some of its links.
std::int64_t remote_windows(const Half& half, int devices, std::int64_t limit)
{
    return sum_over_batches(half, devices, [&](int device, const std::vector<std::int32_t>& rows) {
        std::int64_t windows = 0;
        for (const std::int32_t row : rows) {
            std::set<int> owners;
            for (const std::int32_t id : half.matrix.ids(row)) {
                owners.insert(half.fixed.owner(id));
            }
            owners.erase(device);
            windows +=
                half.matrix.length(row) < limit ? 0 : static_cast<std::int64_t>(owners.size());
        }
        return windows;
    });
}

constexpr std::int64_t no_limit = std::int64_t{1} << 40;

/// steps * M * B * L * d * bytes, both halves.
std::int64_t all_slots_of_all_batches(const AlxConfig& config, int devices)
{
    std::int64_t bytes = 0;
    for (const Half& half : halves(config, devices)) {
        const auto batches = static_cast<std::int64_t>(half.batches.batches.size());
        bytes += batches * half.slots * row_bytes;
    }
    return bytes;
}

class Traffic : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Devices, Traffic, testing::Values(2, 4, 16));

TEST_P(Traffic, OfReductionsIsEverySlotOfEveryBatch)
{
    for (const char* gather : {"all_reduce_loop", "all_reduce", "reduce_scatter"}) {
        const AlxConfig config = with(gather);
        EXPECT_EQ(carried_by(config, GetParam()).payload["combine rows"],
                  all_slots_of_all_batches(config, GetParam()))
            << gather;
    }
}

TEST_P(Traffic, OfAllToAllIsTheDistinctRemoteRowsOfTheRealBatches)
{
    for (const char* placement : {"contiguous", "hash", "partitioned"}) {
        for (const char* scatter : {"all_gather", "owner_computes"}) {
            AlxConfig config = with("all_to_all", scatter);
            config.placement = placement;
            std::int64_t rows = 0;
            for (const Half& half : halves(config, GetParam())) {
                rows += distinct_remote_rows(half, GetParam(), no_limit);
            }
            Carried carried = carried_by(config, GetParam());
            EXPECT_GT(rows, 0);
            EXPECT_EQ(carried.messages["send rows to askers"], rows * row_bytes) << placement;
            EXPECT_EQ(carried.messages["ask owners"], rows * id_size) << placement;
        }
    }
}

TEST_P(Traffic, OfShippedStatisticsIsShortRowsRowsAndLongRowsWindows)
{
    AlxConfig config = with("ship_statistics");
    const std::int64_t min_length = 30;
    config.gather_options = {{"min_length", min_length}};
    std::int64_t rows = 0;
    std::int64_t windows = 0;
    for (const Half& half : halves(config, GetParam())) {
        rows += distinct_remote_rows(half, GetParam(), min_length);
        windows += remote_windows(half, GetParam(), min_length);
    }
    Carried carried = carried_by(config, GetParam());
    EXPECT_GT(windows, 0);
    EXPECT_EQ(carried.messages["send rows to askers"], rows * row_bytes);
    EXPECT_EQ(carried.messages["send statistics"], windows * (16 * 16 + 16) * 4);
}

TEST_P(Traffic, OfCopiesIsBothTablesOnce)
{
    const AlxConfig config = with("replicated");
    std::int64_t bytes = 0;
    for (const Half& half : halves(config, GetParam())) {
        bytes += half.fixed.padded_rows() * row_bytes;
    }
    EXPECT_EQ(carried_by(config, GetParam()).payload["copy all shards"], bytes);
}

TEST_P(Traffic, OfTheReleasedScatterIsEveryRowSlotOfEveryBatch)
{
    const AlxConfig config = with("all_reduce");
    std::int64_t bytes = 0;
    for (const Half& half : halves(config, GetParam())) {
        bytes += static_cast<std::int64_t>(half.batches.batches.size()) * 64 * row_bytes;
    }
    EXPECT_EQ(carried_by(config, GetParam()).payload["exchange solutions"], bytes);
}

TEST_P(Traffic, OfSolutionsToOwnersIsTheRowsSolvedElsewhere)
{
    const AlxConfig config = with("all_reduce", "all_to_all");
    std::int64_t rows = 0;
    for (const Half& half : halves(config, GetParam())) {
        rows += sum_over_batches(
            half, GetParam(), [&](int device, const std::vector<std::int32_t>& solved) {
                return std::count_if(solved.begin(), solved.end(), [&](std::int32_t row) {
                    return half.own.owner(row) != device;
                });
            });
    }
    EXPECT_EQ(carried_by(config, GetParam()).messages["send solutions to owners"],
              rows * (row_bytes + id_size));
}

TEST_P(Traffic, OfOwnersThatComputeIsNothingButTheGather)
{
    const Carried carried = carried_by(with("all_reduce", "owner_computes"), GetParam());
    for (const auto& [name, bytes] : carried.payload) {
        EXPECT_TRUE(name == "exchange ids" || name == "combine rows" || name == "sum over devices")
            << name;
    }
    EXPECT_TRUE(carried.messages.empty());
}

TEST_P(Traffic, OfPrefetchIsThatWithout)
{
    for (const char* gather : {"all_reduce_loop", "all_to_all"}) {
        AlxConfig config = with(gather, "all_to_all");
        const Carried without = carried_by(config, GetParam());
        config.prefetch_depth = 2;
        const Carried ahead = carried_by(config, GetParam());
        EXPECT_EQ(ahead.payload, without.payload);
        EXPECT_EQ(ahead.messages, without.messages);
    }
}

TEST(EmbeddingShards, CarryTheirColumnsOfTheGroupsSlotsAndJoinThemOnce)
{
    const AlxConfig config = with("all_reduce");
    const DeviceMesh mesh = mesh_of(4, 2, 1);
    Carried carried = carried_by(config, mesh);
    // Eight batches a step; those of four devices and their mates are gathered by half rows.
    const std::int64_t slots = all_slots_of_all_batches(config, 8);
    EXPECT_EQ(carried.payload["combine rows"], slots / 2);
    EXPECT_EQ(carried.payload["join embedding columns"], slots / 8);
}

TEST(Replicas, GatherAmongFewerDevices)
{
    const AlxConfig config = with("all_reduce");
    EXPECT_EQ(carried_by(config, mesh_of(4, 1, 2)).payload["combine rows"],
              all_slots_of_all_batches(config, 8) / 2);
}

std::int64_t steps_of(const model::Program& epoch)
{
    std::int64_t steps = 0;
    for (const model::StepGroup& group : epoch) {
        steps += group.times;
    }
    return steps;
}

/// A few steps stand for all, but for those in which only one of gather and solve goes on.
TEST(Traffic, OfASampleOfStepsStandsForAsManyStepsAndNearlyAsMuchTraffic)
{
    for (const int depth : {0, 2}) {
        const DeviceMesh mesh(4);
        AlxConfig config = with("all_to_all");
        config.prefetch_depth = depth;
        config.long_rows = LongRows::truncate;
        config.batch = {16, 8, 16};
        config.column_batch = {16, 8, 16};
        const auto prepared = std::make_shared<const PreparedLinks>(config, links().training, mesh);
        const model::Program whole = timing_program(config, prepared, mesh).epoch;
        const model::Program sampled = timing_program(config, prepared, mesh, 5).epoch;
        EXPECT_LT(sampled.size(), whole.size());
        EXPECT_EQ(steps_of(sampled), steps_of(whole));
        const auto sent = [](const model::Program& epoch) {
            Carried carried;
            for (const model::StepGroup& group : epoch) {
                add(*group.step.graph, group.times, carried);
            }
            double sum = 0;
            for (const auto& [op, bytes] : carried.messages) {
                sum += static_cast<double>(bytes);
            }
            return sum;
        };
        EXPECT_NEAR(sent(sampled) / sent(whole), 1, 0.1);
        const model::Program all = timing_program(config, prepared, mesh, 1 << 20).epoch;
        EXPECT_EQ(all.size(), whole.size());
    }
}

} // namespace
} // namespace alxsim::alx
