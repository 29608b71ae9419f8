// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include "base/input_error.h"
#include "report/claims.h"
#include "report/network.h"
#include "report/recall_target.h"
#include "report/resources.h"
#include "report/worlds.h"

#include <stdexcept>

namespace alxsim::report {
namespace {

/// The object with its keys in the order of the schema's properties (unknown keys last); likewise
/// the objects inside that have a definition of their own.
Json in_schema_order(const Json& value, Json node, const Json& schema)
{
    if (node.contains("$ref")) {
        node = schema.at(Json::json_pointer(node.at("$ref").get<std::string>().substr(1)));
    }
    if (!value.is_object() || !node.contains("properties")) {
        return value;
    }
    Json ordered = Json::object();
    for (const auto& [key, child] : node.at("properties").items()) {
        if (value.contains(key)) {
            ordered[key] = in_schema_order(value.at(key), child, schema);
        }
    }
    for (const auto& [key, child] : value.items()) {
        if (!ordered.contains(key)) {
            ordered[key] = child;
        }
    }
    return ordered;
}

/// The definition in the schema that a point should follow.
std::string kind_of(const Json& point)
{
    if (point.contains("error")) {
        return "failed_point";
    }
    return point.contains("fits") && point.at("fits") == false ? "too_large_point"
                                                               : "fitting_point";
}

/// Writes into each point the name of its series.
void name_series(const std::vector<SeriesSpec>& specs, Json& points)
{
    for (const SeriesSpec& spec : specs) {
        for (const std::size_t index : spec.points) {
            Json& point = points.at(index);
            if (point.contains("series")) {
                throw std::logic_error("point " + std::to_string(index) + " is in two series");
            }
            point["series"] = spec.name;
        }
    }
    for (const Json& point : points) {
        if (!point.contains("series")) {
            throw std::logic_error("a point is in no series: " + point.at("sweep").dump());
        }
    }
}

} // namespace

Json make_report(ReportParts parts)
{
    Json& points = parts.points;
    for (Json& point : points) {
        point.erase("series");
        if (kind_of(point) == "fitting_point") {
            point["network"] = network_of(point);
        }
    }
    name_series(parts.series, points);
    Json all_series = Json::array();
    for (const SeriesSpec& spec : parts.series) {
        const std::optional<double> target = recall_target(spec, points);
        if (target) {
            add_seconds_to_recall(spec, *target, points);
        }
        all_series.push_back(make_series(spec, points));
        if (target) {
            all_series.back()["target_recall_at_20"] = *target;
        }
    }
    const Json hypotheses = judge_all(parts.study, all_series, points);

    const Json schema = Json::parse(resources().get("schema/report.schema.json"));
    for (Json& point : points) {
        drop_details_of_draws(point);
        point = in_schema_order(point, schema.at("definitions").at(kind_of(point)), schema);
    }
    for (Json& series : all_series) {
        series = in_schema_order(series, schema.at("definitions").at("series"), schema);
    }
    Json report{{"schema_version", 1},      {"tool", parts.tool},
                {"host", parts.host},       {"study", parts.study},
                {"dataset", parts.dataset}, {"assumptions", parts.assumptions},
                {"points", points},         {"series", all_series},
                {"hypotheses", hypotheses}, {"validation", parts.validation}};
    if (!parts.search.is_null()) {
        report["search"] = parts.search;
    }
    try {
        validate_report(report, "report");
    } catch (const InputError& error) {
        throw std::logic_error(error.what());
    }
    return report;
}

void validate_report(const Json& report, const std::string& file)
{
    // A point is one of three kinds. Held alone against its own kind, it gets a message that says
    // what is wrong with it, not with the two kinds that it never was.
    const std::string_view schema = resources().get("schema/report.schema.json");
    const Json definitions = Json::parse(schema).at("definitions");
    const Json points = report.is_object() ? report.value("points", Json::array()) : Json::array();
    for (std::size_t i = 0; points.is_array() && i < points.size(); ++i) {
        if (points.at(i).is_object()) {
            Json kind = definitions.at(kind_of(points.at(i)));
            kind["definitions"] = definitions;
            validate_json(points.at(i), kind.dump(), file + ": /points/" + std::to_string(i));
        }
    }
    validate_json(report, schema, file);
}

} // namespace alxsim::report
