// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/explain.h"

#include "base/input_error.h"
#include "experiments/answers/explain/against_preset.h"
#include "experiments/answers/explain/between.h"
#include "experiments/answers/explain/row_issue.h"
#include "experiments/answers/explain/what_ifs.h"
#include "experiments/answers/explain/without_times.h"
#include "experiments/answers/explain/work.h"
#include "experiments/points/parts/point_notes.h"
#include "experiments/points/study/study.h"
#include "experiments/runs/search_words.h"
#include "report/left_out.h"
#include "report/wording/point_words.h"
#include "report/words.h"
#include "workloads/registry.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {
namespace {

using report::Point;
using Indices = std::vector<std::size_t>;

/// Those that take time, the longest first.
std::vector<TimePart> parts_of(const Named<double>& seconds_of, double epoch)
{
    std::vector<TimePart> parts;
    for (const auto& [name, seconds] : seconds_of) {
        if (seconds > 0) {
            parts.push_back({name, {}, seconds, seconds / epoch});
        }
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const TimePart& a, const TimePart& b) { return a.seconds > b.seconds; });
    return parts;
}

/// The halves of whose batches more than a quarter is padding, of a workload that tells it.
std::vector<Padding> padding_of(const report::Result& result)
{
    constexpr double worth_telling = 0.25;
    std::vector<Padding> padding;
    for (const auto& [batch, of] :
         {std::pair("batch", "rows"), std::pair("column_batch", "columns")}) {
        const Json::json_pointer share(std::string("/") + batch + "/padding_share");
        if (result.geometry && result.geometry->value(share, 0.0) > worth_telling) {
            padding.push_back({of, result.geometry->at(share).get<double>()});
        }
    }
    return padding;
}

std::optional<report::CollectiveSchedule> longest_collective(const report::Result& result,
                                                             double epoch_seconds)
{
    constexpr double worth_telling = 0.02;
    const auto in_all = [](const report::CollectiveSchedule& one) {
        return static_cast<double>(one.times) * one.seconds;
    };
    if (!result.schedules || result.schedules->empty()) {
        return std::nullopt;
    }
    const auto longest =
        std::max_element(result.schedules->begin(), result.schedules->end(),
                         [&](const auto& a, const auto& b) { return in_all(a) < in_all(b); });
    return in_all(*longest) >= worth_telling * epoch_seconds ? std::optional(*longest)
                                                             : std::nullopt;
}

