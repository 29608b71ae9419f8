// SPDX-License-Identifier: Apache-2.0
// What a study may say of a model that serves, and what may be chosen for it.
#include "base/input_error.h"
#include "topologies/machine.h"
#include "topologies/preset.h"
#include "workloads/transformer/request.h"
#include "workloads/transformer/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace alxsim::transformer {
namespace {

std::string refusal_of_request(Json fields, int devices)
{
    fields["preset"] = "llama3-8b";
    try {
        config_of(transformer_request(fields), "study.json", devices);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

TEST(ServingRefuses, WhatIsOfTrainingAlone)
{
    EXPECT_EQ(refusal_of_request({{"mode", "decode"}, {"recomputation", "full"}}, 8),
              "study.json: /workload/transformer/recomputation: found recomputation with mode "
              "decode; allowed: mode train, or without what is of training alone");
    EXPECT_THAT(refusal_of_request({{"mode", "prefill"}, {"optimizer", "sgd"}, {"steps", 3}}, 8),
                testing::HasSubstr("/optimizer: found optimizer, steps with mode prefill"));
    EXPECT_EQ(refusal_of_request({{"mode", "decode"}, {"precision", "int8"}}, 8), "none");
    EXPECT_EQ(
        refusal_of_request({{"recomputation", "full"}, {"optimizer", "sgd"}, {"batch", 8}}, 8),
        "none");
}

TEST(ServingRefuses, KeyHeadsThatDevicesCannotShareAndTrainingThatSharesThem)
{
    const Json by_tensor{{"tensor", 16}};
    EXPECT_EQ(refusal_of_request({{"mode", "decode"}, {"mesh", by_tensor}}, 16), "none");
    EXPECT_THAT(refusal_of_request({{"mode", "decode"}, {"mesh", by_tensor}, {"kv_heads", 32}}, 16),
                testing::HasSubstr("none"));
    EXPECT_THAT(refusal_of_request({{"mesh", by_tensor}}, 16),
                testing::HasSubstr("/kv_heads: found 8; allowed: multiples of 16"));
}

/// What it may do otherwise, by name; every option of a mesh.
TEST(ServingChoices, AreOfServing)
{
    const auto choices = [](Json fields) {
        fields["preset"] = "mixtral-8x7b";
        topologies::SliceRequest request;
        request.cores = 8;
        const topologies::Machine machine =
            topologies::make_machine(topologies::Preset::load("tpu_v5e"), request);
        return choices_of(config_of(transformer_request(fields), "study.json", 8), machine);
    };
    const auto names = [](const workloads::Choices& all) {
        std::vector<std::string> list;
        for (const workloads::Choice& one : all.list) {
            list.push_back(one.name);
        }
        return list;
    };
    const workloads::Choices decode = choices({{"mode", "decode"}, {"batch", 64}});
    EXPECT_EQ(names(decode), (std::vector<std::string>{"mesh", "batch"}));
    const auto words = [](const workloads::Choices& all) {
        std::string list;
        for (const workloads::Choice& one : all.list) {
            for (const workloads::Option& option : one.options) {
                list += option.words + "\n";
            }
        }
        return list;
    };
    EXPECT_THAT(words(decode), testing::HasSubstr("experts over 8\n"));
    EXPECT_THAT(words(decode), testing::HasSubstr("experts over 2, tensor 4\n"));
    EXPECT_THAT(words(decode), testing::Not(testing::HasSubstr("fsdp")));
    EXPECT_THAT(words(decode), testing::Not(testing::HasSubstr("stages")));
    EXPECT_THAT(words(decode), testing::Not(testing::HasSubstr("sequences over")));
    const std::string train = words(choices({{"batch", 64}}));
    EXPECT_THAT(train, testing::HasSubstr("experts over 4, fsdp 2\n"));
    EXPECT_THAT(train, testing::HasSubstr("in full, layer inputs in host memory\n"));
}

} // namespace
} // namespace alxsim::transformer
