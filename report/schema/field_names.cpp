// SPDX-License-Identifier: Apache-2.0
#include "report/schema/field_names.h"

#include "base/json_fields.h"
#include "report/schema/report_schema.h"

#include <algorithm>
#include <array>

namespace alxsim::report {
namespace {

/// Points that fit and series as if they were one object.
const Json& points_and_series()
{
    static const Json schema = [] {
        const Json& report = report_schema();
        Json properties = report.at("definitions").at("fitting_point").at("properties");
        const Json& series = report.at("properties").at("series").at("items").at("properties");
        for (const auto& [name, field] : series.items()) {
            if (!properties.contains(name)) {
                properties[name] = field;
            }
        }
        return Json{{"properties", std::move(properties)}, {"additionalProperties", false}};
    }();
    return schema;
}

std::vector<std::string> names_in(const Json& schema)
{
    std::vector<std::string> names;
    if (schema.contains("properties")) {
        for (const auto& [name, field] : schema.at("properties").items()) {
            names.push_back(name);
        }
    }
    return names;
}

bool has_type(const Json& schema, const std::string& type)
{
    const Json found = schema.value("type", Json());
    return found == type ||
           (found.is_array() && std::find(found.begin(), found.end(), type) != found.end());
}

/// What a value is that is no number.
std::string what_is(const Json& schema)
{
    constexpr std::array kinds{std::pair("object", "an object"), std::pair("array", "a list"),
                               std::pair("string", "a text")};
    for (const auto& [type, words] : kinds) {
        if (has_type(schema, type)) {
            return words;
        }
    }
    return "true or false";
}

NamedField at_end(const Json& schema, const std::string& inside, const std::string& part)
{
    if (has_type(schema, "number") || has_type(schema, "integer")) {
        return {NamedField::Kind::number};
    }
    return {NamedField::Kind::no_number, inside, part, what_is(schema), names_in(schema)};
}

std::string joined(const std::string& inside, const std::string& part)
{
    return inside.empty() ? part : inside + "." + part;
}

NamedField found(const Json& schema, const std::string& inside, const std::string& rest);

/// In an object with names of a run's own, which may have dots: phases, axes.
NamedField found_in_map(const Json& values, const std::string& inside, const std::string& rest)
{
    const std::size_t dot = rest.rfind('.');
    if (!values.contains("properties") || dot == std::string::npos) {
        return at_end(values, inside, rest);
    }
    return found(values, joined(inside, rest.substr(0, dot)), rest.substr(dot + 1));
}

NamedField found(const Json& schema, const std::string& inside, const std::string& rest)
{
    const Json others = schema.value("additionalProperties", Json());
    if (others.is_object()) {
        return found_in_map(others, inside, rest);
    }
    const std::size_t dot = rest.find('.');
    const std::string part = rest.substr(0, dot);
    if (!schema.contains("properties") || !schema.at("properties").contains(part)) {
        return others == false
                   ? NamedField{NamedField::Kind::unknown, inside, part, {}, names_in(schema)}
                   : NamedField{};
    }
    const Json& field = schema.at("properties").at(part);
    if (dot == std::string::npos) {
        return at_end(field, inside, part);
    }
    if (!has_type(field, "object")) {
        return at_end(field, inside, part).kind == NamedField::Kind::number
                   ? NamedField{NamedField::Kind::unknown,
                                joined(inside, part),
                                rest.substr(dot + 1),
                                {},
                                {}}
                   : at_end(field, inside, part);
    }
    return found(field, joined(inside, part), rest.substr(dot + 1));
}

} // namespace

NamedField field_named(const std::string& path)
{
    return found(points_and_series(), "", path);
}

} // namespace alxsim::report