/// What gives most first, what gives little left out.
Named<double> band_parts_of(const report::Uncertainty& uncertainty)
{
    constexpr double worth_telling = 0.03;
    Named<double> parts;
    for (const report::UncertainInput& input : uncertainty.ranking) {
        if (input.share_of_band >= worth_telling) {
            parts.emplace_back(input.name, input.share_of_band);
        }
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return parts;
}

Moment moment_of(const std::string& what, const Point& point)
{
    const report::Result& result = *point.result;
    Moment moment;
    moment.what = what;
    moment.interval = report::interval_words(result);
    moment.cores = point.machine.cores;
    moment.epoch_seconds = point.seconds();
    moment.low_seconds = result.low_seconds;
    moment.high_seconds = result.high_seconds;
    moment.median_seconds = result.median_seconds;
    moment.input = result.input;
    moment.paths = result.paths;
    moment.host_memory = result.host_memory;
    moment.bill = result.bill;
    if (result.uncertainty && !result.uncertainty->ranking.empty()) {
        moment.most_uncertain = result.uncertainty->ranking.front();
        moment.band_parts = band_parts_of(*result.uncertainty);
    }
    moment.padding = padding_of(result);
    moment.assumed = result.assumed;
    moment.time_by = result.time_by;
    moment.phases = parts_of(result.epoch.phases, moment.epoch_seconds);
    Named<double> shares;
    for (const Share share : all_shares) {
        if (share == Share::hbm && result.epoch.row_issue) {
            shares.emplace_back(report::row_issue, *result.epoch.row_issue);
        }
        shares.emplace_back(name_of(share),
                            result.epoch.share(share) -
                                (share == Share::hbm ? result.epoch.row_issue.value_or(0) : 0));
    }
    moment.mechanisms = parts_of(shares, moment.epoch_seconds);
    moment.waiting = result.epoch.waiting;
    moment.slots = report::slots_in_words(result);
    moment.communication = result.epoch.communication;
    moment.throughput = result.throughput;
    moment.longest_collective = longest_collective(result, moment.epoch_seconds);
    return moment;
}

/// First, sweet spot (where it is another) and last.
std::vector<Moment> moments_of(const report::SweetSpot& spot, const Indices& fitting,
                               const std::vector<Point>& points)
{
    std::vector<Moment> moments{moment_of("first", points.at(fitting.front()))};
    for (const std::size_t index : fitting) {
        if (points.at(index).machine.cores == spot.cores && index != fitting.front() &&
            index != fitting.back()) {
            moments.push_back(moment_of("sweet spot", points.at(index)));
        }
    }
    if (fitting.size() > 1) {
        moments.push_back(moment_of("last", points.at(fitting.back())));
    }
    return moments;
}

/// The phases by what their fits say: terms that stay, the longest first, and those that shrink.
void add_terms(SeriesExplanation& series, const Point& first, const Point& last)
{
    const auto cores = static_cast<double>(last.machine.cores);
    series.terms.emplace();
    for (const auto& [phase, fit] : series.fit->by_phase) {
        const double floor = fit.floor_at(cores);
        const double seconds = last.result->epoch.phase(phase);
        if (floor < least_floor * last.seconds()) {
            series.shrinking.push_back(phase);
            continue;
        }
        const double fitted = fit.a_over_n / cores + floor;
        series.terms->push_back(
            {{phase, first.result->epoch.phase(phase), seconds, seconds / last.seconds()},
             Floor{floor, floor / fitted, fit},
             {}});
    }
    std::stable_sort(series.terms->begin(), series.terms->end(), [](const Term& a, const Term& b) {
        return a.floor->seconds > b.floor->seconds;
    });
}

/// How often a kind of work is done at two points; `even`: what its change would be if the job were
/// shared out evenly.
WorkChange change_of(const WorkKind& kind, double first, double last, double even)
{
    WorkChange change{kind.key, kind.words, first, last, {}, {}};
    if (first > 0) {
        change.ratio = last / first;
        change.even_ratio = even;
    }
    return change;
}

/// Adds to each term what a device does for it in an interval, and whether devices differ in that.
void add_work(std::vector<Term>& terms, const RebuiltPoint& first, const RebuiltPoint& last)
{
    PhaseWork work_first = work_of(first);
    PhaseWork work_last = work_of(last);
    const double even = static_cast<double>(first.machine().devices) / last.machine().devices;
    const std::set<std::string> uneven = uneven_phases(last);
    for (Term& term : terms) {
        const std::string& phase = term.change.phase;
        term.work = TermWork{uneven.count(phase) > 0, {}};
        for (const WorkKind& kind : work_kinds()) {
            const double before = work_first[phase][kind.key];
            const double after = work_last[phase][kind.key];
            if (before > 0 || after > 0) {
                term.work->changes.push_back(change_of(kind, before, after, even));
            }
        }
    }
}

/// Each note once.
void add_notes(SeriesExplanation& series, const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) {
        if (std::find(series.notes.begin(), series.notes.end(), note) == series.notes.end()) {
            series.notes.push_back(note);
        }
    }
}

/// Whether points that differ in nothing but what their sweep sets there take different times.
bool changes_time(const std::string& pointer, const std::vector<const Point*>& points)
{
    std::map<std::string, double> seconds; // by all else that sets a point apart
    for (const Point* point : points) {
        Settings others = point->sweep;
        others.erase(pointer);
        const auto [one, is_new] = seconds.emplace(others.to_json().dump(), point->seconds());
        if (!is_new && one->second != point->seconds()) {
            return true;
        }
    }
    return false;
}

/// Drops what notes of single points say of an override, where the sweep shows that it matters.
void drop_refuted_notes(SeriesExplanation& series, const std::vector<const Point*>& points)
{
    static const std::string overrides = "/machine/overrides/";
    if (series.notes.empty() || points.empty()) {
        return;
    }
    for (const auto& [pointer, value] : points.front()->sweep) {
        if (pointer.rfind(overrides, 0) != 0 || !changes_time(pointer, points)) {
            continue;
        }
        const std::string said =
            "the override of " + pointer.substr(overrides.size()) + " changes no time of this job";
        series.notes.erase(
            std::remove_if(series.notes.begin(), series.notes.end(),
                           [&](const std::string& note) { return note.rfind(said, 0) == 0; }),
            series.notes.end());
    }
}

