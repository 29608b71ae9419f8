// SPDX-License-Identifier: Apache-2.0
#include "experiments/calibrate/points.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "experiments/point.h"
#include "experiments/resources.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::experiments {
namespace {

/// The study's machine and workload, without what makes several points of one.
Study single(const Study& study)
{
    Study one = study;
    for (const char* field : {"sweep", "series", "search", "hypotheses", "export"}) {
        one.document.erase(field);
    }
    one.document["numerics"] = false;
    one.document["fidelity"] = "analytic";
    return one;
}

std::vector<MeasuredFigure> figures_of(const Json& entry)
{
    std::vector<MeasuredFigure> figures;
    if (entry.contains("epoch_seconds")) {
        figures.push_back({"", entry.at("epoch_seconds"), false});
    }
    const Json phases = entry.value("phases", Json::object());
    for (const auto& [phase, seconds] : phases.items()) {
        figures.push_back({phase, seconds, false});
    }
    if (entry.contains("at_most")) {
        figures.push_back({"", entry.at("at_most"), true});
    }
    return figures;
}

std::string name_of(const Json& entry, const Json& study, std::size_t index)
{
    return entry.value("name", "point " + std::to_string(index) + " (" +
                                   study.at("machine").value("cores", Json("?")).dump() +
                                   " cores)");
}

MeasuredPoint point_of(Study study, const Json& entry, std::size_t index, const std::string& path)
{
    const std::string file = std::exchange(study.file, path); // what is wrong now, is wrong there
    Json merged = Json::object();
    for (const char* part : {"machine", "workload"}) {
        Json whole = study.document.at(part);
        whole.merge_patch(entry.value(part, Json::object()));
        merged[std::string("/") + part] = whole;
    }
    set_values(study, merged);
    return {name_of(entry, study.document, index), study.document, file, figures_of(entry)};
}

/// The values of one preset are fitted: all points must be of one chip.
void check_chip(const Json& study, const Json& first, std::size_t index, const std::string& path)
{
    const Json& machine = study.at("machine");
    const Json& wanted = first.at("machine");
    if (machine.value("chip", Json()) != wanted.value("chip", Json())) {
        throw InputError(path, "/" + std::to_string(index) + "/machine/chip",
                         "found " + machine.value("chip", Json()).dump() +
                             "; allowed: " + wanted.value("chip", Json()).dump() +
                             " like the others, since the values of one preset are fitted");
    }
}

double figure_of(const MeasuredFigure& figure, const Json& result, const std::string& name)
{
    if (figure.phase.empty()) {
        return result.at("epoch_seconds");
    }
    const Json& phases = result.at("phases");
    if (!phases.contains(figure.phase) || phases.at(figure.phase).get<double>() <= 0) {
        std::vector<std::string> known;
        for (const auto& [phase, seconds] : phases.items()) {
            known.push_back(phase);
        }
        throw InputError(name, "/phases",
                         "found '" + figure.phase + "'" + did_you_mean(figure.phase, known) +
                             " (allowed: " + join(known) + ")");
    }
    return phases.at(figure.phase);
}

/// Why a value cannot be fitted; "" if it can.
std::string obstacle(const topologies::PresetValue& entry)
{
    if (!entry.value.is_number_float()) {
        return "is " + std::string(entry.value.is_number() ? "a whole number" : "no number") +
               "; allowed: values that may move steadily";
    }
    if (entry.low.is_null() || entry.low == entry.high) {
        return "has no low and high between which it could be fitted";
    }
    return "";
}

FittedValue value_of(const std::string& key, const topologies::PresetValue& entry)
{
    return {key, entry.unit, entry.low.get<double>(), entry.value.get<double>(),
            entry.high.get<double>()};
}

} // namespace

std::vector<MeasuredPoint> measured_points(const Study& study, const std::string& path)
{
    const Json measured = load_json(path);
    validate_json(measured, resources().get("schema/measured.schema.json"), path);
    const Study one = single(study);
    std::vector<MeasuredPoint> points;
    for (const Json& entry : measured) {
        const std::size_t index = points.size();
        points.push_back(point_of(one, entry, index, path));
        const bool named = one.document.at("machine").contains("chip");
        check_chip(points[index].study, named ? one.document : points[0].study, index, path);
    }
    return points;
}

int count_measured(const std::vector<MeasuredPoint>& points)
{
    int count = 0;
    for (const MeasuredPoint& point : points) {
        count += static_cast<int>(
            std::count_if(point.figures.begin(), point.figures.end(),
                          [](const MeasuredFigure& figure) { return !figure.at_most; }));
    }
    return count;
}

std::vector<double> estimated_seconds(const MeasuredPoint& point, const Json& values)
{
    Json study = point.study;
    for (const auto& [key, value] : values.items()) {
        study["machine"]["overrides"][key] = value;
    }
    const Json result = preview_point(study, point.file).point;
    if (!result.at("fits").get<bool>()) {
        throw InputError(point.name, "",
                         "does not fit: needs " + result.at("memory").at("bytes_per_core").dump() +
                             " bytes a core, of " +
                             result.at("memory").at("capacity_bytes").dump());
    }
    std::vector<double> seconds;
    for (const MeasuredFigure& figure : point.figures) {
        seconds.push_back(figure_of(figure, result, point.name));
    }
    return seconds;
}

double FittedValue::place_of(double value) const
{
    return low > 0 ? portable::log(value / low) / portable::log(high / low)
                   : (value - low) / (high - low);
}

double FittedValue::at(double place) const
{
    const double value =
        low > 0 ? low * portable::pow(high / low, place) : low + place * (high - low);
    return std::clamp(value, low, high);
}

FittedValue fitted_value(const topologies::Preset& preset, const std::string& key)
{
    const topologies::PresetValue& entry = preset.at(key);
    const std::string why = obstacle(entry);
    if (!why.empty()) {
        throw InputError("--fit", key, why);
    }
    return value_of(key, entry);
}

std::vector<FittedValue> assumed_values(const topologies::Preset& preset, const Json& study)
{
    const Json overrides = study.at("machine").value("overrides", Json::object());
    std::vector<FittedValue> values;
    for (const std::string& key : preset.keys()) {
        const topologies::PresetValue& entry = preset.at(key);
        if (entry.kind == "assumed" && obstacle(entry).empty() && !overrides.contains(key)) {
            values.push_back(value_of(key, entry));
        }
    }
    return values;
}

} // namespace alxsim::experiments
