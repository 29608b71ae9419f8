// SPDX-License-Identifier: Apache-2.0
#include "tests/device/packet_traffic.h"

#include <benchmark/benchmark.h>

namespace alxsim::sim {
namespace {

/// Items are packet-hops. Every chip sends `bytes` to every other one.
void packets_all_to_all(benchmark::State& state)
{
    const topologies::Slice slice = torus(8, 8);
    std::int64_t packet_hops = 0;
    for (auto run : state) {
        PacketTraffic traffic(slice, fast_links());
        for (int source = 0; source < slice.chips(); ++source) {
            for (int step = 1; step < slice.chips(); ++step) {
                traffic.send(source, (source + step) % slice.chips(), state.range(0),
                             static_cast<std::uint64_t>(source));
            }
        }
        traffic.run();
        packet_hops += traffic.network().use().packet_hops;
    }
    state.SetItemsProcessed(packet_hops);
}
BENCHMARK(packets_all_to_all)->Arg(4 << 10)->Arg(64 << 10)->Unit(benchmark::kMillisecond);

/// Items are packet-hops. Every chip sends to all its neighbours, as in a step of ring collectives.
void packets_to_neighbours(benchmark::State& state)
{
    const topologies::Slice slice = torus(static_cast<int>(state.range(0)), 8);
    std::int64_t packet_hops = 0;
    for (auto run : state) {
        PacketTraffic traffic(slice, fast_links());
        for (int chip = 0; chip < slice.chips(); ++chip) {
            for (const int axis : {0, 1}) {
                for (const int direction : {+1, -1}) {
                    traffic.send(chip, *slice.neighbour(chip, axis, direction), 2 << 20);
                }
            }
        }
        traffic.run();
        packet_hops += traffic.network().use().packet_hops;
    }
    state.SetItemsProcessed(packet_hops);
}
BENCHMARK(packets_to_neighbours)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::sim
