// SPDX-License-Identifier: Apache-2.0
#include "topologies/preset.h"

#include "base/input_error.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

namespace alxsim::topologies {
namespace {

template <class Action>
std::string message_of(Action action)
{
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

Json document_of(const std::string& name)
{
    return load_json(ALXSIM_SOURCE_DIR "/topologies/presets/" + name + ".json");
}

std::string refusal_of(const Json& document)
{
    return message_of([&] { Preset::from_json(document, "own.json"); });
}

void expect_part(const std::string& text, const std::string& part)
{
    EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks: " << part;
}

TEST(Presets, AreListedOldestFirst)
{
    const std::vector<std::string> names{"tpu_v2",  "tpu_v3",  "tpu_v4", "tpu_v5e",
                                         "tpu_v5p", "tpu_v6e", "tpu_7x"};
    EXPECT_EQ(Preset::names(), names);
}

TEST(Presets, ObeyTheSchemaAndCarryTheirFileName)
{
    for (const std::string& name : Preset::names()) {
        EXPECT_EQ(Preset::load(name).name(), name);
    }
}

TEST(Presets, GiveEveryAssumedNumberABandAndAReason)
{
    for (const std::string& name : Preset::names()) {
        const Preset preset = Preset::load(name);
        for (const std::string& key : preset.keys()) {
            const PresetValue& value = preset.at(key);
            EXPECT_FALSE(value.unit.empty()) << name << " " << key;
            EXPECT_GT(value.source.size(), 4u) << name << " " << key;
            if (value.kind == "assumed" && value.value.is_number()) {
                EXPECT_LE(value.low.get<double>(), value.value.get<double>()) << name << " " << key;
                EXPECT_LE(value.value.get<double>(), value.high.get<double>())
                    << name << " " << key;
                EXPECT_GT(value.source.size(), 10u) << name << " " << key;
            }
        }
    }
}

TEST(Presets, ReachTheirDatasheetPeakWithTheirArrays)
{
    for (const std::string& name : Preset::names()) {
        const Preset preset = Preset::load(name);
        const double arrays = preset.number("tensorcores_per_chip") *
                              preset.number("mxu_per_core") * preset.number("mxu_rows") *
                              preset.number("mxu_cols");
        const double rows_per_cycle = preset.number("macs_per_cycle_chip") / arrays;
        const double peak = arrays * rows_per_cycle * 2 * preset.number("clock_hz");
        EXPECT_NEAR(peak / preset.number("peak_bf16_flops_chip"), 1.0, 0.005) << name;
        EXPECT_EQ(rows_per_cycle, name == "tpu_v6e" || name == "tpu_7x" ? 2 : 1) << name;
    }
}

TEST(Presets, NeverLeaveARecalledNumberCalledSourced)
{
    for (const std::string& name : Preset::names()) {
        const Preset preset = Preset::load(name);
        for (const std::string& key : preset.keys()) {
            if (preset.at(key).source.rfind("Recalled", 0) == 0) {
                EXPECT_EQ(preset.at(key).kind, "assumed") << name << " " << key;
            }
        }
    }
}

TEST(Presets, CallCalibratedWhatIsFittedToAFigureAndNothingElse)
{
    std::vector<std::string> calibrated;
    for (const std::string& name : Preset::names()) {
        const Preset preset = Preset::load(name);
        for (const std::string& key : preset.keys()) {
            const PresetValue& value = preset.at(key);
            if (value.kind == "calibrated") {
                calibrated.push_back(name + " " + key);
                EXPECT_NE(value.source.find("Fitted: "), std::string::npos) << calibrated.back();
            }
        }
    }
    EXPECT_EQ(calibrated, (std::vector<std::string>{
                              "tpu_v4 mxu_weight_load_cycles", "tpu_v5e step_skew_devices",
                              "tpu_v5e step_skew_slices", "tpu_v5e ici_link_bw_effective_frac",
                              "tpu_v5e ici_line_bw_effective_frac", "tpu_v5p collective_launch_s",
                              "tpu_v5p ici_link_bw_effective_frac", "tpu_v6e dcn_bw_effective_frac",
                              "tpu_7x mxu_sustained_frac", "tpu_7x dma_bw_core",
                              "tpu_7x sparsecore_gather_row_s", "tpu_7x gather_row_s",
                              "tpu_7x op_overhead_s", "tpu_7x ici_link_bw_effective_frac"}));
}

TEST(Preset, AnUnknownNameIsToldTheNearestAndAllAllowed)
{
    const std::string message = message_of([] { Preset::load("tpu_v33"); });
    expect_part(message, "unknown chip 'tpu_v33'; did you mean 'tpu_v3'?");
    expect_part(message, "allowed: tpu_v2, tpu_v3, tpu_v4, tpu_v5e, tpu_v5p, tpu_v6e, tpu_7x");
}

TEST(Preset, ANameWithASlashOrJsonIsAFile)
{
    expect_part(message_of([] { Preset::load("no_such_preset.json"); }), "cannot read this file");
    Json document = document_of("tpu_v3");
    document["name"] = "my_chip";
    const TemporaryFolder folder;
    const std::string path = folder.write("own_preset.json", document.dump());
    EXPECT_EQ(Preset::load(path).name(), "my_chip");
}

TEST(Preset, AnUnknownKeyIsToldTheNearest)
{
    const Preset preset = Preset::load("tpu_v3");
    expect_part(message_of([&] { preset.number("clock_hertz"); }), "did you mean 'clock_hz'?");
    expect_part(message_of([&] { preset.number("topology"); }), "is no number but \"2D torus\"");
}

TEST(Overrides, ReplaceOneValueAndSaySo)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value("ici_link_bw_oneway", 1.64e11, "/machine/overrides/ici_link_bw_oneway");
    const PresetValue& value = preset.at("ici_link_bw_oneway");
    EXPECT_EQ(preset.number("ici_link_bw_oneway"), 1.64e11);
    EXPECT_EQ(value.kind, "overridden");
    EXPECT_EQ(value.unit, "B/s");
    EXPECT_TRUE(value.low.is_null());
    expect_part(value.source, "/machine/overrides/ici_link_bw_oneway");
    preset.override_value("ici_link_bw_oneway", 1, ""); // an integer is a number as well
    EXPECT_EQ(preset.number("ici_link_bw_oneway"), 1);
}

TEST(Overrides, OfAnUnknownKeyAreToldTheNearest)
{
    Preset preset = Preset::load("tpu_v3");
    const std::string message =
        message_of([&] { preset.override_value("hbm_bw_chp", 1e12, "/machine/overrides"); });
    expect_part(message, "/machine/overrides: preset tpu_v3 has no value 'hbm_bw_chp'");
    expect_part(message, "did you mean 'hbm_bw_chip'?");
}

TEST(Overrides, OfAnotherTypeAreRefused)
{
    Preset preset = Preset::load("tpu_v3");
    expect_part(message_of([&] { preset.override_value("clock_hz", "fast", "here"); }),
                "here: found string \"fast\"; 'clock_hz' allows: number in Hz");
    expect_part(
        message_of([&] { preset.override_value("collectives_overlap_compute", 1, "here"); }),
        "allows: boolean");
    const Json bad_slices = Json::parse(R"([{"shape": [2, 2], "wrap": [false, false]}])");
    expect_part(
        message_of([&] { preset.override_value("slice_shapes_chips", bad_slices, "here"); }),
        "here: /values/slice_shapes_chips/value/0: missing field 'kind'");
}

TEST(Draws, ChangeANumberInOneCopyAndNothingThatTheFileSays)
{
    const Preset central = Preset::load("tpu_v3");
    Preset drawn = central;
    drawn.draw_value("gather_row_s", 9e-9);
    drawn.draw_value("collectives_overlap_compute", 1);
    EXPECT_EQ(drawn.number("gather_row_s"), 9e-9);
    EXPECT_EQ(drawn.value("collectives_overlap_compute"), Json(true));
    EXPECT_EQ(drawn.at("gather_row_s").value, central.at("gather_row_s").value);
    EXPECT_EQ(drawn.number("clock_hz"), central.number("clock_hz"));
    EXPECT_EQ(central.number("gather_row_s"), central.at("gather_row_s").value.get<double>());
    drawn.override_value("gather_row_s", 1e-8, "here");
    EXPECT_EQ(drawn.number("gather_row_s"), 1e-8) << "an override is certain";
}

TEST(RelativeOverride, MultipliesTheValueAndItsBand)
{
    Preset preset = Preset::load("tpu_v3");
    const PresetValue before = preset.at("gather_row_s");
    preset.override_value("gather_row_s", "x0.5", "here");
    const PresetValue& value = preset.at("gather_row_s");
    EXPECT_EQ(value.value.get<double>(), before.value.get<double>() / 2);
    EXPECT_EQ(value.low.get<double>(), before.low.get<double>() / 2);
    EXPECT_EQ(value.high.get<double>(), before.high.get<double>() / 2);
    EXPECT_EQ(value.kind, "overridden");
    expect_part(value.source, "override at here, x0.5");
    preset.override_value("mxu_per_core", "x2", "here");
    EXPECT_EQ(preset.at("mxu_per_core").value.dump(), "4") << "whole numbers stay whole";
}

TEST(RelativeOverride, ByOneChangesNoBitOfAnyValue)
{
    for (const std::string& name : Preset::names()) {
        const Preset untouched = Preset::load(name);
        Preset preset = untouched;
        for (const std::string& key : preset.keys()) {
            const PresetValue& before = untouched.at(key);
            if (before.value.is_number()) {
                preset.override_value(key, "x1", "here");
                EXPECT_EQ(preset.at(key).value.dump(), before.value.dump()) << name << " " << key;
                EXPECT_EQ(preset.at(key).low.dump(), before.low.dump()) << name << " " << key;
                EXPECT_EQ(preset.at(key).high.dump(), before.high.dump()) << name << " " << key;
            }
        }
    }
}

TEST(RelativeOverride, NeedsAFactor)
{
    Preset preset = Preset::load("tpu_v3");
    for (const char* text : {"x", "x-1", "xfoo", "x1e999", "xnan", "2x", "x 2", "x2 "}) {
        const std::string message =
            message_of([&] { preset.override_value("ici_link_bw_oneway", text, "here"); });
        expect_part(message, std::string("here: found string \"") + text + "\"");
        expect_part(message, "'ici_link_bw_oneway' allows: number in B/s, or x and a factor");
        expect_part(message, "such as \"x2\" or \"x0.5\"");
    }
}

TEST(PresetFiles, WithoutAUnitAreRefusedWithThePlace)
{
    Json document = document_of("tpu_v3");
    document.at("values").at("clock_hz").erase("unit");
    EXPECT_EQ(refusal_of(document), "own.json: /values/clock_hz: missing field 'unit'");
}

TEST(PresetFiles, WithAnUnknownFieldAreRefusedWithThePlaceAndTheNearest)
{
    Json document = document_of("tpu_v3");
    document["values"]["clock_hz"]["surce"] = "x";
    expect_part(refusal_of(document),
                "own.json: /values/clock_hz: unknown field 'surce'; did you mean 'source'?");
    document = document_of("tpu_v3");
    document["values"]["clock_herz"] = document.at("values").at("clock_hz");
    expect_part(refusal_of(document),
                "own.json: /values: unknown field 'clock_herz'; did you mean 'clock_hz'?");
}

TEST(PresetFiles, WithoutAKeyThatTheModelsReadAreRefused)
{
    Json document = document_of("tpu_v3");
    document.at("values").erase("hbm_bw_chip");
    EXPECT_EQ(refusal_of(document), "own.json: /values: missing field 'hbm_bw_chip'");
}

TEST(PresetFiles, WithAWrongTypeOrKindAreRefused)
{
    Json document = document_of("tpu_v3");
    document["values"]["clock_hz"]["value"] = "fast";
    expect_part(refusal_of(document),
                "own.json: /values/clock_hz/value: found string \"fast\"; allowed: number");
    document = document_of("tpu_v3");
    document["values"]["clock_hz"]["kind"] = "guessed";
    expect_part(refusal_of(document), "own.json: /values/clock_hz/kind: found string \"guessed\"");
}

TEST(PresetFiles, WithAnAssumptionWithoutABandAreRefused)
{
    Json document = document_of("tpu_v3");
    document.at("values").at("step_dispatch_s").erase("high");
    expect_part(refusal_of(document), "own.json: /values/step_dispatch_s: missing field 'high'");
    document.at("values").at("step_dispatch_s").erase("low");
    expect_part(
        refusal_of(document),
        "/values/step_dispatch_s: missing field 'low': an assumed number needs low and high");
}

TEST(PresetFiles, WithAValueOutsideItsBandAreRefused)
{
    Json document = document_of("tpu_v3");
    document["values"]["gather_row_s"]["value"] = 1.0;
    expect_part(refusal_of(document), "/values/gather_row_s: value 1.0 is not between low");
}

} // namespace
} // namespace alxsim::topologies
