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
    /// What the value was computed from, like "tpu_v3.gather_row_s * tpu_v3.clock_hz / clock_hz";
    /// "" where it is written.
    std::string derived_from;
};

/// Notes which keys of a preset are read.
class KeyReads {
public:
    explicit KeyReads(std::size_t keys) : read_(keys) {}
    void note(std::size_t place) { read_[place] = true; }
    bool has(std::size_t place) const { return read_[place]; }

private:
    std::vector<bool> read_;
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
    const PresetValue& at(std::string_view key) const { return entry(read_place_of(key)); }
    /// The number under `key`, in its unit, as it was drawn. Throws InputError when absent or not a
    /// number.
    double number(std::string_view key) const;
    /// What `at` has, or what was drawn instead.
    Json value(std::string_view key) const;
    /// A what-if: replaces one value (kind becomes "overridden"), which is then certain: it has no
    /// low and high. "x2" in place of a number multiplies the file's number and its low and high,
    /// so that "x1" changes nothing. What is derived from the value moves with it, unless it is
    /// overridden itself. Throws InputError for an unknown key, a factor that is none,
    /// or another type than the preset's value has; `place` names where the override stands, for
    /// errors, and `told` for the value's source: reports are the same wherever a study lies.
    void override_value(const std::string& key, const Json& value, const std::string& place,
                        const std::string& told);
    void override_value(const std::string& key, const Json& value, const std::string& place)
    {
        override_value(key, value, place, place);
    }
    /// The same preset as if `key` had never been overridden. Throws InputError for an unknown key.
    Preset without_override(const std::string& key) const;
    /// Keys that are overridden, in the order of the file.
    std::vector<std::string> overridden_keys() const;
    /// Another value from the band of an uncertain one, a number or a flag (0 or 1):
    /// its kind stays. What is derived (kind) from it moves with it; what is assumed has a band of
    /// its own for that. Copies of a preset share all but this.
    void draw_value(std::string_view key, double value) { draw_value_at(place_of(key), value); }
    /// The same of the value at a place in keys().
    void draw_value_at(std::size_t place, double value);
    /// In keys(). Throws InputError as at().
    std::size_t place_of(std::string_view key) const;
    /// A copy that notes in `reads` which keys are asked for: no other copy does. `reads` outlives
    /// it, and the copy stays with one thread.
    Preset watched(KeyReads& reads) const;
    /// Whether one that `reads` has comes of `key`: it was read itself, or what is derived from it.
    bool is_read(std::string_view key, const KeyReads& reads) const;

private:
    /// A value of the same file that another one is derived from.
    struct Input {
        std::size_t place;
        bool divides;
    };
    /// What a value is derived from; numbers and other chips' values never change.
    struct Derived {
        std::size_t place;
        std::vector<Input> inputs;
    };
    /// What overrides and draws leave alone.
    struct Sheet {
        std::string name;
        std::string title;
        KeyPlaces places;
        std::vector<Derived> derived;         ///< whatever a value is derived from comes before it
        std::vector<std::size_t> drawn_along; ///< [keys()]: place in `derived` of what moves with
                                              ///< draws, else none
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    static std::vector<Derived> derived_values(const KeyPlaces& places,
                                               const std::vector<PresetValue>& values);
    std::size_t read_place_of(std::string_view key) const;
    const PresetValue& entry(std::size_t place) const;
    double number_at(std::size_t place) const;
    double drawn_number(std::size_t place) const;
    void derive_anew();
    void replace(std::size_t place, PresetValue value);
    void check_override(const std::string& key, const Json& value, const std::string& place) const;

    std::shared_ptr<const Sheet> sheet_ = std::make_shared<const Sheet>();
    std::shared_ptr<const std::vector<PresetValue>> values_; ///< [keys()], as the file has them
    /// Those that overrides replaced, and what moves with them: place in keys(), value.
    std::vector<std::pair<std::size_t, std::shared_ptr<const PresetValue>>> overridden_;
    KeyReads* reads_ = nullptr; ///< notes what is asked for; null: nobody does
    std::vector<double>
        drawn_; ///< [keys()], NaN where nothing is drawn; empty if nothing is at all
};

} // namespace alxsim::topologies
