// SPDX-License-Identifier: Apache-2.0
#include "alx/shard_map.h"

#include "alx/solvers/normal_equations.h"
#include "alx/solvers/sharded_gramian.h"
#include "model/collectives/collective.h"
#include "spmd/collectives/hop_sum.h"
#include "topologies/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(ShardMap, ContiguousShardsAreRangesAndTheLastHoldPhantomRows)
{
    const ShardMap map = ShardMap::contiguous(5, 3);
    EXPECT_EQ(map.shard_rows(), 2);
    EXPECT_EQ(map.rows_of(0), Ids({0, 1}));
    EXPECT_EQ(map.rows_of(2), Ids({4, 5}));
    EXPECT_EQ(map.owner(5), 2);
}

TEST(ShardMap, PhantomRowsFillShardsUpToTheLargest)
{
    const ShardMap map({1, 1, 0, 1}, 2);
    EXPECT_EQ(map.shard_rows(), 3);
    EXPECT_EQ(map.rows_of(0), Ids({2, 4, 5}));
    EXPECT_EQ(map.rows_of(1), Ids({0, 1, 3}));
    EXPECT_EQ(map.owner(4), 0);
    EXPECT_EQ(map.row_at(1, 2), 3);
}

TEST(ShardMap, HasRoomForARowMoreThanTheShare)
{
    EXPECT_EQ(ShardMap({1, 0, 1, 0}, 2).shard_rows(), 3);
}

TEST(ShardMap, SeesThatOwnersAreContiguous)
{
    EXPECT_TRUE(ShardMap({0, 0, 1}, 2).is_contiguous());
    EXPECT_EQ(ShardMap({0, 0, 1}, 2).rows_of(1), ShardMap::contiguous(3, 2).rows_of(1));
    EXPECT_FALSE(ShardMap({0, 1, 0}, 2).is_contiguous());
}

TEST(ShardMap, ShardsMayBeEmpty)
{
    const ShardMap map({3, 1}, 4);
    EXPECT_EQ(map.shard_rows(), 1);
    EXPECT_EQ(map.rows_of(0), Ids({2}));
    EXPECT_EQ(map.rows_of(3), Ids({0}));
    EXPECT_EQ(ShardMap({}, 2).padded_rows(), 2);
}

TEST(ShardMap, RefusesOwnersThatAreNoShards)
{
    EXPECT_THROW(ShardMap({0, 2}, 2), std::logic_error);
    EXPECT_THROW(ShardMap({0, -1}, 2), std::logic_error);
}

constexpr int table_dim = 16;
constexpr std::int64_t row_count = 5000;

AlxConfig config_of(model::DType dtype)
{
    AlxConfig config;
    config.dim = table_dim;
    config.table_dtype = dtype;
    return config;
}

/// Returns that of a table of `row_count` rows with values that do not depend on the map.
std::vector<double> gramian_of(ShardMap map, model::DType dtype)
{
    HostPool pool(2);
    FactorTable table(std::move(map), table_dim, dtype);
    table.initialize(0.1, 1, 1, PhantomRows::zero, pool);
    ShardedGramian gramian(config_of(dtype), table);
    gramian.compute(pool);
    return gramian.matrix();
}

ShardMap dealt(int shards)
{
    Ids owners;
    for (std::int32_t id = 0; id < row_count; ++id) {
        owners.push_back(id % shards);
    }
    return ShardMap(std::move(owners), shards);
}

