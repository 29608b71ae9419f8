// SPDX-License-Identifier: Apache-2.0
#include "topologies/override_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::topologies {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> notes(const std::string& chip,
                               const std::vector<std::pair<std::string, Json>>& overrides)
{
    Preset preset = Preset::load(chip);
    for (const auto& [key, value] : overrides) {
        preset.override_value(key, value, "test");
    }
    return override_notes(make_machine(preset, {8, {}, {}}));
}

TEST(OverrideNotes, AreNoneOfAMachineAsItIsNorOfOverridesThatCount)
{
    for (const std::string& name : Preset::names()) {
        EXPECT_THAT(notes(name, {}), IsEmpty()) << name;
    }
    EXPECT_THAT(
        notes("tpu_v3",
              {{"ici_link_bw_oneway", "x2"}, {"hbm_bw_chip", "x0.5"}, {"gather_row_s", "x0.5"}}),
        IsEmpty());
    EXPECT_THAT(notes("tpu_v3", {{"dma_bw_core", "x0.5"}}), IsEmpty());
}

TEST(OverrideNotes, NameWhatCountsInPlaceOfAValueThatNoModelReads)
{
    EXPECT_THAT(notes("tpu_v3", {{"peak_bf16_flops_chip", "x2"}}),
                ElementsAre(AllOf(HasSubstr("peak_bf16_flops_chip changes nothing"),
                                  HasSubstr("macs_per_cycle_chip and clock_hz"))));
    EXPECT_THAT(notes("tpu_v3", {{"hbm_bw_effective_chip", 9e11}}),
                ElementsAre(AllOf(HasSubstr("hbm_bw_effective_chip changes nothing"),
                                  HasSubstr("hbm_bw_chip"))));
}

TEST(OverrideNotes, NameTheDmaEnginesThatLimitTheBandwidthOfAnHbm)
{
    EXPECT_THAT(notes("tpu_v3", {{"hbm_bw_chip", "x2"}}),
                ElementsAre(AllOf(HasSubstr("hbm_bw_chip to 1.8e+12 B/s does not count in full"),
                                  HasSubstr("dma_bw_core (7.29e+11 B/s, assumed)"))));
    EXPECT_THAT(notes("tpu_v3", {{"hbm_bw_chip", "x2"}, {"dma_bw_core", "x2"}}), SizeIs(1))
        << "now the engines have more than they can use";
    EXPECT_THAT(notes("tpu_v5e", {{"hbm_bw_chip", "x2"}, {"dma_bw_core", "x2"}}), IsEmpty());
}

TEST(OverrideNotes, NameTheEngineThatGathers)
{
    EXPECT_THAT(notes("tpu_v5p", {{"sparsecore_gather_row_s", "x0.5"}}),
                ElementsAre(HasSubstr("it is the TensorCore that gathers, at gather_row_s")));
    EXPECT_THAT(notes("tpu_v3", {{"gather_row_s", "x0.1"}}),
                ElementsAre(AllOf(HasSubstr("gather_row_s to 1.7e-09 s does not count in full"),
                                  HasSubstr("dma_outstanding"))));
}

} // namespace
} // namespace alxsim::topologies
