// SPDX-License-Identifier: Apache-2.0
// Prints docs/reference/study.md: every field of a study, made from its schema. A test holds the
// committed page against it.
#include "base/input_error.h"
#include "experiments/points/study/study_schema.h"
#include "program/registration/workloads.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

using namespace alxsim;

namespace {

/// With what "$ref" points to filled in; what stands beside it wins.
Json resolved(const Json& schema, const Json& root)
{
    if (!schema.contains("$ref")) {
        return schema;
    }
    const std::string reference = schema.at("$ref").get<std::string>();
    Json result = resolved(root.at(Json::json_pointer(reference.substr(1))), root);
    for (const auto& [key, value] : schema.items()) {
        if (key != "$ref") {
            result[key] = value;
        }
    }
    return result;
}

/// What it may be one of.
Json kinds_of(const Json& schema)
{
    return schema.contains("oneOf") ? schema.at("oneOf") : schema.value("anyOf", Json::array());
}

bool has_fields(const Json& schema)
{
    return schema.contains("properties") && !schema.at("properties").empty();
}

std::string code(const Json& value)
{
    return "`" + value.dump() + "`";
}

std::string range_of(const Json& schema)
{
    std::vector<std::string> words;
    const auto add = [&](const char* key, const char* word) {
        if (schema.contains(key)) {
            words.push_back(word + schema.at(key).dump());
        }
    };
    add("minimum", "at least ");
    add("exclusiveMinimum", "above ");
    const double limit_of_counts = std::numeric_limits<int>::max();
    if (schema.value("maximum", 0.0) != limit_of_counts && schema.value("maximum", 0.0) < 1e18) {
        add("maximum", "at most ");
    }
    add("exclusiveMaximum", "below ");
    return words.empty() ? "" : ", " + join(words);
}

std::string value_of(const Json& raw, const Json& root);

std::string name_of(const std::string& type, const Json& schema, const Json& root)
{
    if (type == "array") {
        return "list of " +
               (schema.contains("items") ? value_of(schema.at("items"), root) : "values");
    }
    return type == "integer"   ? "whole number"
           : type == "string"  ? "text"
           : type == "boolean" ? "`true`, `false`"
                               : type;
}

std::string value_of(const Json& raw, const Json& root)
{
    const Json schema = resolved(raw, root);
    if (schema.contains("enum")) {
        std::vector<std::string> values;
        for (const Json& value : schema.at("enum")) {
            values.push_back(code(value));
        }
        return join(values);
    }
    std::vector<std::string> kinds;
    for (const Json& kind : kinds_of(schema)) {
        kinds.push_back(value_of(kind, root));
    }
    if (!kinds.empty()) {
        return join(kinds, "; or ");
    }
    const Json types = schema.value("type", Json("any value"));
    std::vector<std::string> names;
    for (const Json& type : types.is_array() ? types : Json::array({types})) {
        names.push_back(name_of(type.get<std::string>(), schema, root));
    }
    return join(names, " or ") + range_of(schema);
}

/// "a | b" would end a cell.
std::string cell(const std::string& text)
{
    std::string result;
    for (const char letter : text) {
        result += letter == '|' ? std::string("\\|") : std::string(1, letter);
    }
    return result;
}

void print_section(const std::string& pointer, const Json& raw, const Json& root);

/// Sections of what a field holds: its own fields, those of its items, of its kinds.
void print_inner(const std::string& pointer, const Json& raw, const Json& root)
{
    const Json schema = resolved(raw, root);
    if (has_fields(schema)) {
        print_section(pointer, schema, root);
    }
    if (schema.contains("items")) {
        print_inner(pointer + "/*", schema.at("items"), root);
    }
    for (const Json& kind : kinds_of(schema)) {
        print_inner(pointer, kind, root);
    }
}

void print_section(const std::string& pointer, const Json& raw, const Json& root)
{
    const Json schema = resolved(raw, root);
    const Json required = schema.value("required", Json::array());
    std::cout << "\n## `" << (pointer.empty() ? "/" : pointer) << "`\n\n";
    if (!pointer.empty() && schema.contains("description")) {
        std::cout << schema.at("description").get<std::string>() << "\n\n";
    }
    std::cout << "| field | value | default | meaning |\n|---|---|---|---|\n";
    for (const auto& [name, field] : schema.at("properties").items()) {
        const Json full = resolved(field, root);
        const bool must = std::find(required.begin(), required.end(), name) != required.end();
        std::cout << "| `" << name << "` | " << cell(value_of(field, root)) << " | "
                  << (must                       ? "required"
                      : full.contains("default") ? cell(code(full.at("default")))
                                                 : "")
                  << " | " << cell(full.value("description", std::string())) << " |\n";
    }
    for (const auto& [name, field] : schema.at("properties").items()) {
        print_inner(pointer + "/" + name, field, root);
    }
}

} // namespace

int main()
{
    alxsim::program::add_workloads();
    const Json schema = Json::parse(experiments::study_schema());
    std::cout << "# The study file\n\nMade from the schema (`alxsim check --schema`) by "
                 "tests/docs/study_reference.cpp, and held against it by a\ntest: do not edit. "
                 "Headings are JSON pointers, as sweeps and `--set` take them; `*` stands for each "
                 "entry of a list.\n"
                 "Units are SI. A default that depends on other fields is told in the last "
                 "column. Words are in the\n[glossary](../glossary.md).\n";
    print_section("", schema, schema);
}
