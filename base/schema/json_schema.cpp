// SPDX-License-Identifier: Apache-2.0
#include "base/schema/json_schema.h"

#include <cmath>
#include <limits>
#include <sstream>

namespace alxsim {
namespace {

/// 1 rather than 1.0.
Json number_of(double value)
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (value >= static_cast<double>(most)) {
        return std::isfinite(value) ? Json(most) : Json(value);
    }
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

} // namespace

namespace json_schema {

Json or_null(Json schema)
{
    if (schema.contains("enum")) {
        schema["enum"].push_back(nullptr);
    }
    if (schema.contains("type")) {
        schema["type"] = Json::array({schema.at("type"), "null"});
    }
    return schema;
}

Json limited(Json schema, const FieldLimits& limits)
{
    if (std::isfinite(limits.at_least)) {
        schema["minimum"] = number_of(limits.at_least);
    }
    if (std::isfinite(limits.above)) {
        schema["exclusiveMinimum"] = number_of(limits.above);
    }
    if (std::isfinite(limits.at_most)) {
        schema["maximum"] = number_of(limits.at_most);
    }
    if (std::isfinite(limits.below)) {
        schema["exclusiveMaximum"] = number_of(limits.below);
    }
    if (limits.one_of_known != nullptr) {
        schema["enum"] = limits.one_of_known();
    }
    if (limits.one_of != nullptr) {
        Json texts = Json::array();
        std::istringstream all(limits.one_of);
        for (std::string text; std::getline(all, text, '|');) {
            texts.push_back(text);
        }
        schema["enum"] = std::move(texts);
    }
    return schema;
}

Json with_length(Json schema, const FieldLimits& limits, const char* shortest, const char* longest)
{
    if (limits.shortest > 0) {
        schema[shortest] = limits.shortest;
    }
    if (limits.longest < FieldLimits().longest) {
        schema[longest] = limits.longest;
    }
    return schema;
}

Json with_default(Json schema, Json value)
{
    if (!schema.contains("default")) {
        schema["default"] =
            value.is_number_float() ? number_of(value.get<double>()) : std::move(value);
    }
    return schema;
}

Json open_to_new_fields(Json schema)
{
    if (schema.is_object() && schema.value("additionalProperties", Json()) == false) {
        schema.erase("additionalProperties");
    }
    for (Json& child : schema) {
        if (child.is_structured()) {
            child = open_to_new_fields(std::move(child));
        }
    }
    return schema;
}

} // namespace json_schema

void SchemaWriter::add_schema(const std::string& name, Json schema, bool required,
                              const char* words)
{
    Json field = Json::object();
    if (*words != '\0') {
        field["description"] = words;
    }
    field.update(schema);
    properties_[name] = std::move(field);
    if (required) {
        required_.push_back(name);
    }
}

Json SchemaWriter::take() const
{
    Json schema{{"type", "object"}, {"additionalProperties", additional_}};
    if (!required_.empty()) {
        schema["required"] = required_;
    }
    if (!patterns_.empty()) {
        schema["patternProperties"] = patterns_;
    }
    schema["properties"] = properties_;
    schema["properties"].update(inlined_);
    return schema;
}

} // namespace alxsim
