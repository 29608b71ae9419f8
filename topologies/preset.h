// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/key_places.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alxsim::topologies {

/// One number of a chip preset, with where it comes from.
struct PresetValue {
    Json value;
    Json low;  ///< null where sources agree and nothing is assumed
    Json high; ///< null likewise
    std::string unit;
    std::string source;
    std::string kind; ///< sourced | derived | assumed | calibrated | overridden
};

/// Whether a chip is a file: its name has a '/' or ends in .json.
bool is_preset_path(const std::string& name);

/// A chip generation as data: key -> value, unit, source, kind (topologies/presets/*.json).
class Preset {
public:
    /// By a name that chip_named() knows ("tpu_v3", "v3"; a size is passed over), or by path to a
    /// preset file of one's own (it has a '/' or ends in .json).
    /// Throws InputError when there is no such preset, or the file does not obey
    /// topologies/schema/preset.schema.json, or a band does not hold its value.
    static Preset load(const std::string& name_or_path);
    /// The same from a document already parsed; `file` names it in messages.
    static Preset from_json(const Json& document, const std::string& file);
    /// The embedded presets, oldest generation first.
    static std::vector<std::string> names();

    const std::string& name() const { return sheet_->name; }
    const std::string& title() const { return sheet_->title; }
    /// Keys in the order of the file.
    const std::vector<std::string>& keys() const { return sheet_->places.keys(); }
    bool has(std::string_view key) const { return sheet_->places.find(key).has_value(); }
    /// What the file says, or an override; draws do not show. Holds until the next override. Throws
    /// InputError naming the preset and the nearest right key.
    const PresetValue& at(std::string_view key) const { return entry(place_of(key)); }
    /// The number under `key`, in its unit, as it was drawn. Throws InputError when absent or not a
    /// number.
    double number(std::string_view key) const;
    /// What `at` has, or what was drawn instead.
    Json value(std::string_view key) const;
    /// A what-if: replaces one value (kind becomes "overridden"), which is then certain: it has no
    /// low and high. "x2" in place of a number multiplies the preset's number and its low and high,
    /// so that "x1" changes nothing. Throws InputError for an unknown key, a factor that is none,
    /// or another type than the preset's value has; `place` names where the override stands, for
    /// errors, and `told` for the value's source: reports are the same wherever a study lies.
    void override_value(const std::string& key, const Json& value, const std::string& place,
                        const std::string& told);
    void override_value(const std::string& key, const Json& value, const std::string& place)
    {
        override_value(key, value, place, place);
    }
    /// Another value from the band of an uncertain one, a number or a flag (0 or 1):
    /// its kind stays. Copies of a preset share all but this.
    void draw_value(std::string_view key, double value);

private:
    /// What overrides and draws leave alone.
    struct Sheet {
        std::string name;
        std::string title;
        KeyPlaces places;
    };

    std::size_t place_of(std::string_view key) const;
    const PresetValue& entry(std::size_t place) const;
    void check_override(const std::string& key, const Json& value, const std::string& place) const;

    std::shared_ptr<const Sheet> sheet_ = std::make_shared<const Sheet>();
    std::shared_ptr<const std::vector<PresetValue>> values_; ///< [keys()], as the file has them
    /// Of those that overrides replaced: place in keys(), value.
    std::vector<std::pair<std::size_t, std::shared_ptr<const PresetValue>>> overridden_;
    std::vector<double>
        drawn_; ///< [keys()], NaN where nothing is drawn; empty if nothing is at all
};

} // namespace alxsim::topologies
