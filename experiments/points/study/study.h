// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "experiments/points/study/point_study.h"
#include "report/hypothesis.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// JSON pointer -> values.
using SweptValues = Named<std::vector<Json>>;

/// What points differ in: the product over axes. An axis is one pointer, or several whose values go
/// together, the first with the first (a study's "zip"): there are as many of each.
struct Sweep {
    std::vector<SweptValues> axes;

    /// Returns the sweep whose axes are the single pointers.
    static Sweep product(const SweptValues& values);
};

} // namespace alxsim::experiments

namespace alxsim::json_fields {

/// {"/pointer": [values], "zip": {"/pointer": [values], ...}}
template <>
struct Form<experiments::Sweep> {
    static Json write(const experiments::Sweep& sweep);
    /// Throws FieldError for lists of a zip that are not equally long.
    static void read(const Json& json, experiments::Sweep& sweep);
};

} // namespace alxsim::json_fields

namespace alxsim::experiments {

/// One of several curves: the study, these values on top, and a sweep.
struct SeriesRequest {
    std::string name;
    Settings set;
    std::optional<Sweep> sweep; ///< absent: the study's own
};

/// Parameters to be chosen before the points run.
struct SearchRequest {
    std::string kind = "grid";
    SweptValues over;
    int points = 20;                     ///< of a random search
    std::optional<std::string> maximize; ///< absent: the workload's first metric
};

/// A study: what its points have in common, and what makes points of it.
struct Study {
    std::string name;
    Sweep sweep;
    std::vector<SeriesRequest> series; ///< empty: one of the study's own name
    std::optional<SearchRequest> search;
    std::vector<report::Hypothesis> hypotheses;
    Json document;    ///< as the user wrote it, with what the command line set on top
    std::string file; ///< for error messages; paths in the study are relative to its folder
};

template <class Fields>
void list_fields(Fields& fields, SeriesRequest& series)
{
    fields("name", series.name);
    fields.newer("set", series.set);
    fields("sweep", series.sweep);
}

template <class Fields>
void list_fields(Fields& fields, SearchRequest& search)
{
    fields("kind", search.kind);
    fields.newer("over", search.over);
    fields("points", search.points);
    fields("maximize", search.maximize);
}

template <class Fields>
void list_fields(Fields& fields, Study& study)
{
    fields("study", study.name);
    fields.unless_empty("sweep", study.sweep);
    fields.unless_empty("series", study.series);
    fields("search", study.search);
    fields.unless_empty("hypotheses", study.hypotheses);
}

/// One point of a study.
struct PointSpec {
    std::string series;
    Settings sweep; ///< what sets this point apart within its series
    PointStudy study;
    std::string packed = {};             ///< see pack()
    std::vector<std::string> notes = {}; ///< what of the study its sweep leaves without effect
};

/// Keeps the documents of studies as text, which takes an eighth of their memory: `study.document`
/// is null from then on, and whole_study() has it.
void pack(std::vector<PointSpec>& points);

/// Returns the study of a point, with its document.
PointStudy whole_study(const PointSpec& point);

/// Returns the document of a point's study as text.
std::string document_text(const PointSpec& point);

/// Checks a study and reads it. Throws InputError: unknown field, wrong type, not supported yet.
Study study_of(const Json& document, const std::string& file);

/// Reads a study with `settings` on top: "/json/pointer=value", the value JSON or else a string.
Study study_of(Json document, const std::string& file, const std::vector<std::string>& settings);

/// Reads the study in a file, with `settings` on top.
Study load_study(const std::string& path, const std::vector<std::string>& settings);

/// Returns the study with other values. Throws InputError.
Study changed(const Study& study, const Settings& values);

/// Lists all combinations of a sweep's values, the last pointer fastest.
std::vector<Settings> combinations(const Sweep& sweep);

/// The study's machine and workload by themselves: no sweep, series, search, hypotheses or exports.
/// Throws InputError.
PointStudy single_point(const Study& study, const Settings& values = {});

/// For people: "v5e, cores 64", its series and what the sweep sets.
std::string label_of(const PointSpec& point);

/// "cores 64, dim 128": values by the last words of their pointers.
std::string settings_in_words(const Settings& settings);

/// Calls `function` and returns what it yields; its InputErrors then name the point.
template <class Function>
auto for_point(const PointSpec& point, const Function& function)
{
    try {
        return function();
    } catch (const InputError& error) {
        throw InputError(error, " (in point '" + label_of(point) + "')");
    }
}

/// Throws InputError, naming the point, where what is wrong with it is wrong with the study: it
/// says no chip or no cores, or asks for a preset or an override that does not exist.
void refuse_if_of_study(const PointSpec& point);

/// Throws InputError where all points were refused for one and the same reason, which then is the
/// study's. `refusals`: [point], why; nothing for one that was not.
void refuse_if_all_are_refused_alike(const std::vector<PointSpec>& points,
                                     const std::vector<std::optional<std::string>>& refusals);

/// Calls `look` with each point; one that it refuses by an InputError is passed over. Throws what
/// refuse_if_of_study() and refuse_if_all_are_refused_alike() do.
template <class Look>
void for_each_possible(const std::vector<PointSpec>& points, const Look& look)
{
    std::vector<std::optional<std::string>> refusals(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        try {
            look(points[i]);
        } catch (const InputError& error) {
            refuse_if_of_study(points[i]);
            refusals[i] = error.what();
        }
    }
    refuse_if_all_are_refused_alike(points, refusals);
}

/// Lists all points, series by series: the product over the sweep's pointers, the last one fastest.
/// A study without series is one series of its own name. Every point has been checked like a study.
std::vector<PointSpec> expand(const Study& study);

/// Throws InputError for a hypothesis of the study that names a series or a figure that the report
/// of these points will not have: before the run, not after.
void check_hypotheses(const Study& study, const std::vector<PointSpec>& points);

} // namespace alxsim::experiments
