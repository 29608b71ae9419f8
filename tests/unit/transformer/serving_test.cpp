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
        : config_(serving(of, mode, tokens, tensor)),
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
            for (std::int64_t i = 0; i < of.sequences; ++i) {
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
            for (std::int64_t row = 0; row < config_.batch; ++row) {
                std::copy_n(own.begin() + row * part, part,
                            all.begin() + row * config_.size.vocabulary + device * part);
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

private:
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

INSTANTIATE_TEST_SUITE_P(Devices, Serving, testing::Values(1, 2));

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

} // namespace
} // namespace alxsim::transformer
