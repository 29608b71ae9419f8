// SPDX-License-Identifier: Apache-2.0
#include "alx/placements/placement_measure.h"

#include "base/input_error.h"
#include "matrices.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::alx {
namespace {

TablePlacement place(const std::string& name, const SparseMatrix& rows, int shards,
                     std::uint64_t seed = 1)
{
    return placements().create(name)->place(rows, transpose(rows), shards, seed);
}

PlacementMeasure measure(const std::string& name, const SparseMatrix& rows, int shards)
{
    return measure_placement(place(name, rows, shards), rows, transpose(rows));
}

std::vector<std::int32_t> owners(const ShardMap& map)
{
    std::vector<std::int32_t> result;
    for (std::int64_t id = 0; id < map.count(); ++id) {
        result.push_back(map.owner(id));
    }
    return result;
}

/// Every id below padded_rows stands in one shard, the one that owner() names, and no shard holds
/// more than shard_rows.
void expect_one_owner_each(const ShardMap& map, std::int64_t count)
{
    EXPECT_EQ(map.count(), count);
    EXPECT_GE(map.shard_rows(), count / map.shards() + 1);
    std::vector<int> seen(static_cast<std::size_t>(map.padded_rows()));
    for (int shard = 0; shard < map.shards(); ++shard) {
        const std::vector<std::int32_t> rows = map.rows_of(shard);
        EXPECT_EQ(static_cast<std::int64_t>(rows.size()), map.shard_rows());
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        for (const std::int32_t id : rows) {
            ++seen.at(static_cast<std::size_t>(id));
            EXPECT_EQ(map.owner(id), shard);
        }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), map.padded_rows());
}

class EveryPlacement : public testing::TestWithParam<std::string> {};

TEST_P(EveryPlacement, GivesEachIdOneOwner)
{
    const SparseMatrix matrix = power_law_matrix(500, 300, 1);
    for (const int shards : {1, 2, 7, 64}) {
        const TablePlacement placement = place(GetParam(), matrix, shards);
        expect_one_owner_each(placement.rows, 500);
        expect_one_owner_each(placement.columns, 300);
    }
}

TEST_P(EveryPlacement, TakesFewerRowsThanShardsAndRowsWithoutLinks)
{
    const SparseMatrix matrix = matrix_of({{0, 1}, {}, {1}}, 4);
    const SparseMatrix empty = matrix_of({{}, {}, {}}, 2);
    for (const int shards : {1, 3, 16}) {
        expect_one_owner_each(place(GetParam(), matrix, shards).rows, 3);
        expect_one_owner_each(place(GetParam(), matrix, shards).columns, 4);
        expect_one_owner_each(place(GetParam(), empty, shards).rows, 3);
    }
}

TEST_P(EveryPlacement, IsTheSameTwice)
{
    const SparseMatrix matrix = planted_matrix(400, 300, 5, 8, 1);
    const TablePlacement first = place(GetParam(), matrix, 5);
    const TablePlacement second = place(GetParam(), matrix, 5);
    EXPECT_EQ(owners(first.rows), owners(second.rows));
    EXPECT_EQ(owners(first.columns), owners(second.columns));
}

TEST_P(EveryPlacement, AssumesNothingOfOneShard)
{
    const PlacedLengths lengths = placed_lengths(webgraph_shape("sparse"));
    const PlacementAssumption alone = placements().create(GetParam())->assumption(lengths, 1);
    for (const model::UnknownNumber& one :
         {alone.local_share, alone.row_imbalance, alone.column_imbalance}) {
        EXPECT_EQ(one.low, 1);
        EXPECT_EQ(one.central, 1);
        EXPECT_EQ(one.high, 1);
    }
}

TEST_P(EveryPlacement, AssumesValuesInOrderAtThePublishedSize)
{
    const PlacedLengths lengths = placed_lengths(webgraph_shape("sparse"));
    for (int shards = 2; shards <= 2048; shards *= 2) {
        const PlacementAssumption assumed =
            placements().create(GetParam())->assumption(lengths, shards);
        for (const model::UnknownNumber& number :
             {assumed.local_share, assumed.row_imbalance, assumed.column_imbalance}) {
            EXPECT_LE(number.low, number.central) << shards;
            EXPECT_LE(number.central, number.high) << shards;
        }
        EXPECT_GT(assumed.local_share.low, 0);
        EXPECT_LE(assumed.local_share.high, 1);
        EXPECT_GE(assumed.row_imbalance.low, 1);
        EXPECT_FALSE(assumed.source.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Names, EveryPlacement, testing::ValuesIn(placements().names()),
                         [](const auto& test) { return test.param; });

TEST(Placement, NamesWhatIsAllowed)
{
    EXPECT_THROW(placements().create("metis"), InputError);
}

TEST(Placement, CyclicDealsIdsOut)
{
    EXPECT_EQ(owners(place("cyclic", power_law_matrix(5, 4, 1), 2).rows),
              std::vector<std::int32_t>({0, 1, 0, 1, 0}));
}

TEST(Placement, HashDependsOnTheSeed)
{
    const SparseMatrix matrix = power_law_matrix(500, 300, 1);
    EXPECT_NE(owners(place("hash", matrix, 4, 1).rows), owners(place("hash", matrix, 4, 2).rows));
}

TEST(Placement, DegreeBalancedPutsTheLongestRowWhereLeastElseStands)
{
    const SparseMatrix matrix = matrix_of({{0}, {0, 1, 2, 3}, {1}, {2, 3}, {}, {}}, 4);
    const PlacementMeasure measured = measure("degree_balanced", matrix, 2);
    EXPECT_EQ(measured.rows.links.least, 4);
    EXPECT_EQ(measured.rows.links.most, 4);
    EXPECT_EQ(measured.rows.rows.most, 3); // the empty rows went where fewest stood
}

TEST(Placement, DegreeBalancedKeepsToItsRoom)
{
    // One long row, and short ones that cannot all stand on the other shard.
    std::vector<std::vector<std::int32_t>> lists(9, {0});
    lists.push_back({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
    const PlacementMeasure measured = measure("degree_balanced", matrix_of(lists, 20), 2);
    EXPECT_EQ(measured.rows.rows.most, 6);
    EXPECT_EQ(measured.rows.links.most, 23);
}

TEST(Placement, PartitionedFindsPlantedGroups)
{
    const SparseMatrix matrix = planted_matrix(2000, 1500, 4, 10, 1);
    const double found = measure("partitioned", matrix, 4).local_share;
    // Nine of ten links stay within the group, and one of four of the others hits it by chance.
    EXPECT_GT(found, 0.85);
    EXPECT_LT(measure("hash", matrix, 4).local_share, 0.35);
}

TEST(PlacementMeasure, CountsRowsLinksAndLocalLinks)
{
    const SparseMatrix matrix = matrix_of({{0, 1}, {0}, {2}}, 3);
    const TablePlacement placement{ShardMap({0, 1, 1}, 2), ShardMap({0, 1, 1}, 2)};
    const PlacementMeasure measured = measure_placement(placement, matrix, transpose(matrix));
    EXPECT_DOUBLE_EQ(measured.local_share, 0.5);
    EXPECT_EQ(measured.rows.rows.least, 1);
    EXPECT_EQ(measured.rows.rows.most, 2);
    EXPECT_DOUBLE_EQ(measured.rows.links.mean, 2);
    EXPECT_EQ(measured.columns.links.most, 2);
    EXPECT_DOUBLE_EQ(measured.columns.padding, 4.0 / 3.0);
    EXPECT_DOUBLE_EQ(measured.rows.links.imbalance(), 1);
}

} // namespace
} // namespace alxsim::alx
