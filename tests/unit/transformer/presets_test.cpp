// SPDX-License-Identifier: Apache-2.0
// Published models: as many parameters as their publishers say.
#include "workloads/transformer/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

namespace alxsim::transformer {

std::ostream& operator<<(std::ostream& out, const Preset& preset)
{
    return out << preset.name;
}

namespace {

class PublishedModel : public testing::TestWithParam<Preset> {};

TEST_P(PublishedModel, HasThePublishedParameters)
{
    const Preset& preset = GetParam();
    const bool is_rounded = preset.parameters % 1'000'000 == 0; // published in millions
    EXPECT_NEAR(static_cast<double>(preset.size.parameters()),
                static_cast<double>(preset.parameters), is_rounded ? 1e6 : 0);
}

INSTANTIATE_TEST_SUITE_P(Presets, PublishedModel, testing::ValuesIn(presets()),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             for (char& letter : name) {
                                 letter = std::isalnum(static_cast<unsigned char>(letter)) != 0
                                              ? letter
                                              : '_';
                             }
                             return name;
                         });

/// In billions: 12.9 of Mixtral (Jiang et al. 2024), 3.3 and 22 of Qwen3 (Yang et al. 2025).
TEST(PublishedModels, OfExpertsUseThePublishedParametersForAToken)
{
    const auto active = [](const char* name) {
        return static_cast<double>(preset_of(name).size.active_parameters()) / 1e9;
    };
    EXPECT_NEAR(active("mixtral-8x7b"), 12.9, 0.05);
    EXPECT_NEAR(active("qwen3-30b-a3b"), 3.3, 0.06);
    EXPECT_NEAR(active("qwen3-235b-a22b"), 22, 0.2);
    EXPECT_EQ(preset_of("llama3-8b").size.active_parameters(),
              preset_of("llama3-8b").size.parameters());
}

} // namespace
} // namespace alxsim::transformer
