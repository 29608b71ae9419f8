// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_traffic.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <tuple>

/// Collectives use memory: what they receive is written, what they add is read, and whoever streams
/// meanwhile has the rest.
namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::Overlap;
using topologies::Machine;

model::Op collective_of(CollectiveKind kind, std::int64_t bytes, Overlap overlap = Overlap::async)
{
    Collective collective{kind, Bytes(bytes)};
    collective.overlap = overlap;
    return op_of(collective);
}

model::Op streaming(std::int64_t bytes)
{
    return op_of(model::stream_of(Bytes(bytes), Bytes(0)));
}

model::HbmAccess access_of(const Machine& machine, const Collective& collective)
{
    const model::Op op = op_of(collective);
    return model::collective_access(op, collective, model::make_schedule(collective, machine), {});
}

/// What a chip's memory needs for all that its devices move.
double memory_seconds(const Machine& machine, std::int64_t read, std::int64_t written)
{
    model::HbmAccess access;
    access.read = Bytes(read);
    access.written = Bytes(written);
    return to_seconds(model::hbm_cost(access, machine).busy).count() * machine.devices_per_chip;
}

TEST(CollectiveMemory, MovesWhatItsKindReceivesAndAdds)
{
    const Machine machine = machine_of("tpu_v5e", 16);
    const std::int64_t all = 16 << 20;
    const std::int64_t received = 15 << 20;
    for (const auto& [kind, read, written] :
         {std::tuple(CollectiveKind::all_gather, 0L, received),
          {CollectiveKind::reduce_scatter, 2 * received, received},
          {CollectiveKind::all_reduce, 2 * received, 2 * received},
          {CollectiveKind::all_to_all, received, received},
          {CollectiveKind::permute, all, all},
          {CollectiveKind::broadcast, 0L, all},
          {CollectiveKind::reduce, 2 * all, all}}) {
        const model::HbmAccess access = access_of(machine, {kind, Bytes(all)});
        EXPECT_EQ(access.read.count(), read) << static_cast<int>(kind);
        EXPECT_EQ(access.written.count(), written) << static_cast<int>(kind);
    }
}

TEST(CollectiveMemory, OfMessagesIsThatOfTheDeviceWithMost)
{
    const Machine machine = machine_of("tpu_v5e", 16);
    Collective permute{CollectiveKind::permute, Bytes(3000)};
    permute.messages =
        std::make_shared<const std::vector<model::PairMessage>>(std::vector<model::PairMessage>{
            {0, 1, Bytes(3000)}, {1, 2, Bytes(1000)}, {4, 4, Bytes(9000)}});
    const model::HbmAccess access = access_of(machine, permute);
    EXPECT_EQ(access.read, Bytes(1000));
    EXPECT_EQ(access.written, Bytes(3000));
}

TEST(CollectiveMemory, OfAReduceScatterThatRunsAsAnAllReduceIsTheAllReduces)
{
    Machine machine = machine_of("tpu_v5e", 16);
    machine.schedule = topologies::ScheduleChoice::xla;
    const Collective scatter{CollectiveKind::reduce_scatter, Bytes(16 << 20)};
    const model::HbmAccess access = model::collective_access(
        op_of(scatter), scatter, *model::ScheduleBook(machine).best(scatter).schedule, {});
    EXPECT_EQ(access.written, Bytes(30 << 20));
}

TEST(CollectiveMemory, AStreamBesideAnAllGatherTakesWhatBytesOverBandwidthSays)
{
    const std::int64_t streamed = 12'000'000'000;
    // As long under way as the stream: by itself that is held up by its DMA engines on 7x.
    for (const auto& [chip, gathered] : {std::pair("tpu_v3", std::int64_t{800'000'000}),
                                         {"tpu_v4", 800'000'000},
                                         {"tpu_v5e", 800'000'000},
                                         {"tpu_v6e", 800'000'000},
                                         {"tpu_7x", 920'000'000}}) {
        const Machine machine = machine_of(chip, 16);
        const auto both =
            graph_of({streaming(streamed), collective_of(CollectiveKind::all_gather, gathered)});
        const std::int64_t received = gathered - gathered / machine.devices;
        const double together =
            memory_seconds(machine, streamed, 0) + memory_seconds(machine, 0, received);
        EXPECT_NEAR(to_seconds(simulated(machine, both)).count() / together, 1, 0.002) << chip;
        EXPECT_NEAR(estimated(machine, both) / simulated(machine, both), 1, 1e-6) << chip;
        EXPECT_GT(simulated(machine, both), simulated(machine, streaming(streamed))) << chip;
    }
}

TEST(CollectiveMemory, SoItDoesThroughTheBanks)
{
    const Machine machine = machine_of("tpu_v5e", 16);
    const auto both =
        graph_of({streaming(60'000'000), collective_of(CollectiveKind::all_gather, 4'000'000)});
    const auto run = [&](HbmModel hbm, const std::shared_ptr<const model::OpGraph>& graph) {
        ListedSteps source(steps_of(graph));
        return on_device(machine, Simulator(machine, {true, hbm}).run(source));
    };
    const Picoseconds rates = run(HbmModel::rates, both);
    const Picoseconds banks = run(HbmModel::banks, both);
    EXPECT_NEAR(banks / rates, 1, 0.02);
    EXPECT_GT(banks, run(HbmModel::banks, graph_of({streaming(60'000'000)})));
}

TEST(CollectiveMemory, CostsNothingWhereNobodyElseMovesBytes)
{
    for (const char* chip : {"tpu_v3", "tpu_v5e", "tpu_7x"}) {
        const Machine machine = machine_of(chip, 16);
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            const auto alone = [&](Overlap overlap) {
                return simulated(machine, collective_of(kind, 40'000'000, overlap));
            };
            EXPECT_EQ(alone(Overlap::async), alone(Overlap::sync)) << chip;
            EXPECT_EQ(alone(Overlap::async), estimated(machine, collective_of(kind, 40'000'000)));
        }
    }
}

TEST(CollectiveMemory, EstimateAndSimulatorAgreeWhereSeveralComeAndGo)
{
    const Machine machine = machine_of("tpu_v5e", topologies::SliceRequest{16, "4x4", {}});
    const auto along = [](const char* axis, std::int64_t bytes, std::vector<int> after) {
        Collective gather{CollectiveKind::all_gather, Bytes(bytes), {}, {axis}};
        gather.overlap = Overlap::async;
        return op_of(gather, std::move(after));
    };
    model::Op second = streaming(300'000'000);
    second.after = {0};
    const auto graph = graph_of({streaming(200'000'000), along("x", 20'000'000, {}),
                                 along("y", 30'000'000, {}), second, along("x", 5'000'000, {0}),
                                 op_of(model::Vector{1 << 24, 4, model::DType::f32}, {3, 4})});
    EXPECT_NEAR(estimated(machine, graph) / simulated(machine, graph), 1, 1e-4);
    const auto layers = graph_of({repeat_of(7, graph->ops)});
    EXPECT_NEAR(estimated(machine, layers) / simulated(machine, layers), 1, 1e-4);
}

} // namespace
} // namespace alxsim::sim
