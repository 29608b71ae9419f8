// SPDX-License-Identifier: Apache-2.0
#include "program/serve/scenario.h"

#include "base/file_pattern.h"
#include "base/inputs/named_files.h"
#include "base/paths.h"

#include <algorithm>
#include <filesystem>

namespace alxsim::program {
namespace {

constexpr const char* of_all_curves[] = {"series", "sweep", "hypotheses", "search", "export"};
constexpr std::size_t most_points = 64;
constexpr std::size_t most_settings = 256;

const SeriesRequest* series_named(const Study& study, const std::string& name)
{
    if (study.series.empty()) {
        return nullptr;
    }
    const auto found = std::find_if(study.series.begin(), study.series.end(),
                                    [&](const SeriesRequest& one) { return one.name == name; });
    return found == study.series.end() ? nullptr : &*found;
}

/// Whether the text is the path of a file beside the study, or a pattern of some, that may be read.
/// A name without a dot or a folder is rather a word of the study than a file that has its name.
bool names_file(const std::string& text, const std::string& study_file)
{
    std::error_code ignored;
    const NamedFiles* const allowed = named_files();
    const bool is_path = text.find_first_of("./") != std::string::npos &&
                         (allowed == nullptr || allowed->has(text, study_file)) &&
                         std::filesystem::path(text).is_relative();
    const std::string joined = joined_path(text, study_file);
    return is_path && (std::filesystem::is_regular_file(joined, ignored) ||
                       (is_file_pattern(text) && !files_like(joined).empty()));
}

void make_absolute(Json& value, const std::string& study_file)
{
    if (value.is_string()) {
        const std::string text = value.get<std::string>();
        if (names_file(text, study_file)) {
            value = std::filesystem::absolute(joined_path(text, study_file))
                        .lexically_normal()
                        .string();
        }
    } else if (value.is_structured()) {
        for (Json& inner : value) {
            make_absolute(inner, study_file);
        }
    }
}

/// The study is one curve, and whoever asks cannot make it several.
void refuse_several_curves(const Json& document, const std::string& file)
{
    for (const std::string field : of_all_curves) {
        if (field != "sweep" && document.contains(field)) {
            throw InputError(file, "/" + field,
                             "is set by a request; allowed are values of one curve, which has a "
                             "sweep at most");
        }
    }
}

} // namespace

Scenario scenario_of(const Json& request, const std::vector<std::string>& known)
{
    const std::string where = "the request";
    if (!request.is_object()) {
        throw InputError(where, "", "is no JSON object");
    }
    Scenario scenario;
    for (const auto& [field, value] : request.items()) {
        if (field == "series" && value.is_string()) {
            scenario.series = value.get<std::string>();
        } else if (field == "set" && value.is_object() && value.size() <= most_settings) {
            scenario.set = Settings::of(value);
        } else if (std::find(known.begin(), known.end(), field) == known.end()) {
            throw InputError(where, "/" + field,
                             "is unknown, or no such value; allowed: series (a name), set (at "
                             "most " +
                                 std::to_string(most_settings) + " values by JSON pointer)" +
                                 (known.empty() ? "" : ", " + join(known)));
        }
    }
    return scenario;
}

std::vector<std::string> curve_names(const Study& study)
{
    std::vector<std::string> names;
    for (const SeriesRequest& one : study.series) {
        names.push_back(one.name);
    }
    if (names.empty()) {
        names.push_back(study.name);
    }
    return names;
}

Study study_in(const Study& study, const Scenario& scenario)
{
    const std::vector<std::string> names = curve_names(study);
    const std::string name = scenario.series.empty() ? names.front() : scenario.series;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(study.file, "/series",
                         "has no '" + name + "'" + did_you_mean(name, names) +
                             "; allowed: " + join(names));
    }
    Json document = study.document;
    for (const char* field : of_all_curves) {
        document.erase(field);
    }
    document["study"] = name;
    Sweep sweep = study.sweep;
    if (const SeriesRequest* series = series_named(study, name)) {
        series->set.apply_to(document, study.file);
        sweep = series->sweep.value_or(sweep);
    }
    if (!sweep.axes.empty()) {
        document["sweep"] = json_of(sweep);
    }
    if (document.contains("machine")) {
        name_chip(document.at("machine"), study.file); // so that its cores can be set
    }
    scenario.set.apply_to(document, study.file);
    refuse_several_curves(document, study.file);
    return study_of(document, study.file);
}

Json portable_document(const Study& study)
{
    Json document = study.document;
    for (const auto& [field, value] : document.items()) {
        if (field != "study") {
            make_absolute(value, study.file);
        }
    }
    return document;
}

std::vector<PointSpec> points_of(const Study& study)
{
    double points = 1;
    for (const SweptValues& axis : study.sweep.axes) {
        points *= static_cast<double>(axis.front().second.size());
    }
    if (points > static_cast<double>(most_points)) {
        throw InputError(study.file, "/sweep",
                         "has more points than a page draws at once; allowed are at most " +
                             std::to_string(most_points));
    }
    return expand(study);
}

} // namespace alxsim::program
