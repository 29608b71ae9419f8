// SPDX-License-Identifier: Apache-2.0
// How many tokens go to which experts where no numbers say it.
#include "base/input_error.h"
#include "workloads/transformer/experts/expert_loads.h"
#include "workloads/transformer/request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace alxsim::transformer {
namespace {

const std::string sentence = "The quick brown fox jumps over the lazy dog, and the dog is asleep. ";

double sum_of(const std::vector<double>& numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(ExpertLoads, OfATextAreCountedByItsBytes)
{
    const Experts experts{8, 2, 16};
    const std::vector<double> shares = text_shares(sentence, experts, 1);
    EXPECT_NEAR(sum_of(shares), 1, 1e-12);
    EXPECT_LE(*std::max_element(shares.begin(), shares.end()), 0.5); // one of a token's two
    EXPECT_EQ(shares, text_shares(sentence, experts, 1));
    EXPECT_NE(shares, text_shares(sentence, experts, 2));
    const std::vector<double> loads = loads_of_members(shares, 4);
    EXPECT_NEAR(sum_of(loads), 4, 1e-12);
    EXPECT_NEAR(loads[1], 4 * (shares[2] + shares[3]), 1e-12);
}

TEST(ExpertLoads, OfOneByteAllGoToItsExperts)
{
    std::vector<double> shares = text_shares("aaaa", {4, 2, 16}, 1);
    std::sort(shares.begin(), shares.end());
    EXPECT_EQ(shares, (std::vector<double>{0, 0, 0.5, 0.5}));
    // Each expert has places for two of four times two pairs.
    EXPECT_DOUBLE_EQ(dropped_share("aaaa", {4, 2, 16, 1}, 4, 1), 0.5);
    EXPECT_EQ(dropped_share("aaaa", {4, 2, 16, 2}, 4, 1), 0);
    EXPECT_EQ(dropped_share("aaaa", {4, 2, 16, 0}, 4, 1), 0);
}

TEST(ExpertLoads, AreUncertainOfATrainedRouterWhoseExpertsTakeAllThatCome)
{
    TransformerConfig config;
    config.size = {2, 32, 4, 256, 16};
    config.size.experts = {4, 2, 24};
    EXPECT_TRUE(expert_unknowns(config).empty()) << "all experts are on each device";
    config.mesh.expert = 2;
    ASSERT_EQ(expert_unknowns(config).size(), 1u);
    EXPECT_EQ(expert_unknowns(config).front().name, "expert_imbalance");
    EXPECT_EQ(expert_loads(config, 1.25).largest, 1.25);
    config.size.experts.routing = RoutingKind::balanced;
    EXPECT_TRUE(expert_unknowns(config).empty());
    EXPECT_EQ(expert_loads(config, 1.25).largest, 1);
    config.size.experts.routing = RoutingKind::text;
    EXPECT_NEAR(sum_of(expert_loads(config, 1.25).of_devices), 2, 1e-12);
    EXPECT_GT(expert_loads(config, 1.25).largest, 1);
    config.size.experts.capacity = 1.25;
    EXPECT_TRUE(expert_loads(config, 1.25).of_devices.empty());
    EXPECT_EQ(expert_notes(config).size(), 1u);
}

TransformerConfig config_of(const char* request, int devices)
{
    return config_of(transformer_request(Json::parse(request)), "study.json", devices);
}

TEST(ExpertRequest, StandsBesideThePresets)
{
    const TransformerConfig config =
        config_of(R"({"preset": "mixtral-8x7b", "batch": 8, "experts": {"capacity": 1.25}})", 8);
    EXPECT_EQ(config.size.experts.count, 8);
    EXPECT_EQ(config.size.experts.per_token, 2);
    EXPECT_EQ(config.size.experts.width, 14336);
    EXPECT_EQ(config.size.experts.capacity, 1.25);
}

TEST(ExpertRequest, IsRefusedWithoutACountOrOnDevicesThatDoNotDivideIt)
{
    EXPECT_THROW(config_of(R"({"preset": "llama3-8b", "batch": 8, "experts": {"width": 64}})", 8),
                 InputError);
    EXPECT_THROW(config_of(R"({"preset": "mixtral-8x7b", "batch": 9, "mesh": {"expert": 3}})", 3),
                 InputError);
}

} // namespace
} // namespace alxsim::transformer
