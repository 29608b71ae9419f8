// SPDX-License-Identifier: Apache-2.0
#include "topologies/derivation.h"

#include "base/input_error.h"
#include "topologies/machine.h"
#include "topologies/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

namespace alxsim::topologies {
namespace {

using ::testing::HasSubstr;

template <class Action>
std::string refusal(Action action)
{
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

/// What a derivation says, worked out by hand from loaded presets.
double product_of(const Preset& preset, const std::string& derived_from)
{
    double product = 1;
    for (const DerivationFactor& factor : read_derivation(derived_from, "", "")) {
        const double one = factor.key.empty()    ? factor.number
                           : factor.chip.empty() ? preset.number(factor.key)
                                                 : Preset::load(factor.chip).number(factor.key);
        product = factor.divides ? product / one : product * one;
    }
    return product;
}

/// Calls `see` for each value of each embedded preset.
template <class See>
void for_each_value(See see)
{
    for (const std::string& name : Preset::names()) {
        const Preset preset = Preset::load(name);
        for (const std::string& key : preset.keys()) {
            see(preset, key, preset.at(key));
        }
    }
}

TEST(Derivations, AreNumbersAndValuesMultipliedAndDivided)
{
    const auto factors = read_derivation("2 * tpu_v3.gather_row_s / clock_hz", "", "");
    ASSERT_EQ(factors.size(), 3U);
    EXPECT_EQ(factors[0].number, 2);
    EXPECT_EQ(factors[1].text(), "tpu_v3.gather_row_s");
    EXPECT_EQ(factors[2].text(), "clock_hz");
    EXPECT_FALSE(factors[1].divides);
    EXPECT_TRUE(factors[2].divides);
    for (const char* wrong : {"", "2 *", "2 clock_hz", "2 + clock_hz", "-1 * clock_hz", "Clock",
                              "tpu_v3.", "2*clock_hz", "1e999", "nan"}) {
        EXPECT_THAT(refusal([&] { read_derivation(wrong, "own.json", "/values/x"); }),
                    HasSubstr("own.json: /values/x: found '"))
            << wrong;
    }
}

TEST(DerivedValues, AreWhatTheyAreDerivedFrom)
{
    int computed = 0;
    for_each_value([&](const Preset& preset, const std::string& key, const PresetValue& value) {
        if (!value.derived_from.empty()) {
            const double product = product_of(preset, value.derived_from);
            const double tolerance = value.kind == "sourced" ? 0.01 : 1e-12; // printed, rounded
            EXPECT_NEAR(preset.number(key), product, tolerance * product)
                << preset.name() << " " << key;
            ++computed;
        }
    });
    EXPECT_GT(computed, 150);
}

TEST(DerivedValues, HaveTheBandOfTheirReferenceInTheSameRatio)
{
    const PresetValue& of_v3 = Preset::load("tpu_v3").at("window_scatter_latency_s");
    const double low = of_v3.low.get<double>() / of_v3.value.get<double>();
    const double high = of_v3.high.get<double>() / of_v3.value.get<double>();
    for (const char* chip : {"tpu_v2", "tpu_v4", "tpu_v5e", "tpu_v5p", "tpu_v6e"}) {
        const Preset preset = Preset::load(chip);
        const PresetValue& value = preset.at("window_scatter_latency_s");
        const double central = value.value.get<double>();
        EXPECT_EQ(central, of_v3.value.get<double>()) << chip;
        EXPECT_NEAR(value.low.get<double>() / central, low, 1e-12) << chip;
        EXPECT_NEAR(value.high.get<double>() / central, high, 1e-12) << chip;
    }
}

/// A number that is assumed on two chips for one reason is written once.
TEST(AssumedValues, AreWrittenOnceAndDerivedElsewhere)
{
    std::map<std::pair<std::string, std::string>, std::string> first;
    for_each_value([&](const Preset& preset, const std::string& key, const PresetValue& value) {
        // Parts of the memory follow a public model of such a part, not another chip.
        const bool of_memory = key.rfind("hbm_", 0) == 0 && key != "hbm_access_granule_bytes";
        if (value.kind != "assumed" || !value.value.is_number() || of_memory ||
            !value.derived_from.empty() || value.source.find("[NEUSIM]") != std::string::npos) {
            return;
        }
        const auto [found, is_new] = first.insert({{key, value.value.dump()}, preset.name()});
        EXPECT_TRUE(is_new) << key << " of " << preset.name() << " is written as on "
                            << found->second << "; derive one from the other";
    });
}

TEST(Sources, ThatCiteAnotherChipsValueAreDerivedFromIt)
{
    const std::regex cited(R"([Aa]s (?:measured )?(?:on |of )?(v2|v3|v4|v5e|v5p|v6e|7x)\b)");
    int citing = 0;
    for_each_value([&](const Preset& preset, const std::string& key, const PresetValue& value) {
        std::smatch match;
        if (value.kind != "assumed" || !value.value.is_number() ||
            !std::regex_search(value.source, match, cited)) {
            return;
        }
        const std::string chip = "tpu_" + match[1].str();
        const bool of_limit = value.source.rfind("Low: ", match.position()) != std::string::npos;
        const bool derived = value.derived_from.find(chip + ".") != std::string::npos;
        const bool of_links = key == "ici_core_to_core_on_chip_bw_oneway"; // the next test's
        EXPECT_TRUE(of_limit || derived || of_links ||
                    Preset::load(chip).number(key) == value.value.get<double>())
            << preset.name() << " " << key << " cites " << chip << ": " << value.source;
        ++citing;
    });
    EXPECT_GT(citing, 20);
}

TEST(Sources, CiteTheNumbersThatOtherPresetsHave)
{
    // The mean of the two that are fitted, as the source says with both numbers.
    const PresetValue& share = Preset::load("tpu_v4").at("ici_link_bw_effective_frac");
    const double v5e = Preset::load("tpu_v5e").number("ici_link_bw_effective_frac");
    const double v5p = Preset::load("tpu_v5p").number("ici_link_bw_effective_frac");
    EXPECT_NEAR(share.value.get<double>(), (v5e + v5p) / 2, 1e-3);
    EXPECT_THAT(share.source,
                HasSubstr("v5e (" + Json(v5e).dump() + ") and v5p (" + Json(v5p).dump() + ")"));
    // Written, as faster links are no faster paths on a chip: "twice a link, as on v2", and "six
    // times one ICI link".
    const auto in_links = [](const char* chip) {
        const Preset preset = Preset::load(chip);
        return preset.number("ici_core_to_core_on_chip_bw_oneway") /
               preset.number("ici_link_bw_oneway");
    };
    EXPECT_NEAR(in_links("tpu_v2"), 2, 0.1);
    EXPECT_EQ(in_links("tpu_v3"), 2);
    EXPECT_EQ(in_links("tpu_7x"), Preset::load("tpu_7x").number("d2d_bw_vs_1d_ici"));
}

Preset overridden(const std::string& chip, const std::vector<std::pair<std::string, Json>>& set)
{
    Preset preset = Preset::load(chip);
    for (const auto& [key, value] : set) {
        preset.override_value(key, value, "test");
    }
    return preset;
}

TEST(Overrides, MoveWhatIsDerivedFromThem)
{
    for (const std::string& chip : Preset::names()) {
        const Preset before = Preset::load(chip);
        const Preset arrays = overridden(chip, {{"mxu_per_core", "x2"}});
        for (const char* key : {"macs_per_cycle_chip", "peak_bf16_flops_chip"}) {
            EXPECT_EQ(arrays.number(key), 2 * before.number(key)) << chip << " " << key;
        }
        EXPECT_EQ(make_machine(arrays, {8, {}, {}}).device.matmul_flops(),
                  2 * make_machine(before, {8, {}, {}}).device.matmul_flops())
            << chip;
        const Preset lanes = overridden(chip, {{"vpu_alus_per_sublane_lane", "x2"}});
        EXPECT_EQ(make_machine(lanes, {8, {}, {}}).device.vpu_operations_per_cycle,
                  2 * make_machine(before, {8, {}, {}}).device.vpu_operations_per_cycle)
            << chip;
        EXPECT_EQ(lanes.at("vpu_flops_chip").kind, "derived");
        EXPECT_THAT(lanes.at("vpu_flops_chip").source,
                    HasSubstr("Moved with the override of vpu_alus_per_sublane_lane: "));
    }
}

TEST(Overrides, MoveBandsAsFarAsValues)
{
    const Preset before = Preset::load("tpu_v5e");
    const Preset faster = overridden("tpu_v5e", {{"clock_hz", 3e9}});
    const PresetValue& loads = faster.at("vmem_load_bw_core");
    const PresetValue& loaded = before.at("vmem_load_bw_core");
    EXPECT_EQ(loads.kind, "derived");
    EXPECT_DOUBLE_EQ(loads.value.get<double>(), loaded.value.get<double>() * 2);
    EXPECT_DOUBLE_EQ(loads.low.get<double>(), loaded.low.get<double>() * 2);
    EXPECT_DOUBLE_EQ(loads.high.get<double>(), loaded.high.get<double>() * 2);
    EXPECT_EQ(faster.number("dma_latency_s"), before.number("dma_latency_s"));
}

TEST(Overrides, OfADerivedValueStandWhateverElseIsOverriddenInAnyOrder)
{
    const double before = Preset::load("tpu_v3").number("macs_per_cycle_chip");
    const std::pair<std::string, Json> arrays{"mxu_per_core", "x2"};
    const std::pair<std::string, Json> rate{"macs_per_cycle_chip", "x3"};
    const std::pair<std::string, Json> rows{"mxu_rows", 256};
    EXPECT_EQ(overridden("tpu_v3", {arrays, rate}).number("macs_per_cycle_chip"), 3 * before);
    EXPECT_EQ(overridden("tpu_v3", {rate, arrays}).number("macs_per_cycle_chip"), 3 * before);
    EXPECT_EQ(overridden("tpu_v3", {rows, arrays}).number("macs_per_cycle_chip"), 4 * before);
    const Preset undone =
        overridden("tpu_v3", {rows, rate, arrays}).without_override("macs_per_cycle_chip");
    EXPECT_EQ(undone.number("macs_per_cycle_chip"), 4 * before);
    EXPECT_EQ(undone.overridden_keys(), (std::vector<std::string>{"mxu_per_core", "mxu_rows"}));
}

TEST(Draws, MoveWhatIsDerivedAndNotWhatHasABandOfItsOwn)
{
    const Preset before = Preset::load("tpu_v6e");
    Preset drawn = before;
    drawn.draw_value("vpu_alus_per_sublane_lane", 8);
    drawn.draw_value("clock_hz", 1.6e9);
    EXPECT_DOUBLE_EQ(drawn.number("vpu_flops_chip"),
                     before.number("vpu_flops_chip") * 2 * 1.6 / 1.75);
    EXPECT_EQ(drawn.number("gather_row_s"), before.number("gather_row_s"));
    EXPECT_EQ(drawn.number("peak_bf16_flops_chip"), before.number("peak_bf16_flops_chip"));
}

Json document_with_derivations(const std::string& name)
{
    return load_json(ALXSIM_SOURCE_DIR "/topologies/presets/" + name + ".json");
}

std::string refusal_with(const std::string& key, const Json& entry)
{
    Json document = document_with_derivations("tpu_v5e");
    document["values"][key].update(entry);
    return refusal([&] { Preset::from_json(document, "own.json"); });
}

TEST(PresetFiles, WithADerivationThatCannotBeAreRefused)
{
    EXPECT_THAT(refusal_with("gather_row_s", {{"derived_from", "tpu_v33.gather_row_s"}}),
                HasSubstr("own.json: /values/gather_row_s: is derived from a value of 'tpu_v33'"));
    EXPECT_THAT(refusal_with("gather_row_s", {{"derived_from", "tpu_v3.gather_rows"}}),
                HasSubstr("'gather_rows', which tpu_v3 does not have"));
    EXPECT_THAT(refusal_with("gather_row_s", {{"derived_from", "scatter_row_s / hbm_type"}}),
                HasSubstr("'hbm_type', which is no number but \"HBM2\""));
    EXPECT_THAT(refusal_with("clock_hz", {{"derived_from", "vpu_flops_chip / 4096"}}),
                HasSubstr("is derived from itself"));
    EXPECT_THAT(refusal_with("dma_bw_core", {{"low", "dma_bw_core / 2"}}),
                HasSubstr("/values/dma_bw_core: is derived from itself"));
    EXPECT_THAT(refusal_with("peak_bf16_flops_chip", {{"value", 2.1e14}}),
                HasSubstr("/values/peak_bf16_flops_chip/value: found 210000000000000.0, but by "
                          "derived_from it is 196608000000000.0; allowed: within 1 %"));
    EXPECT_THAT(refusal_with("gather_row_s", {{"high", "value / 2"}}),
                HasSubstr("/values/gather_row_s: value "));
    Json without = document_with_derivations("tpu_v5e");
    without["values"]["clock_hz"].erase("value");
    EXPECT_THAT(refusal([&] { Preset::from_json(without, "own.json"); }),
                HasSubstr("own.json: /values/clock_hz: missing field 'value', or 'derived_from'"));
}

TEST(PresetFiles, MayDeriveValuesFromEmbeddedPresets)
{
    Json document = document_with_derivations("tpu_v5e");
    document["values"]["scatter_row_s"].erase("value");
    document["values"]["scatter_row_s"]["derived_from"] = "gather_row_s * 3 / 2";
    document["values"]["scatter_row_s"]["low"] = "value / 2";
    document["values"]["scatter_row_s"]["high"] = 1e-6;
    const Preset preset = Preset::from_json(document, "own.json");
    const PresetValue& value = preset.at("scatter_row_s");
    EXPECT_DOUBLE_EQ(value.value.get<double>(), 1.5 * preset.number("gather_row_s"));
    EXPECT_DOUBLE_EQ(value.low.get<double>(), 0.75 * preset.number("gather_row_s"));
    EXPECT_EQ(value.high, Json(1e-6));
}

} // namespace
} // namespace alxsim::topologies
