// SPDX-License-Identifier: Apache-2.0
// What the host can do at most: the roofline that performance.cpp holds the numerics against.
// Compiled for the host's own CPU.
#include "base/host_pool.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <vector>

namespace alxsim {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif
using Vector = float __attribute__((vector_size(vector_bytes)));
/// Enough chains to hide the latency of a fused multiply-add on two units, few enough for
/// registers.
constexpr std::size_t chains = 12;
using Sums = std::array<Vector, chains>;

/// Chains that begin alike would be computed once, as one.
Sums sums_of_their_own()
{
    Sums sums{};
    for (std::size_t chain = 0; chain < chains; ++chain) {
        sums[chain] += static_cast<float>(chain);
    }
    benchmark::DoNotOptimize(sums);
    return sums;
}

float multiply_adds(std::int64_t times)
{
    const Vector factor = Vector{} + 0.999F;
    const Vector term = Vector{} + 0.001F;
    Sums sums = sums_of_their_own();
    for (std::int64_t i = 0; i < times; ++i) {
        for (Vector& sum : sums) {
            sum = sum * factor + term;
        }
    }
    Vector total{};
    for (const Vector& sum : sums) {
        total += sum;
    }
    return total[0];
}

/// Fused multiply-adds out of registers.
void host_multiply_adds(benchmark::State& state)
{
    constexpr std::int64_t times = 1 << 22;
    const auto threads = state.range(0);
    HostPool pool(static_cast<int>(threads));
    for (auto run : state) {
        pool.for_chunks(threads, 1, [&](std::int64_t, std::int64_t) {
            benchmark::DoNotOptimize(multiply_adds(times));
        });
    }
    constexpr double operations = 2.0 * chains * vector_bytes / sizeof(float);
    state.counters["flops"] = benchmark::Counter(operations * static_cast<double>(times * threads),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(host_multiply_adds)->Arg(1)->Arg(2)->UseRealTime();

/// A copy that no cache holds; bytes read and written.
void host_copy(benchmark::State& state)
{
    constexpr std::size_t bytes = std::size_t{512} << 20;
    constexpr std::int64_t chunk = 4 << 20;
    const std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes);
    HostPool pool(static_cast<int>(state.range(0)));
    for (auto run : state) {
        pool.for_chunks(bytes, chunk, [&](std::int64_t begin, std::int64_t end) {
            std::memcpy(to.data() + begin, from.data() + begin,
                        static_cast<std::size_t>(end - begin));
        });
        benchmark::ClobberMemory();
    }
    state.counters["bytes"] = benchmark::Counter(2.0 * static_cast<double>(bytes),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(host_copy)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace alxsim
