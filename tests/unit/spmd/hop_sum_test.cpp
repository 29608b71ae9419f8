// SPDX-License-Identifier: Apache-2.0
#include "spmd/collectives/hop_sum.h"

#include "base/input_error.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace alxsim::spmd {
namespace {

using namespace model;

using topologies::Machine;

constexpr std::size_t elements = 1000; // no multiple of rings

HopSum hop_sum(const Machine& machine, const Collective& collective)
{
    return HopSum(make_schedule(collective, machine), machine, elements);
}

HopSum hop_sum(const Machine& machine, std::int64_t kibibytes = 32)
{
    return hop_sum(machine, {CollectiveKind::all_reduce, Bytes(kibibytes << 10)});
}

HopSum::Arrays equal_arrays(const Machine& machine, float value)
{
    return HopSum::Arrays(static_cast<std::size_t>(machine.devices),
                          std::vector<Bf16>(elements, to_bf16(value)));
}

/// As the compiler schedules it.
Machine compiled(Machine machine)
{
    machine.schedule = topologies::ScheduleChoice::xla;
    return machine;
}

std::vector<Machine> slices()
{
    std::vector<Machine> all;
    for (const int cores : {2, 8, 16, 32, 64, 256}) {
        all.push_back(compiled(machine_of("tpu_v3", cores)));
        all.push_back(machine_of("tpu_v3", cores));
    }
    for (const int chips : {4, 8, 16, 32, 64, 256}) {
        all.push_back(compiled(machine_of("tpu_v5e", chips)));
    }
    all.push_back(compiled(machine_of("tpu_v5p", 64)));
    all.push_back(easy_machine(5, "1x5", {false, true}));
    all.push_back(easy_machine(6, "1x6", {false, true}));
    all.push_back(easy_machine(7, "1x7", {false, false}));
    return all;
}

TEST(HopSum, TakesEveryDevicesNumbersOnce)
{
    for (const Machine& machine : slices()) {
        for (const std::int64_t kibibytes : {4, 4096}) {
            const HopSum sum = hop_sum(machine, kibibytes);
            HopSum::Arrays arrays = equal_arrays(machine, 0);
            for (std::size_t device = 0; device < arrays.size(); ++device) {
                std::fill(arrays[device].begin(), arrays[device].end(), to_bf16(1));
                EXPECT_EQ(sum(arrays), arrays[device]) << device << " of " << machine.devices;
                std::fill(arrays[device].begin(), arrays[device].end(), to_bf16(0));
            }
        }
    }
}

TEST(HopSum, IsTheSumWhereBf16HoldsIt)
{
    for (const Machine& machine : slices()) {
        const auto devices = static_cast<float>(machine.devices); // 256 at most
        EXPECT_EQ(hop_sum(machine)(equal_arrays(machine, 1)),
                  std::vector<Bf16>(elements, to_bf16(devices)));
    }
}

// A bf16 has 8 bits: one `lost` added to 1 is rounded away, two of them are 1/128.
constexpr float lost = 3.0F / 1024;
TEST(HopSum, RoundsAtEachHopOfALine)
{
    // Device 0 owns the first third and gets x1 + x2; device 1 adds x0, then x2; device 2 gets
    // x0 + x1.
    const Machine line = easy_machine(3, "1x3", {false, false});
    const HopSum sum = hop_sum(line, {CollectiveKind::all_reduce, Bytes(3000), {1, 2}});
    HopSum::Arrays arrays = equal_arrays(line, lost);
    std::fill(arrays[0].begin(), arrays[0].end(), to_bf16(1));
    const std::vector<Bf16> result = sum(arrays);
    EXPECT_EQ(to_float(result[0]), 1 + 1.0F / 128); // those two met first
    EXPECT_EQ(to_float(result[400]), 1);            // one after the other
    EXPECT_EQ(to_float(result[999]), 1);
}

TEST(HopSum, GoesRoundARingOneWay)
{
    // The owner's own number comes last, the next one's first.
    const Machine ring = easy_machine(4, "1x4", {false, true});
    const HopSum sum = hop_sum(ring, {CollectiveKind::all_reduce, Bytes(4000), {1, 1}});
    for (int large = 0; large < 4; ++large) {
        HopSum::Arrays arrays = equal_arrays(ring, lost);
        auto& one = arrays[static_cast<std::size_t>(large)];
        std::fill(one.begin(), one.end(), to_bf16(1));
        const std::vector<Bf16> result = sum(arrays);
        for (int owner = 0; owner < 4; ++owner) {
            const int before = (large - owner - 1 + 4) % 4; // additions of small ones first
            const float expected = before < 2 ? 1 : 1 + 1.0F / 128;
            EXPECT_EQ(to_float(result[static_cast<std::size_t>(owner) * 250 + 100]), expected)
                << large << " at " << owner;
        }
    }
}

/// A rounding to 8 bits is off by 1/256 at most. In rings of two phases and more no sum of 256
/// devices goes through as many as 64 additions one after the other.
TEST(HopSum, IsOffByNoMoreThanARoundingForEachAddition)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> positive(0.5F, 1);
    for (const Machine& machine : slices()) {
        HopSum::Arrays arrays = equal_arrays(machine, 0);
        std::vector<double> exact(elements);
        for (std::vector<Bf16>& array : arrays) {
            for (std::size_t i = 0; i < elements; ++i) {
                array[i] = to_bf16(positive(random));
                exact[i] += static_cast<double>(to_float(array[i]));
            }
        }
        const std::vector<Bf16> sum = hop_sum(machine)(arrays);
        for (std::size_t i = 0; i < elements; ++i) {
            EXPECT_NEAR(static_cast<double>(to_float(sum[i])) / exact[i], 1,
                        std::min(machine.devices - 1, 64) / 256.0);
        }
    }
}

TEST(HopSum, RefusesWhatItDoesNotKnow)
{
    const Machine square = easy_machine(16, "4x4", {true, true});
    Collective of_an_axis{CollectiveKind::all_reduce, Bytes(1 << 15)};
    of_an_axis.group = {"x"};
    EXPECT_THROW(hop_sum(square, of_an_axis), InputError);
}

} // namespace
} // namespace alxsim::spmd
