// SPDX-License-Identifier: Apache-2.0
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <sys/resource.h>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

/// The most memory that the process has held so far, in MiB.
double peak_memory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024; // in KiB on Linux
}

/// v5e chips, both axes rings, of any size.
Machine v5e_torus(int side)
{
    Machine machine = machine_of("tpu_v5e", 256);
    machine.slice = topologies::Slice({{side, true}, {side, true}}, 1, true);
    machine.cores = side * side;
    machine.devices = side * side;
    return machine;
}

/// A collective, its schedule given: message by message unless the network may `remember`.
/// `ready`: [device], or empty if all are at once. Packet-hops are packets put on links, whether as
/// a train or one by one; events are what the kernel wakes up for, a moment each.
void run_collective(benchmark::State& state, const Machine& machine, const Collective& collective,
                    bool remember = false, const std::vector<Picoseconds>& ready = {})
{
    const auto schedule = std::make_shared<const model::CollectiveSchedule>(
        model::make_schedule(collective, machine));
    double packet_hops = 0;
    double messages = 0;
    double moments = 0;
    for (auto run : state) {
        const FreshContext context;
        Network network("network", machine, remember);
        for (int device = 0; device < machine.devices; ++device) {
            const Picoseconds time =
                ready.empty() ? Picoseconds(0) : ready[static_cast<std::size_t>(device)];
            network.enter(device, schedule, time, time, {}, [](const CollectiveDone&) {});
        }
        sc_core::sc_start();
        state.PauseTiming();
        for (const LinkUse& link : network.counters().links) {
            packet_hops += static_cast<double>(link.packets);
        }
        messages += static_cast<double>(network.use().messages);
        moments += static_cast<double>(sc_core::sc_delta_count());
        state.ResumeTiming();
    }
    const auto per_second = benchmark::Counter::kIsRate;
    state.counters["packet_hops_per_s"] = benchmark::Counter(packet_hops, per_second);
    state.counters["messages_per_s"] = benchmark::Counter(messages, per_second);
    state.counters["moments_per_s"] = benchmark::Counter(moments, per_second);
    state.counters["packet_hops"] =
        benchmark::Counter(packet_hops, benchmark::Counter::kAvgIterations);
    state.counters["peak_MiB"] = peak_memory();
}

/// 8 MiB on `side` x `side` chips: on 16 in less than 40 ms; on 64 in less than 6 s and 1 GiB.
void network_all_reduce(benchmark::State& state)
{
    run_collective(state, v5e_torus(static_cast<int>(state.range(0))),
                   {CollectiveKind::all_reduce, Bytes(8 << 20)});
}
BENCHMARK(network_all_reduce)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

/// Ring collectives of 64 MiB: 5 million packet-hops per second at least.
void network_rings(benchmark::State& state, CollectiveKind kind)
{
    run_collective(state, v5e_torus(16), {kind, Bytes(64 << 20)});
}
BENCHMARK_CAPTURE(network_rings, all_gather, CollectiveKind::all_gather)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(network_rings, reduce_scatter, CollectiveKind::reduce_scatter)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(network_rings, all_reduce, CollectiveKind::all_reduce)
    ->Unit(benchmark::kMillisecond);

/// Routed on 8x8, so many bytes a device: a million packet-hops per second at least.
void network_routed_all_to_all(benchmark::State& state)
{
    Collective routed{CollectiveKind::all_to_all, Bytes(state.range(0))};
    routed.schedule.algorithm = model::ScheduleAlgorithm::routed;
    run_collective(state, v5e_torus(8), routed);
}
BENCHMARK(network_routed_all_to_all)->Arg(1 << 20)->Arg(4 << 20)->Unit(benchmark::kMillisecond);

/// 4 MiB on so many v3 cores that are late by up to 40 us, replayed and packet by packet.
void late_all_reduce(benchmark::State& state, bool remember)
{
    const Machine machine = machine_of("tpu_v3", static_cast<int>(state.range(0)));
    std::vector<Picoseconds> ready;
    for (std::int64_t device = 0; device < machine.devices; ++device) {
        ready.emplace_back(device * 7919 % 4001 * 10'007);
    }
    run_collective(state, machine, {CollectiveKind::all_reduce, Bytes(4 << 20)}, remember, ready);
}
BENCHMARK_CAPTURE(late_all_reduce, replayed, true)
    ->Arg(512)
    ->Arg(2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(late_all_reduce, in_packets, false)
    ->Arg(512)
    ->Arg(2048)
    ->Unit(benchmark::kMillisecond);

/// The whole op, schedule and devices included, as a user runs it.
void simulated_all_reduce(benchmark::State& state)
{
    const Machine machine = v5e_torus(static_cast<int>(state.range(0)));
    const auto steps =
        steps_of(graph_of({op_of(Collective{CollectiveKind::all_reduce, Bytes(8 << 20)})}));
    for (auto run : state) {
        benchmark::DoNotOptimize(simulate(machine, steps).network.messages);
    }
    state.counters["peak_MiB"] = peak_memory();
}
BENCHMARK(simulated_all_reduce)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

/// One 8 MiB all-reduce, and a repeat of 256 of them; `loop_over_one` is the ratio of their times.
void repeated_all_reduce(benchmark::State& state)
{
    const Machine machine = machine_of("tpu_v5e", 256);
    const model::Op one = op_of(Collective{CollectiveKind::all_reduce, Bytes(8 << 20)});
    const auto seconds = [&](const model::Op& op) {
        const auto begin = std::chrono::steady_clock::now();
        simulate(machine, steps_of(graph_of({op})));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    double single = 0;
    double loop = 0;
    for (auto run : state) {
        single += seconds(one);
        loop += seconds(repeat_of(256, {one}));
    }
    const auto runs = static_cast<double>(state.iterations());
    state.counters["one_ms"] = 1e3 * single / runs;
    state.counters["loop_ms"] = 1e3 * loop / runs;
    state.counters["loop_over_one"] = loop / single;
}
BENCHMARK(repeated_all_reduce)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::sim
