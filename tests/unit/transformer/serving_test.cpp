// SPDX-License-Identifier: Apache-2.0
// A model that serves: what follows a prompt, and each token after it with the cache of those
// before, is what the whole model says at that place.
#include "base/npy.h"
#include "tiny_reference.h"

#include "model/graph/effects.h"
#include "model/graph/for_each_op.h"
#include "workloads/transformer/steps/serving_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace alxsim::transformer {
namespace {

TransformerConfig serving(const TinyReference& of, Mode mode, std::int64_t tokens, int tensor)
{
    TransformerConfig config;
    config.size = of.size;
    config.mode = mode;
    config.batch = of.sequences;
    config.mesh.tensor = tensor;
    config.attention = AttentionKind::flash;
    config.recomputation = RecomputationPolicy::full;
    config.dtype = model::DType::f64;
    config.initial_stddev = of.initial_stddev;
    if (mode == Mode::prefill) {
        config.size.sequence = tokens;
    } else {
        config.context = tokens;
    }
    return config;
}

/// A serving step with its numbers, of the reference's parameters.
class Server {
public:
    Server(const TinyReference& of, Mode mode, std::int64_t tokens, int tensor)
        : Server(of, serving(of, mode, tokens, tensor))
    {
    }
    Server(const TinyReference& of, const TransformerConfig& config)
        : config_(config),
          numbers_(config_.devices(), true),
          step_(config_, &numbers_),
          devices_(config_.devices())
    {
        std::uint64_t stream = 0;
        const auto& specs = step_.parameters().specs();
        for (const ParameterOf& one : all_parameters(specs, config_.size.layers)) {
            step_.parameters().write(numbers_, one,
                                     initial_values(*one.spec, ++stream, of.initial_stddev));
        }
    }

    /// Runs it on tokens [first, first + count) of each sequence.
    void serve(const TinyReference& of, std::int64_t first, std::int64_t count)
    {
        StepTokens tokens;
        const std::vector<std::int32_t> all = of.inputs();
        for (int device = 0; device < devices_; ++device) {
            std::vector<std::int32_t>& ids = tokens.inputs.emplace_back();
            const std::int64_t first_sequence = first_of(device);
            for (std::int64_t i = first_sequence; i < first_sequence + config_.sequences(); ++i) {
                const auto begin = all.begin() + i * of.size.sequence + first;
                ids.insert(ids.end(), begin, begin + count);
            }
        }
        step_.tokens() = tokens;
        HostPool pool(2);
        model::run_effects(*step_.timed().graph, devices_, pool);
    }

    /// [sequence][token of the vocabulary], of all devices' parts.
    std::vector<double> logits()
    {
        const std::int64_t parts = config_.mesh.tensor;
        const std::int64_t part = config_.size.vocabulary / parts;
        std::vector<double> all(static_cast<std::size_t>(config_.batch * config_.size.vocabulary));
        for (int device = 0; device < devices_; ++device) {
            const std::vector<double> own = numbers_.read(step_.logits(), device);
            for (std::int64_t row = 0; row < config_.sequences(); ++row) {
                std::copy_n(own.begin() + row * part, part,
                            all.begin() + (first_of(device) + row) * config_.size.vocabulary +
                                step_.layout().place_of(device).part * part);
            }
        }
        return all;
    }
    std::vector<double> next_tokens() { return numbers_.read(step_.next_tokens(), devices_ - 1); }

    /// The first positions of another's cache.
    void take_cache(Server& from)
    {
        for (std::int64_t layer = 0; layer < config_.size.layers; ++layer) {
            for (int device = 0; device < devices_; ++device) {
                const std::vector<double> old = from.numbers_.read(from.step_.cache(layer), device);
                std::vector<double> own = numbers_.read(step_.cache(layer), device);
                const auto sequences = static_cast<std::size_t>(config_.batch);
                const std::size_t old_size = old.size() / sequences;
                const std::size_t own_size = own.size() / sequences;
                for (std::size_t i = 0; i < sequences; ++i) {
                    std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(i * old_size), old_size,
                                own.begin() + static_cast<std::ptrdiff_t>(i * own_size));
                }
                numbers_.write(step_.cache(layer), device, own);
            }
        }
    }

    /// A parameter of the first layer.
    std::vector<double> parameter(const std::string& name) const
    {
        const auto& specs = step_.parameters().specs();
        const auto spec = std::find_if(specs.begin(), specs.end(),
                                       [&](const auto& one) { return one.name == name; });
        return step_.parameters().read(numbers_, {&*spec, 0}, ParameterArrays::What::value);
    }

private:
    /// Returns the first of the sequences that a device works on.
    std::int64_t first_of(int device) const
    {
        return step_.layout().place_of(device).batch_part * config_.sequences();
    }

    TransformerConfig config_;
    spmd::Numbers numbers_;
    ServingStep step_;
    int devices_;
};

/// Logits of the last four places, [sequence][place][token].
class Serving : public testing::TestWithParam<int> {};

