// SPDX-License-Identifier: Apache-2.0
#include "alx/data/filter.h"

#include "data_files.h"
#include "matrices.h"

#include <optional>
#include <tuple>

namespace alxsim::alx {
namespace {

class Filter : public DataFiles {};

FilterConfig minima(std::int64_t out, std::int64_t in, std::int64_t passes = 1)
{
    FilterConfig config;
    config.min_out = out;
    config.min_in = in;
    config.passes = passes;
    return config;
}

FilterConfig nodes(FilterConfig config)
{
    config.same_nodes = true;
    return config;
}

TEST_F(Filter, TakesNoMatrixForAGraphBecauseItsSidesAreEqual)
{
    const SparseMatrix square = matrix_of({{0, 1}, {0}}, 2);
    EXPECT_THROW(filter(square, minima(1, 2)), InputError);
    EXPECT_EQ(filter(square, FilterConfig()).links(), 3) << "nothing depends on it";
    for (const auto& [name, content, is_graph] :
         {std::tuple("a.tsv", "# FromNodeId\tToNodeId\n0\t1\n", std::optional(true)),
          std::tuple("a.csv", "source,target\n0,1\n", std::optional(true)),
          std::tuple("a.csv", "source,movieId\n0,1\n", std::optional<bool>()),
          std::tuple("a.csv", "userId,movieId\n0,1\n", std::optional(false)),
          std::tuple("a.csv", "row,col\n0,1\n", std::optional<bool>()),
          std::tuple("a.edges", "0 1\n", std::optional<bool>()),
          std::tuple("a.txt", "0 1\n", std::optional<bool>()),
          std::tuple("ratings.dat", "1::1::5::9\n", std::optional(false)),
          std::tuple("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n",
                     std::optional(true)),
          std::tuple("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n",
                     std::optional<bool>())}) {
        const DatasetFile file{write(name, content)};
        EXPECT_EQ(holds_graph(file, {}), is_graph) << content;
        EXPECT_EQ(holds_graph(file, false), false);
        if (is_graph.value_or(true)) {
            EXPECT_EQ(holds_graph(file, true), true);
        } else {
            EXPECT_THROW(holds_graph(file, true), InputError);
        }
    }
}

TEST_F(Filter, SeparateSidesAreCompactedEachByItself)
{
    const SparseMatrix matrix = matrix_of({{0, 1, 3}, {3}, {1, 3}}, 5);
    EXPECT_EQ(rows_of(filter(matrix, minima(2, 2))), (Rows{{0, 1}, {0, 1}}));
    EXPECT_EQ(filter(matrix, minima(2, 2)).columns, 2) << "columns 1 and 3";
}

TEST_F(Filter, TheSameNodesStayOrGoTogether)
{
    // Node 2 has no links in, node 3 none out.
    const SparseMatrix matrix = matrix_of({{0, 1}, {0, 3}, {1, 3}, {}}, 4);
    EXPECT_EQ(rows_of(filter(matrix, nodes(minima(1, 1)))), (Rows{{0, 1}, {0}}));
    FilterConfig separate = minima(1, 1);
    separate.same_nodes = false;
    EXPECT_EQ(rows_of(filter(matrix, separate)), (Rows{{0, 1}, {0, 2}, {1, 2}}));
}

TEST_F(Filter, EveryPassCountsWhatTheOneBeforeLeft)
{
    // A chain: each pass takes its last node.
    const SparseMatrix chain = matrix_of({{0, 1}, {2}, {3}, {}}, 4);
    EXPECT_EQ(filter(chain, nodes(minima(1, 0, 1))).rows, 3);
    EXPECT_EQ(filter(chain, nodes(minima(1, 0, 2))).rows, 2);
    EXPECT_EQ(rows_of(filter(chain, nodes(minima(1, 0, 100)))), (Rows{{0}}));
}

TEST_F(Filter, SelfLinksGoBeforeLinksAreCounted)
{
    FilterConfig config = minima(1, 0);
    config.drop_self_links = true;
    EXPECT_EQ(rows_of(filter(matrix_of({{0, 1}, {1}, {0}}, 3), config)), (Rows{{}, {0}}))
        << "node 1 goes, and with it the link of node 0";
    EXPECT_THROW(filter(matrix_of({{0, 1}}, 2), config), InputError);
    EXPECT_THROW(filter(matrix_of({{0, 1}}, 2), minima(5, 5)), InputError);
}

TEST_F(Filter, Cnr2000GivesThePublishedSizes)
{
    const std::string folder = std::string(ALXSIM_SHARED_DIR) + "/data/cnr-2000/";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << "no " << folder;
    }
    const SparseMatrix graph = read_matrix({folder + "cnr-2000.graph"});
    const SparseMatrix ten = filter(graph, nodes(minima(10, 10)));
    EXPECT_EQ(ten.rows, 24178);
    EXPECT_EQ(ten.links(), 512618);
    const SparseMatrix fifty = filter(graph, nodes(minima(50, 50)));
    EXPECT_EQ(fifty.rows, 1139);
    EXPECT_EQ(fifty.links(), 20627);
    FilterConfig config;
    config.drop_self_links = true;
    EXPECT_EQ(graph.links() - filter(graph, config).links(), 87442);
}

TEST_F(Filter, APermutationKeepsLengthsAndSelfLinks)
{
    const SparseMatrix matrix = matrix_of({{0, 1, 2}, {1}, {}}, 3);
    const SparseMatrix other = permute(matrix, true, 3);
    EXPECT_EQ(other.links(), 4);
    std::int64_t self = 0;
    for (std::int32_t row = 0; row < 3; ++row) {
        const std::vector<std::int32_t> ids = other.ids(row);
        self += std::count(ids.begin(), ids.end(), row);
    }
    EXPECT_EQ(self, 2);
    EXPECT_TRUE(permute(matrix, false, 9).lists == permute(matrix, false, 9).lists);
}

} // namespace
} // namespace alxsim::alx
