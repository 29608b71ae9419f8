// SPDX-License-Identifier: Apache-2.0
// A tiny GPT against an independent implementation's loss, gradients, training and counts.
#include "tiny_reference.h"

#include "base/json_document.h"
#include "base/npy.h"
#include "workloads/transformer/model_numbers.h"
#include "workloads/transformer/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace alxsim::transformer {
namespace {

const std::string golden_folder = ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/transformer/";

struct GoldenCase {
    std::string name;
    ShardingKind sharding;
    int devices;
    int replicas = 1;
    RecomputationPolicy recomputation = RecomputationPolicy::none;
    GradientOverlap overlap = GradientOverlap::none;
    bool columns_first = false;
};

std::ostream& operator<<(std::ostream& out, const GoldenCase& one)
{
    return out << one.name;
}

std::vector<GoldenCase> all_cases()
{
    using Kind = ShardingKind;
    return {
        {"serial", Kind::one_dimensional, 1},
        {"1d", Kind::one_dimensional, 4},
        {"1d_sequence", Kind::one_dimensional_sequence, 4},
        {"2d", Kind::two_dimensional, 4},
        {"2d_gathered", Kind::two_dimensional_gathered, 4},
        {"2d_on_one_device", Kind::two_dimensional, 1},
        {"2d_gathered_on_one_device", Kind::two_dimensional_gathered, 1},
        {"data", Kind::one_dimensional, 4, 4},
        {"data_by_1d", Kind::one_dimensional, 4, 2},
        {"data_by_2d", Kind::two_dimensional, 8, 2, RecomputationPolicy::none,
         GradientOverlap::backward},
        {"2d_columns_first", Kind::two_dimensional, 4, 1, RecomputationPolicy::none,
         GradientOverlap::none, true},
        {"1d_selective", Kind::one_dimensional, 4, 1, RecomputationPolicy::selective},
        {"1d_sequence_full", Kind::one_dimensional_sequence, 4, 1, RecomputationPolicy::full},
        {"2d_full", Kind::two_dimensional, 4, 1, RecomputationPolicy::full},
    };
}

/// The golden's sizes; the numbers of the streams are of stddev 0.1.
TransformerConfig tiny(const GoldenCase& of, model::DType dtype = model::DType::f64)
{
    TransformerConfig config;
    config.size = {2, 32, 4, 64, 16};
    config.batch = 4;
    config.sharding = of.sharding;
    config.mesh.data = of.replicas;
    config.mesh.tensor = of.devices / of.replicas;
    config.recomputation = of.recomputation;
    config.gradient_overlap = of.overlap;
    config.columns_first = of.columns_first;
    config.dtype = dtype;
    config.initial_stddev = 0.1;
    config.adam.learning_rate = 1e-2;
    return config;
}

class Trained {
public:
    explicit Trained(const TransformerConfig& config, int threads = 2)
        : config_(config),
          pool_(threads),
          model_(config, &moved_)
    {
    }
    double step()
    {
        return model_.train(
            ++steps_, deal_tokens(config_, model_.layout(), TinyReference(config_.size).tokens()),
            pool_);
    }
    ModelNumbers& model() { return model_; }
    const MovedCounts& moved() const { return moved_; }
    std::vector<double> gradients() const
    {
        std::vector<double> all;
        for (const ParameterOf& of : model_.parameters()) {
            const std::vector<double> one = model_.gradient(of);
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

private:
    TransformerConfig config_;
    HostPool pool_;
    MovedCounts moved_;
    ModelNumbers model_;
    int steps_ = 0;
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

class GoldenTransformer : public testing::TestWithParam<GoldenCase> {
protected:
    void SetUp() override { golden_ = load_json(golden_folder + "gpt2_tiny.json"); }
    Json golden_;
};

TEST_P(GoldenTransformer, HasTheLossAndEveryGradientOfTheReference)
{
    Trained trained(tiny(GetParam()));
    EXPECT_NEAR(trained.step(), golden_.at("loss").at("serial").get<double>(), 1e-12);
    const NpyMatrix expected = read_npy_array(golden_folder + "gpt2_tiny_gradient.npy");
    EXPECT_LE(largest_difference(trained.gradients(), expected.values), 1e-12);
}

TEST_P(GoldenTransformer, LearnsAsTheReferenceDoes)
{
    Trained trained(tiny(GetParam()));
    for (const Json& loss : golden_.at("adam").at("losses_serial")) {
        EXPECT_NEAR(trained.step(), loss.get<double>(), 1e-10);
    }
}

TEST_P(GoldenTransformer, IsWithin1em13OfOneDevice)
{
    Trained serial(tiny(all_cases().front()));
    Trained sharded(tiny(GetParam()));
    EXPECT_NEAR(serial.step(), sharded.step(), 1e-13);
    EXPECT_LE(largest_difference(serial.gradients(), sharded.gradients()), 1e-13);
}

TEST_P(GoldenTransformer, IsWithin1em5OfTheReferenceInF32AndWithin1em2InBf16)
{
    const double loss = golden_.at("loss").at("serial").get<double>();
    Trained f32(tiny(GetParam(), model::DType::f32));
    EXPECT_NEAR(f32.step(), loss, 1e-5);
    Trained bf16(tiny(GetParam(), model::DType::bf16));
    EXPECT_NEAR(bf16.step(), loss, 1e-2);
}

TEST_P(GoldenTransformer, HasTheSameBitsForAnyNumberOfHostThreads)
{
    Trained one(tiny(GetParam(), model::DType::f32), 1);
    Trained three(tiny(GetParam(), model::DType::f32), 3);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(one.step(), three.step());
    }
    EXPECT_EQ(one.gradients(), three.gradients());
}

/// "forward.layers broadcast row" as the reference says it, "fwd.layers broadcast row".
std::string reference_name(std::string name)
{
    const auto replace = [&](const std::string& from, const std::string& to) {
        if (const auto place = name.find(from); place != std::string::npos) {
            name.replace(place, from.size(), to);
        }
    };
    replace("forward.", "fwd.");
    replace("backward.", "bwd.");
    replace(" column", " col");
    replace(" tensor", " all");
    return name;
}

class TransformerCounts : public GoldenTransformer {};

TEST_P(TransformerCounts, AreTheReferences)
{
    Trained trained(tiny(GetParam()));
    trained.step();
    const Json& expected = golden_.at("counts").at(GetParam().name);
    Json found = Json::object();
    for (const auto& [name, count] : trained.moved()) {
        found[reference_name(name)] = {{"elements", count.elements}, {"calls", count.calls}};
    }
    EXPECT_EQ(found.size(), expected.size());
    for (const auto& [name, count] : expected.items()) {
        EXPECT_EQ(found.value(name, Json()), count) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Shardings, TransformerCounts,
                         testing::Values(GoldenCase{"1d", ShardingKind::one_dimensional, 4},
                                         GoldenCase{"2d", ShardingKind::two_dimensional, 4}));

/// The reference's other model, on 4 x 4 devices.
TransformerConfig one_layer(const GoldenCase& of)
{
    TransformerConfig config = tiny(of);
    config.size.layers = 1;
    config.size.sequence = 8;
    return config;
}

TEST_F(GoldenTransformer, HasTheReferencesLossOnSixteenDevices)
{
    golden_ = load_json(golden_folder + "gpt2_tiny.json");
    Trained serial(one_layer(all_cases().front()));
    const double loss = serial.step();
    EXPECT_NEAR(loss, golden_.at("q4").at("loss").get<double>(), 1e-12);
    for (const ShardingKind kind :
         {ShardingKind::two_dimensional, ShardingKind::two_dimensional_gathered}) {
        Trained sharded(one_layer({"2d", kind, 16}));
        EXPECT_NEAR(sharded.step(), loss, 1e-13);
        EXPECT_LE(largest_difference(serial.gradients(), sharded.gradients()), 1e-13);
    }
}

/// The table of elements and calls of a layer, T = b s tokens, h hidden, q x q devices (facts:
/// derived, and counted in the reference).
TEST(TransformerCounts, OfALayerOnAGridAreTheTables)
{
    for (const int q : {2, 4}) {
        const GoldenCase grid{"2d", ShardingKind::two_dimensional, q * q};
        Trained trained(one_layer(grid));
        trained.step();
        MovedCounts moved = trained.moved();
        const std::int64_t tokens = 4 * 8;
        const std::int64_t h = 32;
        const auto expect = [&](const std::string& name, std::int64_t calls,
                                std::int64_t elements) {
            EXPECT_EQ(moved[name].calls, calls) << name << ", q " << q;
            EXPECT_EQ(moved[name].elements, elements) << name << ", q " << q;
        };
        expect("forward.layers broadcast row", 4 * q, 7 * tokens * h / q);
        // The last normalization's gamma and beta, and its two sums, are counted with the layers.
        expect("forward.layers broadcast column", 4 * q + 8 + 2,
               12 * h * h / q + 13 * h / q + 2 * h / q);
        expect("forward.layers all_reduce row", 4 + 2, (4 + 2) * tokens / q);
        expect("backward.layers broadcast row", 4 * q, 7 * tokens * h / q);
        expect("backward.layers reduce row", 4 * q, 7 * tokens * h / q);
        expect("backward.layers broadcast column", 4 * q, 12 * h * h / q);
        expect("backward.layers reduce column", 4 * q + 8, 12 * h * h / q + 13 * h / q);
        expect("backward.layers all_reduce row", 4, 4 * tokens / q);
    }
}

INSTANTIATE_TEST_SUITE_P(Shardings, GoldenTransformer, testing::ValuesIn(all_cases()),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             return std::isdigit(static_cast<unsigned char>(name.front())) != 0
                                        ? "On" + name
                                        : name;
                         });

} // namespace
} // namespace alxsim::transformer
