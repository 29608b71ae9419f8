// SPDX-License-Identifier: Apache-2.0
#include "experiments/explain/explain.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "experiments/explain/row_issue.h"
#include "experiments/explain/what_ifs.h"
#include "experiments/explain/work.h"
#include "experiments/point_notes.h"
#include "experiments/study.h"
#include "report/regimes.h"
#include "report/series.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

using Indices = std::vector<std::size_t>;

/// The name of a share's field without "_seconds".
const std::vector<std::string> mechanisms{"compute", "hbm", "communication", "host", "idle"};

/// Names and seconds, the longest first.
Json parts_json(std::vector<std::pair<std::string, double>> parts, double epoch)
{
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    Json json = Json::array();
    for (const auto& [name, seconds] : parts) {
        if (seconds > 0) {
            json.push_back({{"name", name}, {"seconds", seconds}, {"share", seconds / epoch}});
        }
    }
    return json;
}

/// The halves of whose batches more than a quarter is padding.
Json padding_json(const Json& point)
{
    constexpr double worth_telling = 0.25;
    Json padding = Json::array();
    const Json geometry = point.value("geometry", Json::object());
    for (const auto& [field, of] :
         {std::pair("batch", "rows"), std::pair("column_batch", "columns")}) {
        const Json batch = geometry.value(field, Json::object());
        if (batch.value("padding_share", 0.0) > worth_telling) {
            padding.push_back({{"of", of}, {"share", batch.at("padding_share")}});
        }
    }
    return padding;
}

Json moment_json(const std::string& what, const Json& point)
{
    const double epoch = point.at("epoch_seconds").get<double>();
    Json moment{
        {"what", what}, {"cores", point.at("machine").at("cores")}, {"epoch_seconds", epoch}};
    for (const char* field : {"epoch_seconds_low", "epoch_seconds_high"}) {
        if (point.contains(field)) {
            moment[field] = point.at(field);
        }
    }
    std::vector<std::pair<std::string, double>> phases;
    for (const auto& [phase, seconds] : point.at("phases").items()) {
        phases.emplace_back(phase, seconds.get<double>());
    }
    std::vector<std::pair<std::string, double>> shares;
    shares.reserve(mechanisms.size());
    for (const std::string& mechanism : mechanisms) {
        shares.emplace_back(mechanism, point.at(mechanism + "_seconds").get<double>());
    }
    const Json uncertainty = point.value("uncertainty", Json::object());
    if (!uncertainty.value("ranking", Json::array()).empty()) {
        moment["most_uncertain"] = uncertainty.at("ranking").at(0);
    }
    const Json padding = padding_json(point);
    if (!padding.empty()) {
        moment["padding"] = padding;
    }
    moment["phases"] = parts_json(phases, epoch);
    moment["mechanisms"] = parts_json(shares, epoch);
    return moment;
}

/// First, sweet spot (where it is another) and last.
Json moments_json(const Json& series, const Indices& fitting, const Json& points)
{
    Json moments = Json::array({moment_json("first", points.at(fitting.front()))});
    for (const std::size_t index : fitting) {
        const bool sweet =
            series.contains("sweet_spot") &&
            points.at(index).at("machine").at("cores") == series.at("sweet_spot").at("cores");
        if (sweet && index != fitting.front() && index != fitting.back()) {
            moments.push_back(moment_json("sweet spot", points.at(index)));
        }
    }
    if (fitting.size() > 1) {
        moments.push_back(moment_json("last", points.at(fitting.back())));
    }
    return moments;
}

/// What a fit of a phase leaves at `cores` when its 1/N part is taken off.
double floor_of(const Json& fit, double cores)
{
    return fit.at("constant").get<double>() + fit.value("log", 0.0) * portable::log2(cores) +
           fit.at("per_core").get<double>() * cores;
}

