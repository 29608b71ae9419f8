// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <map>
#include <string>
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

/// A chip generation as data: key -> value, unit, source, kind (topologies/presets/*.json).
class Preset {
public:
    /// By name ("tpu_v3") or by path to a preset file of one's own (it has a '/' or ends in .json).
    /// Throws InputError when there is no such preset, or the file does not obey
    /// topologies/schema/preset.schema.json, or a band does not hold its value.
    static Preset load(const std::string& name_or_path);
    /// The same from a document already parsed; `file` names it in messages.
    static Preset from_json(const Json& document, const std::string& file);
    /// The embedded presets, oldest generation first.
    static std::vector<std::string> names();

    const std::string& name() const { return name_; }
    const std::string& title() const { return title_; }
    /// Keys in the order of the file.
    const std::vector<std::string>& keys() const { return keys_; }
    bool has(const std::string& key) const { return values_.count(key) != 0; }
    /// Throws InputError naming the preset and the nearest right key.
    const PresetValue& at(const std::string& key) const;
    /// The number under `key`, in its unit. Throws InputError when absent or not a number.
    double number(const std::string& key) const;
    /// A what-if: replaces one value (kind becomes "overridden"), which is then certain: it has no
    /// low and high. "x2" in place of a number multiplies the preset's number and its low and high,
    /// so that "x1" changes nothing. Throws InputError for an unknown key, a factor that is none,
    /// or another type than the preset's value has; `place` names where the override stands.
    void override_value(const std::string& key, const Json& value, const std::string& place);
    /// Another value from the band of one that nobody knows exactly; its kind stays. `value` is of
    /// the preset's type.
    void draw_value(const std::string& key, const Json& value) { values_.at(key).value = value; }

private:
    PresetValue& to_override(const std::string& key, const std::string& place);
    void check_override(const std::string& key, const Json& value, const std::string& place) const;

    std::string name_;
    std::string title_;
    std::vector<std::string> keys_;
    std::map<std::string, PresetValue> values_;
};

} // namespace alxsim::topologies
