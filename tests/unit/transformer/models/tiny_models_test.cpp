// SPDX-License-Identifier: Apache-2.0
// Models as they train on meshes of devices, against an independent reference and one device.
#include "../tiny_reference.h"
#include "base/input_error.h"
#include "model/graph/op_graph.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/steps/training_step.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <ostream>

namespace alxsim::transformer {

std::ostream& operator<<(std::ostream& out, const MeshLengths& mesh)
{
    return out << "data " << mesh.data << ", pipeline " << mesh.pipeline << ", fsdp " << mesh.fsdp
               << ", expert " << mesh.expert << ", sequence " << mesh.sequence << ", tensor "
               << mesh.tensor;
}

namespace {

const std::vector<std::string>& models()
{
    static const std::vector<std::string> all{"llama_tiny", "window_tiny", "qwen_tiny",
                                              "relu_tiny",  "moe_tiny",    "moe_capacity_tiny"};
    return all;
}

TransformerConfig config_of_tiny(const TinyReference& reference)
{
    TransformerConfig config;
    config.size = reference.size;
    config.batch = reference.sequences;
    config.dtype = model::DType::f64;
    config.initial_stddev = reference.initial_stddev;
    config.attention = AttentionKind::flash;
    config.adam.learning_rate = 1e-2;
    return config;
}

std::shared_ptr<const model::OpGraph> graph_of(const TransformerConfig& config)
{
    return build_step(config)->timed().graph;
}

/// What one step finds.
struct Step {
    double loss = 0;
    std::vector<double> gradients;
};

class TinyTraining {
public:
    TinyTraining(const TinyReference& reference, const TransformerConfig& config, int threads = 1)
        : config_(config),
          tokens_(reference.tokens()),
          pool_(threads),
          model_(config_)
    {
    }
    double loss_of_step()
    {
        return model_.train(++steps_, deal_tokens(config_, model_.layout(), tokens_), pool_);
    }
    Step step()
    {
        Step found{loss_of_step(), {}};
        for (const ParameterOf& of : model_.parameters()) {
            const std::vector<double> one = model_.gradient(of);
            found.gradients.insert(found.gradients.end(), one.begin(), one.end());
        }
        return found;
    }

private:
    TransformerConfig config_;
    std::vector<std::int32_t> tokens_;
    HostPool pool_;
    ModelNumbers model_;
    int steps_ = 0;
};

Step first_step(const TinyReference& reference, const TransformerConfig& config)
{
    return TinyTraining(reference, config).step();
}

double furthest(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        const double distance = std::abs(a[i] - b[i]);
        largest = distance <= largest ? largest : distance; // no number is far from all
    }
    return largest;
}

void expect_alike(const Step& found, const Step& expected, double tolerance)
{
    EXPECT_NEAR(found.loss, expected.loss, tolerance);
    EXPECT_LE(furthest(found.gradients, expected.gradients), tolerance);
}

class TinyModel : public testing::TestWithParam<std::string> {
protected:
    const TinyReference reference_{GetParam()};
    TransformerConfig config_ = config_of_tiny(reference_);
};

TEST_P(TinyModel, HasTheReferencesLossAndGradientsInBothFormsOfAttention)
{
    for (const AttentionKind attention : {AttentionKind::stored, AttentionKind::flash}) {
        config_.attention = attention;
        expect_alike(first_step(reference_, config_),
                     {reference_.golden.at("loss").get<double>(), reference_.gradients}, 1e-12);
    }
}

TEST_P(TinyModel, LearnsAsTheReferenceDoes)
{
    TinyTraining training(reference_, config_);
    for (const Json& loss : reference_.golden.at("adam").at("losses")) {
        EXPECT_NEAR(training.loss_of_step(), loss.get<double>(), 1e-10);
    }
}

/// All meshes of this many devices that divide the model's sizes.
std::vector<MeshLengths> meshes_of(const TransformerConfig& of, int devices)
{
    std::vector<MeshLengths> all;
    const auto divisors = [](int number) {
        std::vector<int> found;
        for (int i = 1; i <= number; ++i) {
            if (number % i == 0) {
                found.push_back(i);
            }
        }
        return found;
    };
    const auto keep = [&](const MeshLengths& mesh) {
        TransformerConfig config = of;
        config.mesh = mesh;
        try {
            check_sizes(config, "the test");
            all.push_back(mesh);
        } catch (const InputError&) { // does not divide
        }
    };
    for (const int data : divisors(devices)) {
        for (const int pipeline : divisors(devices / data)) {
            for (const int fsdp : divisors(devices / data / pipeline)) {
                for (const int expert : divisors(devices / data / pipeline / fsdp)) {
                    const int rest = devices / data / pipeline / fsdp / expert;
                    for (const int sequence : divisors(rest)) {
                        keep({data, pipeline, fsdp, expert, sequence, rest / sequence});
                    }
                }
            }
        }
    }
    return all;
}

struct MeshCase {
    std::string model;
    int devices;
};

std::ostream& operator<<(std::ostream& out, const MeshCase& one)
{
    return out << one.model << " on " << one.devices;
}

std::vector<MeshCase> mesh_cases()
{
    std::vector<MeshCase> all;
    std::vector<std::string> all_models = models();
    all_models.emplace_back("gpt2");
    for (const std::string& model : all_models) {
        for (const int devices : {2, 4, 8, 16}) {
            all.push_back({model, devices});
        }
    }
    return all;
}

TinyReference reference_of(const std::string& model)
{
    return model == "gpt2" ? TinyReference(ModelSize{2, 32, 4, 64, 16}) : TinyReference(model);
}

class TinyModelOnMeshes : public testing::TestWithParam<MeshCase> {
protected:
    const TinyReference reference_ = reference_of(GetParam().model);
    TransformerConfig config_ = config_of_tiny(reference_);
    const Step one_device_ = first_step(reference_, config_);
};

TEST_P(TinyModelOnMeshes, IsWithin1em13OfOneDevice)
{
    struct Form {
        ShardingKind sharding;
        CutProducts in_rings;
    };
    int meshes = 0;
    for (const auto& [sharding, in_rings] :
         {Form{ShardingKind::one_dimensional, {}}, Form{ShardingKind::one_dimensional_sequence, {}},
          Form{ShardingKind::one_dimensional_sequence, CutProducts::all()}}) {
        config_.sharding = sharding;
        config_.in_rings = in_rings;
        for (const MeshLengths& mesh : meshes_of(config_, GetParam().devices)) {
            SCOPED_TRACE(testing::Message() << name_of_value(sharding) << ", rings of "
                                            << in_rings.key() << ", " << mesh);
            config_.mesh = mesh;
            expect_alike(first_step(reference_, config_), one_device_, 1e-13);
            ++meshes;
        }
    }
    EXPECT_GE(meshes, 8);
}

/// Whether a collective is this role's to count: of several roles, that of its first device.
bool counts_in(const std::vector<int>& devices, const model::Collective& collective)
{
    const int first = collective.messages ? collective.messages->front().source
                      : collective.ranks  ? collective.ranks->front().front()
                                          : -1;
    return devices.empty() || first < 0 ||
           std::find(devices.begin(), devices.end(), first) != devices.end();
}

/// Bytes of a graph's collectives by kind, loops as often as they iterate; `devices`: of a role.
std::map<int, std::int64_t> bytes_in(const model::OpGraph& graph, std::int64_t times = 1,
                                     const std::vector<int>& devices = {})
{
    std::map<int, std::int64_t> bytes;
    const auto add = [&](const std::map<int, std::int64_t>& some) {
        for (const auto& [kind, of] : some) {
            bytes[kind] += of;
        }
    };
    for (const model::Role& role : graph.roles) {
        add(bytes_in(*role.graph, times, role.devices));
    }
    for (const model::Op& op : graph.ops) {
        if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
            add(bytes_in(*repeat->body, times * repeat->times, devices));
        } else if (const auto* const collective = std::get_if<model::Collective>(&op.work);
                   collective != nullptr && counts_in(devices, *collective)) {
            bytes[static_cast<int>(collective->kind)] += times * collective->bytes.count();
        }
    }
    return bytes;
}

