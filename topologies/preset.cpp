// SPDX-License-Identifier: Apache-2.0
#include "topologies/preset.h"

#include "base/input_error.h"
#include "topologies/resources.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace alxsim::topologies {
namespace {

constexpr std::string_view folder = "presets/";
constexpr std::string_view extension = ".json";
constexpr std::string_view schema_file = "schema/preset.schema.json";

bool ends_with(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_path(const std::string& name)
{
    return name.find('/') != std::string::npos || ends_with(name, extension);
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
std::string schema_of_one_value()
{
    Json schema = Json::parse(resources().get(schema_file));
    schema.at("properties").at("values").erase("required");
    return schema.dump();
}

} // namespace

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
    if (is_path(name_or_path)) {
        return from_json(load_json(name_or_path), name_or_path);
    }
    const std::vector<std::string> known = names();
    if (std::find(known.begin(), known.end(), name_or_path) == known.end()) {
        throw InputError("unknown chip '" + name_or_path + "'" + did_you_mean(name_or_path, known) +
                         " (allowed: " + join(known) +
                         ", or a path to a preset file that ends in .json)");
    }
    const std::string file = std::string(folder) + name_or_path + std::string(extension);
    return from_json(parse_json(resources().get(file), file), file);
}

Preset Preset::from_json(const Json& document, const std::string& file)
{
    validate_json(document, resources().get(schema_file), file);
    Preset preset;
    preset.name_ = document.at("name").get<std::string>();
    preset.title_ = document.at("title").get<std::string>();
    for (const auto& [key, entry] : document.at("values").items()) {
        PresetValue value = read_value(entry);
        check_band(value, file, "/values/" + key);
        preset.keys_.push_back(key);
        preset.values_.emplace(key, std::move(value));
    }
    return preset;
}

const PresetValue& Preset::at(const std::string& key) const
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        throw InputError("preset " + name_ + " has no value '" + key + "'" +
                         did_you_mean(key, keys_));
    }
    return found->second;
}

double Preset::number(const std::string& key) const
{
    const PresetValue& entry = at(key);
    if (!entry.value.is_number()) {
        throw InputError("preset " + name_, key, "is no number but " + entry.value.dump());
    }
    return entry.value.get<double>();
}

PresetValue& Preset::to_override(const std::string& key, const std::string& place)
{
    const auto found = values_.find(key);
    if (found == values_.end()) {
        throw InputError("", place,
                         "preset " + name_ + " has no value '" + key + "'" +
                             did_you_mean(key, keys_) + " (`alxsim chips " + name_ +
                             "` lists them all)");
    }
    return found->second;
}

void Preset::check_override(const std::string& key, const Json& value,
                            const std::string& place) const
{
    const Json one_value = {{"value", value},
                            {"unit", values_.at(key).unit},
                            {"source", "override"},
                            {"kind", "sourced"}};
    const Json document = {{"name", name_}, {"title", title_}, {"values", {{key, one_value}}}};
    validate_json(document, schema_of_one_value(), place);
}

void Preset::override_value(const std::string& key, const Json& value, const std::string& place)
{
    PresetValue& entry = to_override(key, place);
    const std::string source = place.empty() ? "override" : "override at " + place;
    PresetValue changed{value, Json(), Json(), entry.unit, source, "overridden"};
    if (value.is_string() && entry.value.is_number()) {
        const double factor = factor_of(value.get<std::string>(), key, entry, place);
        changed.value = times(entry.value, factor);
        changed.low = times(entry.low, factor);
        changed.high = times(entry.high, factor);
        changed.source += ", " + value.get<std::string>() + ": " + entry.source;
    } else if (type_of(value) != type_of(entry.value)) {
        throw InputError("", place,
                         "found " + type_of(value) + " " + value.dump() + "; '" + key +
                             "' allows: " + type_of(entry.value) + " in " + entry.unit);
    }
    check_override(key, changed.value, place);
    entry = std::move(changed);
}

} // namespace alxsim::topologies
