// SPDX-License-Identifier: Apache-2.0
#include "report/schema/report_schema.h"

#include "base/schema/json_schema.h"
#include "report/compact/compact_points.h"
#include "report/report_fields.h"
#include "report/schema/point_schema.h"

#include <algorithm>
#include <array>

namespace alxsim {

Json json_schema::Of<report::Point>::schema(const FieldLimits& /*limits*/, Use /*use*/)
{
    return {{"$ref", "#/definitions/point"}};
}

namespace report {
namespace {

/// A point is one of three kinds. Held alone against its own kind, it gets a message that says what
/// is wrong with it, not with the two kinds that it never was.
enum class PointKind { fitting, too_large, failed };

constexpr std::array kinds{PointKind::fitting, PointKind::too_large, PointKind::failed};

std::string name_of(PointKind kind)
{
    return kind == PointKind::fitting     ? "fitting_point"
           : kind == PointKind::too_large ? "too_large_point"
                                          : "failed_point";
}

PointKind kind_of(const Json& point)
{
    if (point.contains("error")) {
        return PointKind::failed;
    }
    return point.contains("fits") && point.at("fits") == false ? PointKind::too_large
                                                               : PointKind::fitting;
}

Json schema_of(PointKind kind)
{
    SchemaWriter fields;
    Point point;
    list_fields(fields, point);
    Json properties = fields.properties();
    Json required = fields.required();
    if (kind == PointKind::failed) {
        required.push_back("error");
    } else {
        properties["fits"] = {{"description", properties["fits"].at("description")},
                              {"const", kind == PointKind::fitting}};
        properties.erase("error");
        required.push_back("memory");
    }
    if (kind == PointKind::fitting) {
        properties.erase("no_result");
        properties.update(fields.inlined_properties());
        required.insert(required.end(), fields.required_of_inlined().begin(),
                        fields.required_of_inlined().end());
    }
    Json schema{{"type", "object"},
                {"additionalProperties", false},
                {"required", std::move(required)},
                {"properties", std::move(properties)}};
    if (kind == PointKind::fitting) {
        schema["patternProperties"] = fields.patterns();
    }
    return schema;
}

struct SchemaTexts {
    std::string report;
    std::array<std::string, kinds.size()> points; ///< by kind
};

SchemaTexts texts_with(NewFields new_fields)
{
    const auto text = [new_fields](const Json& schema) {
        return (new_fields == NewFields::refused ? schema : json_schema::open_to_new_fields(schema))
            .dump();
    };
    SchemaTexts texts{text(report_schema()), {}};
    std::transform(kinds.begin(), kinds.end(), texts.points.begin(),
                   [&](PointKind kind) { return text(schema_of(kind)); });
    return texts;
}

const SchemaTexts& schemas(NewFields new_fields)
{
    static const SchemaTexts closed = texts_with(NewFields::refused);
    static const SchemaTexts open = texts_with(NewFields::read_over);
    return new_fields == NewFields::refused ? closed : open;
}

/// Points by themselves are a list, those in columns an object: keywords of the one say nothing of
/// the other.
Json in_both_forms(Json points)
{
    points.update(compact_points_schema());
    points["type"] = {"array", "object"};
    points["description"] = points.at("description").get<std::string>() +
                            " With --compact they stand in columns, an object.";
    return points;
}

/// A list of them, as points should be.
bool has_points(const Json& report)
{
    if (!report.is_object() || !report.contains("points") || !report.at("points").is_array()) {
        return false;
    }
    const Json& points = report.at("points");
    return std::all_of(points.begin(), points.end(),
                       [](const Json& point) { return point.is_object(); });
}

} // namespace

Json point_definitions()
{
    Json all = Json::object();
    all["point"] = {{"description",
                     "One run. It fits (and has results), does not fit (and has its memory only), "
                     "or failed (and has an error)."},
                    {"oneOf", Json::array()}};
    for (const PointKind kind : kinds) {
        all["point"]["oneOf"].push_back({{"$ref", "#/definitions/" + name_of(kind)}});
        all[name_of(kind)] = schema_of(kind);
    }
    return all;
}

const Json& report_schema()
{
    static const Json schema = [] {
        Json made{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", "alxsim report"},
                  {"description",
                   "What a study found. All units are SI: seconds, bytes, joules. The order of "
                   "fields here is their order in a report."}};
        made.update(json_schema::of_type<Report>({}));
        made["properties"]["points"] = in_both_forms(std::move(made["properties"]["points"]));
        made["definitions"] = point_definitions();
        return made;
    }();
    return schema;
}

void validate_report(const Json& report, const std::string& file, NewFields new_fields)
{
    const SchemaTexts& schema = schemas(new_fields);
    if (!has_points(report)) {
        validate_json(report, schema.report, file);
        return;
    }
    Json rest = Json::object();
    for (const auto& [name, value] : report.items()) {
        rest[name] = name == "points" ? Json::array() : value;
    }
    for (std::size_t i = 0; i < report.at("points").size(); ++i) {
        validate_point(report.at("points").at(i), i, file, new_fields);
    }
    validate_json(rest, schema.report, file);
}

void validate_point(const Json& point, std::size_t number, const std::string& file,
                    NewFields new_fields)
{
    validate_json(point, schemas(new_fields).points[static_cast<std::size_t>(kind_of(point))],
                  file + ": /points/" + std::to_string(number));
}

} // namespace report
} // namespace alxsim