TEST_P(TinyModelOnMeshes, MovesTheBytesThatItIsTimedWith)
{
    config_.dtype = model::DType::f32;
    if (!config_.size.experts.exist()) {
        config_.optimizer.kind = OptimizerKind::adafactor; // which has collectives of its own
    }
    for (const MeshLengths& mesh : meshes_of(config_, GetParam().devices)) {
        SCOPED_TRACE(testing::Message() << mesh);
        config_.mesh = mesh;
        MovedCounts moved;
        ModelNumbers model(config_, &moved);
        HostPool pool(1);
        model.train(1, deal_tokens(config_, model.layout(), reference_.tokens()), pool);
        const std::map<int, std::int64_t> timed = bytes_in(*graph_of(config_));
        std::map<int, std::int64_t> of_numbers;
        for (const CollectiveUse& use : model.collectives()) {
            of_numbers[static_cast<int>(use.kind)] += use.bytes.count();
        }
        EXPECT_EQ(timed, of_numbers);
        std::int64_t elements = 0;
        for (const auto& [name, count] : moved) {
            elements += count.elements;
        }
        std::int64_t all = 0;
        for (const auto& [kind, bytes] : timed) {
            all += bytes;
        }
        EXPECT_EQ(4 * elements, all);
    }
}

/// Floating-point operations of attention's kernels in a step.
double attention_flops(const model::OpGraph& graph)
{
    double flops = 0;
    for (const model::Op& op : graph.ops) {
        if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
            flops += static_cast<double>(repeat->times) * attention_flops(*repeat->body);
        } else if (const auto* const kernel = std::get_if<model::Custom>(&op.work)) {
            flops += kernel->attention ? kernel->flops : 0;
        }
    }
    return flops;
}

