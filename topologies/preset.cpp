// SPDX-License-Identifier: Apache-2.0
#include "topologies/preset.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "topologies/chip_name.h"
#include "topologies/resources.h"

#include <algorithm>
#include <charconv>
#include <cmath>
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

Json bound(const Json& entry, const char* key)
{
    return entry.contains(key) ? entry.at(key) : Json();
}

PresetValue read_value(const Json& entry)
{
    return {entry.at("value"),
            bound(entry, "low"),
            bound(entry, "high"),
            entry.at("unit").get<std::string>(),
            entry.at("source").get<std::string>(),
            entry.at("kind").get<std::string>()};
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

/// Of "x0.5": 0.5.
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
    for (const auto& [key, entry] : document.at("values").items()) {
        values->push_back(read_value(entry));
        check_band(values->back(), file, "/values/" + key);
        keys.push_back(key);
    }
    sheet->places = KeyPlaces(std::move(keys));
    Preset preset;
    preset.sheet_ = std::move(sheet);
    preset.values_ = std::move(values);
    return preset;
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

const PresetValue& Preset::entry(std::size_t place) const
{
    for (const auto& [which, value] : overridden_) {
        if (which == place) {
            return *value;
        }
    }
    return (*values_)[place];
}

double Preset::number(std::string_view key) const
{
    const std::size_t place = place_of(key);
    if (!drawn_.empty() && !std::isnan(drawn_[place])) {
        return drawn_[place];
    }
    const Json& value = entry(place).value;
    if (!value.is_number()) {
        throw InputError("preset " + name(), std::string(key), "is no number but " + value.dump());
    }
    return value.get<double>();
}

Json Preset::value(std::string_view key) const
{
    const std::size_t place = place_of(key);
    const Json& value = entry(place).value;
    if (drawn_.empty() || std::isnan(drawn_[place])) {
        return value;
    }
    return value.is_boolean() ? Json(drawn_[place] != 0) : Json(drawn_[place]);
}

void Preset::draw_value(std::string_view key, double value)
{
    drawn_.resize(keys().size(), std::numeric_limits<double>::quiet_NaN());
    drawn_[place_of(key)] = value;
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
    const PresetValue& before = at(key);
    const std::string source = told.empty() ? "override" : "override at " + told;
    PresetValue changed{value, Json(), Json(), before.unit, source, "overridden"};
    if (value.is_string() && before.value.is_number()) {
        const double factor = factor_of(value.get<std::string>(), key, before, place);
        changed.value = times(before.value, factor);
        changed.low = times(before.low, factor);
        changed.high = times(before.high, factor);
        changed.source += ", " + value.get<std::string>() + ": " + before.source;
    } else if (type_of(value) != type_of(before.value)) {
        throw InputError("", place,
                         "found " + type_of(value) + " " + value.dump() + "; '" + key +
                             "' allows: " + type_of(before.value) + " in " + before.unit);
    }
    // Of a number or a flag the schema says no more than its type.
    if (!has_band(changed.value)) {
        check_override(key, changed.value, place);
    }
    const std::size_t place_of_key = place_of(key);
    overridden_.erase(std::remove_if(overridden_.begin(), overridden_.end(),
                                     [&](const auto& one) { return one.first == place_of_key; }),
                      overridden_.end());
    overridden_.emplace_back(place_of_key, std::make_shared<const PresetValue>(std::move(changed)));
    if (!drawn_.empty()) {
        drawn_[place_of_key] = std::numeric_limits<double>::quiet_NaN();
    }
}

} // namespace alxsim::topologies
