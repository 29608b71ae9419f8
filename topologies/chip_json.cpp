// SPDX-License-Identifier: Apache-2.0
#include "topologies/chip_json.h"

#include "topologies/listed_slice.h"

#include <string_view>

namespace alxsim::topologies {
namespace {

ToldSlice told_slice(const ListedSlice& slice, double cores_per_chip)
{
    const int chips = chips_of(slice.axes);
    ToldSlice told{shape_of(slice.axes),
                   chips,
                   static_cast<std::int64_t>(chips * cores_per_chip),
                   {},
                   slice.kind,
                   slice.source,
                   slice.disputed_wrap};
    for (const Axis& axis : slice.axes) {
        told.wrap.push_back(axis.wraps);
    }
    return told;
}

ChipSummary summary_of(const Preset& preset)
{
    const auto value = [&preset](const char* key) { return preset.at(key).value; };
    const ListedSlice largest = listed_slices(preset).back();
    return {preset.name(),
            preset.title(),
            value("tensorcores_per_chip"),
            value("peak_bf16_flops_chip"),
            value("hbm_bytes_chip"),
            value("hbm_bw_chip"),
            value("ici_link_bw_oneway"),
            shape_of(largest.axes),
            chips_of(largest.axes)};
}

} // namespace

std::vector<ChipSummary> chip_summaries()
{
    std::vector<ChipSummary> chips;
    for (const std::string& name : Preset::names()) {
        chips.push_back(summary_of(Preset::load(name)));
    }
    return chips;
}

ToldChip told_chip(const Preset& preset)
{
    ToldChip told{preset.name(), preset.title(), {}, {}};
    for (const std::string& key : preset.keys()) {
        if (key != slices_key) {
            told.values.emplace_back(key, preset.at(key));
        }
    }
    for (const ListedSlice& slice : listed_slices(preset)) {
        told.slices.push_back(told_slice(slice, preset.number("tensorcores_per_chip")));
    }
    return told;
}

bool is_unsourced(const PresetValue& value)
{
    const auto begins = [&value](std::string_view word) {
        return value.source.compare(0, word.size(), word) == 0;
    };
    return value.kind == "assumed" && (begins("Assumed") || begins("No source"));
}

ToldUnsourced told_unsourced(const Preset& preset)
{
    ToldUnsourced told{preset.name(), preset.keys().size(), {}};
    for (const std::string& key : preset.keys()) {
        if (is_unsourced(preset.at(key))) {
            told.values.emplace_back(key, preset.at(key));
        }
    }
    return told;
}

} // namespace alxsim::topologies
