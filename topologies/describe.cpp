// SPDX-License-Identifier: Apache-2.0
#include "topologies/describe.h"

#include "base/text/printed.h"
#include "base/text/text_table.h"
#include "topologies/chip_json.h"
#include "topologies/listed_slice.h"

#include <algorithm>
#include <cstdlib>

namespace alxsim::topologies {
namespace {

std::string text_of(const Json& value)
{
    if (value.is_number_float()) {
        // As short as it can be without being another number: what is printed can be set.
        const std::string text = printed("%.6g", value.get<double>());
        return std::strtod(text.c_str(), nullptr) == value.get<double>() ? text : value.dump();
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

TableRow row_of(const Preset& preset)
{
    const ListedSlice largest = listed_slices(preset).back();
    const auto scaled = [&preset](const char* key, double unit) {
        return printed("%.4g", preset.number(key) / unit);
    };
    return {preset.name(),
            preset.title(),
            scaled("tensorcores_per_chip", 1),
            scaled("peak_bf16_flops_chip", 1e12),
            scaled("hbm_bytes_chip", 1e9),
            scaled("hbm_bw_chip", 1e9),
            scaled("ici_link_bw_oneway", 1e9),
            std::to_string(largest.axes.size()) + "D",
            shape_of(largest.axes) + " (" + std::to_string(chips_of(largest.axes)) + " chips)"};
}

std::string value_lines(const std::string& key, const PresetValue& value)
{
    // What is computed has more digits than anybody knows.
    const auto told = [&](const Json& number) {
        const bool computed = !value.derived_from.empty() && number.is_number_float();
        return computed ? printed("%.6g", number.get<double>()) : text_of(number);
    };
    std::string text = key + " = " + told(value.value);
    if (!value.low.is_null()) {
        text += "  (" + told(value.low) + " .. " + told(value.high) + ")";
    }
    text += "  " + value.unit + "  [" + value.kind + "]\n";
    if (!value.derived_from.empty()) {
        text += "    = " + value.derived_from + "\n";
    }
    return text + "    " + value.source + "\n";
}

std::string wrap_text(const std::vector<Axis>& axes)
{
    std::string rings;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (axes[axis].wraps) {
            rings += std::string(" ") + "xyz"[axis];
        }
    }
    return rings.empty() ? "mesh" : "wraps" + rings;
}

std::string wrap_text(const ListedSlice& slice)
{
    return wrap_text(slice.axes) + (slice.disputed_wrap.empty() ? "" : " (disputed)");
}

std::string counted(int number, const std::string& noun)
{
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string slices_text(const Preset& preset)
{
    const double per_chip = preset.number("tensorcores_per_chip");
    std::vector<TableRow> rows{{"slice", "chips", "cores", "rings", "kind", "source"}};
    for (const ListedSlice& slice : listed_slices(preset)) {
        const int chips = chips_of(slice.axes);
        rows.push_back({shape_of(slice.axes), std::to_string(chips),
                        printed("%.6g", chips * per_chip), wrap_text(slice), slice.kind,
                        slice.source});
    }
    return text_table(rows, {false, true, true, false, false, false});
}

} // namespace

std::string describe_chips()
{
    std::vector<TableRow> rows{{"name", "title", "cores/chip", "bf16 TFLOP/s", "HBM GB", "HBM GB/s",
                                "ICI GB/s/link", "mesh", "largest slice"}};
    for (const std::string& name : Preset::names()) {
        rows.push_back(row_of(Preset::load(name)));
    }
    return text_table(rows, {false, false, true, true, true, true, true, false, false}) +
           "Per chip; ICI is one direction of one link. `alxsim chips NAME` gives each number's "
           "source.\n";
}

std::string machine_in_words(const Machine& machine)
{
    return machine.preset.name() + ", " + counted(machine.slice.chips(), "chip") + ", " +
           counted(machine.cores, "core") + ", " + counted(machine.devices, "device") + ", " +
           (machine.slice.slices() > 1 ? "" : "slice ") + machine.slice.words() +
           (machine.slice.assumed() ? " (assumed: the vendor lists no such slice)" : "");
}

std::string describe_machine(const Machine& machine)
{
    return machine_in_words(machine) + ", " + wrap_text(machine.slice.ici_axes()) + "\n";
}

std::string describe_chip(const Preset& preset)
{
    std::string text = preset.name() + ": " + preset.title() + "\n\n";
    for (const std::string& key : preset.keys()) {
        if (key != slices_key) {
            text += value_lines(key, preset.at(key));
        }
    }
    return text + "\n" + slices_text(preset);
}

std::string describe_unsourced(const Preset& preset)
{
    std::string text;
    int count = 0;
    for (const std::string& key : preset.keys()) {
        const PresetValue& value = preset.at(key);
        if (is_unsourced(value)) {
            text += value_lines(key, value);
            ++count;
        }
    }
    return preset.name() + ": " + std::to_string(count) + " of " +
           std::to_string(preset.keys().size()) + " values rest on an assumption alone\n" + text;
}

} // namespace alxsim::topologies
