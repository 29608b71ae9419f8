// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/hbm_banks.h"

#include "model/hbm/hbm_replay.h"
#include "sim/memory/hbm_fluid.h"
#include "sim/simulator.h"
#include "tests/device/hbm_kernel.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>

/// The banks of a chip in SystemC: the same as a replay of its bursts, and what the fast path is
/// held to.
namespace alxsim::sim {
namespace {

using model::AccessPattern;
using model::HbmAccess;
using topologies::HbmSpec;
using topologies::Machine;

constexpr double unlimited = std::numeric_limits<double>::infinity();

HbmAccess stream(std::int64_t read, std::int64_t written = 0)
{
    HbmAccess access;
    access.read = Bytes(read);
    access.written = Bytes(written);
    return access;
}

HbmAccess gather(std::int64_t rows, std::int64_t row_bytes, std::int64_t table_rows = 0)
{
    HbmAccess access;
    access.rows.rows = rows;
    access.rows.stride = Bytes(row_bytes);
    access.rows.table_rows = table_rows;
    return access;
}

/// A device's lookups of a table of which it owns an eighth: the others go to the edge row.
HbmAccess clamped(std::int64_t rows, std::int64_t row_bytes)
{
    HbmAccess access = gather(rows, row_bytes, 1'000'000);
    access.rows.pattern = AccessPattern::clamped;
    access.rows.owned_rows = rows / 8;
    return access;
}

HbmAccess accumulate(std::int64_t rows, std::int64_t row_bytes)
{
    HbmAccess access = gather(rows, row_bytes);
    access.rows.write = true;
    access.rows.read_first = true;
    return access;
}

std::vector<Picoseconds> through_banks(const HbmSpec& spec, double dma_bytes_per_second,
                                       const std::vector<HbmAccess>& accesses)
{
    const HbmKernel kernel;
    HbmBanks banks("hbm", spec, dma_bytes_per_second);
    std::vector<HbmKernel::Transfer> transfers;
    for (const HbmAccess& access : accesses) {
        transfers.push_back({access, {}});
    }
    const std::vector<Picoseconds> over = HbmKernel::run(banks, transfers);
    EXPECT_TRUE(banks.idle());
    return over;
}

std::vector<Picoseconds> by_rates(const Machine& machine, const std::vector<HbmAccess>& accesses)
{
    const HbmKernel kernel;
    Alarms alarms("alarms");
    HbmFluid fluid("hbm", alarms);
    std::vector<HbmKernel::Transfer> transfers;
    for (const HbmAccess& access : accesses) {
        transfers.push_back({access, model::hbm_cost(access, machine)});
    }
    return HbmKernel::run(fluid, transfers);
}

HbmSpec few_channels(int channels)
{
    HbmSpec spec = machine_of("tpu_v3", 2).hbm;
    spec.channels = channels;
    return spec;
}

struct Named {
    std::string name;
    HbmAccess access;
};

std::vector<Named> kinds_of_access(std::int64_t stream_bytes, std::int64_t rows)
{
    return {{"read", stream(stream_bytes)},
            {"copied", stream(stream_bytes / 2, stream_bytes / 2)},
            {"rows of 256 B", gather(rows, 256)},
            {"rows of 512 B", gather(rows, 512)},
            {"clamped rows", clamped(rows / 5, 512)},
            {"rows read and written", accumulate(3 * rows, 256)}};
}

/// What rates know nothing of: a refresh more or less, and channels that run empty one after the
/// other at the end: each has at most its queue and window left.
double ends(const HbmSpec& spec)
{
    const std::int64_t queued = spec.transaction_queue + 64;
    const auto clocks =
        spec.timing.refresh + queued * spec.timing.burst + spec.timing.ras + spec.timing.rp;
    return static_cast<double>(clocks) / spec.clock_hz * 1e12;
}

void expect_rates_as_banks(const Machine& machine, const Named& kind, double allowance)
{
    const auto banks = static_cast<double>(
        through_banks(machine.hbm, machine.device.dma_bytes_per_second, {kind.access})
            .front()
            .count());
    const auto rates = static_cast<double>(by_rates(machine, {kind.access}).front().count());
    EXPECT_NEAR(rates, banks, 0.02 * banks + allowance)
        << kind.name << ": " << 100 * (rates / banks - 1) << " %";
}

TEST(HbmBanks, AreReplayedBurstsToTheClock)
{
    for (const int channels : {1, 2, 8}) {
        const HbmSpec spec = few_channels(channels);
        model::HbmOffer offer;
        offer.window = 64 * channels;
        for (const HbmAccess& access :
             {stream(1 << 20), stream(1 << 19, 1 << 19), gather(2'000, 256), gather(2'000, 64),
              clamped(1'000, 512), accumulate(1'000, 256)}) {
            const model::DramClock clocks = model::replay(spec, access, offer).clocks;
            EXPECT_EQ(through_banks(spec, unlimited, {access}).front(),
                      model::DramTime(spec.clock_hz).rising(clocks))
                << channels << " channels, " << access.bytes().count() << " bytes";
        }
    }
}

class FastPath : public testing::TestWithParam<const char*> {};

TEST_P(FastPath, TakesTheTimeOfTheBanksWithinTwoPercentAndTheirEnds)
{
    const Machine machine = machine_of(GetParam(), 2);
    for (const Named& kind : kinds_of_access(8 << 20, 20'000)) {
        expect_rates_as_banks(machine, kind, ends(machine.hbm));
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, FastPath, testing::Values("tpu_v3", "tpu_v5e", "tpu_7x"));

TEST(HbmBanks, OfLongTransfersAreTheFastPathWithinTwoPercent)
{
    const Machine machine = machine_of("tpu_v3", 2);
    for (const Named& kind : kinds_of_access(32 << 20, 60'000)) {
        expect_rates_as_banks(machine, kind, 0);
    }
}

TEST(HbmBanks, TakeTheChipsTimeForBothOfItsDevices)
{
    const Machine machine = machine_of("tpu_v3", 2);
    const std::vector<HbmAccess> both{stream(16 << 20), stream(16 << 20)};
    const std::vector<Picoseconds> banks =
        through_banks(machine.hbm, machine.device.dma_bytes_per_second, both);
    const std::vector<Picoseconds> rates = by_rates(machine, both);
    for (std::size_t i = 0; i < both.size(); ++i) {
        EXPECT_NEAR(banks[i] / rates[i], 1, 0.02);
    }
    EXPECT_GE(rates[0] / by_rates(machine, {both[0]})[0], 1.5) << "they share the chip";
}

TEST(HbmBanks, MayCarryAWholeJob)
{
    const Machine machine = machine_of("tpu_v3", 8);
    const auto graph =
        graph_of({repeat_of(5, {op_of(model::stream_of(Bytes(4 << 20), Bytes(0)))})});
    const auto run = [&](HbmModel hbm) {
        ListedSteps source(steps_of(graph));
        return Simulator(machine, {true, hbm}).run(source);
    };
    const SimulationResult banks = run(HbmModel::banks);
    const SimulationResult rates = run(HbmModel::rates);
    EXPECT_EQ(banks.statistics.value("hbm_bytes"), rates.statistics.value("hbm_bytes"));
    EXPECT_EQ(banks.statistics.value("ops_executed"), rates.statistics.value("ops_executed"));
    const auto ratio = on_device(machine, banks) / on_device(machine, rates);
    EXPECT_NEAR(ratio, 1, 0.05) << "five transfers, each with its ends";
}

TEST(FastPath, CostsTheHostNothing)
{
    const Machine machine = machine_of("tpu_v3", 2);
    const HbmAccess access = gather(4'000'000, 512);
    model::hbm_cost(access, machine); // the rate is measured once
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Picoseconds> over = by_rates(machine, {access});
    const std::chrono::duration<double> host = std::chrono::steady_clock::now() - start;
    EXPECT_GT(over.front(), Picoseconds(2'000'000'000));
    EXPECT_LT(host.count(), 1e-3 * 10) << "ten times what it should take";
}

} // namespace
} // namespace alxsim::sim
