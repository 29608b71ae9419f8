// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "topologies/preset.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::topologies {

/// A slice that a vendor lists, as `alxsim chips NAME --json` tells it.
struct ToldSlice {
    std::string slice; ///< "4x8"
    int chips = 0;
    std::int64_t cores = 0;
    std::vector<bool> wrap; ///< by axis
    std::string kind;
    std::string source;
    std::vector<bool> disputed_wrap;
};

/// A preset with the numbers that are calculated with: what describe_chip() tells.
struct ToldChip {
    std::string name;
    std::string title;
    Named<PresetValue> values;
    std::vector<ToldSlice> slices;
};

/// What describe_unsourced() tells.
struct ToldUnsourced {
    std::string name;
    std::size_t of_values = 0;
    Named<PresetValue> values;
};

/// A line of describe_chips(), by the names of the preset's keys and in their units.
struct ChipSummary {
    std::string name;
    std::string title;
    Json tensorcores_per_chip, peak_bf16_flops_chip, hbm_bytes_chip, hbm_bw_chip,
        ici_link_bw_oneway; ///< numbers, as the preset has them
    std::string largest_slice;
    int largest_slice_chips = 0;
};

ToldChip told_chip(const Preset& preset);
ToldUnsourced told_unsourced(const Preset& preset);
/// All embedded presets, oldest generation first.
std::vector<ChipSummary> chip_summaries();

/// Whether a value rests on an assumption alone.
bool is_unsourced(const PresetValue& value);

inline constexpr FieldLimits any_preset_value =
    limits::as_json(R"({"type": ["number", "boolean", "string", "array", "object"]})");
inline constexpr FieldLimits any_number = limits::as_json(R"({"type": "number"})");

template <class Fields>
void list_fields(Fields& fields, PresetValue& value)
{
    fields("value", value.value, "What is calculated with.", any_preset_value);
    fields.unless_empty("low", value.low, "The least that it may be; absent where it is certain.",
                        any_preset_value);
    fields.unless_empty("high", value.high, "The most that it may be.", any_preset_value);
    fields("unit", value.unit, "Its unit, in which overrides are given, too.");
    fields("kind", value.kind, "What the value rests on.",
           limits::one_of("sourced|derived|assumed|calibrated|overridden"));
    fields("source", value.source, "Who says so, or why it is assumed.");
    fields.unless_empty("derived_from", value.derived_from,
                        "What it is computed from; absent where it is written.");
}

template <class Fields>
void list_fields(Fields& fields, ToldSlice& slice)
{
    fields("slice", slice.slice, "Chips along each axis.");
    fields("chips", slice.chips, "How many chips it has.", limits::at_least(1));
    fields("cores", slice.cores, "How many TensorCores they have.", limits::at_least(1));
    fields("wrap", slice.wrap, "Of each axis, whether its ends are joined.");
    fields("kind", slice.kind, "What that rests on.");
    fields("source", slice.source, "Who lists it.");
    fields.unless_empty("disputed_wrap", slice.disputed_wrap,
                        "The other reading of the evidence, where there is one.");
}

template <class Fields>
void list_fields(Fields& fields, ToldChip& chip)
{
    fields("name", chip.name, "Of the preset.");
    fields("title", chip.title, "What people call it.");
    fields("values", chip.values, "By key, each number of the preset.");
    fields("slices", chip.slices, "Slices that the vendor offers, smallest first.");
}

template <class Fields>
void list_fields(Fields& fields, ToldUnsourced& chip)
{
    fields("name", chip.name, "Of the preset.");
    fields("of_values", chip.of_values, "How many values the preset has.");
    fields("values", chip.values, "By key, those of them that rest on an assumption alone.");
}

template <class Fields>
void list_fields(Fields& fields, ChipSummary& chip)
{
    fields("name", chip.name, "Of the preset.");
    fields("title", chip.title, "What people call it.");
    fields("tensorcores_per_chip", chip.tensorcores_per_chip, "How many.", any_number);
    fields("peak_bf16_flops_chip", chip.peak_bf16_flops_chip, "Operations a second.", any_number);
    fields("hbm_bytes_chip", chip.hbm_bytes_chip, "By the datasheet.", any_number);
    fields("hbm_bw_chip", chip.hbm_bw_chip, "Bytes a second.", any_number);
    fields("ici_link_bw_oneway", chip.ici_link_bw_oneway, "Bytes a second, one way.", any_number);
    fields("largest_slice", chip.largest_slice, "Chips along each axis.");
    fields("largest_slice_chips", chip.largest_slice_chips, "How many chips it has.",
           limits::at_least(1));
}

} // namespace alxsim::topologies
