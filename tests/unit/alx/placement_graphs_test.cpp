// SPDX-License-Identifier: Apache-2.0
#include "alx/data/dataset_reader.h"
#include "alx/placements/placement_measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace alxsim::alx {
namespace {

/// Placements of real graphs.
class PlacedGraph : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override
    {
        const std::string file =
            std::string(ALXSIM_SHARED_DIR) + "/data/" + GetParam() + "/adj.txt.gz";
        if (!std::filesystem::exists(file)) {
            GTEST_SKIP() << "no " << file;
        }
        rows_ = read_matrix({file});
        columns_ = transpose(rows_);
    }

    PlacementMeasure measure(const std::string& name, int shards) const
    {
        return measure_placement(placements().create(name)->place(rows_, columns_, shards, 1),
                                 rows_, columns_);
    }

    SparseMatrix rows_;
    SparseMatrix columns_;
};

void expect_within(double value, const model::UnknownNumber& assumed, const std::string& what)
{
    EXPECT_GE(value, assumed.low * (1 - 1e-12)) << what;
    EXPECT_LE(value, assumed.high) << what;
}

TEST_P(PlacedGraph, DegreeBalancedIsWithinOneLongestRowOfTheMeanAndNoWorseThanContiguous)
{
    const PlacedLengths lengths{length_moments(rows_), length_moments(columns_)};
    for (const int shards : {2, 8, 64, 256}) {
        const PlacementMeasure contiguous = measure("contiguous", shards);
        const PlacementMeasure balanced = measure("degree_balanced", shards);
        EXPECT_LE(balanced.rows.links.most, contiguous.rows.links.most) << shards;
        EXPECT_LE(balanced.columns.links.most, contiguous.columns.links.most) << shards;
        EXPECT_LE(static_cast<double>(balanced.rows.links.most),
                  balanced.rows.links.mean + lengths.rows.longest)
            << shards;
        EXPECT_LE(static_cast<double>(balanced.columns.links.most),
                  balanced.columns.links.mean + lengths.columns.longest)
            << shards;
        EXPECT_EQ(balanced.rows.padding, contiguous.rows.padding) << shards;
    }
}

TEST_P(PlacedGraph, StaysWithinWhatIsAssumedOfIt)
{
    const PlacedLengths lengths{length_moments(rows_), length_moments(columns_)};
    for (const std::string& name : placements().names()) {
        for (const int shards : {2, 8, 64}) {
            const std::string what = name + " on " + std::to_string(shards) + " shards";
            const PlacementMeasure found = measure(name, shards);
            const PlacementAssumption assumed =
                placements().create(name)->assumption(lengths, shards);
            expect_within(found.local_share, assumed.local_share, what);
            expect_within(found.rows.links.imbalance(), assumed.row_imbalance, what);
            expect_within(found.columns.links.imbalance(), assumed.column_imbalance, what);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Graphs, PlacedGraph,
                         testing::Values("email-eu-core", "wiki-vote", "p2p-gnutella04",
                                         "debian-deps", "cnr-2000"),
                         [](const auto& test) {
                             std::string name = test.param;
                             name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                             return name;
                         });

class PlacedWeb : public PlacedGraph {};

/// A crawl's order is local at 64 shards, too, but there its busiest shard is looked up eleven
/// times as often as the mean one.
TEST_P(PlacedWeb, PartitionedKeepsMoreLinksLocalThanOthersOrIsFarBetterBalanced)
{
    for (const int shards : {8, 64}) {
        const PlacementMeasure partitioned = measure("partitioned", shards);
        const PlacementMeasure contiguous = measure("contiguous", shards);
        EXPECT_GT(partitioned.local_share, 10 * measure("cyclic", shards).local_share / 2);
        EXPECT_GT(partitioned.local_share, 10 * measure("hash", shards).local_share / 2);
        EXPECT_TRUE(partitioned.local_share > contiguous.local_share ||
                    3 * partitioned.columns.links.most < contiguous.columns.links.most);
    }
    EXPECT_GT(measure("partitioned", 8).local_share, measure("contiguous", 8).local_share);
}

INSTANTIATE_TEST_SUITE_P(Cnr2000, PlacedWeb, testing::Values("cnr-2000"));

} // namespace
} // namespace alxsim::alx
