// SPDX-License-Identifier: Apache-2.0
// Steps of pipelines against those of one device, and what they move against what is counted.
#include "model/estimate.h"
#include "model/graph/memory.h"
#include "model/graph/op_graph.h"
#include "model/meshes/laid_program.h"
#include "tests/unit/model/building.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>

namespace alxsim::transformer {
namespace {

constexpr PipelineSchedule gpipe_schedule = PipelineSchedule::gpipe;
constexpr PipelineSchedule one_by_one_schedule = PipelineSchedule::one_forward_one_backward;
constexpr PipelineSchedule interleaved_schedule = PipelineSchedule::interleaved;

struct Pipeline {
    std::string name;
    MeshLengths mesh;
    std::int64_t microbatches = 4;
    PipelineSchedule schedule = one_by_one_schedule;
    int chunks = 1;
    bool tied = true;
    Recomputation recomputation = RecomputationPolicy::none;
    ShardingKind sharding = ShardingKind::one_dimensional;
    OptimizerSharding optimizer = OptimizerSharding::none;
};

std::ostream& operator<<(std::ostream& out, const Pipeline& one)
{
    return out << one.name;
}

std::vector<Pipeline> pipelines()
{
    // data, pipeline, fsdp, expert, sequence, tensor
    return {
        {"two_stages", {1, 2, 1, 1, 1, 1}},
        {"one_microbatch", {1, 2, 1, 1, 1, 1}, 1},
        {"four_stages", {1, 4, 1, 1, 1, 1}, 8},
        {"fewer_microbatches_than_stages", {1, 4, 1, 1, 1, 1}, 2},
        {"gpipe", {1, 4, 1, 1, 1, 1}, 8, gpipe_schedule},
        {"gpipe_untied", {1, 2, 1, 1, 1, 1}, 4, gpipe_schedule, 1, false},
        {"interleaved", {1, 2, 1, 1, 1, 1}, 4, interleaved_schedule, 2},
        {"interleaved_by_one", {1, 4, 1, 1, 1, 1}, 4, interleaved_schedule, 1},
        {"data", {2, 2, 1, 1, 1, 1}},
        {"fsdp", {1, 2, 2, 1, 1, 1}},
        {"fsdp_untied", {1, 2, 2, 1, 1, 1}, 2, one_by_one_schedule, 1, false},
        {"tensor", {1, 2, 1, 1, 1, 2}},
        {"tensor_by_tokens",
         {1, 2, 1, 1, 1, 2},
         2,
         one_by_one_schedule,
         1,
         true,
         RecomputationPolicy::full,
         ShardingKind::one_dimensional_sequence},
        {"data_by_fsdp_by_tensor", {2, 2, 2, 1, 1, 2}, 2},
        {"four_stages_by_fsdp_by_tensor", {1, 4, 2, 1, 1, 2}, 4},
        {"interleaved_by_fsdp",
         {1, 2, 4, 1, 1, 1},
         2,
         interleaved_schedule,
         2,
         true,
         RecomputationPolicy::selective},
        {"gpipe_offloaded",
         {1, 2, 1, 1, 1, 1},
         4,
         gpipe_schedule,
         1,
         true,
         Recomputation({}, {Activations::layer_input})},
        {"interleaved_offloaded",
         {1, 2, 1, 1, 1, 1},
         4,
         interleaved_schedule,
         2,
         false,
         Recomputation({}, {Activations::layer_input})},
        {"zero1",
         {2, 2, 1, 1, 1, 1},
         4,
         one_by_one_schedule,
         1,
         true,
         RecomputationPolicy::none,
         ShardingKind::one_dimensional,
         OptimizerSharding::zero1},
    };
}

TransformerConfig config_of(const Pipeline& one)
{
    TransformerConfig config;
    config.size = {4, 16, 2, 256, 8};
    config.size.tied = one.tied;
    config.batch = 8;
    config.mesh = one.mesh;
    config.microbatches = one.microbatches;
    config.pipeline_schedule = one.schedule;
    config.chunks = one.chunks;
    config.recomputation = one.recomputation;
    config.sharding = one.sharding;
    config.optimizer_sharding = one.optimizer;
    config.dtype = model::DType::f64;
    config.initial_stddev = 0.1;
    config.adam.learning_rate = 1e-2;
    return config;
}

TransformerConfig on_one_device(TransformerConfig config)
{
    config.mesh = {};
    config.microbatches = 1;
    config.pipeline_schedule = one_by_one_schedule;
    config.chunks = 1;
    config.sharding = ShardingKind::one_dimensional;
    config.optimizer_sharding = OptimizerSharding::none;
    return config;
}

struct TrainedTwice {
    explicit TrainedTwice(const TransformerConfig& config) : model(config, &moved)
    {
        check_sizes(config, "study.json");
        HostPool pool(2);
        const std::string text = training_text(config);
        for (int step = 1; step <= 2; ++step) {
            losses.push_back(
                model.train(step, tokens_of_step(config, model.layout(), text, step), pool));
            if (step == 1) {
                gradients = all_gradients();
            }
        }
    }
    std::vector<double> all_gradients() const
    {
        std::vector<double> all;
        for (const ParameterOf& of : model.parameters()) {
            const std::vector<double> one = model.gradient(of);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

    MovedCounts moved;
    ModelNumbers model;
    std::vector<double> losses;
    std::vector<double> gradients; ///< of the first step
};

double farthest_apart(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = a.size() == b.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

class PipelinedSteps : public testing::TestWithParam<Pipeline> {};

TEST_P(PipelinedSteps, HaveTheNumbersOfOneDevice)
{
    const TransformerConfig config = config_of(GetParam());
    const TrainedTwice serial(on_one_device(config));
    const TrainedTwice pipelined(config);
    EXPECT_LT(farthest_apart(pipelined.losses, serial.losses), 1e-13);
    EXPECT_LT(farthest_apart(pipelined.gradients, serial.gradients), 1e-13);
    EXPECT_GT(farthest_apart(serial.losses, {0, 0}), 1);
}

TEST_P(PipelinedSteps, MoveWhatTheTimedStepCounts)
{
    const TransformerConfig config = config_of(GetParam());
    MovedCounts counted;
    const auto step = build_step(config);
    for (const CollectiveUse& use : step->timed().collectives) {
        spmd::MovedCount& count = counted[use.name()];
        count.calls += use.times * 2; // steps
        count.elements += use.times * 2 * use.elements;
    }
    for (const spmd::TransferUse& use : step->timed().transfers) {
        spmd::MovedCount& count = counted[use.name()];
        count.calls += use.times * 2;
        count.elements += use.times * 2 * use.elements;
    }
    EXPECT_EQ(spmd::counts_json(TrainedTwice(config).moved), spmd::counts_json(counted));
}

TEST_P(PipelinedSteps, AreEstimatedStageByStage)
{
    TransformerConfig config = config_of(GetParam());
    config.dtype = model::DType::bf16;
    const auto graph = build_step(config)->timed().graph;
    ASSERT_EQ(graph->roles.size(), static_cast<std::size_t>(config.mesh.pipeline));
    const topologies::Machine machine = model::machine_of("tpu_v5e", config.devices());
    EXPECT_GT(model::AnalyticModel(machine).step({graph, {}, 1}).on_device.total, Picoseconds(0));
}

TEST_P(PipelinedSteps, AreEstimatedOnOneMachineAfterAnotherAsOnEachByItself)
{
    TransformerConfig config = config_of(GetParam());
    config.dtype = model::DType::bf16;
    const auto graph = build_step(config)->timed().graph;
    const topologies::Machine machine = model::machine_of("tpu_v5e", config.devices());
    std::vector<topologies::Machine> machines(4, machine);
    machines[1].device.op_overhead = machine.device.op_overhead * 7;
    machines[2].network.link_bytes_per_second /= 50;
    machines[3].network.permutes_overlap_compute = !machine.network.permutes_overlap_compute;
    machines.push_back(machine);
    for (const auto times : {model::ScheduleTimes::exact, model::ScheduleTimes::closed_form}) {
        model::AnalyticModel one_after_another(machine, times);
        for (const topologies::Machine& each : machines) {
            one_after_another.use(each);
            one_after_another.end_job();
            one_after_another.use(each);
            const auto found = one_after_another.step({graph, {}, 1}).on_device;
            const auto by_itself = model::AnalyticModel(each, times).step({graph, {}, 1}).on_device;
            EXPECT_EQ(found.total, by_itself.total);
            EXPECT_EQ(found.phases, by_itself.phases);
            EXPECT_EQ(found.bubble, by_itself.bubble);
        }
    }
}

TEST_P(PipelinedSteps, AreLaidWithEachPlaceOfTheMeshOnOneDevice)
{
    TransformerConfig config = config_of(GetParam());
    config.dtype = model::DType::bf16;
    const auto graph = build_step(config)->timed().graph;
    const topologies::Machine machine = model::machine_of("tpu_v5e", config.devices());
    const auto laid =
        model::laid_out({{{graph, {}, 1}, 1}}, machine, "study.json", model::DeviceNumbers::of_mesh)
            .front()
            .step.graph;
    std::set<int> devices;
    ASSERT_EQ(laid->roles.size(), graph->roles.size());
    for (std::size_t stage = 0; stage < laid->roles.size(); ++stage) {
        for (std::size_t i = 0; i < laid->roles[stage].devices.size(); ++i) {
            const int place = graph->roles[stage].devices[i];
            const int device = laid->roles[stage].devices[i];
            devices.insert(device);
            EXPECT_EQ(device, laid->mesh->devices.empty()
                                  ? place
                                  : laid->mesh->devices[static_cast<std::size_t>(place)]);
        }
    }
    EXPECT_EQ(static_cast<int>(devices.size()), machine.devices);
    EXPECT_GT(model::AnalyticModel(machine).step({laid, {}, 1}).on_device.total, Picoseconds(0));
}

INSTANTIATE_TEST_SUITE_P(Meshes, PipelinedSteps, testing::ValuesIn(pipelines()),
                         [](const auto& one) { return one.param.name; });

} // namespace
} // namespace alxsim::transformer
