// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/study_schema.h"

#include "base/json_defaults.h"
#include "experiments/resources.h"
#include "workloads/registry.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace alxsim::experiments {
namespace {

void add_definitions(Json& definitions, const workloads::Kind& kind)
{
    for (const auto& [name, definition] : kind.definitions.items()) {
        if (definitions.contains(name) && definitions.at(name) != definition) {
            throw std::logic_error("workload kind '" + kind.name + "' defines '" + name +
                                   "' otherwise than another");
        }
        definitions[name] = definition;
    }
}

/// Several kinds may have one of the same name.
void append(Json& names, const std::vector<std::string>& more)
{
    for (const std::string& name : more) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
}

/// That a /workload is of a kind whose files say a study's machine where it does not.
Json kinds_with_machine()
{
    Json any = Json::array({false});
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [name, field] : kind.fields.items()) {
            if (kind.machine) {
                any.push_back({{"required", {name}}});
            }
        }
    }
    return any;
}

Json composed_schema()
{
    if (workloads::registry().kinds().empty()) {
        throw std::logic_error("no kind of workload is known: a program adds its own to "
                               "workloads::registry(), and those of alxsim by "
                               "program::add_workloads(), before it reads a study");
    }
    Json schema = parse_json(resources().get("schema/study.schema.json"), "study.schema.json");
    Json& properties = schema.at("properties");
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [name, field] : kind.fields.items()) {
            properties.at("workload").at("properties")[name] = field;
        }
        add_definitions(schema.at("definitions"), kind);
        append(properties.at("export").at("items").at("enum"), kind.exports);
    }
    schema["if"] = {{"not", {{"properties", {{"workload", {{"anyOf", kinds_with_machine()}}}}}}}};
    schema["then"] = {{"required", {"machine"}}};
    bound_integers(schema);
    return schema;
}

const Json& schema_document()
{
    static const Json schema = composed_schema();
    return schema;
}

/// The schema without the fields of other kinds of workload than the one named; "": of all. Of a
/// kind without numbers, none is the default.
Json schema_of_kind(const std::string& name)
{
    Json schema = schema_document();
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        if (kind.name == name && !kind.has_numbers) {
            schema.at("properties").at("numerics")["default"] = false;
        }
    }
    Json& fields = schema.at("properties").at("workload").at("properties");
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [field, node] : kind.fields.items()) {
            if (kind.name != name) {
                fields.erase(field);
            }
        }
    }
    return schema;
}

/// The kind of whose fields a study has some; "" for none.
std::string kind_name_of(const Json& study)
{
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [field, node] : kind.fields.items()) {
            if (study.at("workload").contains(field)) {
                return kind.name;
            }
        }
    }
    return "";
}

} // namespace

void bound_integers(Json& node)
{
    if (node.is_object() && node.value("type", Json()) == "integer" && !node.contains("maximum")) {
        node["maximum"] = std::numeric_limits<int>::max();
    }
    if (node.is_structured()) {
        std::for_each(node.begin(), node.end(), bound_integers);
    }
}

const std::string& study_schema()
{
    static const std::string text = schema_document().dump(4) + "\n";
    return text;
}

Json with_study_defaults(const Json& study)
{
    static const std::map<std::string, Json> schemas = [] {
        std::map<std::string, Json> all{{"", schema_of_kind("")}};
        for (const workloads::Kind& kind : workloads::registry().kinds()) {
            all.emplace(kind.name, schema_of_kind(kind.name));
        }
        return all;
    }();
    return with_defaults(study, schemas.at(kind_name_of(study)));
}

} // namespace alxsim::experiments
