// SPDX-License-Identifier: Apache-2.0
// Models as they train on meshes of devices, against an independent reference and one device.
#include "../tiny_reference.h"
#include "base/input_error.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
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
                                              "relu_tiny"};
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
    config.adam.learning_rate = reference.golden.at("adam").at("lr").get<double>();
    return config;
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

/// All meshes of this many devices whose lengths are powers of two and divide the model's sizes.
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
    for (const std::string& model : models()) {
        for (const int devices : {2, 4, 8, 16}) {
            all.push_back({model, devices});
        }
    }
    return all;
}

class TinyModelOnMeshes : public testing::TestWithParam<MeshCase> {
protected:
    const TinyReference reference_{GetParam().model};
    TransformerConfig config_ = config_of_tiny(reference_);
    const Step one_device_ = first_step(reference_, config_);
};

TEST_P(TinyModelOnMeshes, IsWithin1em13OfOneDevice)
{
    int meshes = 0;
    for (const ShardingKind sharding :
         {ShardingKind::one_dimensional, ShardingKind::one_dimensional_sequence}) {
        config_.sharding = sharding;
        for (const MeshLengths& mesh : meshes_of(config_, GetParam().devices)) {
            SCOPED_TRACE(testing::Message() << name_of_value(sharding) << ", " << mesh);
            config_.mesh = mesh;
            expect_alike(first_step(reference_, config_), one_device_, 1e-13);
            ++meshes;
        }
    }
    std::printf("%d meshes\n", meshes);
}

std::string name_of(const MeshCase& one)
{
    return one.model + "_on_" + std::to_string(one.devices);
}

INSTANTIATE_TEST_SUITE_P(Models, TinyModel, testing::ValuesIn(models()),
                         [](const auto& one) { return one.param; });
INSTANTIATE_TEST_SUITE_P(Models, TinyModelOnMeshes, testing::ValuesIn(mesh_cases()),
                         [](const auto& one) { return name_of(one.param); });

} // namespace
} // namespace alxsim::transformer
