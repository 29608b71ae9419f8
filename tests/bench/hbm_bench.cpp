// SPDX-License-Identifier: Apache-2.0
// Requests a second through the banks of a chip's HBM in SystemC: a burst of 64 bytes each, in the
// three patterns and on the memory that tests/golden/hbm_oracle_test.cpp holds against DRAMsim3.
#include "sim/memory/hbm_banks.h"
#include "tests/device/hbm_kernel.h"

#include <benchmark/benchmark.h>

#include <limits>

namespace alxsim::sim {
namespace {

constexpr std::int64_t requests = 400'000;

topologies::HbmSpec peers_memory()
{
    topologies::HbmSpec spec;
    spec.mapping.fields = topologies::hbm_fields("row bank bank_group channel column");
    spec.mapping.interleave = Bytes(1024);
    return spec;
}

void through_banks(benchmark::State& state, const model::HbmAccess& access)
{
    const topologies::HbmSpec spec = peers_memory();
    const double unlimited = std::numeric_limits<double>::infinity();
    Picoseconds simulated{0};
    for (auto run : state) {
        const HbmKernel kernel;
        HbmBanks banks("hbm", spec, unlimited);
        simulated = HbmKernel::run(banks, {{access, {}}}).front();
    }
    state.counters["requests/s"] = benchmark::Counter(
        static_cast<double>(requests), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["simulated_ps"] = static_cast<double>(simulated.count());
}

void hbm_sequential(benchmark::State& state)
{
    model::HbmAccess access;
    access.read = Bytes(64 * requests);
    through_banks(state, access);
}
BENCHMARK(hbm_sequential)->Unit(benchmark::kMillisecond);

/// Rows of so many bytes, anywhere in the memory.
void hbm_random_rows(benchmark::State& state)
{
    model::HbmAccess access;
    access.rows.stride = Bytes(state.range(0));
    access.rows.rows = 64 * requests / state.range(0);
    through_banks(state, access);
}
BENCHMARK(hbm_random_rows)->Arg(256)->Arg(64)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::sim
