// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/study.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/study/replaced.h"
#include "experiments/points/study/study_schema.h"
#include "topologies/chip_name.h"
#include "workloads/registry.h"

#include <algorithm>
#include <set>

namespace alxsim::experiments {
namespace {

/// The fields that make several points of a study.
constexpr const char* plural_fields[] = {"series", "sweep", "hypotheses", "search"};

/// "/json/pointer=value"
Settings::Entry setting_of(const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (text.empty() || text.front() != '/' || equals == std::string::npos) {
        throw InputError("--set", text,
                         "is not of the form /json/pointer=value, like /machine/cores=8");
    }
    const std::string pointer = text.substr(0, equals);
    return {pointer, parse_json_or_string(text.substr(equals + 1), "--set " + pointer)};
}

/// More would take hours to look at and gigabytes to keep.
constexpr double most_points = 100000;

/// Counts the points of the product over a sweep, however large.
double points_of(const Sweep& sweep)
{
    double points = 1;
    for (const SweptValues& axis : sweep.axes) {
        points *= static_cast<double>(axis.front().second.size());
    }
    return points;
}

void refuse_many_points(const std::string& file, const std::string& where, double points)
{
    if (points > most_points) {
        throw InputError(
            file, where,
            "found " + printed("%.15g", points) +
                " points, the product over the sweep's pointers; allowed are at most " +
                std::to_string(static_cast<int>(most_points)) + " in a study");
    }
}

/// A value twice would be a point twice; of values that go together, all of them twice.
void check_values(const Sweep& sweep, const std::string& file, const std::string& where)
{
    for (const SweptValues& axis : sweep.axes) {
        std::set<std::string> known;
        for (std::size_t i = 0; i < axis.front().second.size(); ++i) {
            std::vector<std::string> together;
            for (const auto& [pointer, values] : axis) {
                together.push_back(values[i].dump());
            }
            if (!known.insert(join(together)).second) {
                throw InputError(file, where,
                                 "found " + join(together) + " twice in " + axis.front().first +
                                     "; allowed: each value once");
            }
        }
    }
}

/// Whether the name of a chip sets the cores, too: "v5e-256".
bool has_size(const Json& chip)
{
    if (!chip.is_string()) {
        return false;
    }
    const auto name = topologies::chip_named(chip.get<std::string>());
    return name && name->has_size();
}

/// Cores that are swept where a chip's name has them already would be the name's at one point and
/// an error at all others. `chip`: without a sweep, null for none; `where`: the sweep.
void check_swept_cores(const Sweep& sweep, const Json& chip, const std::string& file,
                       const std::string& where)
{
    std::vector<Json> chips{chip};
    bool cores = false;
    for (const SweptValues& axis : sweep.axes) {
        for (const auto& [pointer, values] : axis) {
            cores = cores || pointer == "/machine/cores";
            if (pointer == "/machine/chip") {
                chips = values;
            }
        }
    }
    const auto sized = std::find_if(chips.begin(), chips.end(), has_size);
    if (cores && sized != chips.end()) {
        throw InputError(file, where + "/~1machine~1cores",
                         "found a sweep of the cores beside chip " + sized->dump() +
                             ", whose name has them; allowed: \"" +
                             topologies::preset_named(sized->get<std::string>()) +
                             "\" with this sweep, or a sweep of /machine/chip over such names");
    }
}

/// The same of the study's sweep and of those of its series.
void check_swept_cores(const Study& study)
{
    const Json::json_pointer of_chip("/machine/chip");
    const Json chip = study.document.contains(of_chip) ? study.document.at(of_chip) : Json();
    if (study.series.empty()) {
        check_swept_cores(study.sweep, chip, study.file, "/sweep");
    }
    for (std::size_t i = 0; i < study.series.size(); ++i) {
        const SeriesRequest& series = study.series[i];
        const Json* const own = series.set.find("/machine/chip");
        check_swept_cores(series.sweep.value_or(study.sweep), own != nullptr ? *own : chip,
                          study.file,
                          series.sweep ? "/series/" + std::to_string(i) + "/sweep" : "/sweep");
    }
}

/// What training ends with depends on nothing of the machine.
void check_search(const Study& study)
{
    for (const auto& [pointer, values] : study.search->over) {
        if (pointer.rfind("/machine", 0) == 0) {
            throw InputError(study.file, "/search/over",
                             "found " + pointer +
                                 ", on which no metric depends; allowed: what the numbers depend "
                                 "on, below /workload");
        }
    }
    check_values(Sweep::product(study.search->over), study.file, "/search/over");
}

void check_sweeps(const Study& study)
{
    double points = study.series.empty() ? points_of(study.sweep) : 0;
    for (const SeriesRequest& series : study.series) {
        points += points_of(series.sweep.value_or(study.sweep));
    }
    refuse_many_points(study.file, study.series.empty() ? "/sweep" : "/series", points);
    if (study.search && study.search->kind == "grid") {
        refuse_many_points(study.file, "/search/over",
                           points_of(Sweep::product(study.search->over)));
    }
    check_swept_cores(study);
    check_values(study.sweep, study.file, "/sweep");
    for (std::size_t i = 0; i < study.series.size(); ++i) {
        check_values(study.series[i].sweep.value_or(Sweep()), study.file,
                     "/series/" + std::to_string(i) + "/sweep");
    }
    if (study.search) {
        check_search(study);
    }
}

/// Whether a sweep says on which machines points run.
bool sweeps_machines(const Sweep& sweep)
{
    for (const SweptValues& axis : sweep.axes) {
        for (const auto& [pointer, values] : axis) {
            const bool sized =
                pointer == "/machine/chip" && std::any_of(values.begin(), values.end(), has_size);
            if (sized || pointer == "/machine/cores" || pointer == "/machine/slice" ||
                pointer == "/machine/slices") {
                return true;
            }
        }
    }
    return false;
}

/// The machines that files of the job are for, where nothing says on which it runs.
std::optional<SweptValues> swept_machines(const Json& document, const Sweep& sweep,
                                          const std::string& file)
{
    const workloads::Kind* const kind = workloads::registry().find(document);
    if (kind == nullptr || !kind->sweep || sweeps_machines(sweep)) {
        return std::nullopt;
    }
    try {
        Json whole; // what a series sets has not been looked at yet
        valid_json(document, study_schema(), file, whole);
    } catch (const InputError&) {
        return std::nullopt; // its points are refused, unless their sweep mends them
    }
    SweptValues machines = kind->sweep(document, file);
    return machines.empty() ? std::nullopt : std::optional(std::move(machines));
}

/// Sweeps of several files, in front of what the study sweeps itself.
void add_swept_machines(Study& study)
{
    const auto add = [&study](const Json& document, Sweep& sweep) {
        if (auto machines = swept_machines(document, sweep, study.file)) {
            sweep.axes.insert(sweep.axes.begin(), std::move(*machines));
            return true;
        }
        return false;
    };
    if (study.series.empty()) {
        add(study.document, study.sweep);
    }
    for (SeriesRequest& series : study.series) {
        Json document = study.document;
        series.set.apply_to(document, study.file);
        Sweep sweep = series.sweep.value_or(study.sweep);
        if (add(document, sweep)) {
            series.sweep = std::move(sweep);
        }
    }
}

void append_series(std::vector<PointSpec>& points, const Json& base, const SeriesRequest& series,
                   const Study& study)
{
    Json of_series = base;
    series.set.apply_to(of_series, study.file);
    for (const Settings& combination : combinations(series.sweep.value_or(study.sweep))) {
        Json document = of_series;
        combination.apply_to(document, study.file);
        Json whole;
        const Json& valid = valid_json(document, study_schema(),
                                       study.file + " (series '" + series.name + "')", whole);
        points.push_back({series.name, combination, read_point_study(valid, study.file), "",
                          replaced_notes(of_series, combination)});
    }
}

/// Throws InputError if two series have one name.
void check_names(const std::vector<SeriesRequest>& series, const std::string& file)
{
    std::vector<std::string> names;
    for (const SeriesRequest& one : series) {
        if (std::find(names.begin(), names.end(), one.name) != names.end()) {
            throw InputError(file, "/series",
                             "two series are named '" + one.name + "'; names must differ");
        }
        names.push_back(one.name);
    }
}

} // namespace

Sweep Sweep::product(const SweptValues& values)
{
    Sweep sweep;
    for (const auto& one : values) {
        sweep.axes.push_back({one});
    }
    return sweep;
}

Study study_of(const Json& given, const std::string& file)
{
    Json whole;
    const Json& document = valid_json(given, study_schema(), file, whole);
    Study study;
    read_json(with_study_defaults(document), study);
    study.document = document;
    study.file = file;
    add_swept_machines(study);
    check_sweeps(study);
    return study;
}

Study study_of(Json document, const std::string& file, const std::vector<std::string>& settings)
{
    for (const std::string& setting : settings) {
        Settings{setting_of(setting)}.apply_to(document, file);
    }
    return study_of(document, file);
}

Study load_study(const std::string& path, const std::vector<std::string>& settings)
{
    return study_of(load_json(path), path, settings);
}

Study changed(const Study& study, const Settings& values)
{
    Json document = study.document;
    values.apply_to(document, study.file);
    return study_of(document, study.file);
}

std::vector<Settings> combinations(const Sweep& sweep)
{
    std::vector<Settings> all{Settings()};
    for (const SweptValues& axis : sweep.axes) {
        std::vector<Settings> longer;
        const auto add = [&](Settings settings, std::size_t i) {
            for (const auto& [pointer, values] : axis) {
                settings.set(pointer, values[i]);
            }
            longer.push_back(std::move(settings));
        };
        for (Settings& known : all) {
            const std::size_t last = axis.front().second.size() - 1; // a list has one, at least
            for (std::size_t i = 0; i < last; ++i) {
                add(known, i);
            }
            add(std::move(known), last); // of many pointers with one value each, none is copied
        }
        all = std::move(longer);
    }
    return all;
}

PointStudy single_point(const Study& study, const Settings& values)
{
    Json document = study.document;
    values.apply_to(document, study.file);
    for (const char* field : plural_fields) {
        document.erase(field);
    }
    document.erase("export");
    return point_study(document, study.file);
}

void pack(std::vector<PointSpec>& points)
{
    for (PointSpec& point : points) {
        if (point.packed.empty()) {
            point.packed = point.study.document.dump();
            point.packed.shrink_to_fit();
            point.study.document = Json();
        }
    }
}

PointStudy whole_study(const PointSpec& point)
{
    PointStudy study = point.study;
    if (!point.packed.empty()) {
        study.document = parse_written_json(point.packed);
    }
    return study;
}

std::string document_text(const PointSpec& point)
{
    return point.packed.empty() ? point.study.document.dump() : point.packed;
}

std::string label_of(const PointSpec& point)
{
    const std::string swept = settings_in_words(point.sweep);
    return point.series + (swept.empty() ? "" : ", " + swept);
}

std::string settings_in_words(const Settings& settings)
{
    std::vector<std::string> words;
    for (const auto& [pointer, value] : settings) {
        words.push_back(pointer.substr(pointer.rfind('/') + 1) + " " +
                        (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return join(words);
}

void refuse_if_of_study(const PointSpec& point)
{
    for_point(point, [&point] {
        const MachineRequest& machine = point.study.machine;
        preset_asked_for(machine, point.study.file);
        if (!machine.cores) {
            machine_of(machine, point.study.file); // says so
        }
    });
}

void refuse_if_all_are_refused_alike(const std::vector<PointSpec>& points,
                                     const std::vector<std::optional<std::string>>& refusals)
{
    const bool alike = !refusals.empty() && refusals.front() &&
                       std::all_of(refusals.begin(), refusals.end(), [&](const auto& refusal) {
                           return refusal == refusals.front();
                       });
    if (alike) {
        throw input_error_of(*refusals.front(), points.front().study.file);
    }
}

std::vector<PointSpec> expand(const Study& study)
{
    Json base = study.document;
    for (const char* field : plural_fields) {
        base.erase(field);
    }
    check_names(study.series, study.file);
    std::vector<PointSpec> points;
    for (const SeriesRequest& series : study.series) {
        append_series(points, base, series, study);
    }
    if (study.series.empty()) {
        append_series(points, base, {study.name, {}, {}}, study);
    }
    check_hypotheses(study, points);
    return points;
}

} // namespace alxsim::experiments

namespace alxsim::json_fields {

using experiments::Sweep;
using experiments::SweptValues;

Json Form<Sweep>::write(const Sweep& sweep)
{
    Json json = Json::object();
    for (const SweptValues& axis : sweep.axes) {
        if (axis.size() == 1) {
            json[axis.front().first] = axis.front().second;
        } else {
            json["zip"] = json_of(axis);
        }
    }
    return json;
}

void Form<Sweep>::read(const Json& json, Sweep& sweep)
{
    sweep = {};
    if (!json.is_object()) {
        refuse_type(json, "an object");
    }
    for (const auto& [pointer, values] : json.items()) {
        SweptValues axis;
        if (pointer == "zip") {
            read_inside(pointer, values, axis);
            for (const auto& [other, others] : axis) {
                if (others.size() != axis.front().second.size()) {
                    throw FieldError("/zip", "found " + std::to_string(axis.front().second.size()) +
                                                 " values of " + axis.front().first + " and " +
                                                 std::to_string(others.size()) + " of " + other +
                                                 "; allowed: as many of each, as they go together");
                }
            }
        } else {
            read_inside(pointer, values, axis.emplace_back(pointer, std::vector<Json>()).second);
        }
        if (!axis.empty()) {
            sweep.axes.push_back(std::move(axis));
        }
    }
}

} // namespace alxsim::json_fields
