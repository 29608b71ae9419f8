// SPDX-License-Identifier: Apache-2.0
// Tiny mixtures of experts against an independent implementation, and on meshes against one device.
#include "../tiny_reference.h"

#include "base/json_document.h"
#include "base/npy.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/steps/training_step.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

namespace alxsim::transformer {
namespace {

const std::string golden_folder = ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/transformer/";

struct ModelCase {
    std::string name;
    MeshLengths mesh = {};
    double capacity = 0;
    ShardingKind sharding = ShardingKind::one_dimensional;
    Recomputation recomputation = RecomputationPolicy::none;
    std::int64_t microbatches = 1;
};

std::ostream& operator<<(std::ostream& out, const ModelCase& one)
{
    return out << one.name;
}

MeshLengths mesh_of(int data, int fsdp, int expert, int tensor)
{
    MeshLengths mesh;
    mesh.data = data;
    mesh.fsdp = fsdp;
    mesh.expert = expert;
    mesh.tensor = tensor;
    return mesh;
}

/// Adds two stages.
MeshLengths piped(MeshLengths mesh)
{
    mesh.pipeline = 2;
    return mesh;
}

std::vector<ModelCase> model_cases()
{
    const auto sequence = ShardingKind::one_dimensional_sequence;
    std::vector<ModelCase> cases;
    for (const double capacity : {0.0, 1.0}) {
        const std::string kind = capacity > 0 ? "Drops" : "All";
        cases.insert(
            cases.end(),
            {{kind + "Expert2", mesh_of(1, 1, 2, 1), capacity},
             {kind + "Expert4", mesh_of(1, 1, 4, 1), capacity},
             {kind + "Data2Expert2", mesh_of(2, 1, 2, 1), capacity},
             {kind + "Fsdp2Expert2", mesh_of(1, 2, 2, 1), capacity},
             {kind + "Fsdp4", mesh_of(1, 4, 1, 1), capacity},
             {kind + "Tensor2", mesh_of(1, 1, 1, 2), capacity},
             {kind + "Expert4Tensor2", mesh_of(1, 1, 4, 2), capacity},
             {kind + "Data2Expert2Tensor2", mesh_of(2, 1, 2, 2), capacity},
             {kind + "SequenceExpert2Tensor2", mesh_of(1, 1, 2, 2), capacity, sequence},
             {kind + "Fsdp2Expert2Tensor2Sequence", mesh_of(1, 2, 2, 2), capacity, sequence,
              RecomputationPolicy::full},
             {kind + "Pipeline2Expert2", piped(mesh_of(1, 1, 2, 1)), capacity},
             {kind + "Pipeline2Fsdp2Expert2", piped(mesh_of(1, 2, 2, 1)), capacity},
             {kind + "Expert2Full", mesh_of(1, 1, 2, 1), capacity, ShardingKind::one_dimensional,
              RecomputationPolicy::full},
             {kind + "Expert2Dots", mesh_of(1, 1, 2, 1), capacity, ShardingKind::one_dimensional,
              RecomputationPolicy::dots},
             {kind + "Expert2Offload", mesh_of(1, 1, 2, 1), capacity, ShardingKind::one_dimensional,
              Recomputation({Activations::norm2}, {Activations::fc1})},
             {kind + "Expert2Microbatches2", mesh_of(1, 1, 2, 1), capacity,
              ShardingKind::one_dimensional, RecomputationPolicy::none, 2}});
    }
    return cases;
}

std::string golden_name(const ModelCase& of)
{
    return of.capacity > 0 ? "moe_capacity_tiny" : "moe_tiny";
}

TransformerConfig config_of(const ModelCase& of)
{
    TransformerConfig config;
    ModelSize& size = config.size;
    size = {2, 32, 4, 64, 16};
    size.kv_heads = 2;
    size.gated = true;
    size.activation = Activation::silu;
    size.norm = NormKind::rms;
    size.positions = Positions::rotary;
    size.biases = Biases::none;
    size.tied = false;
    size.experts = {4, 2, 24, of.capacity};
    config.batch = 4;
    config.mesh = of.mesh;
    config.sharding = of.sharding;
    config.recomputation = of.recomputation;
    config.microbatches = of.microbatches;
    config.attention = AttentionKind::flash;
    config.dtype = model::DType::f64;
    config.initial_stddev = 0.1;
    config.adam.learning_rate = 1e-2;
    return config;
}

struct TrainedExperts {
    TransformerConfig config;
    MovedCounts moved = {};
    HostPool pool;
    ModelNumbers model;

    explicit TrainedExperts(const ModelCase& of)
        : config(config_of(of)),
          pool(2),
          model(config, &moved)
    {
    }
    double step(int number)
    {
        return model.train(
            number, deal_tokens(config, model.layout(), TinyReference(config.size).tokens()), pool);
    }
    std::vector<double> gradients() const
    {
        std::vector<double> all;
        for (const ParameterOf& of : model.parameters()) {
            const std::vector<double> one = model.gradient(of);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }
};

double farthest(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

class ExpertModel : public testing::TestWithParam<ModelCase> {};

TEST_P(ExpertModel, HasTheLossAndGradientsOfTheReferenceAndOfOneDevice)
{
    const std::string golden = golden_folder + golden_name(GetParam());
    TrainedExperts dealt(GetParam());
    TrainedExperts alone({"", {}, GetParam().capacity});
    const double loss = dealt.step(1);
    EXPECT_NEAR(loss, load_json(golden + ".json").at("loss").get<double>(), 1e-12);
    EXPECT_NEAR(loss, alone.step(1), 1e-13);
    const std::vector<double> gradients = dealt.gradients();
    EXPECT_LE(farthest(gradients, read_npy_array(golden + "_gradient.npy").values), 1e-12);
    EXPECT_LE(farthest(gradients, alone.gradients()), 1e-13);
}

TEST_P(ExpertModel, TrainsAsTheReference)
{
    const Json golden = load_json(golden_folder + golden_name(GetParam()) + ".json");
    TrainedExperts dealt(GetParam());
    int number = 0;
    for (const Json& loss : golden.at("adam").at("losses")) {
        EXPECT_NEAR(dealt.step(++number), loss.get<double>(), 1e-10) << number;
    }
}

/// By name, but for what goes between stages or to the host, which is no collective of a layer.
class ElementsOfLayers {
public:
    void add(const std::string& name, std::int64_t elements)
    {
        if (name.find(" permute ") == std::string::npos &&
            name.find(" copy ") == std::string::npos) {
            elements_[name] += elements;
        }
    }
    void add(const std::vector<CollectiveUse>& uses)
    {
        for (const CollectiveUse& use : uses) {
            add(use.name(), use.times * use.elements);
        }
    }
    const std::map<std::string, std::int64_t>& all() const { return elements_; }

private:
    std::map<std::string, std::int64_t> elements_;
};

TEST_P(ExpertModel, CountsTheBytesThatMove)
{
    TrainedExperts dealt(GetParam());
    dealt.step(1);
    ElementsOfLayers moved;
    for (const auto& [name, count] : dealt.moved) {
        moved.add(name, count.elements);
    }
    ElementsOfLayers counted;
    counted.add(dealt.model.collectives());
    ElementsOfLayers timed;
    const TrainingStep step(dealt.config);
    timed.add(step.collectives());
    EXPECT_EQ(moved.all(), counted.all());
    EXPECT_EQ(moved.all(), timed.all());
}

INSTANTIATE_TEST_SUITE_P(Meshes, ExpertModel, testing::ValuesIn(model_cases()),
                         [](const auto& one) { return one.param.name; });

} // namespace
} // namespace alxsim::transformer
