// SPDX-License-Identifier: Apache-2.0
#include "topologies/preset.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "topologies/chip_name.h"
#include "topologies/derivation.h"
#include "topologies/resources.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace alxsim::topologies {
namespace {

constexpr std::string_view folder = "presets/";
constexpr std::string_view extension = ".json";
constexpr std::string_view schema_file = "schema/preset.schema.json";

bool ends_with(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

PresetValue read_value(const Json& entry, const std::string& key, const Derivations& derivations,
                       const std::string& file)
{
    if (!entry.contains("value") && !entry.contains("derived_from")) {
        throw InputError(file, "/values/" + key,
                         "missing field 'value', or 'derived_from' in its place");
    }
    DerivedNumber number{entry.value("value", Json()), entry.value("low", Json()),
                         entry.value("high", Json())};
    if (entry.contains("derived_from") || number.low.is_string() || number.high.is_string()) {
        number = derivations.number(key);
    }
    return {number.value,
            number.low,
            number.high,
            entry.at("unit").get<std::string>(),
            entry.at("source").get<std::string>(),
            entry.at("kind").get<std::string>(),
            entry.value("derived_from", "")};
}

bool has_band(const Json& value)
{
    return value.is_number() || value.is_boolean();
}

/// A flag's band is false..true.
double as_number(const Json& value)
{
    return value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
}

/// What no schema can say: an assumed number tells how far it may be off, and lies in its own band.
void check_band(const PresetValue& value, const std::string& file, const std::string& place)
{
    if (!has_band(value.value)) {
        return;
    }
    const bool both = !value.low.is_null() && !value.high.is_null();
    const bool neither = value.low.is_null() && value.high.is_null();
    if (!both && (!neither || value.kind == "assumed")) {
        throw InputError(file, place,
                         std::string("missing field '") + (value.low.is_null() ? "low" : "high") +
                             (neither ? "': an assumed number needs low and high"
                                      : "': low and high come together"));
    }
    if (both && (as_number(value.low) > as_number(value.value) ||
                 as_number(value.value) > as_number(value.high))) {
        throw InputError(file, place,
                         "value " + value.value.dump() + " is not between low " + value.low.dump() +
                             " and high " + value.high.dump());
    }
}

/// Numbers are of one type, whether written 2 or 2.0.
std::string type_of(const Json& value)
{
    return value.type_name();
}

/// Reads the 0.5 of "x0.5".
double factor_of(const std::string& text, const std::string& key, const PresetValue& entry,
                 const std::string& place)
{
    double factor = -1;
    const char* const end = text.data() + text.size();
    if (text.size() > 1 && text.front() == 'x') {
        const auto [rest, error] = std::from_chars(text.data() + 1, end, factor);
        factor = error == std::errc() && rest == end && std::isfinite(factor) ? factor : -1;
    }
    if (factor < 0) {
        throw InputError("", place,
                         "found string \"" + text + "\"; '" + key + "' allows: number in " +
                             entry.unit +
                             ", or x and a factor from 0 that multiplies the preset's " +
                             entry.value.dump() + ", such as \"x2\" or \"x0.5\"");
    }
    return factor;
}

/// Whole numbers stay whole where the product is; null stays null.
Json times(const Json& value, double factor)
{
    if (!value.is_number()) {
        return value;
    }
    const double product = value.get<double>() * factor;
    const bool whole =
        value.is_number_integer() && product == std::floor(product) && std::abs(product) < 9e15;
    return whole ? Json(static_cast<std::int64_t>(product)) : Json(product);
}

/// The schema for the one value that an override brings: no other key is required of it.
const std::string& schema_of_one_value()
{
    static const std::string text = [] {
        Json schema = Json::parse(resources().get(schema_file));
        schema.erase("required");
        schema.at("properties").at("values").erase("required");
        return schema.dump();
    }();
    return text;
}

} // namespace

bool is_preset_path(const std::string& name)
{
    return name.find('/') != std::string::npos || ends_with(name, extension);
}

std::vector<std::string> Preset::names()
{
    std::vector<std::string> names;
    for (const Resources::Entry& entry : resources().entries()) {
        if (entry.name.substr(0, folder.size()) == folder) {
            const std::size_t length = entry.name.size() - folder.size() - extension.size();
            names.emplace_back(entry.name.substr(folder.size(), length));
        }
    }
    return names;
}

Preset Preset::load(const std::string& name_or_path)
{
    if (is_preset_path(name_or_path)) {
        return from_json(load_json(name_or_path), name_or_path);
    }
    const std::optional<ChipName> chip = chip_named(name_or_path);
    if (!chip) {
        throw InputError("unknown chip '" + name_or_path + "'" + chips_meant_by(name_or_path) +
                         " (allowed: " + join(names()) +
                         ", their usual names like v5e and trillium, with a size like v5e-16, or "
                         "a path to a preset file that ends in .json)");
    }
    static Memo<std::string, Preset> loaded; // copies share what is in them
    return loaded.get(chip->preset, [&] {
        const std::string file = std::string(folder) + chip->preset + std::string(extension);
        return from_json(parse_json(resources().get(file), file), file);
    });
}

Preset Preset::from_json(const Json& document, const std::string& file)
{
    validate_json(document, resources().get(schema_file), file);
    auto sheet = std::make_shared<Sheet>();
    auto values = std::make_shared<std::vector<PresetValue>>();
    sheet->name = document.at("name").get<std::string>();
    sheet->title = document.at("title").get<std::string>();
    std::vector<std::string> keys;
    const Derivations derivations(document, file);
    for (const auto& [key, entry] : document.at("values").items()) {
        values->push_back(read_value(entry, key, derivations, file));
        check_band(values->back(), file, "/values/" + key);
        keys.push_back(key);
    }
    sheet->places = KeyPlaces(std::move(keys));
    sheet->derived = derived_values(sheet->places, *values);
    sheet->drawn_along.assign(values->size(), none);
    for (std::size_t i = 0; i < sheet->derived.size(); ++i) {
        const std::size_t place = sheet->derived[i].place;
        if ((*values)[place].kind == "derived") {
            sheet->drawn_along[place] = i;
        }
    }
    Preset preset;
    preset.sheet_ = std::move(sheet);
    preset.values_ = std::move(values);
    return preset;
}

std::vector<Preset::Derived> Preset::derived_values(const KeyPlaces& places,
                                                    const std::vector<PresetValue>& values)
{
    std::vector<Derived> ordered;
    std::vector<bool> done(values.size());
    const std::function<void(std::size_t)> add = [&](std::size_t place) {
        if (done[place] || values[place].derived_from.empty()) {
            return;
        }
        done[place] = true;
        Derived one{place, {}};
        for (const DerivationFactor& factor :
             read_derivation(values[place].derived_from, "", places.keys()[place])) {
            if (factor.chip.empty() && !factor.key.empty()) {
                one.inputs.push_back({places.find(factor.key).value(), factor.divides});
                add(one.inputs.back().place);
            }
        }
        ordered.push_back(std::move(one));
    };
    for (std::size_t place = 0; place < values.size(); ++place) {
        add(place);
    }
    return ordered;
}

std::size_t Preset::place_of(std::string_view key) const
{
    const std::optional<std::size_t> place = sheet_->places.find(key);
    if (!place) {
        throw InputError("preset " + name() + " has no value '" + std::string(key) + "'" +
                         did_you_mean(std::string(key), keys()));
    }
    return *place;
}

std::size_t Preset::read_place_of(std::string_view key) const
{
    const std::size_t place = place_of(key);
    if (reads_ != nullptr) {
        reads_->note(place);
    }
    return place;
}

const PresetValue& Preset::entry(std::size_t place) const
{
    for (const auto& [which, value] : overridden_) {
        if (which == place) {
            return *value;
        }
    }
    return (*values_)[place];
}

double Preset::number_at(std::size_t place) const
{
    const Json& value = entry(place).value;
    if (!value.is_number()) {
        throw InputError("preset " + name(), keys()[place], "is no number but " + value.dump());
    }
    return value.get<double>();
}

/// The number as it was drawn, and moved with what was drawn of what it is derived from.
double Preset::drawn_number(std::size_t place) const
{
    double number = std::isnan(drawn_[place]) ? number_at(place) : drawn_[place];
    const std::size_t along = sheet_->drawn_along[place];
    if (along != none && !entry(place).derived_from.empty()) {
        for (const Input& input : sheet_->derived[along].inputs) {
            const double ratio = drawn_number(input.place) / number_at(input.place);
            number = input.divides ? number / ratio : number * ratio;
        }
    }
    return number;
}

double Preset::number(std::string_view key) const
{
    const std::size_t place = read_place_of(key);
    return drawn_.empty() ? number_at(place) : drawn_number(place);
}

Json Preset::value(std::string_view key) const
{
    const std::size_t place = read_place_of(key);
    const Json& value = entry(place).value;
    if (drawn_.empty() || std::isnan(drawn_[place])) {
        return value;
    }
    return value.is_boolean() ? Json(drawn_[place] != 0) : Json(drawn_[place]);
}

void Preset::draw_value_at(std::size_t place, double value)
{
    drawn_.resize(keys().size(), std::numeric_limits<double>::quiet_NaN());
    drawn_.at(place) = value;
}

Preset Preset::watched(KeyReads& reads) const
{
    Preset copy = *this;
    copy.reads_ = &reads;
    return copy;
}

bool Preset::is_read(std::string_view key, const KeyReads& reads) const
{
    std::vector<bool> comes_of(keys().size());
    const std::size_t asked = place_of(key);
    comes_of[asked] = true;
    bool read = reads.has(asked);
    for (const Derived& one : sheet_->derived) {
        const bool follows = entry(one.place).kind != "overridden" &&
                             std::any_of(one.inputs.begin(), one.inputs.end(),
                                         [&](const Input& input) { return comes_of[input.place]; });
        if (follows) {
            comes_of[one.place] = true;
            read = read || reads.has(one.place);
        }
    }
    return read;
}

std::vector<std::string> Preset::overridden_keys() const
{
    std::vector<std::string> overridden;
    for (std::size_t place = 0; place < keys().size(); ++place) {
        if (entry(place).kind == "overridden") {
            overridden.push_back(keys()[place]);
        }
    }
    return overridden;
}

Preset Preset::without_override(const std::string& key) const
{
    Preset without = *this;
    const std::size_t place = place_of(key);
    auto& replaced = without.overridden_;
    replaced.erase(std::remove_if(replaced.begin(), replaced.end(),
                                  [&](const auto& one) { return one.first == place; }),
                   replaced.end());
    without.derive_anew();
    return without;
}

void Preset::replace(std::size_t place, PresetValue value)
{
    for (auto& [which, before] : overridden_) {
        if (which == place) {
            before = std::make_shared<const PresetValue>(std::move(value));
            return;
        }
    }
    overridden_.emplace_back(place, std::make_shared<const PresetValue>(std::move(value)));
}

/// Moves every value that is derived by what the values that it is derived from were multiplied
/// with, but not those that are overridden themselves.
void Preset::derive_anew()
{
    overridden_.erase(
        std::remove_if(overridden_.begin(), overridden_.end(),
                       [](const auto& one) { return one.second->kind != "overridden"; }),
        overridden_.end());
    for (const Derived& one : sheet_->derived) {
        const PresetValue& written = (*values_)[one.place];
        double ratio = 1;
        std::vector<std::string> with;
        for (const Input& input : one.inputs) {
            const double moved =
                number_at(input.place) / (*values_)[input.place].value.get<double>();
            ratio = input.divides ? ratio / moved : ratio * moved;
            if (moved != 1) {
                with.push_back(keys()[input.place]);
            }
        }
        if (ratio != 1 && entry(one.place).kind != "overridden") {
            PresetValue moved = written;
            moved.value = times(written.value, ratio);
            moved.low = times(written.low, ratio);
            moved.high = times(written.high, ratio);
            moved.source = "Moved with the override of " + join(with) + ": " + written.source;
            replace(one.place, std::move(moved));
        }
    }
}

void Preset::check_override(const std::string& key, const Json& value,
                            const std::string& place) const
{
    const Json one_value = {
        {"value", value}, {"unit", at(key).unit}, {"source", "override"}, {"kind", "sourced"}};
    const Json document = {{"values", {{key, one_value}}}};
    validate_json(document, schema_of_one_value(), place);
}

void Preset::override_value(const std::string& key, const Json& value, const std::string& place,
                            const std::string& told)
{
    if (!has(key)) {
        throw InputError("", place,
                         "preset " + name() + " has no value '" + key + "'" +
                             did_you_mean(key, keys()) + " (`alxsim chips " + name() +
                             "` lists them all)");
    }
    const std::size_t place_of_key = place_of(key);
    const PresetValue& before = (*values_)[place_of_key];
    const std::string source = told.empty() ? "override" : "override at " + told;
    PresetValue changed{value, Json(), Json(), before.unit, source, "overridden", ""};
    if (value.is_string() && before.value.is_number()) {
        const double factor = factor_of(value.get<std::string>(), key, before, place);
        changed.derived_from = before.derived_from;
        changed.value = times(before.value, factor);
        changed.low = times(before.low, factor);
        changed.high = times(before.high, factor);
        changed.source += ", " + value.get<std::string>() + ": " + before.source;
    } else if (type_of(value) != type_of(before.value)) {
        throw InputError("", place,
                         "found " + type_of(value) + " " + value.dump() + "; '" + key +
                             "' allows: " + type_of(before.value) + " in " + before.unit);
    }
    // About a number or a flag the schema says no more than its type.
    if (!has_band(changed.value)) {
        check_override(key, changed.value, place);
    }
    replace(place_of_key, std::move(changed));
    derive_anew();
    if (!drawn_.empty()) {
        drawn_[place_of_key] = std::numeric_limits<double>::quiet_NaN();
    }
}

} // namespace alxsim::topologies
