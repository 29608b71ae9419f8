// SPDX-License-Identifier: Apache-2.0
#include "experiments/study.h"

#include "base/input_error.h"
#include "experiments/study_schema.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

void check(const Json& document, const std::string& file)
{
    validate_json(document, study_schema(), file);
}

/// Sets the value at `pointer`, making the objects on the way. Throws InputError for what is no
/// JSON pointer or leads through a value.
void set_value(Json& document, const std::string& pointer, const Json& value,
               const std::string& file)
{
    try {
        document[Json::json_pointer(pointer)] = value;
    } catch (const Json::exception&) {
        throw InputError(file, pointer, "is no JSON pointer into a study, like /machine/cores");
    }
}

void apply_setting(Json& document, const std::string& setting, const std::string& file)
{
    const std::size_t equals = setting.find('=');
    if (setting.empty() || setting.front() != '/' || equals == std::string::npos) {
        throw InputError("--set", setting,
                         "is not of the form /json/pointer=value, like /machine/cores=8");
    }
    const std::string text = setting.substr(equals + 1);
    Json value = Json::parse(text, nullptr, false);
    set_value(document, setting.substr(0, equals), value.is_discarded() ? Json(text) : value, file);
}

void append_series(std::vector<PointSpec>& points, const Json& base, const Json& series,
                   const std::string& file)
{
    const std::string name = series.at("name").get<std::string>();
    for (const Json& combination : combinations(series.value("sweep", Json::object()))) {
        PointSpec point{name, combination, base};
        for (const Json& settings : {series.value("set", Json::object()), combination}) {
            for (const auto& [pointer, value] : settings.items()) {
                set_value(point.study, pointer, value, file);
            }
        }
        check(point.study, file + " (series '" + name + "')");
        point.study = with_study_defaults(point.study);
        points.push_back(std::move(point));
    }
}

/// Throws InputError if two series have one name.
void check_names(const Json& series, const std::string& file)
{
    std::vector<std::string> names;
    for (const Json& one : series) {
        const std::string name = one.at("name").get<std::string>();
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            throw InputError(file, "/series",
                             "two series are named '" + name + "'; names must differ");
        }
        names.push_back(name);
    }
}

} // namespace

Study load_study(const std::string& path, const std::vector<std::string>& settings)
{
    Study study{load_json(path), path};
    for (const std::string& setting : settings) {
        apply_setting(study.document, setting, path);
    }
    check(study.document, path);
    return study;
}

std::vector<Json> combinations(const Json& sweep)
{
    std::vector<Json> all{Json::object()};
    for (const auto& [pointer, values] : sweep.items()) {
        std::vector<Json> longer;
        for (const Json& known : all) {
            for (const Json& value : values) {
                Json next = known;
                next[pointer] = value;
                longer.push_back(std::move(next));
            }
        }
        all = std::move(longer);
    }
    return all;
}

void set_values(Study& study, const Json& values)
{
    for (const auto& [pointer, value] : values.items()) {
        set_value(study.document, pointer, value, study.file);
    }
    check(study.document, study.file);
}

std::vector<PointSpec> expand(const Study& study)
{
    Json base = study.document;
    base.erase("series");
    base.erase("sweep");
    base.erase("hypotheses");
    base.erase("search");
    const Json own_sweep = study.document.value("sweep", Json::object());
    Json series = study.document.value("series", Json::array());
    if (series.empty()) {
        series.push_back({{"name", study.document.at("study")}});
    }
    check_names(series, study.file);
    std::vector<PointSpec> points;
    for (Json one : series) {
        if (!one.contains("sweep")) {
            one["sweep"] = own_sweep;
        }
        append_series(points, base, one, study.file);
    }
    check_hypotheses(study, points);
    return points;
}

} // namespace alxsim::experiments