TEST(RingOfTinyModels, DealsTheWorkOfAttentionOutEvenly)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    const double one = attention_flops(*graph_of(config));
    EXPECT_GT(one, 0);
    for (const int devices : {2, 4, 8}) {
        config.mesh.sequence = devices;
        EXPECT_DOUBLE_EQ(devices * attention_flops(*graph_of(config)), one);
    }
}

/// On P devices the keys and values of T tokens go on P - 1 times forward and again backward, their
/// gradients P times.
TEST(RingOfTinyModels, PassesKeysOnAndTheirGradientsHome)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    config.mesh.sequence = 4;
    MovedCounts moved;
    ModelNumbers model(config, &moved);
    HostPool pool(1);
    model.train(1, deal_tokens(config, model.layout(), reference.tokens()), pool);
    const std::int64_t block = 4 * 16 / 4 * 2 * config.size.key_width();
    const spmd::MovedCount& forward = moved.at("forward.layers permute sequence");
    EXPECT_EQ(forward.calls, 2 * 3);
    EXPECT_EQ(forward.elements, 2 * 3 * block);
    const spmd::MovedCount& backward = moved.at("backward.layers permute sequence");
    EXPECT_EQ(backward.calls, 2 * (3 + 4));
    EXPECT_EQ(backward.elements, 2 * (3 + 4) * block);
}

/// Forms of the step that leave its numbers alone, on a mesh that cuts whatever may be cut.
struct FormCase {
    std::string name;
    std::function<void(TransformerConfig&)> set;
};

std::ostream& operator<<(std::ostream& out, const FormCase& one)
{
    return out << one.name;
}

std::vector<FormCase> form_cases()
{
    using What = Activations;
    const auto recomputes = [](const Recomputation& what) {
        return [what](TransformerConfig& config) { config.recomputation = what; };
    };
    return {{"microbatches", [](auto& config) { config.microbatches = 2; }},
            {"zero1", [](auto& config) { config.optimizer_sharding = OptimizerSharding::zero1; }},
            {"overlap", [](auto& config) { config.gradient_overlap = GradientOverlap::backward; }},
            {"split_backward",
             [](auto& config) { config.attention_backward = AttentionBackward::split; }},
            {"all_again", recomputes(RecomputationPolicy::full)},
            {"dots_saved", recomputes(RecomputationPolicy::dots)},
            {"scores_again", recomputes(RecomputationPolicy::selective)},
            {"some_saved", recomputes(Recomputation({What::context, What::norm2}, {}))}};
}

