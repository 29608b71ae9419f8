// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/calibrate/points.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "base/schema/json_schema.h"
#include "experiments/points/point.h"
#include "experiments/points/study/job.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim {

namespace experiments {

/// An entry of a file of measured points.
struct MeasuredEntry {
    std::optional<std::string> name;
    Json machine = Json::object(); ///< merged onto the study's
    Json workload = Json::object();
    std::optional<double> epoch_seconds;
    Named<double> phases;
    std::optional<double> at_most;
};

template <class Fields>
void list_fields(Fields& fields, MeasuredEntry& entry)
{
    fields("name", entry.name, "For reports; default: its number, chip and cores.",
           limits::not_empty);
    fields.newer("machine", entry.machine, "Merged over the study's, as a JSON merge patch.",
                 limits::any_object);
    fields.newer("workload", entry.workload, "Likewise.", limits::any_object);
    fields("epoch_seconds", entry.epoch_seconds, limits::above(0));
    fields.unless_empty("phases", entry.phases, "Seconds of an interval by phase, as in a report.",
                        limits::above(0));
    fields("at_most", entry.at_most, "Seconds that an interval is known to stay under.",
           limits::above(0));
}

} // namespace experiments

namespace json_schema {

template <>
struct Of<experiments::MeasuredEntry> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        SchemaWriter fields(use);
        experiments::MeasuredEntry entry;
        list_fields(fields, entry);
        Json schema = fields.take();
        for (const char* const one : {"epoch_seconds", "phases", "at_most"}) {
            schema["anyOf"].push_back({{"required", {one}}});
        }
        return schema;
    }
};

} // namespace json_schema

namespace experiments {
namespace {

std::vector<MeasuredFigure> figures_of(const MeasuredEntry& entry)
{
    std::vector<MeasuredFigure> figures;
    if (entry.epoch_seconds) {
        figures.push_back({"", *entry.epoch_seconds, false});
    }
    for (const auto& [phase, seconds] : entry.phases) {
        figures.push_back({phase, seconds, false});
    }
    if (entry.at_most) {
        figures.push_back({"", *entry.at_most, true});
    }
    return figures;
}

std::string name_of(const MeasuredEntry& entry, const MachineRequest& machine, std::size_t index)
{
    const std::string cores = machine.cores ? std::to_string(*machine.cores) : "?";
    return entry.name.value_or("point " + std::to_string(index) + " (" + cores + " cores)");
}

MeasuredPoint point_of(const Study& study, const MeasuredEntry& entry, std::size_t index,
                       const std::string& path)
{
    Json machine = study.document.value("machine", Json::object());
    name_chip(machine, study.file); // a size in the name of either chip is cores: the entry's count
    Json own = entry.machine;
    name_chip(own, path);
    machine.merge_patch(own);
    Json workload = study.document.at("workload");
    workload.merge_patch(entry.workload);
    Study there = study;
    there.file = path; // what is wrong now, is wrong there
    PointStudy point = single_point(there, {{"/machine", machine},
                                            {"/workload", workload},
                                            {"/numerics", false},
                                            {"/fidelity", name_of(Fidelity::analytic)}});
    point.file = study.file;
    return {name_of(entry, point.machine, index), std::move(point), figures_of(entry)};
}

/// The values of one preset are fitted: all points must be of one chip.
void check_chip(const MachineRequest& machine, const MachineRequest& wanted, std::size_t index,
                const std::string& path)
{
    if (machine.chip != wanted.chip) {
        const auto quoted = [](const std::optional<std::string>& chip) {
            return chip ? '"' + *chip + '"' : "none";
        };
        throw InputError(path, "/" + std::to_string(index) + "/machine/chip",
                         "found " + quoted(machine.chip) + "; allowed: " + quoted(wanted.chip) +
                             " like the others, since the values of one preset are fitted");
    }
}

double figure_of(const MeasuredFigure& figure, const report::Breakdown& epoch,
                 const std::string& name)
{
    if (figure.phase.empty()) {
        return epoch.seconds;
    }
    if (epoch.phase(figure.phase) <= 0) {
        std::vector<std::string> known;
        for (const auto& [phase, seconds] : epoch.phases) {
            known.push_back(phase);
        }
        throw InputError(name, "/phases",
                         "found '" + figure.phase + "'" + did_you_mean(figure.phase, known) +
                             " (allowed: " + join(known) + ")");
    }
    return epoch.phase(figure.phase);
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

const Json& measured_schema()
{
    static const Json schema = [] {
        Json made{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", "alxsim calibrate: what runs on real machines took"}};
        made.update(json_schema::of_type<std::vector<MeasuredEntry>>(limits::not_empty,
                                                                     json_schema::Use::read));
        return made;
    }();
    return schema;
}

std::vector<MeasuredPoint> measured_points(const Study& study, const std::string& path)
{
    const Json measured = load_json(path);
    static const std::string schema = measured_schema().dump();
    validate_json(measured, schema, path);
    const MachineRequest wanted = single_point(study).machine;
    std::vector<MeasuredPoint> points;
    for (const auto& entry : value_of_file<std::vector<MeasuredEntry>>(measured, path)) {
        const std::size_t index = points.size();
        points.push_back(point_of(study, entry, index, path));
        check_chip(points[index].study.machine, wanted.chip ? wanted : points[0].study.machine,
                   index, path);
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

std::vector<double> estimated_seconds(const MeasuredPoint& point, const Named<double>& values)
{
    Settings overrides;
    for (const auto& [key, value] : values) {
        overrides.set("/machine/overrides/" + key, value);
    }
    const report::Point preview = preview_point(changed(point.study, overrides)).point;
    if (!preview.fits) {
        throw InputError(point.name, "",
                         "does not fit: needs " + std::to_string(preview.memory->needed_bytes()) +
                             " bytes a core, of " + std::to_string(preview.memory->capacity_bytes));
    }
    std::vector<double> seconds;
    for (const MeasuredFigure& figure : point.figures) {
        seconds.push_back(figure_of(figure, preview.result->epoch, point.name));
    }
    return seconds;
}

report::IntervalWords interval_of(const MeasuredPoint& point)
{
    return interval_words(*job_of(point.study).workload);
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

bool is_overridden(const MachineRequest& machine, const std::string& key)
{
    return std::any_of(machine.overrides.begin(), machine.overrides.end(),
                       [&](const auto& one) { return one.first == key; });
}

std::vector<FittedValue> assumed_values(const topologies::Preset& preset,
                                        const MachineRequest& machine)
{
    std::vector<FittedValue> values;
    for (const std::string& key : preset.keys()) {
        const topologies::PresetValue& entry = preset.at(key);
        if (entry.kind == "assumed" && obstacle(entry).empty() && !is_overridden(machine, key)) {
            values.push_back(value_of(key, entry));
        }
    }
    return values;
}

} // namespace experiments
} // namespace alxsim
