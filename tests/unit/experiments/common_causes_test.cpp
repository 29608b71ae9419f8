// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/uncertainty/machine_unknowns.h"
#include "model/uncertainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

/// Values of several chips that are derived from one: a world is one on all of them.
namespace alxsim::experiments {
namespace {

MachineInputs inputs_of(const std::string& chip)
{
    const topologies::Preset preset = topologies::Preset::load(chip);
    return {preset, topologies::Slice::choose(preset, {8, {}, {}}), {}, 1, Bytes(0), 0};
}

/// By what a draw of `name` multiplies the chip's central value, as the machine reads it.
double moved_by(const std::string& chip, const std::string& name, double quantile)
{
    MachineInputs inputs = inputs_of(chip);
    const double central = inputs.preset.number(name);
    for (const MachineUnknown& one : machine_unknowns(inputs)) {
        if (one.unknown.name == name) {
            one.set(inputs, model::value_at(one.unknown.range, quantile));
            return inputs.preset.number(name) / central;
        }
    }
    throw std::logic_error(name + " is no unknown of " + chip);
}

TEST(CommonCauses, MoveAllChipsByTheSameFactorInEachDraw)
{
    // One seed and one name: the same quantile of a draw on every chip.
    EXPECT_EQ(model::latin_column(64, 1, "dma_latency_s"),
              model::latin_column(64, 1, "dma_latency_s"));
    for (const double quantile : {0.02, 0.3, 0.5, 0.8, 0.99}) {
        const double on_v3 = moved_by("tpu_v3", "dma_latency_s", quantile);
        for (const char* chip : {"tpu_v2", "tpu_v5e", "tpu_v5p", "tpu_v6e"}) { // v4: measured
            EXPECT_NEAR(moved_by(chip, "dma_latency_s", quantile) / on_v3, 1, 1e-9)
                << chip << " at " << quantile;
        }
        const double on_v4 = moved_by("tpu_v4", "op_overhead_s", quantile);
        for (const char* chip : {"tpu_v2", "tpu_v3", "tpu_v5e", "tpu_v5p", "tpu_v6e"}) {
            EXPECT_NEAR(moved_by(chip, "op_overhead_s", quantile) / on_v4, 1, 1e-9)
                << chip << " at " << quantile;
        }
    }
    EXPECT_LT(moved_by("tpu_v3", "dma_latency_s", 0.02), 0.6) << "the draws do move it";
}

TEST(CommonCauses, OneLatencyMovesGatheredAndScatteredRows)
{
    MachineInputs inputs = inputs_of("tpu_v3");
    const topologies::DeviceSpec before = machine_of(inputs).device;
    for (const MachineUnknown& one : machine_unknowns(inputs)) {
        EXPECT_NE(one.unknown.name, "gather_row_s");
        EXPECT_NE(one.unknown.name, "scatter_row_s");
        if (one.unknown.name == "dma_latency_s") {
            one.set(inputs, 8e-7);
        }
    }
    const topologies::DeviceSpec after = machine_of(inputs).device;
    EXPECT_NEAR(after.gather_row.count(), 17.0e-9, 0.05e-9);
    EXPECT_NEAR(before.gather_row.count(), 13.0e-9, 0.05e-9);
    EXPECT_NEAR(after.scatter_row.count() - before.scatter_row.count(), (8e-7 - 4.6e-7) / 16,
                1e-12);
}

} // namespace
} // namespace alxsim::experiments