TEST(RingOfTinyModels, IsRefusedWithScoresStored)
{
    TransformerConfig config = config_of_tiny(TinyReference("llama_tiny"));
    config.mesh.sequence = 2;
    EXPECT_NO_THROW(check_sizes(config, "study.json"));
    config.attention = AttentionKind::stored;
    EXPECT_THROW(check_sizes(config, "study.json"), InputError);
}

class FormOfTinyModels : public testing::TestWithParam<FormCase> {};

TEST_P(FormOfTinyModels, IsWithin1em13OfThePlainOne)
{
    for (const std::string& model : models()) {
        const TinyReference reference(model);
        TransformerConfig config = config_of_tiny(reference);
        const Step plain = first_step(reference, config);
        const int tensor = static_cast<int>(std::min<std::int64_t>(config.size.keys(), 2));
        const int experts = config.size.experts.exist() ? 2 : 1; // in place of parts of sequences
        for (const MeshLengths& mesh :
             {MeshLengths{}, MeshLengths{2, 1, 1, 1, 1, tensor},
              MeshLengths{1, 1, 2 / experts, experts, 2 / experts, 1},
              MeshLengths{2 / experts, 1, 1, experts, 2 / experts, tensor}}) {
            SCOPED_TRACE(testing::Message() << model << ", " << mesh);
            TransformerConfig changed = config;
            changed.mesh = mesh;
            GetParam().set(changed);
            check_sizes(changed, "the test");
            expect_alike(first_step(reference, changed), plain, 1e-13);
        }
    }
}

/// Training goes on alike: what optimizers keep is cut as parameters are.
TEST_P(FormOfTinyModels, LearnsAsThePlainOneDoes)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    config.mesh = {2, 1, 2, 1, 1, 2};
    GetParam().set(config);
    if (config.microbatches > 1) {
        config.mesh = {1, 1, 2, 1, 1, 2};
    }
    TinyTraining training(reference, config);
    for (const Json& loss : reference.golden.at("adam").at("losses")) {
        EXPECT_NEAR(training.loss_of_step(), loss.get<double>(), 1e-10);
    }
}

double last_loss(const TinyReference& reference, const TransformerConfig& config)
{
    TinyTraining training(reference, config);
    double loss = 0;
    for (std::size_t step = 0; step < reference.golden.at("adam").at("losses").size(); ++step) {
        loss = training.loss_of_step();
    }
    return loss;
}

TEST(PrecisionOfTinyModels, LearnsNearlyAsWellInEightBits)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    const double plain = last_loss(reference, config);
    for (const Precision precision : {Precision::int8, Precision::fp8}) {
        config.precision = precision;
        const Step first = first_step(reference, config);
        const double loss = reference.golden.at("loss").get<double>();
        EXPECT_NEAR(first.loss, loss, 0.02) << name_of_value(precision);
        EXPECT_NE(first.loss, loss);
        EXPECT_NEAR(last_loss(reference, config), plain, 0.15) << name_of_value(precision);
    }
}

/// Scales of int8 go by token and by column of the weights: meshes that cut neither change nothing.
TEST(PrecisionOfTinyModels, InInt8IsThatOfOneDeviceWhereProductsAreNotCut)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    config.precision = Precision::int8;
    const Step one_device = first_step(reference, config);
    config.mesh = {2, 1, 2, 1, 2, 1};
    expect_alike(first_step(reference, config), one_device, 1e-13);
    config.mesh = {1, 1, 1, 1, 1, 2};
    const Step cut = first_step(reference, config);
    EXPECT_NEAR(cut.loss, one_device.loss, 0.02);
    EXPECT_NE(cut.loss, one_device.loss);
}

