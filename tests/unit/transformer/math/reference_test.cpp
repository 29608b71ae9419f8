// SPDX-License-Identifier: Apache-2.0
// Models made of the functions of workloads/transformer/math, against an independent reference.
#include "base/npy.h"
#include "model_of_parts.h"

namespace alxsim::transformer {
namespace {

class ModelAgainstReference : public testing::TestWithParam<std::string> {
protected:
    const TinyReference reference_{GetParam()};
    const Json& golden_ = reference_.golden;
    const std::vector<std::int32_t> inputs_ = reference_.inputs();
    ModelOfParts model_{reference_};

    double loss() { return model_.loss(inputs_, reference_.targets()); }
};

TEST_P(ModelAgainstReference, HasItsLossAndEveryGradient)
{
    EXPECT_NEAR(loss(), golden_.at("loss").get<double>(), 1e-12);
    Doubles gradients;
    for (const std::string& each : model_.names()) {
        gradients.insert(gradients.end(), model_.gradient(each).begin(),
                         model_.gradient(each).end());
    }
    expect_near(gradients, reference_.gradients, 1e-12, "gradients");
}

INSTANTIATE_TEST_SUITE_P(Models, ModelAgainstReference,
                         testing::Values("llama_tiny", "window_tiny", "qwen_tiny", "relu_tiny"),
                         [](const auto& one) { return one.param; });

class LlamaAgainstReference : public ModelAgainstReference {};

TEST_P(LlamaAgainstReference, DecodesItsLogitsFromACacheOfKeysAndValues)
{
    constexpr std::int64_t steps = 4;
    const NpyMatrix expected =
        read_npy_tensor(tiny_reference_folder + GetParam() + "_decode_logits.npy");
    const std::int64_t length = model_.size().sequence;
    const std::int64_t sequences = reference_.sequences;
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int32_t> tokens;
        for (std::int64_t i = 0; i < sequences; ++i) {
            tokens.insert(tokens.end(), inputs_.begin() + i * length + begin,
                          inputs_.begin() + i * length + end);
        }
        return tokens;
    };
    std::vector<KeyCache> caches;
    model_.logits(part(0, length - steps), &caches);
    const std::int64_t v = model_.size().vocabulary;
    for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t at = length - steps + step;
        const Doubles found = model_.logits(part(at, at + 1), &caches);
        for (std::int64_t i = 0; i < sequences * v; ++i) {
            const std::int64_t place = (i / v * steps + step) * v + i % v;
            ASSERT_NEAR(found[static_cast<std::size_t>(i)],
                        expected.values[static_cast<std::size_t>(place)], 1e-12);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, LlamaAgainstReference, testing::Values("llama_tiny"),
                         [](const auto& one) { return one.param; });

} // namespace
} // namespace alxsim::transformer
