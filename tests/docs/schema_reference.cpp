// SPDX-License-Identifier: Apache-2.0
// Prints a page of docs/reference: every field of a study, a report, or what a command prints as
// JSON, made from its schema. Tests hold the committed pages against it. Ends with 1 where a
// field has no meaning.
#include "base/input_error.h"
#include "experiments/answers/advise/advice.h"
#include "experiments/answers/check/checked.h"
#include "experiments/answers/chips/chips_answer.h"
#include "experiments/answers/compare/compared.h"
#include "experiments/answers/explain/explanation.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/schema/inferred.h"
#include "program/registration/workloads.h"
#include "report/schema/report_schema.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
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

/// Fields that say nothing of themselves, by JSON pointer.
std::vector<std::string> without_meaning;

std::string meaning_of(const Json& field, const std::string& pointer)
{
    const std::string words = field.value("description", std::string());
    if (words.empty()) {
        without_meaning.push_back(pointer);
    }
    return cell(words);
}

void print_section(const std::string& pointer, const Json& raw, const Json& root);

/// Without the fields that another kind has, too, and that are told there.
Json with_fields_beside(Json kind, const Json& told)
{
    if (kind.contains("properties")) {
        for (const auto& [name, field] : told.items()) {
            kind.at("properties").erase(name);
        }
    }
    return kind;
}

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
    if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object() &&
        !has_fields(schema) && root.at("title") == "What alxsim chips --json prints") {
        print_inner(pointer + "/*", schema.at("additionalProperties"), root);
    }
    Json told = Json::object();
    for (const Json& kind : kinds_of(schema)) {
        const Json more = with_fields_beside(resolved(kind, root), told);
        told.update(more.value("properties", Json::object()));
        print_inner(pointer, more, root);
    }
}

/// Prints a table: a field of what is written is always there or not, one of what is read may have
/// a default.
void print_section(const std::string& pointer, const Json& raw, const Json& root)
{
    const Json schema = resolved(raw, root);
    const Json required = schema.value("required", Json::array());
    std::cout << "\n## `" << (pointer.empty() ? "/" : pointer) << "`\n\n";
    if (!pointer.empty() && schema.contains("description")) {
        std::cout << schema.at("description").get<std::string>() << "\n\n";
    }
    const bool written = root.at("title") != "alxsim study";
    std::cout << "| field | value | " << (written ? "there" : "default")
              << " | meaning |\n|---|---|---|---|\n";
    for (const auto& [name, field] : schema.at("properties").items()) {
        const Json full = resolved(field, root);
        const bool must = std::find(required.begin(), required.end(), name) != required.end();
        std::cout << "| `" << name << "` | " << cell(value_of(field, root)) << " | "
                  << (must                       ? written ? "always" : "required"
                      : full.contains("default") ? cell(code(full.at("default")))
                                                 : "")
                  << " | " << meaning_of(full, pointer + "/" + name) << " |\n";
    }
    const Json patterns = schema.value("patternProperties", Json::object());
    for (const auto& [pattern, field] : patterns.items()) {
        std::cout << "| `" << pattern.substr(1) << "*` | " << cell(value_of(field, root))
                  << " |  | " << meaning_of(field, pointer + "/" + pattern) << " |\n";
    }
    for (const auto& [name, field] : schema.at("properties").items()) {
        print_inner(pointer + "/" + name, field, root);
    }
}

const char* const of_study =
    "# The study file\n\nMade from the schema (`alxsim check --schema`) by "
    "tests/docs/schema_reference.cpp, and held against it by a\ntest: do not edit. "
    "Headings are JSON pointers, as sweeps and `--set` take them; `*` stands for each "
    "entry of a list.\n"
    "Units are SI. A default that depends on other fields is told in the last "
    "column. Words are in the\n[glossary](../glossary.md).\n";

const char* const of_report =
    "# The report file\n\nMade from the schema (`alxsim schema report`) by "
    "tests/docs/schema_reference.cpp, and held against it by a\ntest: do not edit. "
    "Headings are JSON pointers; `*` stands for each entry of a list. Units are SI. Fields that "
    "this page does not\nhave may come in a later program of the same `schema_version`: readers "
    "must not break at them. A point fits (and has results), does\nnot fit (and has its memory "
    "only), or failed (and has an error). Words are in the [glossary](../glossary.md).\n";

