// SPDX-License-Identifier: Apache-2.0
// Models made of the functions of workloads/transformer/math, against an independent reference.
#include "base/npy.h"
#include "model_of_parts.h"
#include "workloads/transformer/layer_math.h"
#include "workloads/transformer/math/optimizers.h"

namespace alxsim::transformer {
namespace {

class ModelAgainstReference : public testing::TestWithParam<std::string> {
protected:
    const TinyReference reference_{GetParam()};
    const Json& golden_ = reference_.golden;
    const std::vector<std::int32_t> inputs_ = reference_.inputs();
    ModelOfParts model_{reference_};

    double loss() { return model_.loss(inputs_, reference_.targets()); }

    /// Losses before each step are those in golden_[optimizer]; a step is `update(step, name)`.
    template <class Update>
    void expect_losses(const std::string& optimizer, const Update& update)
    {
        int step = 0;
        for (const Json& expected : golden_.at(optimizer).at("losses")) {
            ASSERT_NEAR(loss(), expected.get<double>(), 1e-10) << optimizer << ", step " << step;
            ++step;
            for (const std::string& each : model_.names()) {
                update(step, each);
            }
        }
        EXPECT_EQ(step, 8);
    }
    static std::int64_t count(const Doubles& numbers)
    {
        return static_cast<std::int64_t>(numbers.size());
    }
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

TEST_P(ModelAgainstReference, LearnsAsItDoesWithAdam)
{
    std::map<std::string, Doubles> means;
    std::map<std::string, Doubles> squares;
    AdamOptions options;
    options.learning_rate = golden_.at("adam").at("lr").get<double>();
    expect_losses("adam", [&](int step, const std::string& name) {
        Doubles& weights = model_.weights(name);
        means[name].resize(weights.size());
        squares[name].resize(weights.size());
        adam(options, step, model_.gradient(name).data(), count(weights), means[name].data(),
             squares[name].data(), weights.data());
    });
}

INSTANTIATE_TEST_SUITE_P(Models, ModelAgainstReference,
                         testing::Values("llama_tiny", "window_tiny", "qwen_tiny", "relu_tiny"),
                         [](const auto& one) { return one.param; });

class LlamaAgainstReference : public ModelAgainstReference {};

TEST_P(LlamaAgainstReference, LearnsAsItDoesWithSgd)
{
    const double rate = golden_.at("sgd").at("lr").get<double>();
    expect_losses("sgd", [&](int /*step*/, const std::string& name) {
        Doubles& weights = model_.weights(name);
        sgd(rate, model_.gradient(name).data(), count(weights), weights.data());
    });
}

TEST_P(LlamaAgainstReference, LearnsAsItDoesWithAdafactor)
{
    std::map<std::string, Doubles> moments; // of matrices: of rows, then of columns
    AdafactorOptions options;
    options.learning_rate = golden_.at("adafactor").at("lr").get<double>();
    expect_losses("adafactor", [&](int step, const std::string& name) {
        Doubles& weights = model_.weights(name);
        const std::int64_t rows = model_.rows(name);
        const std::int64_t columns = count(weights) / rows;
        Doubles& moment = moments[name];
        if (rows == 1) {
            moment.resize(weights.size());
            adafactor_vector(options, step, model_.gradient(name).data(), columns, moment.data(),
                             weights.data());
            return;
        }
        moment.resize(static_cast<std::size_t>(rows + columns));
        adafactor_matrix(options, step, model_.gradient(name).data(), rows, columns, moment.data(),
                         moment.data() + rows, weights.data());
    });
}

TEST_P(LlamaAgainstReference, LearnsAboutAsWellWithMomentsInBf16)
{
    std::map<std::string, Doubles> means;
    std::map<std::string, Doubles> squares;
    AdamOptions options;
    options.learning_rate = golden_.at("adam").at("lr").get<double>();
    double last = 0;
    for (int step = 1; step <= 8; ++step) {
        last = loss();
        for (const std::string& name : model_.names()) {
            Doubles& weights = model_.weights(name);
            means[name].resize(weights.size());
            squares[name].resize(weights.size());
            adam_with_bf16_state(options, step, model_.gradient(name).data(), count(weights),
                                 means[name].data(), squares[name].data(), weights.data());
        }
    }
    const double expected = golden_.at("adam").at("losses").back().get<double>();
    EXPECT_NEAR(last, expected, 0.01);
    EXPECT_NE(last, expected);
}

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
