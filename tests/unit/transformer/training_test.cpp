// SPDX-License-Identifier: Apache-2.0
// Training on real text: what comes with the program.
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace alxsim::transformer {
namespace {

constexpr int steps = 200;

TransformerConfig small(ShardingKind sharding, int devices, int replicas = 1)
{
    TransformerConfig config;
    config.size = {6, 128, 4, 256, 32};
    config.batch = 8;
    config.initial_stddev = 0.1;
    config.adam.learning_rate = 2e-3;
    config.sharding = sharding;
    config.mesh.data = replicas;
    config.mesh.tensor = devices / replicas;
    config.dtype = model::DType::f32;
    return config;
}

std::vector<double> losses_of(const TransformerConfig& config)
{
    ModelNumbers model(config);
    HostPool pool(2);
    const std::string text = training_text(config);
    std::vector<double> losses;
    for (int step = 1; step <= steps; ++step) {
        losses.push_back(
            model.train(step, tokens_of_step(config, model.layout(), text, step), pool));
    }
    return losses;
}

/// Returns the entropy of single bytes, in nats.
double entropy_of(const std::string& text)
{
    std::array<double, 256> counts{};
    for (const char letter : text) {
        ++counts[static_cast<unsigned char>(letter)];
    }
    double entropy = 0;
    for (const double count : counts) {
        if (count > 0) {
            const double share = count / static_cast<double>(text.size());
            entropy -= share * std::log(share);
        }
    }
    return entropy;
}

double mean_of_last(const std::vector<double>& losses, int count)
{
    double sum = 0;
    for (auto loss = losses.end() - count; loss != losses.end(); ++loss) {
        sum += *loss;
    }
    return sum / count;
}

TEST(TransformerTraining, LearnsTextWellBelowTheEntropyOfItsBytesInEverySharding)
{
    const TransformerConfig one = small(ShardingKind::one_dimensional, 1);
    const std::vector<double> serial = losses_of(one);
    const double entropy = entropy_of(training_text(one));
    EXPECT_GT(serial.front(), std::log(256.0) - 0.1); // nothing is known yet
    EXPECT_LT(mean_of_last(serial, 20), entropy - 0.4) << "entropy " << entropy;
    const auto expect_same = [&](const TransformerConfig& config) {
        const std::vector<double> losses = losses_of(config);
        EXPECT_NEAR(losses.front(), serial.front(), 1e-5);
        EXPECT_NEAR(losses.back(), serial.back(), 1e-3) << name_of_value(config.sharding);
    };
    expect_same(small(ShardingKind::one_dimensional, 4));
    expect_same(small(ShardingKind::one_dimensional_sequence, 4));
    expect_same(small(ShardingKind::two_dimensional, 4));
    expect_same(small(ShardingKind::two_dimensional_gathered, 4));
    expect_same(small(ShardingKind::one_dimensional, 4, 4));
}

} // namespace
} // namespace alxsim::transformer
