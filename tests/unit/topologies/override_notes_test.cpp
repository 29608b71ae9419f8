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
    EXPECT_THAT(notes("tpu_v3", {{"hbm_bw_effective_chip", 9e11}}),
                ElementsAre(AllOf(HasSubstr("hbm_bw_effective_chip changes nothing: no model"),
                                  HasSubstr("hbm_bw_chip"))));
    EXPECT_THAT(notes("tpu_v3", {{"smem_bytes_core", "x2"}}),
                ElementsAre(HasSubstr("smem_bytes_core changes nothing: no model reads it")));
    EXPECT_THAT(notes("tpu_v5p", {{"vmem_vreg_loads_per_cycle", "x2"}}), IsEmpty())
        << "what is derived from it is read";
    EXPECT_THAT(
        notes("tpu_v5p", {{"vmem_vreg_loads_per_cycle", "x2"}, {"vmem_load_bw_core", "x2"}}),
        ElementsAre(HasSubstr("vmem_vreg_loads_per_cycle changes nothing")))
        << "what is derived from it is overridden";
}

TEST(OverrideNotes, NameTheDmaEnginesThatLimitTheBandwidthOfAnHbm)
{
    EXPECT_THAT(notes("tpu_v4", {{"hbm_bw_chip", "x2"}}),
                ElementsAre(AllOf(HasSubstr("hbm_bw_chip to 2.4e+12 B/s does not count in full"),
                                  HasSubstr("dma_bw_core (9.73e+11 B/s, derived)"))))
        << "measured there, and so not moved with the chip's";
    EXPECT_THAT(notes("tpu_v3", {{"hbm_bw_chip", "x2"}}), IsEmpty())
        << "the engines are derived from the chip's rate";
    EXPECT_THAT(notes("tpu_v3", {{"dma_bw_core", "x2"}}),
                ElementsAre(HasSubstr("dma_bw_core does not count in full")));
}

TEST(OverrideNotes, NameTheEngineThatGathers)
{
    EXPECT_THAT(notes("tpu_v5p", {{"sparsecore_gather_row_s", "x0.5"}}),
                ElementsAre(HasSubstr("it is the TensorCore that gathers, at gather_row_s")));
    EXPECT_THAT(notes("tpu_v5p", {{"sparsecores", "x2"}}),
                ElementsAre(HasSubstr("it is the TensorCore that gathers, at gather_row_s")));
    EXPECT_THAT(notes("tpu_v3", {{"gather_row_s", "x0.1"}}),
                ElementsAre(AllOf(HasSubstr("gather_row_s to 1.3e-09 s does not count in full"),
                                  HasSubstr("dma_outstanding"))));
}

TEST(OverrideNotes, AskForTheTimeOfAJobWithoutTheOverride)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value("clock_hz", "x2", "test");
    preset.override_value("peak_bf16_flops_chip", "x3", "test");
    const Machine machine = make_machine(preset, {8, {}, {}});
    PresetUse use;
    use.same_time = [&](const Machine& without) {
        return without.device.clock_hz == machine.device.clock_hz;
    };
    EXPECT_THAT(override_notes(machine, use),
                ElementsAre(AllOf(HasSubstr("peak_bf16_flops_chip changes nothing but MFU"),
                                  HasSubstr("macs_per_cycle_chip and clock_hz"))));
}

TEST(OverrideNotes, SayNothingOfAnOverrideThatIsNoChange)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value("ici_link_bw_oneway", "x1", "test");
    PresetUse use;
    use.same_time = [](const Machine&) { return true; };
    EXPECT_THAT(override_notes(make_machine(preset, {8, {}, {}}), use), IsEmpty());
    preset.override_value("ici_link_bw_oneway", "x2", "test");
    EXPECT_THAT(override_notes(make_machine(preset, {8, {}, {}}), use),
                ElementsAre(HasSubstr("ici_link_bw_oneway changes no time")));
}

TEST(OverrideNotes, TellWhatElseReadsAValue)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value("usd_per_chip_hour", "x2", "test");
    const Machine machine = make_machine(preset, {8, {}, {}});
    EXPECT_THAT(override_notes(machine), ElementsAre(HasSubstr("no model reads it")));
    const PresetUse use{
        [](const Preset& watched) { watched.number("usd_per_chip_hour"); }, "dollars", {}};
    EXPECT_THAT(override_notes(machine, use),
                ElementsAre(HasSubstr("changes no time: it counts in dollars alone")));
}

} // namespace
} // namespace alxsim::topologies
