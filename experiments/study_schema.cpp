// SPDX-License-Identifier: Apache-2.0
#include "experiments/study_schema.h"

#include "base/json_document.h"
#include "experiments/registration/workloads.h"
#include "experiments/resources.h"

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

void append(Json& names, const std::vector<std::string>& more)
{
    for (const std::string& name : more) {
        names.push_back(name);
    }
}

Json composed_schema()
{
    Json schema = parse_json(resources().get("schema/study.schema.json"), "study.schema.json");
    Json& properties = schema.at("properties");
    for (const workloads::Kind& kind : workload_kinds().kinds()) {
        for (const auto& [name, field] : kind.fields.items()) {
            properties.at("workload").at("properties")[name] = field;
        }
        add_definitions(schema.at("definitions"), kind);
        append(properties.at("export").at("items").at("enum"), kind.exports);
        if (kind.search) {
            append(properties.at("search").at("properties").at("maximize").at("enum"),
                   kind.search->metrics);
        }
    }
    return schema;
}

} // namespace

const std::string& study_schema()
{
    static const std::string text = composed_schema().dump(4) + "\n";
    return text;
}

} // namespace alxsim::experiments
