// SPDX-License-Identifier: Apache-2.0
// A mesh that lies off the slice's axes: collectives of groups with others' chips in between, along
// lines and, for comparison, on all chips; points and draws of a transformer.
#include "experiments/points/study/machine_request.h"
#include "experiments/points/uncertainty/uncertainty.h"
#include "model/collectives/replays/line_replay.h"
#include "model/collectives/replays/rank_replay.h"
#include "model/job_estimate.h"
#include "model/schedules/schedule_choice.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace alxsim::experiments {
namespace {

topologies::Machine machine_with(std::int64_t chips)
{
    MachineRequest request;
    request.chip = chips > 256 ? "tpu_v4" : "tpu_v5e";
    request.cores = static_cast<int>(chips > 256 ? 2 * chips : chips);
    return machine_of(request, "bench");
}

/// All chips of even places along x have a sum, and all of odd ones.
model::CollectiveSchedule sums_of_every_second(std::int64_t bytes,
                                               const topologies::Machine& machine)
{
    auto mesh =
        std::make_shared<model::Mesh>(model::Mesh{{"tensor", 2}, {"data", machine.devices / 2}});
    for (const int first : {0, 1}) {
        for (int chip = 0; chip < machine.slice.chips(); ++chip) {
            if (machine.slice.coordinates(chip).front() % 2 == first) {
                mesh->devices.push_back(chip);
            }
        }
    }
    model::Collective sum{model::CollectiveKind::all_reduce, Bytes(bytes)};
    sum.mesh = mesh;
    sum.group = {"data"};
    return model::candidate_schedules(sum, machine).front();
}

void sums_along_lines(benchmark::State& state)
{
    const topologies::Machine machine = machine_with(state.range(0));
    const model::CollectiveSchedule schedule = sums_of_every_second(32 << 20, machine);
    for (auto run : state) {
        benchmark::DoNotOptimize(model::line_schedule_time(schedule));
    }
}
BENCHMARK(sums_along_lines)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

void sums_on_all_chips(benchmark::State& state)
{
    const topologies::Machine machine = machine_with(state.range(0));
    const model::CollectiveSchedule schedule = sums_of_every_second(32 << 20, machine);
    for (auto run : state) {
        benchmark::DoNotOptimize(model::rank_schedule_time(schedule));
    }
}
BENCHMARK(sums_on_all_chips)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

/// On 256 chips of v5e with so many in a tensor group. No two batches are the same, nor links.
PointStudy transformer_with(std::int64_t tensor, double link_bytes_per_second)
{
    return point_study({{"study", "bench"},
                        {"numerics", false},
                        {"machine",
                         {{"chip", "tpu_v5e"},
                          {"cores", 256},
                          {"overrides", {{"ici_link_bw_oneway", link_bytes_per_second}}}}},
                        {"workload",
                         {{"transformer",
                           {{"preset", "gpt2-medium"},
                            {"batch", 256},
                            {"mesh", {{"data", 256 / tensor}, {"tensor", tensor}}}}}}}},
                       "bench");
}

/// Points on machines that differ in their links, so that nothing is known from the one before.
void point_off_the_axes(benchmark::State& state)
{
    double links = 45e9;
    for (auto run : state) {
        links += 1e6;
        const Job job = job_of(transformer_with(state.range(0), links));
        benchmark::DoNotOptimize(model::estimate(job.workload->program(), job.machine));
    }
}
BENCHMARK(point_off_the_axes)->Arg(16)->Arg(8)->Arg(4)->Arg(2)->Unit(benchmark::kMillisecond);

void band_off_the_axes(benchmark::State& state)
{
    const UncertainJob job(job_of(transformer_with(state.range(0), 45e9)));
    std::uint64_t seed = 0;
    for (auto run : state) {
        benchmark::DoNotOptimize(epoch_band(job, ++seed));
    }
}
BENCHMARK(band_off_the_axes)->Arg(16)->Arg(8)->Arg(4)->Arg(2)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace alxsim::experiments