const char* const of_check =
    "# What `check --json` prints\n\nMade from the schema (`alxsim schema check`) by "
    "tests/docs/schema_reference.cpp, and held against it by a\ntest: do not edit. "
    "Points have the fields of a [report's](report.md#points); what only a run finds is "
    "not there. Headings are JSON pointers; `*` stands for each entry of a list.\n";

const char* const of_chips =
    "# What `chips --json` prints\n\nMade from the schema (`alxsim schema chips`) by "
    "tests/docs/schema_reference.cpp, and held against it by a\ntest: do not edit. "
    "With NAME it is the first object here, without it, or with `--roofline` or `--unsourced`, "
    "`{\"chips\": [..]}`, whose entries are as\nthe headings say. Headings are JSON pointers; `*` "
    "stands for each entry of a list, or for each key. A value is in the unit that stands beside "
    "it.\n";

/// Begins the page of what a command prints: its schema is named as the page is.
void print_head(const std::string& name, const std::string& what, const std::string& more = "")
{
    std::cout << "# What `" << what << "` prints\n\nMade from the schema (`alxsim schema " << name
              << "`) by tests/docs/schema_reference.cpp, and held against it by a\ntest: do not "
                 "edit. "
              << more
              << "Headings are JSON pointers; `*` stands for each entry of a list. Units are SI. "
                 "Words are in the [glossary](../glossary.md).\n";
}

void print_advise()
{
    Json schema = experiments::advice_schema();
    // The plans of the table have the fields of the others.
    Json& plan = schema["properties"]["table"]["items"]["properties"]["plan"];
    plan = {{"description", plan.at("description")}, {"type", {"object", "null"}}};
    print_head("advise", "advise --json",
               "Machine, memory and times of a plan have the fields of a [report's "
               "point](report.md#points). ");
    print_section("", schema, schema);
}

void print_compare()
{
    const Json& schema = experiments::compared_schema();
    print_head("compare", "compare --json", "First of two reports, then of two profiles. ");
    for (const char* kind : {"reports", "profiles"}) {
        print_section("", schema.at("definitions").at(kind), schema);
    }
}

void print_explain()
{
    print_head("explain", "explain --json");
    print_section("", experiments::explanation_schema(), experiments::explanation_schema());
}

void print_inferred()
{
    print_head("inferred", "infer --json", "`infer -o FILE` writes the same. ");
    print_section("", experiments::inferred_schema(), experiments::inferred_schema());
}

void print_check()
{
    Json schema = experiments::checked_schema();
    schema["properties"]["points"]["items"] = {{"type", "object"}};
    std::cout << of_check;
    print_section("", schema, schema);
}

void print_chips()
{
    const Json& schema = experiments::chips_schema();
    std::cout << of_chips;
    print_section("", schema.at("definitions").at("chip"), schema);
    for (const char* kind : {"summary", "roofline", "unsourced"}) {
        print_section("/chips/*", schema.at("definitions").at(kind), schema);
    }
}

} // namespace

int main(int argc, char** argv)
{
    const std::string of = argc > 1 ? argv[1] : "";
    const std::map<std::string, void (*)()> pages{
        {"advise", print_advise},   {"check", print_check},     {"chips", print_chips},
        {"compare", print_compare}, {"explain", print_explain}, {"inferred", print_inferred}};
    if (of == "study") {
        program::add_workloads();
        std::cout << of_study;
        const Json schema = Json::parse(experiments::study_schema());
        print_section("", schema, schema);
    } else if (of == "report") {
        std::cout << of_report;
        print_section("", report::report_schema(), report::report_schema());
    } else if (const auto page = pages.find(of); page != pages.end()) {
        page->second();
    } else {
        std::cerr << "usage: schema_reference study|report|advise|check|chips|compare|explain|"
                     "inferred\n";
        return 2;
    }
    for (const std::string& pointer : without_meaning) {
        std::cerr << "FAILED: " << pointer << " has no meaning: give its field a description\n";
    }
    return without_meaning.empty() ? 0 : 1;
}
