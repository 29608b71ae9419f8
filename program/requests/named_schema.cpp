// SPDX-License-Identifier: Apache-2.0
#include "program/requests/named_schema.h"

#include "base/schema/json_schema.h"
#include "experiments/answers/advise/advice.h"
#include "experiments/answers/calibrate/points.h"
#include "experiments/answers/check/checked.h"
#include "experiments/answers/chips/chips_answer.h"
#include "experiments/answers/compare/compared.h"
#include "experiments/answers/explain/explanation.h"
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
#include <stdexcept>

namespace alxsim::program {

using namespace experiments;

namespace {

struct PublishedSchema {
    std::string name;
    std::string version;
    std::function<Json()> schema;
    std::string words;
    bool is_written = false; ///< by this program, for others to read
};

const std::vector<PublishedSchema>& published_schemas()
{
    static const auto of_file = [](const Resources& (*resources)(), const char* file) {
        return [resources, file] { return parse_written_json(resources().get(file)); };
    };
    static const std::vector<PublishedSchema> all{
        {"study", version, [] { return parse_written_json(study_schema()); },
         "a study: what 'run' and most commands read"},
        {"op_graph", version, of_file(model::resources, "schema/op_graph.schema.json"),
         "an op graph: a step of your own"},
        {"preset", version, of_file(topologies::resources, "schema/preset.schema.json"),
         "a chip of your own"},
        {"statements", version, statements_schema, "what 'infer' holds against its draws"},
        {"measured", version, measured_schema, "times for 'calibrate'"},
        {"report", std::to_string(report::schema_version), report::report_schema,
         "report.json, full or compact", true},
        {"trace", version, of_file(report::resources, "schema/trace.schema.json"),
         "traces of 'run --trace' and 'op --trace'", true},
        {"inferred", version, inferred_schema, "'infer --json', and what 'infer -o' writes", true},
        {"advise", version, advice_schema, "'advise --json', and what 'advise -o' writes", true},
        {"check", version, checked_schema, "'check --json'", true},
        {"chips", version, chips_schema, "'chips --json'", true},
        {"compare", version, compared_schema, "'compare --json', of reports or of profiles", true},
        {"explain", version, explanation_schema, "'explain --json'", true},
    };
    return all;
}

const PublishedSchema& published(const std::string& name)
{
    for (const PublishedSchema& one : published_schemas()) {
        if (one.name == name) {
            return one;
        }
    }
    throw std::out_of_range("no schema is named " + name);
}

} // namespace

Json named_schema(const std::string& name)
{
    const PublishedSchema& found = published(name);
    Json schema = found.schema();
    if (found.is_written) {
        schema = json_schema::open_to_new_fields(std::move(schema));
    }
    Json named{{"$schema", schema.at("$schema")},
               {"$id", "urn:alxsim:schema:" + name + ":" + found.version}};
    named.update(schema);
    return named;
}

std::vector<std::string> names_of_schemas()
{
    std::vector<std::string> names;
    for (const PublishedSchema& one : published_schemas()) {
        names.push_back(one.name);
    }
    return names;
}

std::vector<SchemaLine> listed_schemas()
{
    std::vector<SchemaLine> lines;
    for (const PublishedSchema& one : published_schemas()) {
        lines.push_back({one.name, one.words});
    }
    return lines;
}

} // namespace alxsim::program
