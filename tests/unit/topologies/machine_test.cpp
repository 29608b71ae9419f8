// SPDX-License-Identifier: Apache-2.0
#include "topologies/machine.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

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

/// What libtpu 0.0.42.1 says that it has when it refuses a program of 300 GB, in GiB of a device.
TEST(UsableHbm, IsWhatTheCompilerGrants)
{
    const std::map<std::string, double> gib{
        {"tpu_v2", 7.48},   {"tpu_v3", 15.48},  {"tpu_v4", 30.75}, {"tpu_v5e", 15.75},
        {"tpu_v5p", 95.74}, {"tpu_v6e", 31.25}, {"tpu_7x", 94.75}};
    for (const std::string& chip : Preset::names()) {
        const DeviceSpec device = machine_of(chip, 8).device;
        EXPECT_NEAR(static_cast<double>(device.usable_hbm.count()),
                    gib.at(chip) * (std::int64_t{1} << 30), 1)
            << chip;
        EXPECT_LT(device.usable_hbm, device.hbm) << chip;
    }
}

TEST(UsableHbm, FollowsTheChipsSizeUnlessItIsOverriddenItself)
{
    const auto usable = [](const Json& overrides) {
        Preset preset = Preset::load("tpu_v4");
        for (const auto& [key, value] : overrides.items()) {
            preset.override_value(key, value, "/machine/overrides/" + key);
        }
        return make_machine(preset, {8, {}, {}}).device.usable_hbm;
    };
    EXPECT_EQ(usable({{"hbm_bytes_chip", "x2"}}), usable({}) * 2);
    EXPECT_EQ(usable({{"hbm_bytes_chip", "x2"}, {"hbm_usable_bytes_chip", 12e9}}),
              Bytes(12'000'000'000));
    EXPECT_EQ(refusal_of("hbm_usable_bytes_chip", 40e9),
              "preset tpu_v3: hbm_usable_bytes_chip: found 40000000000.0 B (override at "
              "/machine/overrides/hbm_usable_bytes_chip), hbm_bytes_chip: 34359738368 B; allowed: "
              "bytes from 1 to the chip's");
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

/// The network of 4x4 v5e chips, after overrides.
NetworkSpec network_with(const std::vector<std::pair<std::string, Json>>& overrides)
{
    Preset preset = Preset::load("tpu_v5e");
    for (const auto& [key, value] : overrides) {
        preset.override_value(key, value, "");
    }
    return make_machine(preset, {16, {}, {}}).network;
}

TEST(Network, OfEveryPresetReachesLessThanTheDatasheetAndLeastOnLines)
{
    for (const std::string& name : Preset::names()) {
        const NetworkSpec network = machine_of(name, 64).network;
        EXPECT_GE(network.ring_efficiency, 0.95) << name;
        // 7x reaches 0.99 on lines of two chips, as measured.
        EXPECT_LE(network.ring_efficiency, name == "tpu_7x" ? 0.99 : 0.96) << name;
        EXPECT_NEAR(network.line_efficiency / network.ring_efficiency,
                    name == "tpu_7x" ? 1 : 0.8883, 1e-9)
            << name;
        EXPECT_EQ(network.packet, Bytes(4096)) << name;
        EXPECT_EQ(network.vc_buffer, Bytes(0)) << name;
    }
}

TEST(Network, OfEveryPresetAddsUpToARingStep)
{
    for (const std::string& name : Preset::names()) {
        const double whole = Preset::load(name).number("ici_hop_latency_s");
        const NetworkSpec network = machine_of(name, 64).network;
        EXPECT_NEAR(network.message_latency.count() / whole, 0.37, 1e-5) << name;
        EXPECT_EQ(to_picoseconds(network.step_latency()), to_picoseconds(Seconds(whole))) << name;
        EXPECT_EQ(to_picoseconds(network.hop_latency) + to_picoseconds(network.message_latency),
                  to_picoseconds(Seconds(whole)))
            << name;
    }
}

TEST(Network, SplitsAnyRingStepWithoutLosingOrGainingAPicosecond)
{
    for (const double whole : {0.0, 1e-12, 5e-7, 1.234567e-6, 1.23456789e-6, 3.3e-9}) {
        for (const double share : {0.0, 0.1, 1.0 / 3, 0.37, 0.999, 1.0}) {
            const NetworkSpec network =
                network_with({{"ici_hop_latency_s", whole}, {"ici_hop_software_frac", share}});
            EXPECT_GE(network.message_latency.count(), 0);
            EXPECT_EQ(to_picoseconds(network.hop_latency) + to_picoseconds(network.message_latency),
                      to_picoseconds(Seconds(whole)))
                << whole << " " << share;
        }
    }
}

TEST(Network, IsFittedToTheMeasurementsThatItsSourcesName)
{
    // v5e: an all-gather of 34 MB over an axis of 4 without wrap takes 680 us.
    const Machine v5e = machine_of("tpu_v5e", 16);
    EXPECT_NEAR(v5e.device.collective_launch.count() + 3 * v5e.network.step_latency().count() +
                    3 * 34e6 / 4 / v5e.network.usable_bytes_per_second({4, false}),
                680e-6, 0.1e-6);
    EXPECT_NEAR(v5e.network.usable_bytes_per_second({4, true}), 0.95 * 45e9, 1);
    // v5p: a ppermute takes 4.55 us + B / 86.3e9.
    const Machine v5p = machine_of("tpu_v5p", 128);
    EXPECT_NEAR(v5p.network.usable_bytes_per_second({4, true}), 86.3e9, 0.01e9);
    EXPECT_NEAR((v5p.device.collective_launch + v5p.network.step_latency()).count(), 4.55e-6,
                1e-12);
}

TEST(OverriddenLinks, AreCorrectedLikeThoseOfTheDatasheet)
{
    const NetworkSpec network = network_with({{"ici_link_bw_oneway", 90e9}});
    EXPECT_EQ(network.usable_bytes_per_second({4, true}),
              2 * network_with({}).usable_bytes_per_second({4, true}));
    EXPECT_EQ(network.usable_bytes_per_second({4, false}),
              2 * network_with({}).usable_bytes_per_second({4, false}));
}

TEST(OverriddenLinks, AreWhatMessagesSeeWhereTheFractionIsOne)
{
    NetworkSpec network = network_with({{"ici_link_bw_oneway", 1e9},
                                        {"ici_link_bw_effective_frac", 1},
                                        {"ici_line_bw_effective_frac", 0.5}});
    EXPECT_EQ(network.usable_bytes_per_second({4, true}), 1e9);
    EXPECT_EQ(network.usable_bytes_per_second({4, false}), 0.5e9);
    network = network_with({{"ici_link_bw_effective_frac", 0.8}, {"ici_link_bw_oneway", 1e9}});
    EXPECT_EQ(network.ring_efficiency, 0.8);
    EXPECT_NEAR(network.line_efficiency, 0.8 * 0.8883, 1e-12);
}

TEST(OverriddenFractions, AloneCorrectTheDatasheet)
{
    const NetworkSpec network = network_with({{"ici_link_bw_effective_frac", 0.5}});
    EXPECT_EQ(network.ring_efficiency, 0.5);
    EXPECT_NEAR(network.line_efficiency, 0.5 * 0.8883, 1e-12);
    EXPECT_EQ(network.link_bytes_per_second, 45e9);
}

TEST(Network, TakesPacketsAndBuffersAsGiven)
{
    const NetworkSpec network =
        network_with({{"ici_packet_bytes", 512}, {"ici_vc_buffer_bytes", 512}});
    EXPECT_EQ(network.packet, Bytes(512));
    EXPECT_EQ(network.vc_buffer, Bytes(512));
}

TEST(Machine, RefusesLinksPacketsAndBuffersThatNoNetworkHas)
{
    const auto refuses = [](const std::string& key, const Json& value, const std::string& part) {
        const std::string message = refusal_of(key, value);
        EXPECT_NE(message.find(key + ": found " + value.dump()), std::string::npos) << message;
        EXPECT_NE(message.find("allowed: " + part), std::string::npos) << message;
    };
    refuses("ici_link_bw_effective_frac", 0, "a number > 0 up to 1");
    refuses("ici_line_bw_effective_frac", 1.01, "a number > 0 up to 1");
    refuses("ici_hop_software_frac", -0.1, "a number from 0 to 1");
    refuses("ici_hop_software_frac", 1.1, "a number from 0 to 1");
    refuses("ici_packet_bytes", 0, "whole bytes from 1 to 1048576");
    refuses("ici_packet_bytes", 1.5, "whole bytes from 1 to 1048576");
    refuses("ici_packet_bytes", 1048577, "whole bytes from 1 to 1048576");
    refuses("ici_vc_buffer_bytes", 4095, "0, or whole bytes from 4096 to 1073741824");
    refuses("ici_vc_buffer_bytes", -1, "0, or whole bytes from 4096");
}

TEST(Machine, RefusesAMemoryThatCouldNotBeReplayed)
{
    const auto refuses = [](const std::string& key, double value, const std::string& allowed) {
        const std::string message = refusal_of(key, value);
        EXPECT_NE(message.find(key + ": found "), std::string::npos) << message;
        EXPECT_NE(message.find("override at /machine/overrides/" + key), std::string::npos)
            << message;
        EXPECT_NE(message.find("; allowed: " + allowed), std::string::npos) << message;
    };
    refuses("hbm_bw_chip", 1, "1.02e+08 to 1.02e+15, which make the clock of the HBM's channels");
    refuses("hbm_bw_chip", 1e18, "1.02e+08 to 1.02e+15");
    refuses("hbm_trefi_s", 0.5, "seconds from 0 to 0.001");
    refuses("hbm_trefi_s", 0, "at least twice the sum of hbm_trfc_s, hbm_tras_s and hbm_trp_s");
    refuses("hbm_cl_s", 1, "at most half of hbm_trefi_s");
    refuses("hbm_twr_s", 1, "at most half of hbm_trefi_s");
    refuses("hbm_page_bytes", 1e12, "whole bytes from 1 to 1048576");
    refuses("hbm_access_granule_bytes", 1e12, "whole bytes from 1 to 1048576");
    refuses("hbm_channels_per_stack", 1e5, "at most 4096 channels on a chip");
    // The one that was changed is told where another is refused.
    const std::string message = refusal_of("hbm_trp_s", 1);
    EXPECT_NE(message.find("hbm_trefi_s: found"), std::string::npos) << message;
    EXPECT_NE(message.find("hbm_trp_s: 1 s (override at "), std::string::npos) << message;
}

TEST(Machine, RefusesRatesAndCountsWhoseProductsNoNumberHolds)
{
    for (const char* key : {"ici_link_bw_oneway", "clock_hz", "dma_bw_core"}) {
        EXPECT_NE(refusal_of(key, 1e300).find("a number > 0 up to 1e18"), std::string::npos) << key;
    }
    for (const char* key : {"mxu_rows", "vpu_lanes", "dma_outstanding", "hbm_bank_queue"}) {
        EXPECT_NE(refusal_of(key, 1e8).find("a whole number from 1 to 1000000"), std::string::npos)
            << key;
    }
}

TEST(Machine, RefusesWhatNoMachineHas)
{
    EXPECT_EQ(refusal_of("hbm_banks_per_group", 17),
              "preset tpu_v3: hbm_banks_per_group: found 17 count (override at "
              "/machine/overrides/hbm_banks_per_group), hbm_bank_groups: 4 count; allowed: at most "
              "64 banks in a channel");
    EXPECT_EQ(refusal_of("hbm_bw_chip", 0),
              "preset tpu_v3: hbm_bw_chip: found 0 B/s (override at "
              "/machine/overrides/hbm_bw_chip); allowed: a number > 0 up to 1e18");
    EXPECT_NE(refusal_of("mxu_rows", 1.5).find("allowed: a whole number from 1 to 1000000"),
              std::string::npos);
    EXPECT_NE(refusal_of("op_overhead_s", -1e-6).find("allowed: seconds from 0"),
              std::string::npos);
    EXPECT_NE(refusal_of("devices_per_chip", 3).find("allowed: a divisor of the 2 TensorCores"),
              std::string::npos);
    EXPECT_NE(refusal_of("tensorcores_per_chip", 0).find("a whole number from 1 to 1000000"),
              std::string::npos);
}

double straggling_of(int cores, double devices, int slices = 1, double between = 0)
{
    Preset preset = Preset::load("tpu_v5e");
    preset.override_value("step_skew_devices", devices, "here");
    preset.override_value("step_skew_slices", between, "here");
    SliceRequest request;
    request.cores = cores * slices;
    request.slices = slices;
    return make_machine(preset, request).straggling;
}

TEST(Straggling, IsWhatTheSlowestOfManyIsExpectedToTake)
{
    // Expected largest of n standard normal numbers (tables of order statistics).
    for (const auto& [devices, largest] :
         {std::pair(4, 1.0294), {8, 1.4236}, {16, 1.7660}, {256, 2.8182}}) {
        EXPECT_NEAR(std::log(straggling_of(devices, 0.05)) / 0.05, largest, 0.02 * largest);
    }
    EXPECT_EQ(straggling_of(1, 0.05), 1);
    EXPECT_EQ(straggling_of(256, 0), 1);
    EXPECT_NEAR(std::log(straggling_of(16, 0, 8, 0.03)) / 0.03, 1.4236, 0.03);
}

TEST(CompilerFlags, OfPublicRecipesLetAllGathersOverlapOnV5pAndV6e)
{
    for (const auto& [chip, by_default, by_recipe] : {std::tuple("tpu_v3", false, false),
                                                      {"tpu_v4", false, false},
                                                      {"tpu_v5e", true, true},
                                                      {"tpu_v5p", false, true},
                                                      {"tpu_v6e", false, true},
                                                      {"tpu_7x", true, true}}) {
        SliceRequest request;
        request.cores = 16;
        Machine machine = make_machine(Preset::load(chip), request);
        EXPECT_EQ(machine.network.all_gathers_overlap_compute, by_default) << chip;
        compile_with(CompilerFlags::recipe, machine);
        EXPECT_EQ(machine.network.all_gathers_overlap_compute, by_recipe) << chip;
        compile_with(CompilerFlags::none, machine);
        EXPECT_FALSE(machine.network.all_gathers_overlap_compute) << chip;
        EXPECT_FALSE(machine.network.permutes_overlap_compute) << chip;
    }
}

} // namespace
} // namespace alxsim::topologies
