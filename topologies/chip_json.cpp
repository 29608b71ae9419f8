// SPDX-License-Identifier: Apache-2.0
#include "topologies/chip_json.h"

#include "topologies/listed_slice.h"

#include <string_view>

namespace alxsim::topologies {
namespace {

Json json_of_value(const PresetValue& value)
{
    Json json{{"value", value.value}};
    if (!value.low.is_null()) {
        json["low"] = value.low;
        json["high"] = value.high;
    }
    json["unit"] = value.unit;
    json["kind"] = value.kind;
    json["source"] = value.source;
    if (!value.derived_from.empty()) {
        json["derived_from"] = value.derived_from;
    }
    return json;
}

Json json_of_slice(const ListedSlice& slice, double cores_per_chip)
{
    Json wrap = Json::array();
    for (const Axis& axis : slice.axes) {
        wrap.push_back(axis.wraps);
    }
    const int chips = chips_of(slice.axes);
    Json json{{"slice", shape_of(slice.axes)},
              {"chips", chips},
              {"cores", static_cast<std::int64_t>(chips * cores_per_chip)},
              {"wrap", wrap},
              {"kind", slice.kind},
              {"source", slice.source}};
    if (!slice.disputed_wrap.empty()) {
        json["disputed_wrap"] = slice.disputed_wrap;
    }
    return json;
}

Json slices_json(const Preset& preset)
{
    Json slices = Json::array();
    for (const ListedSlice& slice : listed_slices(preset)) {
        slices.push_back(json_of_slice(slice, preset.number("tensorcores_per_chip")));
    }
    return slices;
}

Json summary_of(const Preset& preset)
{
    Json json{{"name", preset.name()}, {"title", preset.title()}};
    for (const char* key : {"tensorcores_per_chip", "peak_bf16_flops_chip", "hbm_bytes_chip",
                            "hbm_bw_chip", "ici_link_bw_oneway"}) {
        json[key] = preset.at(key).value;
    }
    const ListedSlice largest = listed_slices(preset).back();
    json["largest_slice"] = shape_of(largest.axes);
    json["largest_slice_chips"] = chips_of(largest.axes);
    return json;
}

} // namespace

Json json_of_chips()
{
    Json chips = Json::array();
    for (const std::string& name : Preset::names()) {
        chips.push_back(summary_of(Preset::load(name)));
    }
    return {{"chips", chips}};
}

Json json_of_chip(const Preset& preset)
{
    Json values = Json::object();
    for (const std::string& key : preset.keys()) {
        if (key != slices_key) {
            values[key] = json_of_value(preset.at(key));
        }
    }
    return {{"name", preset.name()},
            {"title", preset.title()},
            {"values", values},
            {"slices", slices_json(preset)}};
}

bool is_unsourced(const PresetValue& value)
{
    const auto begins = [&value](std::string_view word) {
        return value.source.compare(0, word.size(), word) == 0;
    };
    return value.kind == "assumed" && (begins("Assumed") || begins("No source"));
}

Json json_of_unsourced(const Preset& preset)
{
    Json values = Json::object();
    for (const std::string& key : preset.keys()) {
        if (is_unsourced(preset.at(key))) {
            values[key] = json_of_value(preset.at(key));
        }
    }
    return {{"name", preset.name()}, {"of_values", preset.keys().size()}, {"values", values}};
}

} // namespace alxsim::topologies
