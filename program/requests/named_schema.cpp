// SPDX-License-Identifier: Apache-2.0
#include "program/requests/named_schema.h"

#include "base/schema/json_schema.h"
#include "experiments/answers/calibrate/points.h"
#include "experiments/answers/check/checked.h"
#include "experiments/answers/chips/chips_answer.h"
#include "experiments/answers/infer/statement_entries.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/schema/inferred.h"
#include "experiments/version.h"
#include "model/graph/resources.h"
#include "report/report.h"
#include "report/resources.h"
#include "report/schema/report_schema.h"
#include "topologies/resources.h"

#include <functional>
#include <map>

namespace alxsim::program {

using namespace experiments;

namespace {

struct PublishedSchema {
    std::string version;
    std::function<Json()> schema;
    bool is_written = false; ///< by this program, for others to read
};

const std::map<std::string, PublishedSchema>& published_schemas()
{
    static const auto of_file = [](const Resources& (*resources)(), const char* file) {
        return [resources, file] { return parse_written_json(resources().get(file)); };
    };
    static const std::map<std::string, PublishedSchema> all{
        {"study", {version, [] { return parse_written_json(study_schema()); }}},
        {"op_graph", {version, of_file(model::resources, "schema/op_graph.schema.json")}},
        {"preset", {version, of_file(topologies::resources, "schema/preset.schema.json")}},
        {"statements", {version, statements_schema}},
        {"measured", {version, measured_schema}},
        {"report", {std::to_string(report::schema_version), report::report_schema, true}},
        {"trace", {version, of_file(report::resources, "schema/trace.schema.json"), true}},
        {"inferred", {version, inferred_schema, true}},
        {"check", {version, checked_schema, true}},
        {"chips", {version, chips_schema, true}},
    };
    return all;
}

} // namespace

Json named_schema(const std::string& name)
{
    const PublishedSchema& published = published_schemas().at(name);
    Json schema = published.schema();
    if (published.is_written) {
        schema = json_schema::open_to_new_fields(std::move(schema));
    }
    Json named{{"$schema", schema.at("$schema")},
               {"$id", "urn:alxsim:schema:" + name + ":" + published.version}};
    named.update(schema);
    return named;
}

std::vector<std::string> names_of_schemas()
{
    std::vector<std::string> names;
    for (const auto& [name, schema] : published_schemas()) {
        names.push_back(name);
    }
    return names;
}

} // namespace alxsim::program
