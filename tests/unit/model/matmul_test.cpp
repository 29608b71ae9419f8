// SPDX-License-Identifier: Apache-2.0
#include "model/costs/matmul.h"

#include "base/input_error.h"
#include "base/json_document.h"
#include "model/graph/work_json.h"
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

/// Arrays without the code that feeds them window by window (product_windows_test.cpp).
topologies::DeviceSpec arrays_of(const topologies::Machine& machine)
{
    topologies::DeviceSpec device = machine.device;
    device.mxu_window_macs = 0;
    return device;
}

/// v3: two 128x128 arrays, 128 cycles to load a tile.
topologies::DeviceSpec v3()
{
    return arrays_of(machine_of("tpu_v3", 8));
}

topologies::DeviceSpec one_array()
{
    return arrays_of(
        machine_of("tpu_v3", 8, {{"mxu_per_core", 1}, {"macs_per_cycle_chip", 32768}}));
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
    EXPECT_EQ(tile(matmul_of(1, 9, 1, 1), one_array()).stream, Cycles(16));
    EXPECT_EQ(tile(matmul_of(1, 8, 129, 257), v3()).tiles_per_mxu, 3); // 2 x 3 tiles on 2 arrays
}

TEST(Matmul, OfMorePassesStreamsEveryTileAgain)
{
    EXPECT_EQ(tile(matmul_of(1, 8, 128, 128, true, 6), one_array()).tiles_per_mxu, 6);
    EXPECT_EQ(matmul_operations(matmul_of(2, 3, 4, 5, true, 3)), 2.0 * 2 * 3 * 4 * 5 * 3);
}

