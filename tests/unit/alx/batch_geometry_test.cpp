// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/batch_geometry.h"

#include "alx/batches/dense_batches.h"
#include "base/host_pool.h"
#include "tests/unit/alx/matrices.h"

#include <gtest/gtest.h>

#include <numeric>

namespace alxsim::alx {
namespace {

AlxConfig config_that(LongRows long_rows)
{
    AlxConfig config;
    config.long_rows = long_rows;
    return config;
}

/// One row of `longest` links, and `others` rows of 20.
SparseMatrix matrix_with(std::int64_t longest, std::int32_t others)
{
    SparseMatrix matrix{0, static_cast<std::int32_t>(longest)};
    for (std::int32_t row = 0; row <= others; ++row) {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(row == 0 ? longest : 20));
        std::iota(ids.begin(), ids.end(), 0);
        matrix.append(ids);
    }
    return matrix;
}

TEST(SideLengths, AreTheSameForThreadsThatAskAtOnce)
{
    const AlxConfig config = config_that(LongRows::truncate);
    HostPool pool(4);
    SideShape side = row_side(webgraph_shape("sparse"));
    for (int i = 0; i < 20; ++i) {
        ++side.links; // nobody has asked for these lengths yet
        std::vector<double> means(8);
        pool.for_chunks(8, 1, [&](std::int64_t begin, std::int64_t /*end*/) {
            means[static_cast<std::size_t>(begin)] = side_lengths(side, config, 1)->mean;
        });
        EXPECT_EQ(means, std::vector<double>(8, side_lengths(side, config, 1)->mean));
    }
}

TEST(CarefulGeometry, IsTheReleasedDefaultForAMatrixThatFillsIt)
{
    const SideShape side = row_side(webgraph_shape("sparse"));
    const AlxConfig config = config_that(LongRows::truncate);
    const BatchGeometry geometry = careful_geometry(*side_lengths(side, config, 1), 256);
    EXPECT_EQ(geometry.lines, 1024);
    EXPECT_EQ(geometry.line_length, 16);
    EXPECT_GE(geometry.rows, 16384 / 73) << "those of mean length";
    EXPECT_LE(geometry.rows, 1024);
}

TEST(CarefulGeometry, HoldsTheLongestRowOfRealLinks)
{
    const SparseMatrix matrix = matrix_with(40000, 5000);
    const AlxConfig refuses = config_that(LongRows::refuse);
    EXPECT_EQ(careful_geometry(side_lengths(matrix, refuses), 1).lines, 2504)
        << "40,000 / 16 and a spare line, in eights";
    const AlxConfig cuts = config_that(LongRows::truncate);
    EXPECT_EQ(careful_geometry(side_lengths(matrix, cuts), 1).lines, 1024);
}

TEST(CarefulGeometry, IsNoLargerThanTheData)
{
    const SparseMatrix matrix = matrix_with(100, 1000);
    const AlxConfig config = config_that(LongRows::refuse);
    const SideLengths side = side_lengths(matrix, config);
    for (const int devices : {1, 4, 64}) {
        const BatchGeometry geometry = careful_geometry(side, devices);
        EXPECT_LE(geometry.lines, std::max(1024L, 2007L / devices + 7 + 8)) << devices;
        const DenseBatches batches = make_dense_batches({&matrix, example_rows(matrix), "", "row"},
                                                        geometry, config.semantics, devices);
        EXPECT_LE(batches.filled, devices * (devices == 1 ? 2 : 1))
            << "one step takes all the data, on " << devices << " devices";
    }
}

TEST(CarefulGeometry, LetsLinesRunOutBeforeRows)
{
    const SideShape side = row_side(webgraph_shape("de-dense"));
    const AlxConfig config = config_that(LongRows::truncate);
    const BatchGeometry geometry = careful_geometry(*side_lengths(side, config, 1), 8);
    BatchGeometry without_end = geometry;
    without_end.rows = geometry.lines;
    const auto batches = [&](const BatchGeometry& of) {
        return static_cast<double>(batch_side(side, of, Admission::exact, 1).batches);
    };
    EXPECT_LE(batches(geometry), 1.01 * batches(without_end));
    EXPECT_LT(geometry.rows, geometry.lines) << "and has hardly more than that takes";
}

} // namespace
} // namespace alxsim::alx