/// Multiplications and additions of products, by the type of their left factor.
void add_products(const model::OpGraph& graph, double times, std::map<model::DType, double>& all)
{
    for (const model::Op& op : graph.ops) {
        if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
            add_products(*repeat->body, times * static_cast<double>(repeat->times), all);
        } else if (const auto* const matmul = std::get_if<model::Matmul>(&op.work)) {
            all[matmul->dtype] += times * static_cast<double>(matmul->m * matmul->k * matmul->n);
        }
    }
}

TEST(PrecisionOfTinyModels, HoldsForTheProductsWithALayersWeights)
{
    using model::DType;
    TransformerConfig config = config_of_tiny(TinyReference("llama_tiny"));
    config.dtype = DType::bf16;
    const auto products = [&](Precision precision) {
        config.precision = precision;
        std::map<DType, double> all;
        add_products(*graph_of(config), 1, all);
        return all;
    };
    const double tokens = 64;
    const double of_layers = tokens * 2 * (32 * 64 + 32 * 32 + 32 * 96 + 48 * 32);
    const double of_tables = products(Precision::dtype).at(DType::bf16) - 3 * of_layers;
    EXPECT_GT(of_tables, 0);
    EXPECT_EQ(products(Precision::int8), (std::map<DType, double>{
                                             {DType::bf16, of_tables + of_layers},
                                             {DType::i8, 2 * of_layers},
                                         }));
    // Gradients are in e5m2, weights and inputs in e4m3; both together are as slow as e4m3.
    EXPECT_EQ(products(Precision::fp8), (std::map<DType, double>{
                                            {DType::bf16, of_tables},
                                            {DType::fp8_e4m3, 3 * of_layers},
                                        }));
}

TransformerConfig config_of_optimizer(const TinyReference& reference, OptimizerKind kind)
{
    TransformerConfig config = config_of_tiny(reference);
    config.optimizer.kind = kind;
    config.optimizer.sgd_learning_rate = 0.1;
    config.optimizer.adafactor.learning_rate = 1e-2;
    return config;
}

/// Meshes of llama_tiny on which the optimizer's state is whole, cut, and cut unevenly.
std::vector<TransformerConfig> with_cut_states(TransformerConfig config)
{
    std::vector<TransformerConfig> all{config};
    for (const MeshLengths& mesh : {MeshLengths{1, 1, 1, 1, 1, 2}, MeshLengths{2, 1, 1, 1, 1, 1},
                                    MeshLengths{2, 1, 2, 1, 2, 2}, MeshLengths{1, 1, 4, 1, 1, 2}}) {
        config.mesh = mesh;
        all.push_back(config);
        if (mesh.data > 1) {
            config.optimizer_sharding = OptimizerSharding::zero1;
            all.push_back(config);
            config.optimizer_sharding = OptimizerSharding::none;
        }
    }
    return all;
}

class OptimizerOfTinyModels : public testing::TestWithParam<OptimizerKind> {};

TEST_P(OptimizerOfTinyModels, LearnsAsTheReferenceDoesOnEveryMesh)
{
    const TinyReference reference("llama_tiny");
    const Json& golden = reference.golden.at(name_of_value(GetParam()));
    for (const TransformerConfig& config :
         with_cut_states(config_of_optimizer(reference, GetParam()))) {
        SCOPED_TRACE(testing::Message()
                     << config.mesh << ", " << name_of_value(config.optimizer_sharding));
        TinyTraining training(reference, config);
        for (const Json& loss : golden.at("losses")) {
            EXPECT_NEAR(training.loss_of_step(), loss.get<double>(), 1e-10);
        }
    }
}

