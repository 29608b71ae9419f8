// SPDX-License-Identifier: Apache-2.0
#include "topologies/machine.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

namespace alxsim::topologies {
namespace {

Machine machine_of(const std::string& chip, int cores)
{
    return make_machine(Preset::load(chip), {cores, {}, {}});
}

std::string refusal_of(const std::string& key, const Json& value)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value(key, value, "/machine/overrides/" + key);
    try {
        make_machine(preset, {8, {}, {}});
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(Machine, OfV3HasADevicePerCore)
{
    const Machine machine = machine_of("tpu_v3", 256);
    EXPECT_EQ(machine.cores, 256);
    EXPECT_EQ(machine.devices, 256);
    EXPECT_EQ(machine.devices_per_chip, 2);
    EXPECT_EQ(machine.slice.chips(), 128);
    EXPECT_EQ(machine.device.mxus, 2);
    EXPECT_EQ(machine.device.vmem, Bytes(16777216));
    EXPECT_EQ(machine.device.hbm, Bytes(17179869184)); // half a chip's capacity
    EXPECT_EQ(machine.device.hbm_chip_bytes_per_second, 900e9);
    EXPECT_EQ(machine.device.vpu_operations_per_cycle, 8 * 128 * 2);
    EXPECT_NEAR(machine.device.peak_bf16_flops, 61.5e12, 1);
    EXPECT_NEAR(machine.device.matmul_flops(), 61.6e12, 0.01e12);
    EXPECT_EQ(machine.network.link_bytes_per_second, 82e9);
    EXPECT_GT(machine.network.on_chip_bytes_per_second, machine.network.link_bytes_per_second);
    EXPECT_FALSE(machine.network.collectives_overlap_compute);
    EXPECT_EQ(machine.host.chips_per_host, 8);
}

TEST(Machine, OfV4HasADevicePerChip)
{
    const Machine machine = machine_of("tpu_v4", 128);
    EXPECT_EQ(machine.cores, 128);
    EXPECT_EQ(machine.devices, 64);
    EXPECT_EQ(machine.devices_per_chip, 1);
    EXPECT_EQ(machine.device.mxus, 8);
    EXPECT_EQ(machine.device.vmem, Bytes(2 * 16777216));
    EXPECT_EQ(machine.device.hbm, Bytes(34359738368));
    EXPECT_EQ(machine.network.on_chip_bytes_per_second, 0);
}

TEST(Machine, OfOneCoreIsHalfAChip)
{
    for (const char* chip : {"tpu_v3", "tpu_v4"}) {
        const Machine machine = machine_of(chip, 1);
        EXPECT_EQ(machine.devices, 1);
        EXPECT_EQ(machine.devices_per_chip, 1);
        EXPECT_EQ(machine.device.hbm, Bytes(17179869184)) << chip;
        EXPECT_EQ(machine.device.vmem, Bytes(16777216)) << chip;
    }
}

TEST(Machine, OfEveryPresetCanBeMade)
{
    for (const std::string& name : Preset::names()) {
        const Machine machine = machine_of(name, 64);
        EXPECT_EQ(machine.devices, machine.slice.chips() * machine.devices_per_chip) << name;
        EXPECT_NEAR(machine.device.matmul_flops() / machine.device.peak_bf16_flops, 1, 0.005);
        EXPECT_GT(machine.device.gather_row.count(), 0) << name;
        EXPECT_GT(machine.device.hbm_granule.count(), 0) << name;
        EXPECT_GT(machine.network.hop_latency.count(), 0) << name;
        EXPECT_GT(machine.host.pcie_bytes_per_second_per_chip, 0) << name;
    }
}

TEST(Machine, TakesTwoRowsPerCycleWhereTheArraysAreOfRate2)
{
    EXPECT_EQ(machine_of("tpu_v5p", 8).device.rows_per_cycle, 1);
    EXPECT_EQ(machine_of("tpu_v6e", 4).device.rows_per_cycle, 2);
    EXPECT_EQ(machine_of("tpu_7x", 8).device.rows_per_cycle, 2);
}

TEST(Machine, FollowsAnOverride)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value("ici_link_bw_oneway", 164e9, "");
    preset.override_value("clock_hz", 1.88e9, "");
    const Machine machine = make_machine(preset, {8, {}, {}});
    EXPECT_EQ(machine.network.link_bytes_per_second, 164e9);
    EXPECT_NEAR(machine.device.matmul_flops(), 123.2e12, 0.05e12);
}

TEST(Machine, RefusesWhatNoMachineHas)
{
    EXPECT_EQ(refusal_of("hbm_bw_chip", 0),
              "preset tpu_v3: hbm_bw_chip: found 0 B/s (override at "
              "/machine/overrides/hbm_bw_chip); allowed: a number > 0");
    EXPECT_NE(refusal_of("mxu_rows", 1.5).find("allowed: a whole number >= 1"), std::string::npos);
    EXPECT_NE(refusal_of("op_overhead_s", -1e-6).find("allowed: seconds from 0"),
              std::string::npos);
    EXPECT_NE(refusal_of("devices_per_chip", 3).find("allowed: a divisor of the 2 TensorCores"),
              std::string::npos);
    EXPECT_NE(refusal_of("tensorcores_per_chip", 0).find("a whole number >= 1"), std::string::npos);
}

} // namespace
} // namespace alxsim::topologies
