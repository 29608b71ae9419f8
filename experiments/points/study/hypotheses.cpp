// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/points/study/known_phases.h"
#include "experiments/points/study/study.h"
#include "report/claims.h"
#include "report/schema/report_schema.h"
#include "workloads/registry.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace alxsim::experiments {
namespace {

void check_name(const std::string& name, const std::vector<std::string>& names,
                const std::string& place, const std::string& file, const std::string& what)
{
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(file, place,
                         "found '" + name + "', which is no " + what + did_you_mean(name, names) +
                             " (allowed: " + join(names) + ")");
    }
}

/// Throws InputError for a name that cannot stand behind the first dot of a field, or behind a
/// later one.
void check_inside(const std::string& field, const std::string& inside, const std::string& place,
                  const std::string& file, KnownPhases& phases)
{
    if (field == "phases" && !phases.has(inside)) {
        check_name(inside, phases.names(), place, file, "field of phases");
    } else if (field == "sweet_spot") {
        check_name(inside, {"cores", "low", "median", "high"}, place, file, "field of sweet_spot");
    } else if (field != "phases") {
        std::istringstream parts(inside);
        std::string path = field;
        for (std::string part; std::getline(parts, part, '.'); path += "." + part) {
            const std::vector<std::string> known = report::fields_inside(path);
            if (!known.empty()) {
                check_name(part, known, place, file, "field of " + path);
            }
        }
    }
}

/// A field that has the name of what its workload tells times to.
bool is_of_target(const std::string& field, const workloads::Kind& kind)
{
    return kind.target &&
           (field == "seconds_to_" + kind.target->name || field == "target_" + kind.target->metric);
}

/// What claims may speak of.
struct Known {
    const workloads::Kind& kind;
    KnownPhases& phases;
};

/// "communication_seconds/epoch_seconds", "sweet_spot.cores".
void check_value(const std::string& value, const std::string& place, const std::string& file,
                 const Known& known)
{
    static const std::vector<std::string> names = report::fields_of_points_and_series();
    std::istringstream figures(value);
    for (std::string figure; std::getline(figures, figure, '/');) {
        const std::size_t dot = figure.find('.');
        const std::string field = figure.substr(0, dot);
        if (!is_of_target(field, known.kind)) {
            check_name(field, names, place, file, "field of a point or a series");
        }
        check_inside(field, dot == std::string::npos ? "" : figure.substr(dot + 1), place, file,
                     known.phases);
    }
}

void check_range(const report::PointRange& where, const std::string& place, const std::string& file)
{
    if (where.min_cores && where.max_cores && *where.min_cores > *where.max_cores) {
        throw InputError(file, place,
                         "found min_cores " + std::to_string(*where.min_cores) +
                             " above max_cores " + std::to_string(*where.max_cores));
    }
}

/// Throws InputError unless a claim that has a name stands alone, and any other has all three.
void check_completeness(const report::Hypothesis& hypothesis, const std::string& place,
                        const std::string& file)
{
    const std::pair<const char*, bool> fields[] = {{"value", hypothesis.value.has_value()},
                                                   {"is", hypothesis.is.has_value()},
                                                   {"than", hypothesis.than.has_value()}};
    const bool named = hypothesis.is_linear_then_flat();
    for (const auto& [field, is_there] : fields) {
        if (is_there == named) {
            throw InputError(file, place,
                             named ? "found '" + std::string(field) +
                                         "', but the claim linear_then_flat stands alone"
                                   : "missing field '" + std::string(field) +
                                         "' (a claim without value, is and than: \"" +
                                         report::linear_then_flat + "\")");
        }
    }
}

/// What a claim compares, unless it is one that has a name.
void check_comparison(const report::Hypothesis& hypothesis, const std::vector<std::string>& series,
                      const std::string& place, const std::string& file, const Known& known)
{
    check_completeness(hypothesis, place, file);
    if (hypothesis.is_linear_then_flat()) {
        return;
    }
    check_value(*hypothesis.value, place + "/value", file, known);
    if (!hypothesis.than->number) {
        check_name(hypothesis.than->series, series, place + "/than/series", file,
                   "series of this study");
        check_value(hypothesis.than->value, place + "/than/value", file, known);
    }
}

} // namespace

void check_hypotheses(const Study& study, const std::vector<PointSpec>& points)
{
    std::map<std::string, const PointSpec*> firsts; // of each series
    std::vector<std::string> series;
    std::vector<const PointStudy*> studies;
    for (const PointSpec& point : points) {
        studies.push_back(&point.study);
        if (firsts.emplace(point.series, &point).second) {
            series.push_back(point.series);
        }
    }
    KnownPhases phases(std::move(studies));
    std::vector<std::string> names;
    for (const report::Hypothesis& hypothesis : study.hypotheses) {
        const std::string place = "/hypotheses/" + std::to_string(names.size());
        if (std::find(names.begin(), names.end(), hypothesis.name) != names.end()) {
            throw InputError(study.file, place + "/name",
                             "found '" + hypothesis.name + "' twice; names must differ");
        }
        names.push_back(hypothesis.name);
        check_name(hypothesis.series, series, place + "/series", study.file,
                   "series of this study");
        check_range(hypothesis.where.value_or(report::PointRange{}), place + "/where", study.file);
        const workloads::Kind& kind =
            workloads::registry().kind_of(firsts.at(hypothesis.series)->study.document, study.file);
        check_comparison(hypothesis, series, place, study.file, {kind, phases});
    }
}

} // namespace alxsim::experiments