/// Tied, with biases and norms of heads: some parameters are no matrices.
TEST_P(OptimizerOfTinyModels, LearnsAlikeOnOneAndOnManyDevices)
{
    const TinyReference reference("qwen_tiny");
    TransformerConfig config = config_of_optimizer(reference, GetParam());
    const double one = last_loss(reference, config);
    EXPECT_LT(one, 3.5);
    config.mesh = {2, 1, 2, 1, 2, 1};
    EXPECT_NEAR(last_loss(reference, config), one, 1e-10);
    config.mesh = {4, 1, 1, 1, 1, 1};
    config.optimizer_sharding = OptimizerSharding::zero1;
    EXPECT_NEAR(last_loss(reference, config), one, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, OptimizerOfTinyModels,
                         testing::Values(OptimizerKind::adam, OptimizerKind::adafactor,
                                         OptimizerKind::sgd),
                         [](const auto& one) { return name_of_value(one.param); });

/// Bytes of what the optimizer keeps of all parameters on one device.
std::int64_t state_bytes(const TransformerConfig& config)
{
    std::int64_t bytes = 0;
    const auto graph = graph_of(config);
    for (const model::Buffer& buffer : graph->buffers) {
        if (buffer.name.text().rfind("optimizer.", 0) == 0) {
            bytes += buffer.bytes.count();
        }
    }
    return bytes;
}

TEST(OptimizersOfTinyModels, KeepTwoNumbersAParameterOrARowAndAColumnOrNothing)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    const std::int64_t parameters = reference.golden.at("parameters").get<std::int64_t>();
    EXPECT_EQ(state_bytes(config), parameters * 2 * 8);
    config.dtype = model::DType::bf16;
    EXPECT_EQ(state_bytes(config), parameters * (4 + 2 * 4)); // the weights in f32, too
    config.optimizer.moments = StateType::bf16;
    EXPECT_EQ(state_bytes(config), parameters * (4 + 2 * 2));
    config.optimizer.kind = OptimizerKind::sgd;
    EXPECT_EQ(state_bytes(config), parameters * 4);
    config.optimizer.kind = OptimizerKind::adafactor;
    const std::int64_t of_layer = 32 + 64 + 32 + 32 + 32 + 96 + 48 + 32;
    EXPECT_EQ(state_bytes(config),
              parameters * 4 + 4 * (2 * (of_layer + 2 * 32) + 2 * (64 + 32) + 32));
}

TEST(OptimizersOfTinyModels, LearnAboutAsWellWithMomentsInBf16)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    config.dtype = model::DType::bf16;
    const double f32 = last_loss(reference, config);
    config.optimizer.moments = StateType::bf16;
    const double bf16 = last_loss(reference, config);
    EXPECT_NEAR(bf16, f32, 0.05);
    EXPECT_NE(bf16, f32);
}

TEST(OptimizersOfTinyModels, AdafactorIsRefusedWhereItHasNoForm)
{
    TransformerConfig config = config_of_tiny(TinyReference("moe_tiny"));
    EXPECT_NO_THROW(check_sizes(config, "study.json"));
    config.optimizer.kind = OptimizerKind::adafactor;
    EXPECT_THROW(check_sizes(config, "study.json"), InputError);
}

std::string name_of(const MeshCase& one)
{
    return one.model + "_on_" + std::to_string(one.devices);
}

INSTANTIATE_TEST_SUITE_P(Models, TinyModel, testing::ValuesIn(models()),
                         [](const auto& one) { return one.param; });
INSTANTIATE_TEST_SUITE_P(Models, TinyModelOnMeshes, testing::ValuesIn(mesh_cases()),
                         [](const auto& one) { return name_of(one.param); });
INSTANTIATE_TEST_SUITE_P(Forms, FormOfTinyModels, testing::ValuesIn(form_cases()),
                         [](const auto& one) { return one.param.name; });

/// Activations that go to host memory come back as they went, in a pipeline, too.
TEST(TinyOffload, OnAnyMeshHasTheNumbersOfOneDevice)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = config_of_tiny(reference);
    const Step one = first_step(reference, config);
    config.recomputation = Recomputation({}, {Activations::layer_input, Activations::qkv});
    expect_alike(first_step(reference, config), one, 1e-13);
    config.mesh.fsdp = 2;
    expect_alike(first_step(reference, config), one, 1e-13);
    config.mesh.pipeline = 2;
    config.microbatches = 2;
    expect_alike(first_step(reference, config), one, 1e-13);
    config.pipeline_schedule = PipelineSchedule::gpipe;
    config.recomputation = Recomputation({}, {Activations::qkv});
    expect_alike(first_step(reference, config), one, 1e-13);
}

} // namespace
} // namespace alxsim::transformer
