// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/points/study/known_phases.h"
#include "experiments/points/study/study.h"
#include "report/claims.h"
#include "report/schema/field_names.h"
#include "workloads/registry.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {
namespace {

void check_name(const std::string& name, const std::vector<std::string>& names,
                const std::string& place, const std::string& file, const std::string& what)
{
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(file, place,
                         "found '" + name + "', which is no " + what + did_you_mean(name, names) +
                             (names.empty() ? "" : " (allowed: " + join(names) + ")"));
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

std::string prefixed(const std::string& object, const std::string& field)
{
    return object.empty() ? field : object + "." + field;
}

[[noreturn]] void refuse_what_is_no_number(const report::NamedField& field,
                                           const std::string& place, const std::string& file)
{
    const std::string path = prefixed(field.inside, field.part);
    std::vector<std::string> inside;
    for (const std::string& name : field.names) {
        inside.push_back(prefixed(path, name));
    }
    throw InputError(file, place,
                     "found '" + path + "', which is " + field.what +
                         "; allowed: a field that is a number" +
                         (inside.empty() ? "" : ", such as " + join(inside)));
}

/// "phases.solve", "sweet_spot.cores"
void check_field(const std::string& field, const std::string& place, const std::string& file,
                 const Known& known)
{
    if (is_of_target(field, known.kind)) {
        return;
    }
    static const std::string phases = "phases.";
    if (field.rfind(phases, 0) == 0) {
        const std::string phase = field.substr(phases.size());
        if (!known.phases.has(phase)) {
            check_name(phase, known.phases.names(), place, file, "field of phases");
        }
        return;
    }
    const report::NamedField found = report::field_named(field);
    if (found.kind == report::NamedField::Kind::unknown) {
        check_name(found.part, found.names, place, file,
                   found.inside.empty() ? "field of a point or a series"
                                        : "field of " + found.inside);
    } else if (found.kind == report::NamedField::Kind::no_number) {
        refuse_what_is_no_number(found, place, file);
    }
}

/// "sweet_spot.cores", "communication_seconds/epoch_seconds"
void check_value(const std::string& value, const std::string& place, const std::string& file,
                 const Known& known)
{
    const std::size_t slash = value.find('/');
    check_field(value.substr(0, slash), place, file, known);
    if (slash == std::string::npos) {
        return;
    }
    const std::string divisor = value.substr(slash + 1);
    if (divisor.find('/') != std::string::npos) {
        throw InputError(file, place,
                         "found '" + value + "'; allowed: a field, or a quotient of two");
    }
    check_field(divisor, place, file, known);
}

/// What points of a series sweep.
using Swept = std::map<std::string, std::vector<std::string>>; ///< by pointer, values as text

Swept swept_by(const std::string& series, const std::vector<PointSpec>& points)
{
    Swept swept;
    for (const PointSpec& point : points) {
        if (point.series != series) {
            continue;
        }
        for (const auto& [pointer, value] : point.sweep) {
            std::vector<std::string>& values = swept[pointer];
            if (std::find(values.begin(), values.end(), value.dump()) == values.end()) {
                values.push_back(value.dump());
            }
        }
    }
    return swept;
}

/// Throws InputError for what no point of the series sweeps.
void check_swept(const Settings& wanted, const Swept& swept, const std::string& place,
                 const std::string& file)
{
    std::vector<std::string> pointers;
    for (const auto& [pointer, values] : swept) {
        pointers.push_back(pointer);
    }
    for (const auto& [pointer, value] : wanted) {
        check_name(pointer, pointers, place, file, "pointer that the series sweeps");
        check_name(value.dump(), swept.at(pointer), place, file,
                   "value of " + pointer + " that the series sweeps");
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
        const report::PointRange where = hypothesis.where.value_or(report::PointRange{});
        check_range(where, place + "/where", study.file);
        check_swept(where.sweep.value_or(Settings{}), swept_by(hypothesis.series, points),
                    place + "/where/sweep", study.file);
        const workloads::Kind& kind =
            workloads::registry().kind_of(firsts.at(hypothesis.series)->study.document, study.file);
        check_comparison(hypothesis, series, place, study.file, {kind, phases});
    }
}

} // namespace alxsim::experiments
