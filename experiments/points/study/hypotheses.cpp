// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/points/study/known_phases.h"
#include "experiments/points/study/study.h"
#include "report/claims.h"
#include "report/schema/field_names.h"
#include "workloads/registry.h"

#include <algorithm>
#include <limits>
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

/// How many characters in a row two names share at most.
std::size_t longest_in_common(const std::string& a, const std::string& b)
{
    std::size_t longest = 0;
    for (std::size_t begin = 0; begin < a.size(); ++begin) {
        while (begin + longest < a.size() &&
               b.find(a.substr(begin, longest + 1)) != std::string::npos) {
            ++longest;
        }
    }
    return longest;
}

/// Five of the names, those most like `name` first.
std::vector<std::string> five_nearest(const std::string& name, std::vector<std::string> names)
{
    std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return longest_in_common(name, a) > longest_in_common(name, b);
    });
    names.resize(std::min<std::size_t>(names.size(), 5));
    return names;
}

/// Those of `names` that are numbers, and the numbers in those that are objects.
std::vector<std::string> numbers_among(const std::vector<std::string>& names,
                                       const std::string& inside)
{
    using Kind = report::NamedField::Kind;
    std::vector<std::string> numbers;
    for (const std::string& name : names) {
        const report::NamedField field = report::field_named(prefixed(inside, name));
        if (field.kind == Kind::number) {
            numbers.push_back(name);
        }
        for (const std::string& part : field.names) {
            const std::string path = prefixed(name, part);
            if (report::field_named(prefixed(inside, path)).kind == Kind::number) {
                numbers.push_back(path);
            }
        }
    }
    return numbers;
}

[[noreturn]] void refuse_unknown(const report::NamedField& field, const std::string& place,
                                 const std::string& file)
{
    const std::vector<std::string> numbers = numbers_among(field.names, field.inside);
    throw InputError(file, place,
                     "found '" + field.part + "', which is no field of " +
                         (field.inside.empty() ? "a point or a series" : field.inside) +
                         did_you_mean(field.part, numbers) +
                         (numbers.empty() ? ""
                                          : " (allowed: numbers such as " +
                                                join(five_nearest(field.part, numbers)) +
                                                "; all of them: docs/reference/report.md)"));
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
        refuse_unknown(found, place, file);
    } else if (found.kind == report::NamedField::Kind::no_number) {
        refuse_what_is_no_number(found, place, file);
    }
}

/// "sweet_spot.cores", "communication_seconds/epoch_seconds"
void check_value(const std::string& value, const std::string& place, const std::string& file,
                 const Known& known)
{
    const std::size_t slash = value.find('/');
    const bool computes =
        value.find_first_of("+*()") != std::string::npos || value.find(" - ") != std::string::npos;
    if (computes || value.find('/') != value.rfind('/')) {
        throw InputError(file, place,
                         "found '" + value + "'; allowed: a field, or a quotient of two");
    }
    check_field(value.substr(0, slash), place, file, known);
    if (slash != std::string::npos) {
        check_field(value.substr(slash + 1), place, file, known);
    }
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

/// Throws InputError where no point of the series has cores in the range.
void check_cores(const report::PointRange& where, const std::string& series,
                 const std::vector<PointSpec>& points, const std::string& place,
                 const std::string& file)
{
    int fewest = std::numeric_limits<int>::max();
    int most = 0;
    for (const PointSpec& point : points) {
        if (point.series == series) {
            const int cores = point.study.machine.cores.value_or(0);
            if (cores == 0) { // of a slice that is asked for by its shape
                return;
            }
            fewest = std::min(fewest, cores);
            most = std::max(most, cores);
        }
    }
    const auto refuse = [&](const char* field, std::int64_t cores, const char* than) {
        throw InputError(file, place + "/" + field,
                         "found " + std::to_string(cores) + ", but no point has " +
                             std::to_string(cores) + " cores or " + than +
                             "; the sweep goes from " + std::to_string(fewest) + " to " +
                             std::to_string(most));
    };
    if (where.min_cores.value_or(0) > most) {
        refuse("min_cores", *where.min_cores, "more");
    }
    if (where.max_cores.value_or(most) < fewest) {
        refuse("max_cores", *where.max_cores, "fewer");
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
        check_cores(where, hypothesis.series, points, place + "/where", study.file);
        check_swept(where.sweep.value_or(Settings{}), swept_by(hypothesis.series, points),
                    place + "/where/sweep", study.file);
        const workloads::Kind& kind =
            workloads::registry().kind_of(firsts.at(hypothesis.series)->study.document, study.file);
        check_comparison(hypothesis, series, place, study.file, {kind, phases});
    }
}

} // namespace alxsim::experiments