TEST_P(Serving, SaysAfterAPromptAndAfterEachTokenWhatTheWholeModelSays)
{
    const TinyReference reference("llama_tiny");
    const NpyMatrix expected =
        read_npy_tensor(tiny_reference_folder + "llama_tiny_decode_logits.npy");
    const std::int64_t vocabulary = reference.size.vocabulary;
    const std::int64_t prompt = reference.size.sequence - 4;
    const auto check = [&](Server& server, std::int64_t place) {
        const std::vector<double> logits = server.logits();
        const std::vector<double> next = server.next_tokens();
        for (std::int64_t i = 0; i < reference.sequences; ++i) {
            const auto begin = expected.values.begin() + (i * 4 + place) * vocabulary;
            for (std::int64_t token = 0; token < vocabulary; ++token) {
                EXPECT_NEAR(logits[static_cast<std::size_t>(i * vocabulary + token)], begin[token],
                            1e-12);
            }
            EXPECT_EQ(next[static_cast<std::size_t>(i)],
                      static_cast<double>(std::max_element(begin, begin + vocabulary) - begin));
        }
    };
    auto last = std::make_unique<Server>(reference, Mode::prefill, prompt, GetParam());
    last->serve(reference, 0, prompt);
    for (std::int64_t i = 0; i < 4; ++i) {
        auto next = std::make_unique<Server>(reference, Mode::decode, prompt + i, GetParam());
        next->take_cache(*last);
        next->serve(reference, prompt + i, 1);
        check(*next, i);
        last = std::move(next);
    }
}

/// Models have 4 heads and 2 of keys and values; on 4 devices two have the same of these.
INSTANTIATE_TEST_SUITE_P(Devices, Serving, testing::Values(1, 2, 4));

TEST(ServingMemory, OfFewerKeyHeadsThanDevicesIsAHeadOnEach)
{
    const TinyReference reference("llama_tiny");
    ASSERT_EQ(reference.size.keys(), 2);
    const auto cache = [&](int tensor) {
        ServingStep step(serving(reference, Mode::decode, 63, tensor));
        const auto& graph = *step.timed().graph;
        return std::find_if(graph.buffers.begin(), graph.buffers.end(),
                            [](const model::Buffer& one) {
                                return one.name.text() == "cache.keys_and_values";
                            })
            ->bytes;
    };
    EXPECT_EQ(cache(2), cache(4));
    EXPECT_EQ(cache(1).count(), 2 * cache(2).count());
}

std::vector<double> logits_of(const TinyReference& of, const TransformerConfig& config)
{
    Server server(of, config);
    server.serve(of, 0, config.size.sequence);
    return server.logits();
}

/// Root of the mean square of what two differ by, in parts of that of `of`.
double difference(const std::vector<double>& of, const std::vector<double>& to)
{
    double apart = 0;
    double size = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
        apart += (of[i] - to[i]) * (of[i] - to[i]);
        size += of[i] * of[i];
    }
    return std::sqrt(apart / size);
}

/// Model, precision.
using EightBits = std::tuple<const char*, Precision>;
class ServingInEightBits : public testing::TestWithParam<EightBits> {
protected:
    ServingInEightBits() : reference_(std::get<0>(GetParam())) {}
    TransformerConfig config(Precision precision, int tensor = 1) const
    {
        TransformerConfig config =
            serving(reference_, Mode::prefill, reference_.size.sequence, tensor);
        config.size.experts.capacity = 0;
        config.precision = precision;
        return config;
    }
    Precision precision() const { return std::get<1>(GetParam()); }

    TinyReference reference_;
};

/// A number of int8 is up to half a step in 127 off, one of e4m3 up to a sixteenth of itself: what
/// comes out after two layers is about as far off.
TEST_P(ServingInEightBits, SaysNearlyWhatTheWholeModelSays)
{
    const double apart = difference(logits_of(reference_, config(Precision::dtype)),
                                    logits_of(reference_, config(precision())));
    EXPECT_GT(apart, 1e-4);
    EXPECT_LT(apart, precision() == Precision::int8 ? 0.03 : 0.1);
}

TEST_P(ServingInEightBits, SaysTheSameWhereWeightsAreGatheredAndNearlyWhereTheyAreCut)
{
    const std::vector<double> alone = logits_of(reference_, config(precision()));
    TransformerConfig gathered = config(precision());
    gathered.mesh.fsdp = 2;
    // fp8 has one scale for a device's activations: each device has other sequences.
    EXPECT_LT(difference(alone, logits_of(reference_, gathered)),
              precision() == Precision::int8 ? 1e-12 : 0.1);
    EXPECT_LT(difference(alone, logits_of(reference_, config(precision(), 2))),
              precision() == Precision::int8 ? 0.03 : 0.1);
}

