// SPDX-License-Identifier: Apache-2.0
// The op graph of a training step, which is timed, against the one whose numbers move.
#include "model/graph/buffer_placement.h"
#include "model/graph/for_each_op.h"
#include "model/graph/op_graph.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/steps/training_step.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <ostream>
#include <set>

namespace alxsim::transformer {
namespace {

struct Case {
    std::string name;
    ShardingKind sharding;
    int devices;
    int replicas = 1;
    GradientOverlap overlap = GradientOverlap::none;
    RecomputationPolicy recomputation = RecomputationPolicy::none;
    bool in_rings = false;
};

std::ostream& operator<<(std::ostream& out, const Case& one)
{
    return out << one.name;
}

TransformerConfig config_of(const Case& one)
{
    TransformerConfig config;
    config.size = {3, 32, 4, 256, 16};
    config.batch = 4;
    config.sharding = one.sharding;
    config.mesh.data = one.replicas;
    config.mesh.tensor = one.devices / one.replicas;
    config.gradient_overlap = one.overlap;
    config.recomputation = one.recomputation;
    config.dtype = model::DType::f32;
    if (one.in_rings) {
        config.in_rings = CutProducts::all();
    }
    return config;
}

class StepGraph : public testing::TestWithParam<Case> {};

/// Bytes of a graph's collectives by kind and axis, loops as often as they iterate.
void add_bytes(const model::OpGraph& graph, std::int64_t times,
               std::map<std::string, std::int64_t>& bytes)
{
    for (const model::Op& op : graph.ops) {
        if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
            add_bytes(*repeat->body, times * repeat->times, bytes);
        } else if (const auto* const collective = std::get_if<model::Collective>(&op.work)) {
            bytes[std::to_string(static_cast<int>(collective->kind)) + " " +
                  collective->group.front()] += times * collective->bytes.count();
        }
    }
}

TEST_P(StepGraph, CarriesTheBytesThatTheFunctionalCollectivesMove)
{
    const TransformerConfig config = config_of(GetParam());
    TrainingStep timed(config);
    std::map<std::string, std::int64_t> expected;
    add_bytes(*timed.graph(), 1, expected);

    spmd::MovedCounts counted;
    ModelNumbers model(config, &counted);
    HostPool pool(2);
    model.train(1, tokens_of_step(config, model.layout(), training_text(config), 1), pool);
    std::map<std::string, std::int64_t> moved;
    for (const CollectiveUse& use : model.collectives()) {
        moved[std::to_string(static_cast<int>(use.kind)) + " " + use.axis] += use.bytes.count();
    }
    EXPECT_EQ(moved, expected);
    std::int64_t elements = 0;
    for (const auto& [name, count] : counted) {
        elements += count.elements;
    }
    std::int64_t all = 0;
    for (const auto& [name, of] : expected) {
        all += of;
    }
    EXPECT_EQ(4 * elements, all);
}

/// Collectives along an axis go in program order, so what stood behind the loss would wait for it.
/// Behind the backward nothing does, and sums over replicas come later.
TEST_P(StepGraph, SumsTheLossWhereNoOtherCollectiveWaitsForIt)
{
    TrainingStep timed(config_of(GetParam()));
    bool summed = false;
    const std::function<void(const model::OpGraph&)> visit = [&](const model::OpGraph& graph) {
        for (const model::Op& op : graph.ops) {
            if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
                visit(*repeat->body);
            }
            if (std::get_if<model::Collective>(&op.work) != nullptr) {
                const std::string name = op.name.text();
                // Norms' gradients are summed along tensor, the loss along other axes.
                EXPECT_TRUE(!summed || name == "loss" || name == "gradients" ||
                            name == "normalization gradients")
                    << name;
                summed = summed || name == "loss";
            }
        }
    };
    visit(*timed.graph());
}

TEST_P(StepGraph, HasLayersAsRepeatsAndNoBufferReadBeforeItIsWritten)
{
    TrainingStep timed(config_of(GetParam()));
    std::set<std::string> written;
    int repeats = 0;
    const std::function<void(const model::OpGraph&)> visit = [&](const model::OpGraph& graph) {
        for (const model::Op& op : graph.ops) {
            if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
                ++repeats;
                visit(*repeat->body);
            }
            for (const model::BufferUse& use : op.reads) {
                const std::string name = use.buffer;
                const bool is_held = name.rfind("weights.", 0) == 0 ||
                                     name.rfind("optimizer.", 0) == 0 ||
                                     name.rfind("gradients.", 0) == 0;
                EXPECT_TRUE(is_held || written.count(name) > 0) << name << " in " << op.name.text();
            }
            for (const model::BufferUse& use : op.writes) {
                written.insert(use.buffer);
            }
        }
    };
    visit(*timed.graph());
    EXPECT_GE(repeats, 3);
}

// Among 12 h^2 numbers of a layer qkv has 3, proj 1, the MLP 8, and so small a vocabulary 1. Where
// most is there, in a recomputed forward, stand a layer's weights, its neighbour's of qkv, and
// gradients of two layers' qkv and of the vocabulary; gradients of the MLP come when its weights
// are done.
TEST(StepGraph, HasOneLayersGatheredWeightsAndTheNextOnesFirst)
{
    TransformerConfig config;
    config.size = {8, 256, 4, 256, 16};
    config.batch = 16;
    config.mesh.fsdp = 16;
    config.sharding = ShardingKind::one_dimensional;
    config.recomputation = RecomputationPolicy::full;
    config.dtype = model::DType::bf16;
    const TrainingStep step(config);
    std::map<std::string, std::int64_t> bytes;
    for (const model::Buffer& buffer : model::place(*step.graph(), Bytes(0)).hbm_at_peak) {
        const std::string name = buffer.name;
        for (const std::string what : {"workspace.weights", "workspace.gradients"}) {
            bytes[what] += name.rfind(what, 0) == 0 ? buffer.bytes.count() : 0;
        }
    }
    const std::int64_t square = 2 * 256 * 256;
    EXPECT_EQ(bytes["workspace.weights"], (12 + 3) * square);
    EXPECT_EQ(bytes["workspace.gradients"], (2 * 3 + 1) * square);
}

INSTANTIATE_TEST_SUITE_P(
    Shardings, StepGraph,
    testing::Values(Case{"OneDevice", ShardingKind::one_dimensional, 1},
                    Case{"In1d", ShardingKind::one_dimensional, 4},
                    Case{"In1dSequence", ShardingKind::one_dimensional_sequence, 4},
                    Case{"InRings", ShardingKind::one_dimensional_sequence, 4, 1,
                         GradientOverlap::none, RecomputationPolicy::full, true},
                    Case{"InRingsOfTwo", ShardingKind::one_dimensional_sequence, 4, 2,
                         GradientOverlap::none, RecomputationPolicy::none, true},
                    Case{"In2d", ShardingKind::two_dimensional, 4},
                    Case{"In2dOf16", ShardingKind::two_dimensional, 16},
                    Case{"In2dGathered", ShardingKind::two_dimensional_gathered, 4},
                    Case{"Replicas", ShardingKind::one_dimensional, 4, 2,
                         GradientOverlap::backward},
                    Case{"ReplicasOf2d", ShardingKind::two_dimensional, 8, 2, GradientOverlap::none,
                         RecomputationPolicy::full},
                    Case{"Selective", ShardingKind::one_dimensional, 2, 1, GradientOverlap::none,
                         RecomputationPolicy::selective}),
    [](const auto& one) { return one.param.name; });

} // namespace
} // namespace alxsim::transformer