/// The phases by what their fits say: `terms` that stay, the longest first, and those that shrink.
void add_terms(Json& series, const Indices& fitting, const Json& points)
{
    const Json& first = points.at(fitting.front());
    const Json& last = points.at(fitting.back());
    const auto cores = last.at("machine").at("cores").get<double>();
    const auto epoch = last.at("epoch_seconds").get<double>();
    std::vector<Json> terms;
    series["shrinking"] = Json::array();
    for (const auto& [phase, fit] : series.at("fit").at("by_phase").items()) {
        const double floor = floor_of(fit, cores);
        const double seconds = last.at("phases").value(phase, 0.0);
        if (floor < least_floor * epoch) {
            series["shrinking"].push_back(phase);
            continue;
        }
        const double fitted = fit.at("a_over_n").get<double>() / cores + floor;
        terms.push_back({{"phase", phase},
                         {"seconds_first", first.at("phases").value(phase, 0.0)},
                         {"seconds_last", seconds},
                         {"share_of_last", seconds / epoch},
                         {"stays_seconds", floor},
                         {"stays_share", floor / fitted},
                         {"fit", fit}});
    }
    std::stable_sort(terms.begin(), terms.end(), [](const Json& a, const Json& b) {
        return a.at("stays_seconds").get<double>() > b.at("stays_seconds").get<double>();
    });
    series["terms"] = terms;
}

/// How often a kind of work is done at two points; `even`: what its change would be if the job were
/// shared out evenly.
Json change_json(const WorkKind& kind, double first, double last, double even)
{
    Json change{{"kind", kind.key}, {"words", kind.words}, {"first", first}, {"last", last}};
    if (first > 0) {
        change["ratio"] = last / first;
        change["even_ratio"] = even;
    }
    return change;
}

/// Adds to each term what a device does for it in an epoch, and whether devices differ in that.
void add_work(Json& series, const RebuiltPoint& first, const RebuiltPoint& last)
{
    PhaseWork work_first = work_of(first);
    PhaseWork work_last = work_of(last);
    const double even = static_cast<double>(first.machine().devices) / last.machine().devices;
    series["cores_per_device"] = last.machine().cores / last.machine().devices;
    series["devices"] = {first.machine().devices, last.machine().devices};
    const std::set<std::string> uneven = uneven_phases(last);
    for (Json& term : series.at("terms")) {
        const auto phase = term.at("phase").get<std::string>();
        term["work_of_largest"] = uneven.count(phase) > 0;
        term["work"] = Json::array();
        for (const WorkKind& kind : work_kinds()) {
            const double before = work_first[phase][kind.key];
            const double after = work_last[phase][kind.key];
            if (before > 0 || after > 0) {
                term["work"].push_back(change_json(kind, before, after, even));
            }
        }
    }
}

/// Each note once.
void add_notes(Json& series, const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) {
        Json& told = series["notes"];
        if (std::find(told.begin(), told.end(), note) == told.end()) {
            told.push_back(note);
        }
    }
}

/// What needs the study: the work of each term, and what-ifs.
void add_from_study(Json& series, const Indices& fitting, const std::vector<PointSpec>& specs,
                    const std::string& file)
{
    std::vector<RebuiltPoint> curve;
    for (const std::size_t index : fitting) {
        curve.push_back(rebuild(specs.at(index).study, file));
    }
    add_work(series, curve.front(), curve.back());
    series["numerics"] = specs.at(fitting.back()).study.value("numerics", true);
    for (const RebuiltPoint& point : curve) {
        add_notes(series, notes_of(point.machine(), true));
    }
    for (Json& moment : series.at("moments")) {
        const auto found =
            std::find(series.at("cores").begin(), series.at("cores").end(), moment.at("cores"));
        const auto place = static_cast<std::size_t>(found - series.at("cores").begin());
        split_memory(moment, memory_time(curve.at(place)));
    }
    series["what_ifs"] = what_ifs(curve, file);
    if (curve.back().study.contains("given")) {
        add_worlds(series["what_ifs"], curve.back(), file);
    }
}

