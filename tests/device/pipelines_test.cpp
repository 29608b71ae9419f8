// SPDX-License-Identifier: Apache-2.0
// Pipelines in both engines: against the closed form of their bubbles, and against each other.
#include "model/graph/for_each_op.h"
#include "model/graph/memory.h"
#include "model/meshes/laid_program.h"
#include "tests/device/running.h"
#include "workloads/transformer/steps/built_step.h"
#include "workloads/transformer/steps/pipeline_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace alxsim::sim {
namespace {

using topologies::Machine;
using topologies::SliceRequest;
using transformer::PipelineSchedule;

constexpr PipelineSchedule one_by_one = PipelineSchedule::one_forward_one_backward;

/// Stages that are all alike: a forward and a backward of so many seconds, divided by the chunks,
/// and messages of so many f32 numbers.
std::shared_ptr<const model::OpGraph> equal_stages(const transformer::PipelineShape& shape,
                                                   Seconds forward, Seconds backward,
                                                   std::int64_t numbers = 1)
{
    spmd::StepBuilder step(spmd::DeviceMesh("pipeline", shape.stages));
    step.begin_roles("pipeline");
    for (const auto& [stage, task] :
         in_executable_order(shape, transformer::pipeline_tasks(shape))) {
        step.role(stage);
        step.begin({task.backward ? "backward" : "forward", "layers"});
        const auto array = [&](const std::string& name) {
            return step.array(name, {1, numbers}, model::DType::f32,
                              {2, task.microbatch, model::Residency::hbm, true});
        };
        const auto message = [&](int to, int chunk) {
            return step.section().pass + " to " + std::to_string(chunk * shape.stages + to);
        };
        std::vector<spmd::Touch> reads;
        std::vector<spmd::Touch> writes;
        const auto from = previous_place(shape, stage, task);
        const auto to = next_place(shape, stage, task);
        if (from.exists()) {
            reads.emplace_back(array("received " + step.section().pass));
            step.receive(message(stage, task.chunk), from.stage, reads.back().array);
        }
        if (to.exists()) {
            writes.emplace_back(array("sent " + step.section().pass));
        }
        step.compute(
            "stage", "stage",
            model::Fixed{Seconds((task.backward ? backward : forward).count() / shape.chunks)},
            reads, writes, [](const auto&) {});
        if (to.exists()) {
            step.send(message(to.stage, to.chunk), to.stage, writes.back().array);
        }
    }
    return std::make_shared<const model::OpGraph>(step.take("pipeline"));
}

double seconds(Picoseconds time)
{
    return static_cast<double>(time.count()) * 1e-12;
}

TEST(Pipelines, WaitAsTheirClosedFormSaysWhereStagesAreEqual)
{
    const Machine machine = machine_of("tpu_v5e", SliceRequest{4, "1x4", {}});
    for (const transformer::PipelineShape& shape :
         {transformer::PipelineShape{PipelineSchedule::gpipe, 4, 8, 1},
          {one_by_one, 4, 3, 1},
          {one_by_one, 4, 8, 1},
          {one_by_one, 4, 32, 1},
          {PipelineSchedule::interleaved, 4, 8, 2},
          {PipelineSchedule::interleaved, 4, 8, 4}}) {
        const auto graph = equal_stages(shape, Seconds(1), Seconds(2));
        const double busy = 3.0 * shape.microbatches;
        const double bubble = transformer::bubble_of_equal_stages(shape);
        EXPECT_NEAR(1 - busy / seconds(estimated(machine, graph)), bubble, 1e-4);
        EXPECT_NEAR(1 - busy / seconds(simulated(machine, graph)), bubble, 1e-4);
    }
}

Machine two_slices(int chips)
{
    SliceRequest request{2 * chips, {}, {}};
    request.slices = 2;
    return machine_of("tpu_v5e", request);
}

TEST(Pipelines, OfTwoSlicesWaitForMessagesOfTheDataCenterNetwork)
{
    // A message there and one back are seen by every second microbatch, as a second one is under
    // way: (m + 1) (f + b) + 2 t ceil(m / 2).
    const Machine machine = two_slices(1);
    const double message = 0.1;
    const double rate = machine.network.dcn_bytes_per_second * machine.network.dcn_efficiency;
    const auto numbers = static_cast<std::int64_t>(message * rate / 4);
    for (const int microbatches : {1, 2, 3, 4, 9}) {
        const auto graph =
            equal_stages({one_by_one, 2, microbatches, 1}, Seconds(1), Seconds(2), numbers);
        const double closed_form =
            3.0 * (microbatches + 1) + 2 * message * ((microbatches + 1) / 2);
        EXPECT_NEAR(seconds(estimated(machine, graph)), closed_form, 2e-3 * closed_form);
        EXPECT_NEAR(seconds(simulated(machine, graph)), closed_form, 2e-3 * closed_form);
    }
}

transformer::TransformerConfig pipelined(transformer::MeshLengths mesh, std::int64_t microbatches,
                                         PipelineSchedule schedule = one_by_one, int chunks = 1)
{
    transformer::TransformerConfig config;
    config.size = {8, 2048, 16, 8192, 1024};
    config.mesh = mesh;
    config.batch = microbatches * mesh.batch_parts();
    config.microbatches = microbatches;
    config.pipeline_schedule = schedule;
    config.chunks = chunks;
    config.attention = transformer::AttentionKind::flash;
    return config;
}

std::shared_ptr<const model::OpGraph> step_of(const transformer::TransformerConfig& config,
                                              const Machine& machine)
{
    const auto step = transformer::build_step(config);
    return model::laid_out({{{step->timed().graph, {}, 1}, 1}}, machine, "",
                           model::DeviceNumbers::of_mesh)
        .front()
        .step.graph;
}

std::vector<int> devices_of_stage(const model::OpGraph& graph, std::size_t stage)
{
    std::vector<int> devices = graph.roles.at(stage).devices;
    std::sort(devices.begin(), devices.end());
    return devices;
}

TEST(Pipelines, OfTransformersTakeWhatIsEstimated)
{
    const Machine machine = machine_of("tpu_v5e", SliceRequest{8, "2x4", {}});
    // data, pipeline, fsdp, expert, sequence, tensor
    for (const auto& config : {pipelined({1, 8, 1, 1, 1, 1}, 8), pipelined({1, 4, 1, 1, 1, 2}, 8),
                               pipelined({1, 4, 2, 1, 1, 1}, 8), pipelined({2, 2, 1, 1, 1, 2}, 4),
                               pipelined({1, 2, 1, 1, 1, 4}, 4, PipelineSchedule::interleaved, 2),
                               pipelined({1, 4, 1, 1, 1, 2}, 4, PipelineSchedule::gpipe)}) {
        const auto graph = step_of(config, machine);
        EXPECT_NEAR(estimated(machine, graph) / simulated(machine, graph), 1, 0.02)
            << config.mesh.pipeline << " stages, tensor " << config.mesh.tensor << ", fsdp "
            << config.mesh.fsdp;
    }
}

TEST(Pipelines, OfTransformersStandAStageOnEachSlice)
{
    // data, pipeline, fsdp, expert, sequence, tensor
    const auto config = pipelined({1, 2, 1, 1, 1, 4}, 4);
    Machine machine = two_slices(4);
    const auto graph = step_of(config, machine);
    EXPECT_EQ(devices_of_stage(*graph, 1), (std::vector<int>{4, 5, 6, 7})); // of the second slice
    const Picoseconds time = estimated(machine, graph);
    EXPECT_NEAR(time / simulated(machine, graph), 1, 1e-3);
    machine.network.dcn_bytes_per_second /= 8;
    EXPECT_GT(estimated(machine, graph), time);
    const Machine one = machine_of("tpu_v5e", SliceRequest{8, {}, {}});
    EXPECT_LT(estimated(one, graph), time);
}

TEST(Pipelines, OfTransformersStandWithTheirStagesNextToEachOther)
{
    const Machine machine = machine_of("tpu_v5e", SliceRequest{32, "4x8", {}});
    const auto config = pipelined({1, 8, 1, 1, 1, 4}, 8);
    const auto row_by_row = transformer::build_step(config)->timed().graph;
    const auto laid = step_of(config, machine);
    std::set<int> all;
    for (std::size_t stage = 0; stage < 8; ++stage) {
        const std::vector<int> devices = devices_of_stage(*laid, stage);
        all.insert(devices.begin(), devices.end());
        for (const int device : devices) { // one of eight columns, each as long as a tensor group
            EXPECT_EQ(device % 8, devices.front() % 8);
        }
    }
    EXPECT_EQ(all.size(), 32U);
    model::for_each_op(*laid, [&](const model::Op& op) {
        const auto* const collective = std::get_if<model::Collective>(&op.work);
        for (std::size_t i = 0;
             collective != nullptr && collective->messages && i < collective->messages->size();
             ++i) {
            const model::PairMessage& message = (*collective->messages)[i];
            EXPECT_EQ(std::abs(message.source - message.destination), 1) << op.name;
        }
    });
    EXPECT_LT(estimated(machine, laid), estimated(machine, row_by_row));
    EXPECT_NEAR(estimated(machine, laid) / simulated(machine, laid), 1, 0.02);
}

TEST(Pipelines, OfTransformersHaveStagesOrReplicasOnSlicesAsIsAsked)
{
    // data, pipeline, fsdp, expert, sequence, tensor
    const auto config = pipelined({2, 2, 1, 1, 1, 2}, 4);
    Machine machine = two_slices(4);
    machine.mesh_axes = {{"pipeline", {"dcn"}}};
    EXPECT_EQ(devices_of_stage(*step_of(config, machine), 0), (std::vector<int>{0, 1, 2, 3}));
    machine.mesh_axes = {{"data", {"dcn"}}};
    const std::vector<int> on_both = devices_of_stage(*step_of(config, machine), 0);
    EXPECT_EQ(std::count_if(on_both.begin(), on_both.end(), [](int device) { return device < 4; }),
              2);
}

} // namespace
} // namespace alxsim::sim
