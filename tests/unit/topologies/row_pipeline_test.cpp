// SPDX-License-Identifier: Apache-2.0
#include "topologies/row_pipeline.h"

#include "topologies/machine.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace alxsim::topologies {
namespace {

DeviceSpec device_of(const std::string& chip,
                     const std::vector<std::pair<std::string, Json>>& overrides = {})
{
    Preset preset = Preset::load(chip);
    for (const auto& [key, value] : overrides) {
        preset.override_value(key, value, "test");
    }
    return make_machine(preset, {8, {}, {}}).device;
}

/// Counted from the machine code of libtpu 0.0.42.1 for v3.
TEST(GatherPipeline, TakesForARowOfV3WhatItsBlocksAndTheLatencySay)
{
    const std::vector<std::pair<double, double>> rows{
        {0.2e-6, 10.9e-9}, {0.46e-6, 13.0e-9}, {0.6e-6, 14.6e-9}, {0.8e-6, 17.0e-9}};
    for (const auto& [latency, row] : rows) {
        EXPECT_NEAR(device_of("tpu_v3", {{"dma_latency_s", latency}}).gather_row.count(), row,
                    0.05e-9);
    }
}

TEST(GatherPipeline, TakesNoLessThanTheBundlesOfEachChip)
{
    const std::vector<std::pair<std::string, double>> bundles{
        {"tpu_v2", 13.6e-9}, {"tpu_v3", 10.1e-9},     {"tpu_v4", 8.4e-9 / 2},
        {"tpu_v5e", 5.6e-9}, {"tpu_v5p", 4.9e-9 / 2}, {"tpu_v6e", 4.8e-9}};
    for (const auto& [chip, row] : bundles) {
        const double found = device_of(chip).gather_row.count();
        EXPECT_GE(found, 0.99 * row) << chip;
        EXPECT_LT(found, row + 3 * 4.6e-7 / 256) << chip << ": three waits a block at most";
    }
}

/// 455 bundles for 256 rows of a table in VMEM.
TEST(VmemRow, OfV3TakesTheBundlesOfItsCode)
{
    const Preset v3 = Preset::load("tpu_v3");
    EXPECT_NEAR(v3.number("vmem_row_cycles"), 455.0 / 256, 0.03);
    EXPECT_LT(v3.at("vmem_row_cycles").low.get<double>(), 455.0 / 256);
    EXPECT_GT(v3.at("vmem_row_cycles").high.get<double>(), 455.0 / 256);
}

TEST(RowPipelines, AreTheDerivedValuesOfThePresets)
{
    for (const std::string& chip : Preset::names()) {
        const Preset preset = Preset::load(chip);
        const Seconds latency(preset.number("dma_latency_s"));
        const double clock = preset.number("clock_hz");
        if (const auto gather = gather_pipeline(preset)) {
            EXPECT_NEAR(gather->row(clock, latency).count() / preset.number("gather_row_s"), 1,
                        0.005)
                << chip;
        }
        const auto scatter = scatter_pipeline(preset);
        ASSERT_TRUE(scatter) << chip;
        const double half = latency.count() / 2 / scatter->rows; // half of the groups write
        EXPECT_NEAR((scatter->row(clock, latency).count() + half) / preset.number("scatter_row_s"),
                    1, 0.01)
            << chip;
    }
}

TEST(RowPipelines, GiveWayToAnOverrideOfTheRow)
{
    const DeviceSpec device =
        device_of("tpu_v3", {{"gather_row_s", 2e-8}, {"scatter_row_s", 5e-8}});
    EXPECT_EQ(device.gather_row, Seconds(2e-8));
    EXPECT_EQ(device.scatter_row, Seconds(5e-8));
    EXPECT_EQ(device.scatter_write, Seconds(0));
}

} // namespace
} // namespace alxsim::topologies