/// The points of the report's study, or nothing and why in `problem`.
std::vector<PointSpec> specs_of(const Json& report, const std::string& file, std::string& problem)
{
    try {
        std::vector<PointSpec> specs = expand(Study{report.at("study"), file});
        const bool same = specs.size() == report.at("points").size() &&
                          std::equal(specs.begin(), specs.end(), report.at("points").begin(),
                                     [](const PointSpec& spec, const Json& point) {
                                         return spec.series == point.at("series") &&
                                                spec.sweep == point.at("sweep");
                                     });
        if (same) {
            return specs;
        }
        problem = "the study in the report does not have the points of the report";
    } catch (const InputError& error) {
        problem = error.what();
    }
    return {};
}

/// A series that compares core counts, and has at least two points with results.
void explain_curve(Json& series, const Json& told, const Indices& fitting, const Json& report,
                   const std::vector<PointSpec>& specs, const std::string& file,
                   std::string problem)
{
    const Json& points = report.at("points");
    series["sweet_spot"] = told.at("sweet_spot");
    if (const std::optional<Json> fit = report::fit_json(fitting, points)) {
        series["fit"] = *fit;
        add_terms(series, fitting, points);
    } else {
        series["terms"] = told.value("phases_that_do_not_shrink", Json::array());
    }
    const Json regimes = report::regimes_json(fitting, points);
    if (!regimes.is_null()) {
        series["regimes"] = regimes;
    }
    if (problem.empty()) {
        try {
            add_from_study(series, fitting, specs, file);
        } catch (const InputError& error) {
            problem = error.what();
        }
    }
    if (!problem.empty()) {
        series["not_rebuilt"] = problem;
    }
}

/// The only moment of a series that does not compare core counts, as far as its study is there.
void explain_moment(Json& series, std::size_t index, const std::vector<PointSpec>& specs,
                    const std::string& file)
{
    if (specs.empty()) {
        return;
    }
    try {
        split_memory(series.at("moments").at(0), memory_time(rebuild(specs.at(index).study, file)));
    } catch (const InputError& error) {
        series["not_rebuilt"] = error.what();
    }
}

void check_name(const Json& report, const std::string& only)
{
    std::vector<std::string> names;
    for (const Json& series : report.at("series")) {
        names.push_back(series.at("name").get<std::string>());
    }
    if (!only.empty() && std::find(names.begin(), names.end(), only) == names.end()) {
        throw InputError("--series", only,
                         "is no series of this report" + did_you_mean(only, names) +
                             " (allowed: " + join(names) + ")");
    }
}

} // namespace

Json explain(const Json& report, const std::string& file, const std::string& only)
{
    check_name(report, only);
    const Json& points = report.at("points");
    std::string problem;
    const std::vector<PointSpec> specs = specs_of(report, file, problem);
    Json all = Json::array();
    for (const Json& told : report.at("series")) {
        const Indices fitting = report::fitting_points(told.at("points").get<Indices>(), points);
        if (!only.empty() && told.at("name") != only) {
            continue;
        }
        Json series{
            {"name", told.at("name")}, {"cores", Json::array()}, {"moments", Json::array()}};
        for (const std::size_t index : fitting) {
            series["cores"].push_back(points.at(index).at("machine").at("cores"));
            add_notes(series, points.at(index).value("notes", std::vector<std::string>{}));
        }
        if (!fitting.empty()) {
            series["chip"] = points.at(fitting.back()).at("machine").at("chip");
            series["fidelity"] = points.at(fitting.back()).at("fidelity");
        }
        if (told.contains("sweet_spot")) {
            series["moments"] = moments_json(told, fitting, points);
            explain_curve(series, told, fitting, report, specs, file, problem);
        } else if (!fitting.empty()) {
            const auto fastest = told.at("fastest").get<std::size_t>();
            series["moments"].push_back(moment_json("fastest", points.at(fastest)));
            explain_moment(series, fastest, specs, file);
        }
        all.push_back(std::move(series));
    }
    return {{"study", report.at("study").at("study")}, {"series", all}};
}

} // namespace alxsim::experiments