/// What is said of the job of a curve, or of a single point, built again.
Rebuilt rebuilt_of(const std::vector<RebuiltPoint>& curve)
{
    const RebuiltPoint& last = curve.back();
    const workloads::Kind& kind =
        workloads::registry().kind_of(last.study.document, last.study.file);
    Rebuilt rebuilt{last.machine().cores / last.machine().devices,
                    {curve.front().machine().devices, last.machine().devices},
                    last.study.numerics,
                    kind.numbers_remark,
                    kind.same_everywhere,
                    what_ifs(curve)};
    if (last.study.given) {
        add_worlds(rebuilt.what_ifs, last);
    }
    return rebuilt;
}

/// What needs the study: the work of each term, and what-ifs.
void add_from_study(SeriesExplanation& series, const Indices& fitting,
                    const std::vector<PointSpec>& specs)
{
    std::vector<RebuiltPoint> curve;
    for (const std::size_t index : fitting) {
        curve.push_back(rebuild(specs.at(index).study));
    }
    const RebuiltPoint& last = curve.back();
    add_work(*series.terms, curve.front(), last);
    for (Term& term : *series.terms) {
        term.remark = last.job.workload->phase_remark(term.change.phase);
    }
    for (const RebuiltPoint& point : curve) {
        add_notes(series, notes_of(point.job, point.study, point.fits, true));
    }
    for (Moment& moment : series.moments) {
        const auto found = std::find(series.cores.begin(), series.cores.end(), moment.cores);
        const auto place = static_cast<std::size_t>(found - series.cores.begin());
        const RebuiltPoint& point = curve.at(place);
        tell_row_issue(moment.mechanisms, memory_time(point.epoch(), point.machine()));
    }
    series.rebuilt = rebuilt_of(curve);
}

/// What a report was made of, as far as it is wanted and can be had.
struct Origin {
    std::vector<PointSpec> specs;
    std::string problem; ///< why there are none, though they are wanted
};

/// The points of the report's study.
Origin origin_of(const report::Report& report, const std::string& file)
{
    try {
        std::vector<PointSpec> specs = expand(study_of(report.study, file));
        const bool same =
            std::equal(specs.begin(), specs.end(), report.points.begin(), report.points.end(),
                       [](const PointSpec& spec, const Point& point) {
                           return spec.series == point.series && spec.sweep == point.sweep;
                       });
        if (same) {
            return {std::move(specs), ""};
        }
        return {{}, "the study in the report does not have the points of the report"};
    } catch (const InputError& error) {
        return {{}, error.what()};
    }
}

/// A series that compares core counts, and has at least two points with results.
void explain_curve(SeriesExplanation& series, const report::Series& told, const Indices& fitting,
                   const report::Report& report, const Origin& origin)
{
    const std::vector<Point>& points = report.points;
    series.moments = moments_of(*told.sweet_spot, fitting, points);
    series.sweet_spot = told.sweet_spot;
    series.moved_by = told.moved_by;
    series.fit = report::curve_fit_of(fitting, points);
    if (series.fit) {
        add_terms(series, points.at(fitting.front()), points.at(fitting.back()));
    } else {
        series.terms.emplace();
        for (const report::PhaseChange& change :
             told.phases_that_do_not_shrink.value_or(std::vector<report::PhaseChange>{})) {
            series.terms->push_back({change, {}, {}});
        }
    }
    series.regimes = report::regimes_of(fitting, points);
    std::string problem = origin.problem;
    if (!origin.specs.empty()) {
        try {
            add_from_study(series, fitting, origin.specs);
        } catch (const InputError& error) {
            problem = error.what();
        }
    }
    if (!problem.empty()) {
        series.not_rebuilt = problem;
    }
}

/// Finds it in a report that does not tell it.
std::size_t fastest_of(const Indices& fitting, const std::vector<Point>& points)
{
    return *std::min_element(fitting.begin(), fitting.end(), [&](std::size_t a, std::size_t b) {
        return points.at(a).seconds() < points.at(b).seconds();
    });
}

/// The only moment of a series that does not compare core counts, as far as its study is there.
void explain_moment(SeriesExplanation& series, const std::string& what, std::size_t index,
                    const report::Report& report, const Origin& origin)
{
    series.moments.push_back(moment_of(what, report.points.at(index)));
    series.moments.back().sweep = report.points.at(index).sweep;
    if (origin.specs.empty()) {
        if (!origin.problem.empty()) {
            series.not_rebuilt = origin.problem;
        }
        return;
    }
    try {
        const std::vector<RebuiltPoint> curve{rebuild(origin.specs.at(index).study)};
        tell_row_issue(series.moments.front().mechanisms,
                       memory_time(curve.front().epoch(), curve.front().machine()));
        series.rebuilt = rebuilt_of(curve);
    } catch (const InputError& error) {
        series.not_rebuilt = error.what();
    }
}