TEST_P(ServingInEightBits, KeepsWeightsRoundedAlikeHoweverTheyAreCut)
{
    const std::string name = reference_.size.experts.exist() ? "experts.fc2.w" : "fc2.w";
    const std::vector<double> exact = Server(reference_, config(Precision::dtype)).parameter(name);
    const std::vector<double> alone = Server(reference_, config(precision())).parameter(name);
    const double apart = difference(exact, alone);
    EXPECT_GT(apart, 1e-4);
    EXPECT_LT(apart, precision() == Precision::int8 ? 0.01 : 0.04);
    EXPECT_EQ(Server(reference_, config(precision(), 2)).parameter(name), alone);
    TransformerConfig gathered = config(precision());
    gathered.mesh.fsdp = 2;
    EXPECT_EQ(Server(reference_, gathered).parameter(name), alone);
    if (reference_.size.experts.exist()) {
        TransformerConfig dealt = config(precision());
        dealt.mesh.expert = 2;
        EXPECT_EQ(Server(reference_, dealt).parameter(name), alone);
        EXPECT_LT(
            difference(logits_of(reference_, config(precision())), logits_of(reference_, dealt)),
            precision() == Precision::int8 ? 1e-12 : 0.1);
    }
}

INSTANTIATE_TEST_SUITE_P(Models, ServingInEightBits,
                         testing::Combine(testing::Values("llama_tiny", "moe_tiny"),
                                          testing::Values(Precision::int8, Precision::fp8)),
                         [](const auto& one) {
                             return std::string(std::get<0>(one.param)) + "_" +
                                    name_of_value(std::get<1>(one.param));
                         });

/// Bytes of a buffer that ops of a graph read, loops as often as they turn.
double read_bytes(const model::OpGraph& graph, const std::string& buffer, double times = 1)
{
    double bytes = 0;
    for (const model::Op& op : graph.ops) {
        if (const auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
            bytes += read_bytes(*repeat->body, buffer, times * static_cast<double>(repeat->times));
        }
        for (const model::BufferUse& use : op.reads) {
            bytes +=
                use.buffer.text() == buffer ? times * static_cast<double>(use.touched.count()) : 0;
        }
    }
    return bytes;
}

/// 2 layers, 4 sequences, 64 tokens, of 2 heads of 8 numbers keys and values in f64.
TEST(ServingMemory, OfDecodingIsTheCacheThatEachStepReadsOnce)
{
    const TinyReference reference("llama_tiny");
    const ServingStep step(serving(reference, Mode::decode, 63, 1));
    const double cache = 2.0 * 4 * 64 * 2 * (2 * 8) * 8;
    const model::OpGraph& graph = *step.timed().graph;
    const auto buffer =
        std::find_if(graph.buffers.begin(), graph.buffers.end(), [](const model::Buffer& one) {
            return one.name.text() == "cache.keys_and_values";
        });
    ASSERT_NE(buffer, graph.buffers.end());
    EXPECT_EQ(static_cast<double>(buffer->bytes.count()), cache);
    EXPECT_EQ(read_bytes(graph, "cache.keys_and_values"), cache);
    EXPECT_EQ(std::count_if(graph.buffers.begin(), graph.buffers.end(),
                            [](const model::Buffer& one) {
                                const std::string& name = one.name.text();
                                return name.rfind("optimizer", 0) == 0 ||
                                       name.rfind("gradients", 0) == 0;
                            }),
              0);
}

double bytes_of(const model::OpGraph& graph, const std::string& name)
{
    const auto buffer =
        std::find_if(graph.buffers.begin(), graph.buffers.end(),
                     [&](const model::Buffer& one) { return one.name.text() == name; });
    return buffer == graph.buffers.end() ? -1 : static_cast<double>(buffer->bytes.count());
}

/// 2 layers of qkv [32 x 64], f32 scales: in bf16 twice as much.
TEST(ServingMemory, OfEightBitsIsAByteANumberAndAScaleAColumnReadOnceAStep)
{
    const TinyReference reference("llama_tiny");
    TransformerConfig config = serving(reference, Mode::decode, 63, 1);
    config.dtype = model::DType::bf16;
    const double numbers = static_cast<double>(2 * config.size.hidden * config.size.qkv_width());
    const auto step = [&](Precision precision) {
        config.precision = precision;
        return ServingStep(config).timed().graph;
    };
    const auto whole = step(Precision::dtype);
    EXPECT_EQ(bytes_of(*whole, "weights.qkv.w"), 2 * numbers);
    EXPECT_EQ(bytes_of(*whole, "weights.qkv.w.scales"), -1);
    const auto int8 = step(Precision::int8);
    const double scales = 2.0 * static_cast<double>(config.size.qkv_width()) * 4;
    EXPECT_EQ(bytes_of(*int8, "weights.qkv.w"), numbers);
    EXPECT_EQ(bytes_of(*int8, "weights.qkv.w.scales"), scales);
    EXPECT_EQ(read_bytes(*int8, "weights.qkv.w"), numbers);
    EXPECT_EQ(read_bytes(*int8, "weights.qkv.w.scales"), scales);
    EXPECT_EQ(bytes_of(*int8, "weights.wte"), bytes_of(*whole, "weights.wte"));
    const auto fp8 = step(Precision::fp8);
    EXPECT_EQ(bytes_of(*fp8, "weights.qkv.w"), numbers);
    EXPECT_EQ(bytes_of(*fp8, "weights.qkv.w.scales"), 2 * 4);
}

} // namespace
} // namespace alxsim::transformer
