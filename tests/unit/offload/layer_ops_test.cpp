// SPDX-License-Identifier: Apache-2.0
// What a layer of an offloaded step moves, computes and keeps, beside the transformer's own step.
#include "base/input_error.h"
#include "model/estimate.h"
#include "model/graph/memory.h"
#include "tests/unit/model/building.h"
#include "workloads/offload/layer_ops.h"
#include "workloads/offload/workload.h"
#include "workloads/transformer/steps/training_step.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace alxsim::offload {
namespace {

using transformer::RecomputationPolicy;

OffloadConfig small_model(int layers = 6)
{
    OffloadConfig config;
    config.model.size = {layers, 512, 8, 4096, 256};
    config.model.batch = 4;
    config.model.recomputation = RecomputationPolicy::full;
    return config;
}

topologies::Machine one_chip_of_a_host()
{
    return model::machine_of("tpu_v5e", 1, {{"chips_per_host", 1}});
}

TEST(OffloadLayers, MoveTwoBytesAParameterAndTwelveAndFourteenOfTheOptimizer)
{
    const std::int64_t hidden = 512;
    const std::int64_t parameters = 12 * hidden * hidden + 13 * hidden; // biases and norms
    OffloadConfig config = small_model();
    const LayerBytes in_bf16 = layer_bytes(config);
    EXPECT_EQ(in_bf16.parameters, parameters);
    EXPECT_EQ(in_bf16.weights, Bytes(2 * parameters));
    EXPECT_EQ(in_bf16.state, Bytes(12 * parameters));
    EXPECT_EQ(in_bf16.written, Bytes(14 * parameters));
    EXPECT_EQ(in_bf16.updated, Bytes(14 * parameters)); // 28 read and written

    config.model.dtype = model::DType::f32; // no copy in fewer bits
    EXPECT_EQ(layer_bytes(config).weights, Bytes(4 * parameters));
    EXPECT_EQ(layer_bytes(config).written, Bytes(12 * parameters));
    EXPECT_EQ(layer_bytes(config).updated, Bytes(14 * parameters));

    config = small_model();
    config.model.optimizer.kind = transformer::OptimizerKind::sgd;
    EXPECT_EQ(layer_bytes(config).state, Bytes(4 * parameters));
    EXPECT_EQ(layer_bytes(config).written, Bytes(6 * parameters));
}

double seconds_of(const std::shared_ptr<const model::OpGraph>& graph)
{
    const topologies::Machine machine = one_chip_of_a_host();
    return to_seconds(model::AnalyticModel(machine).step({graph, {}, 1}).on_device.total).count();
}

/// What the device computes alone.
StepOps without_transfers(StepOps ops)
{
    LayerOps computed;
    computed.forward = ops.layer.forward;
    computed.backward = ops.layer.backward;
    ops.layer = std::move(computed);
    return ops;
}

TEST(OffloadLayers, ComputeWhatTheTransformersOwnStepDoes)
{
    for (const RecomputationPolicy policy :
         {RecomputationPolicy::none, RecomputationPolicy::full}) {
        OffloadConfig config = small_model();
        config.schedule = Schedule::sync;
        config.model.recomputation = policy;
        auto whole =
            std::make_shared<model::OpGraph>(*transformer::TrainingStep(config.model).graph());
        const auto last = whole->ops.end() - 2; // the layers' optimizer; that of the embeddings
        ASSERT_EQ(last->name.text(), "optimizer");
        const double optimizer = seconds_of(whole) - [&] {
            auto rest = std::make_shared<model::OpGraph>(*whole);
            model::Op embeddings = rest->ops.back();
            embeddings.after = {static_cast<int>(rest->ops.size()) - 3};
            rest->ops.resize(rest->ops.size() - 2);
            rest->ops.push_back(embeddings);
            return seconds_of(rest);
        }();
        const auto offloaded = std::make_shared<const model::OpGraph>(
            offloaded_steps(config.shape(), without_transfers(step_ops(config)),
                            order_of_gradients(config.shape().layers), 1));
        EXPECT_NEAR(seconds_of(offloaded) / (seconds_of(whole) - optimizer), 1, 0.01);
    }
}

model::MemoryFit memory_of(const OffloadConfig& config)
{
    const topologies::Machine machine = one_chip_of_a_host();
    const StepOps ops = step_ops(config);
    const OptimizerOrder order = optimizer_order(config.shape(), ops, machine);
    return model::memory_fit(offload_program(config.shape(), ops, order), machine);
}

TEST(OffloadLayers, StandBelowHbmButForWhatTakesTurns)
{
    const OffloadConfig few = small_model(6);
    const OffloadConfig many = small_model(10);
    const LayerBytes layer = layer_bytes(few);
    const model::MemoryFit fewer = memory_of(few);
    const model::MemoryFit more = memory_of(many);
    const Bytes layer_inputs = Bytes(2 * 4 * 256 * 512) * 4;
    EXPECT_EQ(more.needed - fewer.needed, layer_inputs);
    EXPECT_EQ(more.storage_needed - fewer.storage_needed, layer.written * 4);
    EXPECT_EQ(more.host_needed - fewer.host_needed, layer.weights * 4); // gradients

    OffloadConfig deeper = few;
    deeper.prefetch = 5;
    EXPECT_EQ(memory_of(deeper).needed - fewer.needed, layer.weights * 3);
    deeper = few;
    deeper.buffers = 6;
    EXPECT_EQ(memory_of(deeper).host_needed - fewer.host_needed, layer.written * 2);
}

/// What reads weights before their update, and what writes them, are there at once.
TEST(OffloadLayers, OfAStepThatIsLateHaveTheirWeightsTwice)
{
    for (const model::DType dtype : {model::DType::bf16, model::DType::f32}) {
        OffloadConfig config = small_model();
        config.model.dtype = dtype;
        config.schedule = Schedule::fifo;
        const Bytes once = memory_of(config).storage_needed;
        EXPECT_EQ(once, layer_bytes(config).written * 6);
        config.schedule = Schedule::stale;
        EXPECT_EQ(memory_of(config).storage_needed - once, layer_bytes(config).weights * 6);
    }
}

TEST(OffloadLayers, InputsMayGoToTheHost)
{
    OffloadConfig config = small_model(10);
    const model::MemoryFit in_hbm = memory_of(config);
    config.model.recomputation =
        transformer::Recomputation({}, {transformer::Activations::layer_input});
    const model::MemoryFit on_host = memory_of(config);
    const Bytes input(2 * 4 * 256 * 512);
    EXPECT_EQ(on_host.host_needed - in_hbm.host_needed, input * 10);
    EXPECT_LE(on_host.needed, in_hbm.needed - input * 7);
}

/// Returns the refusal of a study with these fields beside a small model's.
std::string refusal_of(const Json& fields, int devices = 1)
{
    Json workload{{"layers", 2},       {"hidden", 64},   {"heads", 2},
                  {"vocabulary", 512}, {"sequence", 32}, {"batch", 2}};
    workload.update(fields);
    try {
        offload_config({{"workload", {{"offload", workload}}}}, "s.json", devices);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(OffloadRequests, WhatCannotBeDoneIsRefusedAtItsPlaceWithTheReason)
{
    const auto expect_words = [](const std::string& refused, const std::string& words) {
        EXPECT_NE(refused.find(words), std::string::npos) << refused;
    };
    EXPECT_EQ(refusal_of(Json::object()), "");
    EXPECT_EQ(refusal_of({{"schedule", "sync"}, {"clip_norm", 1.0}}), "");
    EXPECT_EQ(refusal_of({{"schedule", "stale"}, {"clip_norm", 1.0}}), "");
    for (const char* const schedule : {"fifo", "edf"}) {
        const std::string refused = refusal_of({{"schedule", schedule}, {"clip_norm", 1.0}});
        expect_words(refused, "/workload/offload/clip_norm");
        expect_words(refused, "before the norm of all gradients is known");
    }
    expect_words(refusal_of({{"optimizer", "adafactor"}}), "sums of a whole matrix");
    expect_words(refusal_of(Json::object(), 4), "found 4 devices; allowed: 1");
    expect_words(refusal_of({{"heads", 5}}), "/workload/offload/hidden"); // of the transformer
}

TEST(OffloadRequests, ChoicesAreOtherThanWhatIs)
{
    for (const auto& [name, schedule] : value_names(Schedule())) {
        OffloadConfig config = small_model();
        config.schedule = schedule;
        const workloads::Choices choices = choices_of(config);
        for (const workloads::Choice& choice : choices.list) {
            for (const workloads::Option& option : choice.options) {
                for (const char* const now : {"io user", "prefetch 2", "buffers 4"}) {
                    EXPECT_NE(option.words, now);
                }
                EXPECT_NE(option.words, std::string("schedule ") + name);
            }
        }
        EXPECT_EQ(choices.list.front().options.size(), 4U); // as it is, and the three others
    }
}

TEST(OffloadRequests, TheSchemaLeavesOutWhatTakesSeveralDevices)
{
    const Json fields = offload_schema().at("properties");
    for (const char* const there : {"schedule", "io", "prefetch", "buffers", "clip_norm", "preset",
                                    "recomputation", "optimizer", "steps"}) {
        EXPECT_TRUE(fields.contains(there)) << there;
    }
    for (const char* const absent : {"mesh", "sharding", "microbatches", "mode", "experts"}) {
        EXPECT_FALSE(fields.contains(absent)) << absent;
    }
    EXPECT_EQ(fields.at("prefetch").at("default"), 2);
    EXPECT_EQ(fields.at("buffers").at("default"), 4);
}

} // namespace
} // namespace alxsim::offload