TEST(ShardedGramian, OfContiguousShardsSumsChunksOf1024RowsInOrder)
{
    HostPool pool(2);
    FactorTable table(row_count, table_dim, 3, model::DType::f32);
    table.initialize(0.1, 1, 1, PhantomRows::zero, pool);
    AlxConfig config = config_of(model::DType::f32);
    config.semantics.gramian_dtype = GramianDType::table;
    std::vector<float> sum(table_dim * table_dim);
    for (std::int64_t begin = 0; begin < table.padded_rows(); begin += table.shard_rows()) {
        std::vector<float> shard(table_dim * table_dim);
        const std::int64_t end = begin + table.shard_rows();
        for (std::int64_t first = begin; first < end; first += 1024) {
            spmd::FloatBuffer chunk(table_dim * table_dim);
            add_gramian(table.store(), first, std::min(first + 1024, end), config.matmul_passes,
                        chunk.data());
            for (std::size_t i = 0; i < shard.size(); ++i) {
                shard[i] += chunk[i];
            }
        }
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += shard[i];
        }
    }
    ShardedGramian gramian(config, table);
    gramian.compute(pool);
    const std::vector<double>& found = gramian.matrix();
    for (std::size_t i = 0; i < table_dim; ++i) {
        for (std::size_t j = i; j < table_dim; ++j) {
            EXPECT_EQ(found[i * table_dim + j], static_cast<double>(sum[i * table_dim + j]));
        }
    }
}

TEST(ShardedGramian, RoundedAtEveryHopIsThatOfOneRoundingToThePrecisionOfBf16)
{
    HostPool pool(2);
    FactorTable table(row_count, table_dim, 32, model::DType::bf16);
    table.initialize(0.1, 1, 1, PhantomRows::zero, pool);
    AlxConfig config = config_of(model::DType::bf16);
    config.semantics.gramian_dtype = GramianDType::table;
    ShardedGramian once(config, table);
    once.compute(pool);
    const topologies::Machine machine =
        topologies::make_machine(topologies::Preset::load("tpu_v3"), {32, {}, {}});
    config.gramian_sum = std::make_shared<const spmd::HopSum>(
        model::make_schedule({model::CollectiveKind::all_reduce, Bytes(2 * table_dim * table_dim)},
                             machine),
        machine, table_dim * table_dim);
    ShardedGramian hops(config, table);
    hops.compute(pool);
    double largest = 0;
    for (std::size_t i = 0; i < table_dim; ++i) {
        const double diagonal = once.matrix()[i * table_dim + i];
        largest = std::max(largest, std::abs(hops.matrix()[i * table_dim + i] / diagonal - 1));
    }
    EXPECT_GT(largest, 0);
    EXPECT_LT(largest, 10.0 / 256); // additions one after the other: 7 and 3
    EXPECT_NE(hops.matrix(), once.matrix());
}

TEST(ShardedGramian, OfPlacedRowsIsTheContiguousOneToRounding)
{
    const std::vector<double> contiguous =
        gramian_of(ShardMap::contiguous(row_count, 3), model::DType::f64);
    const std::vector<double> placed = gramian_of(dealt(3), model::DType::f64);
    for (std::size_t i = 0; i < contiguous.size(); ++i) {
        // A sum of n products is off by at most n epsilon sum |x y|, sum |x y| <= the diagonal.
        const double bound = 2 * static_cast<double>(row_count) * 0x1p-53 * contiguous[0] * 2;
        EXPECT_NEAR(placed[i], contiguous[i], bound);
    }
    EXPECT_NE(placed, contiguous); // another order of sums
}

TEST(ShardedGramian, SummedInF64AndRoundedOnceDoesNotShowThePlacement)
{
    EXPECT_EQ(gramian_of(dealt(3), model::DType::f32),
              gramian_of(ShardMap::contiguous(row_count, 3), model::DType::f32));
}

TEST(FactorTable, KeepsRowsInTheOrderOfTheirIdsWhateverTheirPlacement)
{
    HostPool pool(1);
    FactorTable contiguous(row_count, table_dim, 3, model::DType::bf16);
    FactorTable placed(dealt(3), table_dim, model::DType::bf16);
    contiguous.initialize(0.1, 1, 1, PhantomRows::zero, pool);
    placed.initialize(0.1, 1, 1, PhantomRows::zero, pool);
    EXPECT_EQ(placed.to_floats(), contiguous.to_floats());
    EXPECT_EQ(placed.owner(7), 1);
    EXPECT_EQ(placed.shards(), 3);
}

} // namespace
} // namespace alxsim::alx