TEST(Matmul, StreamsTwoRowsPerCycleOnV6e)
{
    // Two products for the two arrays.
    EXPECT_EQ(tile(matmul_of(2, 512, 256, 256), machine_of("tpu_v6e", 4).device).stream,
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

TEST(Matmul, WithOverlapIsNeverSlowerAndNeverBeatsTheArrays)
{
    std::mt19937 random(1);
    for (const std::string& chip : topologies::Preset::names()) {
        const topologies::DeviceSpec device = machine_of(chip, 8).device;
        for (int i = 0; i < 200; ++i) {
            const auto size = [&] { return static_cast<std::int64_t>(1 + random() % 1000); };
            const Matmul with = matmul_of(size() % 20 + 1, size(), size(), size());
            Matmul without = with;
            without.overlap = false;
            EXPECT_LE(matmul_cycles(with, device), matmul_cycles(without, device));
            EXPECT_LT(mxu_useful_share(with, device), 1) << to_json(op_of(with));
            EXPECT_GT(mxu_useful_share(without, device), 0);
        }
    }
}

TEST(AdderGroups, ShortenWhatAnArrayTakesToDrain)
{
    topologies::DeviceSpec device = one_array();
    const auto drain = [&](int group) {
        device.mxu_adder_group_rows = group;
        return tile(matmul_of(1, 8, 128, 128), device).drain;
    };
    EXPECT_EQ(drain(1), Cycles(128 + 128 - 2));
    EXPECT_EQ(drain(4), Cycles(32 + 128 - 2));
    EXPECT_EQ(drain(3), Cycles(43 + 128 - 2)); // the last group has two rows
}

/// Four arrays of 128 x 128 that load a tile in 32 cycles and drain in 158.
topologies::DeviceSpec four_arrays()
{
    topologies::DeviceSpec device = one_array();
    device.mxus = 4;
    device.mxu_weight_load = Cycles(32);
    device.mxu_adder_group_rows = 4;
    return device;
}

TEST(RowBlocks, OfOneTileAreSharedByTheArrays)
{
    const MatmulTiling tiling = tile(matmul_of(1, 1024, 128, 128), four_arrays());
    EXPECT_EQ(tiling.row_blocks, 4);
    EXPECT_EQ(tiling.tiles_per_mxu, 1);
    EXPECT_EQ(tiling.stream, Cycles(256));
    EXPECT_EQ(matmul_cycles(matmul_of(1, 1024, 128, 128), four_arrays()), Cycles(32 + 256 + 158));
}

TEST(RowBlocks, AreWholeRegistersOfSublanes)
{
    // 16 rows are two registers: no third array gets any. Nor does a second of 8 rows.
    EXPECT_EQ(tile(matmul_of(1, 16, 128, 128), four_arrays()).row_blocks, 2);
    EXPECT_EQ(matmul_cycles(matmul_of(1, 16, 128, 128), four_arrays()), Cycles(32 + 8 + 158));
    EXPECT_EQ(tile(matmul_of(1, 8, 128, 128), four_arrays()).row_blocks, 1);
    // 72 rows in 4 blocks of 18 are 4 of 24.
    EXPECT_EQ(tile(matmul_of(1, 72, 128, 128), four_arrays()).stream, Cycles(24));
}

TEST(RowBlocks, EvenOutTilesThatDoNotDivideOverTheArrays)
{
    // 5 tiles: one array would have two, the others one. In 4 blocks each has 5 of a quarter.
    const Matmul five = matmul_of(5, 1024, 128, 128);
    EXPECT_EQ(tile(five, four_arrays()).row_blocks, 4);
    EXPECT_EQ(matmul_cycles(five, four_arrays()), Cycles(32 + 5 * 256 + 158));
}

TEST(RowBlocks, AreNotMadeWhereTilesDivideOrLoadsTakeLonger)
{
    EXPECT_EQ(tile(matmul_of(8, 1024, 128, 128), four_arrays()).row_blocks, 1);
    // 5 tiles of 32 rows: each more load would cost as much as the rows that it saves.
    EXPECT_EQ(tile(matmul_of(5, 32, 128, 128), four_arrays()).row_blocks, 1);
}

TEST(RowBlocks, AreNotMadeWithoutOverlap)
{
    const Matmul alone = matmul_of(1, 1024, 128, 128, false);
    EXPECT_EQ(tile(alone, four_arrays()).row_blocks, 1);
    EXPECT_EQ(matmul_cycles(alone, four_arrays()), Cycles(32 + 1024 + 158));
}

TEST(RowBlocks, OfAbsurdlyManyArraysAreSoonFound)
{
    topologies::DeviceSpec device = four_arrays();
    device.mxus = 1'000'000'000;
    EXPECT_EQ(tile(matmul_of(1, 1'000'000'000, 128, 128), device).row_blocks, 256);
}

TEST(UsefulShare, OfATileFullOfRowsApproachesOne)
{
    EXPECT_GT(mxu_useful_share(matmul_of(1, 1 << 20, 128, 128), four_arrays()), 0.999);
    EXPECT_DOUBLE_EQ(mxu_useful_share(matmul_of(1, 1024, 128, 128), four_arrays()),
                     256.0 / (32 + 256 + 158));
    EXPECT_EQ(mxu_useful_share(matmul_of(0, 8, 8, 8), four_arrays()), 0);
}

TEST(UsefulShare, OfAlxsStatisticsIsWhatARowOfLFillsOfTheArray)
{
    // A batch of [d x L][L x d], d = 128: L = 16 fills 16 of the array's 128 rows.
    const auto share = [](std::int64_t length, const topologies::DeviceSpec& device) {
        return mxu_useful_share(matmul_of(4096, 128, length, 128), device);
    };
    EXPECT_NEAR(share(16, v3()), 16.0 / 128, 0.001);
    EXPECT_NEAR(share(8, v3()), 8.0 / 128, 0.001);
    EXPECT_NEAR(share(128, v3()), 1, 0.002);
    EXPECT_LT(share(129, v3()), 0.51);
    // 256 x 256 arrays are filled by an eighth as much: half as many columns, and 16 rows of 256,
    // whose load is hidden.
    EXPECT_NEAR(share(16, arrays_of(machine_of("tpu_v6e", 4))), 1.0 / 16 / 2, 0.0001);
}

TEST(LowPrecision, StreamsAsManyTimesAsFastAsTheCompilersEstimateSays)
{
    // 8192 cubed by the compiler's estimate (tests/oracle/xla/low_precision.json), which ranks
    // types of one chip: twice as fast as bf16, or as fast. Windows and conversions are in the
    // ratio.
    const Json all = load_json(ALXSIM_SOURCE_DIR "/tests/oracle/xla/low_precision.json");
    for (const auto& [chip, cycles] : all.at("estimated_cycles").items()) {
        const topologies::DeviceSpec device = machine_of(chip, 8).device;
        const double bf16 = cycles.at("bf16");
        for (const auto& [dtype, estimated] : cycles.items()) {
            const double ratio = bf16 / estimated.get<double>();
            EXPECT_NEAR(mxu_rate(dtype_named(dtype), device) / ratio, 1, 0.25)
                << chip << " " << dtype;
        }
        for (const auto& [types, mixed] :
             all.at("estimated_cycles_of_left_and_right").at(chip).items()) {
            EXPECT_NEAR(cycles.at("fp8_e4m3").get<double>() / mixed.get<double>(), 1, 0.07)
                << chip << " " << types << ": as slow as e4m3 alone (spmd/step_products.cpp)";
        }
    }
}

TEST(LowPrecision, OfV6eTakesHalfTheArraysTimeInI8)
{
    const topologies::DeviceSpec device = arrays_of(machine_of("tpu_v6e", 4));
    const auto cycles = [&](DType dtype) {
        Matmul matmul = matmul_of(1, 8192, 8192, 8192);
        matmul.dtype = dtype;
        return matmul_cycles(matmul, device);
    };
    EXPECT_NEAR(cycles(DType::bf16) / cycles(DType::i8), 2, 0.01);
    EXPECT_EQ(cycles(DType::fp8_e4m3), cycles(DType::bf16)) << "runs as bf16";
}

} // namespace
} // namespace alxsim::model
