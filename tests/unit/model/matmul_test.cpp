// SPDX-License-Identifier: Apache-2.0
#include "model/matmul.h"

#include "base/input_error.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <random>

namespace alxsim::model {
namespace {

Matmul matmul_of(std::int64_t batch, std::int64_t m, std::int64_t k, std::int64_t n,
                 bool overlap = true, int passes = 1)
{
    return {batch, m, k, n, DType::bf16, passes, overlap};
}

/// v3: two 128x128 arrays, 128 cycles to load a tile.
topologies::DeviceSpec v3()
{
    return machine_of("tpu_v3", 8).device;
}

topologies::DeviceSpec one_array()
{
    return machine_of("tpu_v3", 8, {{"mxu_per_core", 1}, {"macs_per_cycle_chip", 32768}}).device;
}

TEST(Matmul, OfOneTileIsScaleSimsFold)
{
    // 2R + C + M - 2 with R = C = 128, M = 512.
    EXPECT_EQ(matmul_cycles(matmul_of(1, 512, 128, 128, false), one_array()), Cycles(894));
    EXPECT_EQ(matmul_cycles(matmul_of(1, 512, 128, 128, true), one_array()), Cycles(894));
}

TEST(Matmul, WithoutOverlapIsFoldAfterFold)
{
    EXPECT_EQ(matmul_cycles(matmul_of(1, 512, 256, 384, false), one_array()), Cycles(6 * 894));
}

TEST(Matmul, WithOverlapLoadsTheNextTileBehindTheRows)
{
    // load + 5 * max(stream, load) + stream + drain
    EXPECT_EQ(matmul_cycles(matmul_of(1, 512, 256, 384), one_array()),
              Cycles(128 + 5 * 512 + 512 + 254));
    // Few rows: the load of a tile sets the pace.
    EXPECT_EQ(matmul_cycles(matmul_of(1, 16, 256, 384), one_array()),
              Cycles(128 + 5 * 128 + 16 + 254));
}

TEST(Matmul, IsDealtOutToTheArrays)
{
    EXPECT_EQ(tile(matmul_of(3, 8, 128, 128), v3()).tiles_per_mxu, 2);
    EXPECT_EQ(tile(matmul_of(4, 8, 128, 128), v3()).tiles_per_mxu, 2);
    EXPECT_EQ(tile(matmul_of(5, 8, 128, 128), v3()).tiles_per_mxu, 3);
}

TEST(Matmul, PadsRowsToSublanesAndTilesToTheArray)
{
    EXPECT_EQ(tile(matmul_of(1, 1, 1, 1), v3()).stream, Cycles(8));
    EXPECT_EQ(tile(matmul_of(1, 9, 1, 1), v3()).stream, Cycles(16));
    EXPECT_EQ(tile(matmul_of(1, 8, 129, 257), v3()).tiles_per_mxu, 3); // 2 x 3 tiles on 2 arrays
}

TEST(Matmul, OfMorePassesStreamsEveryTileAgain)
{
    EXPECT_EQ(tile(matmul_of(1, 8, 128, 128, true, 6), one_array()).tiles_per_mxu, 6);
    EXPECT_EQ(matmul_operations(matmul_of(2, 3, 4, 5, true, 3)), 2.0 * 2 * 3 * 4 * 5 * 3);
}

TEST(Matmul, StreamsTwoRowsPerCycleOnV6e)
{
    EXPECT_EQ(tile(matmul_of(1, 512, 256, 256), machine_of("tpu_v6e", 4).device).stream,
              Cycles(256));
}

TEST(Matmul, BeyondWhatCyclesCountIsRefused)
{
    // Each term alone: many tiles, a slow load, and rows that take ages to enter.
    EXPECT_THROW(tile(matmul_of(1'000'000'000, 1, 1'000'000'000, 1'000'000'000), v3()), InputError);
    topologies::DeviceSpec slow = v3();
    slow.mxu_weight_load = Cycles(1'000'000'000);
    EXPECT_THROW(tile(matmul_of(1'000'000, 1, 1'000'000, 1'000'000), slow), InputError);
    slow = v3();
    slow.rows_per_cycle = 1e-9;
    EXPECT_THROW(tile(matmul_of(1, 10'000'000'000, 1, 1), slow), InputError);
}

TEST(Matmul, WithOverlapIsNeverSlower)
{
    const topologies::DeviceSpec device = v3();
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        const auto size = [&] { return static_cast<std::int64_t>(1 + random() % 1000); };
        const Matmul with = matmul_of(size() % 20 + 1, size(), size(), size());
        Matmul without = with;
        without.overlap = false;
        EXPECT_LE(matmul_cycles(with, device), matmul_cycles(without, device));
    }
}

} // namespace
} // namespace alxsim::model