/// A series that does not compare core counts: by its preset's point, if its sweep changes a
/// preset, else by its fastest one. Returns the points between which changes are worth telling.
std::vector<EndPair> explain_points(SeriesExplanation& series, const report::Series& told,
                                    const Indices& fitting, const report::Report& report,
                                    const Origin& origin)
{
    if (fitting.empty()) {
        return {};
    }
    const std::size_t fastest = told.fastest ? *told.fastest : fastest_of(fitting, report.points);
    if (const auto preset = against_preset(fitting, report.points, origin.specs)) {
        series.against_preset = preset->others;
        explain_moment(series, "preset's", preset->point, report, origin);
        return ends_from(preset->point, fastest, fitting, report.points);
    }
    explain_moment(series, "fastest", fastest, report, origin);
    return ends_of(fastest, fitting);
}

/// What changes from one of these points to the other, with their work where it can be counted.
PointsBetween between_of(const EndPair& ends, const report::Report& report, const Origin& origin)
{
    PointsBetween between = changes_between(report.points.at(ends.from), report.points.at(ends.to));
    if (!origin.specs.empty()) {
        try {
            count_work(between, rebuild(origin.specs.at(ends.from).study),
                       rebuild(origin.specs.at(ends.to).study));
        } catch (const InputError&) { // the series says why it is not built again
        }
    }
    return between;
}

void check_name(const report::Report& report, const std::string& only)
{
    std::vector<std::string> names;
    for (const report::Series& series : report.series) {
        names.push_back(series.name);
    }
    if (!only.empty() && std::find(names.begin(), names.end(), only) == names.end()) {
        throw InputError("--series", only,
                         "is no series of this report" + did_you_mean(only, names) +
                             " (allowed: " + join(names) + ")");
    }
}

std::optional<SearchExplanation> explained_search(const report::Report& report)
{
    if (!report.search) {
        return std::nullopt;
    }
    const report::SearchOutcome& search = *report.search;
    SearchExplanation explained{search.maximize, search.candidates.size(), best_candidates(search),
                                search.at_edge};
    const auto timed = std::find_if(report.points.begin(), report.points.end(),
                                    [](const Point& point) { return point.result.has_value(); });
    if (timed != report.points.end()) {
        explained.interval = report::interval_words(*timed->result).one;
    }
    return explained;
}

Explanation explain(const report::Report& report, const Origin& origin, const std::string& only,
                    const Ends& asked)
{
    Explanation explanation{report.name(), {}, {}};
    for (const report::Series& told : report.series) {
        if (!only.empty() && told.name != only) {
            continue;
        }
        const Indices fitting = report::fitting_points(told.points, report.points);
        SeriesExplanation series;
        series.name = told.name;
        std::vector<const Point*> points;
        for (const std::size_t index : fitting) {
            const Point& point = report.points.at(index);
            series.cores.push_back(point.machine.cores);
            points.push_back(&point);
            add_notes(series, point.notes);
            series.chip = point.machine.chip;
            series.fidelity = point.result->fidelity;
        }
        series.left_out = report::left_out_in_words(points);
        series.does_not_fit = unfit_in_words(told.points, report.points);
        series.failed = failed_in_words(told.points, report.points);
        std::vector<EndPair> pairs;
        if (told.sweet_spot) {
            explain_curve(series, told, fitting, report, origin);
        } else {
            series.would_hold = would_hold(told.points, report.points, origin.specs);
            pairs = explain_points(series, told, fitting, report, origin);
        }
        if (!asked.none()) {
            pairs = {ends_of(asked, told, report.points)};
        }
        for (const EndPair& ends : pairs) {
            series.between.push_back(between_of(ends, report, origin));
        }
        drop_refuted_notes(series, points);
        explanation.series.push_back(std::move(series));
    }
    explanation.search = explained_search(report);
    return explanation;
}

} // namespace

Explanation explain(const report::Report& report, const std::string& file, const std::string& only,
                    const Ends& ends)
{
    check_name(report, only);
    return explain(report, origin_of(report, file), only, ends);
}

Explanation explain_numbers(const report::Report& report)
{
    return explain(report, Origin{}, "", {});
}

} // namespace alxsim::experiments
