// SPDX-License-Identifier: Apache-2.0
#include "topologies/chip_name.h"

#include "base/input_error.h"
#include "topologies/preset.h"
#include "topologies/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::topologies {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_of(const std::string& chip)
{
    try {
        Preset::load(chip);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

/// Chips and TensorCores of the slice that a name means.
std::pair<int, int> size_of(const std::string& name)
{
    const std::optional<ChipName> chip = chip_named(name);
    SliceRequest request;
    request.cores = chip.value().cores.value();
    request.shape = chip->shape;
    const Slice slice = Slice::choose(Preset::load(chip->preset), request);
    return {slice.chips(), slice.cores()};
}

TEST(ChipNames, AreThoseThatPeopleUse)
{
    const std::pair<const char*, const char*> names[] = {
        {"tpu_v2", "tpu_v2"},       {"v2", "tpu_v2"},        {"v3", "tpu_v3"},
        {"TPU v4", "tpu_v4"},       {"v5e", "tpu_v5e"},      {"v5litepod", "tpu_v5e"},
        {"TPU v5 lite", "tpu_v5e"}, {"v5p", "tpu_v5p"},      {"TPU v6 lite", "tpu_v6e"},
        {"trillium", "tpu_v6e"},    {"Trillium", "tpu_v6e"}, {"ironwood", "tpu_7x"},
        {"TPU7x", "tpu_7x"},        {"tpu7x", "tpu_7x"},     {"tpu-v5p", "tpu_v5p"}};
    for (const auto& [name, preset] : names) {
        EXPECT_EQ(preset_named(name), preset) << name;
        EXPECT_EQ(Preset::load(name).name(), preset) << name;
        EXPECT_FALSE(chip_named(name)->has_size()) << name;
    }
}

TEST(ChipNames, CountWhatTheVendorsNamesCount)
{
    // As Cloud TPU's documentation of each generation has its types: TensorCores of v2, v3, v4, v5p
    // and 7x, chips of v5e and v6e; and chips per axis of any.
    EXPECT_EQ(size_of("v2-8"), std::pair(4, 8));
    EXPECT_EQ(size_of("v3-32"), std::pair(16, 32));
    EXPECT_EQ(size_of("v4-8"), std::pair(4, 8));
    EXPECT_EQ(size_of("v5p-512"), std::pair(256, 512));
    EXPECT_EQ(size_of("v5e-256"), std::pair(256, 256));
    EXPECT_EQ(size_of("v5litepod-16"), std::pair(16, 16));
    EXPECT_EQ(size_of("v6e-8"), std::pair(8, 8));
    EXPECT_EQ(size_of("tpu7x-2x2x1"), std::pair(4, 8));
    EXPECT_EQ(size_of("tpu7x-8"), std::pair(4, 8));
    EXPECT_EQ(size_of("v5e-2x4"), std::pair(8, 8));
    EXPECT_EQ(size_of("v5p:4x4x8"), std::pair(128, 256));
    EXPECT_EQ(size_of("tpu_v3-8"), std::pair(4, 8));
    EXPECT_EQ(size_of("tpu-v5-lite-16"), std::pair(16, 16));
    EXPECT_EQ(preset_named("tpu-v5-lite"), "tpu_v5e");
}

TEST(ChipNames, LeaveWhatNamesNoPreset)
{
    for (const char* other : {"./v5e.json", "presets/v5e", "v5e.json", "v9", "", "-8"}) {
        EXPECT_EQ(chip_named(other), std::nullopt) << other;
        EXPECT_EQ(preset_named(other), other);
    }
}

TEST(ChipNames, GoOnFromAGenerationOfWhichThereAreSeveral)
{
    EXPECT_THAT(refusal_of("tpu_v5"), HasSubstr("'tpu_v5'; did you mean v5e or v5p?"));
    EXPECT_THAT(refusal_of("v5-8"), HasSubstr("did you mean v5e or v5p?"));
    EXPECT_THAT(refusal_of("TPU v6"), HasSubstr("did you mean v6e?"));
    EXPECT_THAT(refusal_of("tpu-v7"), HasSubstr("did you mean v7x?"));
    EXPECT_THAT(refusal_of("trilium"), HasSubstr("did you mean 'trillium'?"));
    EXPECT_THAT(refusal_of("v4i"), HasSubstr("did you mean 'v4'?"));
    EXPECT_THAT(refusal_of("gpu"), HasSubstr("allowed: tpu_v2, tpu_v3"));
}

TEST(ChipNames, OfAnotherGenerationAreNotMeant)
{
    for (const char* const chip : {"v9", "tpu_v9", "tpu-v8-16"}) {
        EXPECT_THAT(refusal_of(chip), Not(HasSubstr("did you mean"))) << chip;
    }
}

TEST(ChipNames, RefuseSizesThatAreNone)
{
    for (const char* chip : {"v5e-", "v5e-pod", "v5e-0", "v5e-4x", "v5e-4x4x4x4", "v5e-9999999",
                             "v5e-999999x999999", "v5e-04"}) {
        EXPECT_THAT(refusal_of(chip), HasSubstr("allowed after 'v5e-': a number of chips")) << chip;
    }
    EXPECT_THAT(refusal_of("v4-pod"), HasSubstr("found the size 'pod'; allowed after 'v4-': a "
                                                "number of TensorCores, as in v4-16"));
}

} // namespace
} // namespace alxsim::topologies
