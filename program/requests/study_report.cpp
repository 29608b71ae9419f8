// SPDX-License-Identifier: Apache-2.0
#include "program/requests/study_report.h"

#include "base/durable.h"
#include "base/file_output.h"
#include "base/host_pool.h"
#include "base/input_error.h"
#include "experiments/answers/explain/moved_spots.h"
#include "experiments/points/parts/point_notes.h"
#include "experiments/points/parts/point_parts.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/study/study_schema.h"
#include "experiments/runs/progress/point_weights.h"
#include "experiments/version.h"
#include "program/requests/exit_codes.h"
#include "report/comparisons.h"
#include "report/files.h"
#include "report/left_out.h"
#include "report/series.h"
#include "report/wording/point_words.h"
#include "report/words.h"
#include "workloads/registry.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace alxsim::program {

using namespace experiments;

namespace {

/// On stderr; the report has all.
constexpr std::size_t most_failures_told = 10;

/// A full report of more is tens of megabytes.
constexpr std::size_t many_points = 5000;

/// From `folder`; absolute where nothing leads there.
std::string way_to(const std::string& file, const std::string& folder)
{
    std::error_code none;
    return std::filesystem::proximate(file, folder, none).generic_string();
}

const workloads::Kind& kind_of(const PointStudy& study)
{
    return workloads::registry().kind_of(study.document, study.file);
}

/// What times of a series are told to: the value that its study asks for, if it asks for one.
std::optional<report::MetricTarget> target_of(const PointStudy& study)
{
    const workloads::Kind& kind = kind_of(study);
    if (!kind.target) {
        return std::nullopt;
    }
    report::MetricTarget target{kind.target->metric, kind.target->name,
                                better_of(kind, kind.target->metric) == workloads::Better::lower};
    const Json::json_pointer place(kind.target->pointer);
    if (!place.empty() && study.document.contains(place)) {
        target.asked = study.document.at(place).get<double>();
    }
    return target;
}

/// Adds those of the metrics of a kind whose words are not there yet.
void add_metric_words(Named<report::MetricWords>& words, const workloads::Kind& kind)
{
    for (const workloads::MetricKind& metric : kind.metrics) {
        const bool known = std::any_of(words.begin(), words.end(),
                                       [&](const auto& one) { return one.first == metric.name; });
        if (!known && !(metric.title.empty() && metric.unit.empty())) {
            words.emplace_back(metric.name, report::MetricWords{metric.title, metric.unit});
        }
    }
}

/// Takes the results' figures out of the run, but not what it says of failures.
report::ReportParts parts_of(StudyRun& run, const std::string& folder)
{
    report::ReportParts parts;
    parts.study = with_study_defaults(run.study.document);
    parts.tool = {version, commit};
    parts.host = run.host;
    parts.assumptions = run.assumptions;
    parts.search = run.search;
    Named<Json> datasets; // of each series
    HostSpeed speed;
    parts.points.reserve(run.points.size());
    for (std::size_t i = 0; i < run.points.size(); ++i) {
        const PointSpec& spec = run.points[i];
        PointResult& result = run.results[i];
        if (result.host) {
            speed.learn(*result.host);
        }
        if (parts.series.empty() || parts.series.back().name != spec.series) {
            parts.series.push_back({spec.series, {}, target_of(whole_study(spec))});
            add_metric_words(parts.metrics, kind_of(whole_study(spec)));
        }
        parts.series.back().points.push_back(i);
        parts.inputs = united(parts.inputs, result.inputs, run.if_inputs_differ);
        if (!result.dataset.is_null()) {
            // The last of a series is told.
            const bool known = !datasets.empty() && datasets.back().first == spec.series;
            Json& told =
                known ? datasets.back().second : datasets.emplace_back(spec.series, Json()).second;
            told = std::move(result.dataset);
        }
        std::optional<std::string> error = result.point.error;
        parts.points.push_back(std::move(result.point));
        parts.points.back().sweep = spec.sweep;
        std::vector<std::string>& notes = parts.points.back().notes;
        notes.insert(notes.end(), spec.notes.begin(), spec.notes.end());
        result.point = {};
        result.point.error = std::move(error);
    }
    parts.dataset = json_of(datasets);
    if (!speed.uses().empty()) {
        parts.host.work = speed.uses();
    }
    parts.host.study = way_to(run.study.file, folder);
    return parts;
}

/// What a run found: where it is filed in its point makes no difference to its workload.
Json found_by(const report::Result& result)
{
    Json found = Json::object();
    for (const Json* const part : {&result.of_workload, &result.results}) {
        for (const auto& [name, value] : part->items()) {
            found[name] = value;
        }
    }
    return found;
}

/// What was found, in the words of the workload, of the first point that has any.
void print_findings(const report::Report& report, const report::Series& series,
                    const workloads::Kind& kind)
{
    for (const std::size_t index : series.points) {
        const std::optional<report::Result>& result = report.points.at(index).result;
        const Json found = result ? found_by(*result) : Json::object();
        if (!kind.findings || found.empty()) {
            continue;
        }
        const std::vector<std::string> lines = kind.findings(found);
        for (const std::string& line : lines) {
            std::cout << "  " << line << "\n";
        }
        if (!lines.empty()) {
            return;
        }
    }
}

bool is_worse(workloads::Better better, double reached, double other)
{
    using workloads::Better;
    return better == Better::higher ? reached < other : better == Better::lower && reached > other;
}

/// The best evaluated interval by the kind's target; null: none has it.
const report::Quality* best_by_target(const report::Result& result, const workloads::Kind& kind)
{
    const report::Quality* best = nullptr;
    for (const report::Quality& one : *result.quality) {
        const auto reached = kind.target ? one.metric(kind.target->metric) : std::nullopt;
        if (reached &&
            (best == nullptr || is_worse(better_of(kind, kind.target->metric),
                                         *best->metric(kind.target->metric), *reached))) {
            best = &one;
        }
    }
    return best;
}

/// Says since when a metric is not finite, and when the target was best. Nothing if in the end all
/// are.
void tell_not_finite(const report::Result& result, const workloads::Kind& kind)
{
    const std::string interval = report::interval_words(result).one;
    const std::vector<report::Quality>& all = *result.quality;
    for (const auto& [name, value] : all.back().metrics) {
        if (value) {
            continue;
        }
        const auto last_finite =
            std::find_if(all.rbegin(), all.rend(), [&metric = name](const auto& one) {
                return one.metric(metric).has_value();
            });
        std::cout << "  " << name << " is not finite since " << interval << " "
                  << last_finite.base()->interval;
        if (const report::Quality* const best = best_by_target(result, kind)) {
            const std::string& target = kind.target->metric;
            std::cout << ", best " << target << " " << report::in_words(*best->metric(target))
                      << " at " << interval << " " << best->interval;
        }
        std::cout << "\n";
        return;
    }
}

/// A metric of the run's final numbers that is worse than what takes no training, and that figure.
void tell_beaten(const report::Quality& final, const std::string& what, const Json& figures,
                 const workloads::Kind& kind, const std::string& hint)
{
    for (const auto& [name, reached] : final.metrics) {
        if (!reached || !figures.is_object() || !figures.contains(name) ||
            !figures.at(name).is_number()) {
            continue;
        }
        const double other = figures.at(name).get<double>();
        const auto better = better_of(kind, name);
        if (is_worse(better, *reached, other)) {
            std::cout << "  " << name << " is " << report::in_words(*reached) << ", "
                      << (better == workloads::Better::higher ? "less" : "more") << " than of "
                      << what << " (" << report::in_words(other) << "): " << hint << "\n";
            return;
        }
    }
}

/// A model that broke down, or is beaten by what takes no training: of the first point that has
/// metrics.
void tell_weak_model(const report::Report& report, const report::Series& series,
                     const workloads::Kind& kind)
{
    for (const std::size_t index : series.points) {
        const std::optional<report::Result>& result = report.points.at(index).result;
        const report::Quality* const final = result ? report::final_quality(*result) : nullptr;
        if (final == nullptr) {
            continue;
        }
        tell_not_finite(*result, kind);
        const bool is_finite = std::all_of(final->metrics.begin(), final->metrics.end(),
                                           [](const auto& one) { return one.second.has_value(); });
        const Json found = found_by(*result);
        const std::string hint =
            kind.beaten_hint && is_finite ? kind.beaten_hint(found) : std::string();
        for (const auto& [what, figures] : found.items()) {
            if (!hint.empty()) {
                tell_beaten(*final, what, figures, kind, hint);
            }
        }
        return;
    }
}

/// What the points of a series do without, before anything is said of them.
void print_left_out(const report::Report& report, const report::Series& series)
{
    std::vector<const report::Point*> points;
    for (const std::size_t index : series.points) {
        if (!report.points.at(index).error) {
            points.push_back(&report.points.at(index));
        }
    }
    for (const std::string& sentence : report::left_out_in_words(points)) {
        std::cout << series.name << ": " << sentence << "\n";
    }
}

/// How much of the times of a series rests on what is assumed, where its workload tells it.
void print_assumed(const report::Report& report, const report::Series& series)
{
    const report::AssumedTime* most = nullptr;
    bool differ = false;
    for (const std::size_t index : series.points) {
        const auto& result = report.points.at(index).result;
        if (!result || !result->assumed) {
            continue;
        }
        differ = differ || (most != nullptr && most->words != result->assumed->words);
        most = most == nullptr || result->assumed->share > most->share ? &*result->assumed : most;
    }
    if (most != nullptr) {
        std::cout << "  " << (differ ? "up to " : "") << most->words << "\n";
    }
}

/// Tells how many points do not fit, and what takes most.
void print_unfit(const report::Report& report, const report::Series& series)
{
    std::int64_t unfit = 0;
    std::string largest;
    for (const std::size_t index : series.points) {
        const report::Point& point = report.points.at(index);
        if (!point.fits && !point.error) {
            ++unfit;
            largest = point.memory ? point.memory->largest.value_or("") : "";
        }
    }
    if (unfit > 0) {
        std::cout << ", " << unfit << (unfit == 1 ? " does" : " do") << " not fit into HBM"
                  << (largest.empty() ? "" : " (too much " + largest + ")");
    }
}

/// Tells with which choice of the job the sweet spot lies elsewhere.
void print_moved_spots(const report::Report& report, const report::Series& series)
{
    for (const report::MovedSpot& moved : series.moved_by) {
        const report::Result& result = *report.points.at(*series.fastest).result;
        std::cout << "  " << in_words(moved, report::interval_words(result)) << "\n";
    }
}

/// One line a series on stdout: what people want to know first.
void print_summary(const report::Report& report, const std::vector<const workloads::Kind*>& kinds)
{
    for (std::size_t i = 0; i < report.series.size(); ++i) {
        const report::Series& series = report.series[i];
        print_left_out(report, series);
        std::cout << series.name << ": "
                  << report::counted(static_cast<std::int64_t>(series.points.size()), "point");
        print_unfit(report, series);
        if (series.sweet_spot) {
            const std::string& edge = series.sweet_spot->at_edge;
            std::cout << ", sweet spot " << report::counted(series.sweet_spot->cores, "core")
                      << (edge == "low"    ? " (already the first step up fails)"
                          : edge == "high" ? " (no step up fails)"
                                           : "");
        }
        std::cout << "\n";
        print_moved_spots(report, series);
        print_assumed(report, series);
        print_findings(report, series, *kinds[i]);
        tell_weak_model(report, series, *kinds[i]);
    }
}

/// What became of the study's claims, a line each; of one that nothing can be said of, why.
void print_verdicts(const report::Report& report)
{
    const Json claims = report.study.value("hypotheses", Json::array());
    for (std::size_t i = 0; i < report.hypotheses.size(); ++i) {
        const report::Judgement& judgement = report.hypotheses[i];
        const std::string measured =
            i < claims.size() ? report::measured_in_words(
                                    judgement, value_of_json<report::Hypothesis>(claims.at(i)))
                              : "";
        std::cout << "hypothesis '" << judgement.name << "': " << judgement.verdict_in_words()
                  << (measured.empty() ? "" : ": " + measured)
                  << (judgement.verdict == "nothing to judge" ? ". " + judgement.why() : "")
                  << "\n";
    }
}

/// Tells on stderr the claims that were refuted, or that nothing could be said of; says whether
/// there were any.
bool tell_not_held(const report::Report& report)
{
    bool any = false;
    for (const report::Judgement& judgement : report.hypotheses) {
        if (judgement.holds == false || judgement.verdict == "nothing to judge") {
            any = true;
            std::cerr << "alxsim: hypothesis '" << judgement.name << "': " << judgement.why()
                      << "\n";
        }
    }
    return any;
}

/// Returns the workload's own, those that the study does not set.
std::vector<workloads::Unknown> assumed_inputs(const PointStudy& study)
{
    std::vector<workloads::Unknown> assumed;
    for (const workloads::Unknown& one :
         workloads::registry().kind_of(study.document, study.file).inputs) {
        if (!study.document.contains(Json::json_pointer(one.pointer))) {
            assumed.push_back(one);
        }
    }
    return assumed;
}

report::Assumption assumed_input(const workloads::Unknown& input)
{
    report::Assumption one;
    one.name = input.name;
    one.value = input.central;
    one.low = input.low;
    one.high = input.high;
    one.unit = input.unit;
    one.kind = "assumed";
    one.source = input.source;
    return one;
}

/// Whether the study's series differ in the choice, so that readers see both curves.
bool is_compared(const Settings& choice, const StudyRun& run, const report::Report& report)
{
    std::set<std::string> values;
    for (const report::Series& series : report.series) {
        const Json document = whole_study(run.points.at(series.points.front())).document;
        std::string of_series;
        for (const auto& [pointer, value] : choice) {
            of_series += document.value(Json::json_pointer(pointer), Json()).dump() + "\n";
        }
        values.insert(of_series);
    }
    return values.size() > 1;
}

/// Adds to each curve over core counts which choice of its job bends it elsewhere.
void add_moved_spots(const StudyRun& run, report::Report& report)
{
    for (report::Series& series : report.series) {
        if (!series.sweet_spot) {
            continue;
        }
        std::vector<PointSpec> points;
        for (const std::size_t index : report::fitting_points(series.points, report.points)) {
            points.push_back(run.points.at(index));
        }
        series.moved_by = moved_spots(*series.sweet_spot, points);
        series.moved_by.erase(std::remove_if(series.moved_by.begin(), series.moved_by.end(),
                                             [&](const report::MovedSpot& moved) {
                                                 return is_compared(moved.set, run, report);
                                             }),
                              series.moved_by.end());
    }
}

} // namespace

report::Report report_of_run(StudyRun& run, const std::string& folder)
{
    report::Report report = report::make_report(parts_of(run, folder));
    add_moved_spots(run, report);
    return report;
}

void write_report(const report::Report& report, const std::string& folder, report::Form form)
{
    const std::string json = folder + "/report.json";
    const std::string csv = folder + "/points.csv";
    const std::string html = folder + "/report.html";
    const report::ReportFiles files = report::files_of(report, form, host_cores());
    write_file_atomically(json, files.json);
    write_file_atomically(csv, files.csv);
    write_file_atomically(html, files.html);
    sync_files({json, csv, html});
}

std::vector<report::Assumption> assumptions_of(const std::vector<PointSpec>& points)
{
    std::vector<report::Assumption> all;
    // By name and value, since a sweep has a value for each point: places in `all`.
    std::unordered_map<std::string, std::vector<std::size_t>> told;
    // Copies of a preset share the values that nothing overrides: each is looked at once.
    std::vector<topologies::Preset> presets;
    std::unordered_set<const topologies::PresetValue*> known;
    std::set<std::string> of_workloads;
    for_each_possible(points, [&](const PointSpec& point) {
        for (const workloads::Unknown& one : assumed_inputs(point.study)) {
            if (of_workloads.insert(one.name).second) {
                all.push_back(assumed_input(one));
            }
        }
        const topologies::Machine machine = machine_of(point.study.machine, point.study.file);
        const topologies::Preset& preset = presets.emplace_back(machine.preset);
        for (const std::string& key : preset.keys()) {
            const topologies::PresetValue& value = preset.at(key);
            if (known.count(&value) != 0 || !is_assumed(key, value, machine)) {
                continue;
            }
            known.insert(&value);
            report::Assumption one = assumption_of(preset.name(), key, value);
            std::vector<std::size_t>& places = told[key + "=" + value.value.dump()];
            if (std::none_of(places.begin(), places.end(),
                             [&](std::size_t place) { return all[place] == one; })) {
                places.push_back(all.size());
                all.push_back(std::move(one));
            }
        }
    });
    return all;
}

Failures failures_of(const std::vector<PointSpec>& points, const std::vector<PointResult>& results)
{
    std::size_t failed = 0;
    std::size_t refused = 0;
    std::string lines;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (const auto& error = results[i].point.error) {
            refused += results[i].refused ? 1 : 0;
            if (++failed <= most_failures_told) {
                lines += "  " + label_of(points[i]) + ": " + *error + "\n";
            }
        }
    }
    if (failed == 0) {
        return {};
    }
    if (failed > most_failures_told) {
        lines += "  and " + std::to_string(failed - most_failures_told) + " more\n";
    }
    const char* const became = refused < failed ? " failed\n"
                               : failed == 1    ? " was refused\n"
                                                : " were refused\n";
    return {"alxsim: " + std::to_string(failed) + " of " + std::to_string(points.size()) +
                " points" + became + lines,
            refused > 0 ? exit_bad_input : exit_failed};
}

int report_run(StudyRun run, const ReportRequest& request)
{
    const report::Report report = report_of_run(run, request.folder);
    const Failures failures = failures_of(run.points, run.results);
    std::vector<const workloads::Kind*> kinds; // of the series
    for (const report::Series& series : report.series) {
        kinds.push_back(&kind_of(whole_study(run.points.at(series.points.front()))));
    }
    run = {}; // studies of thousands of points take as much as what was found
    write_report(report, request.folder, request.form);
    std::cerr << (request.quiet ? "" : notes_in_lines(report.points));
    print_summary(report, kinds);
    print_verdicts(report);
    std::cout << "Wrote " << request.folder << "/report.json, report.html and points.csv\n";
    const std::string missing = report::missing_in_words(report.points);
    if (request.form == report::Form::full && report.points.size() > many_points) {
        std::cout
            << "With --compact report.json is a fifth to a twentieth as large: points in columns, "
               "which all commands read\n";
    }
    if (!missing.empty()) {
        std::cout << "Without a time: " << missing << "\n";
    }
    std::cerr << failures.words;
    const bool unmet =
        (request.strict && tell_not_held(report)) || (request.all_needed && !missing.empty());
    return failures.exit_code != 0 ? failures.exit_code : unmet ? exit_refuted : 0;
}

void make_folder(const std::string& folder, const std::string& option)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem || !std::filesystem::is_directory(folder)) {
        throw InputError(option, folder,
                         "cannot be made a folder to write to" +
                             (problem ? ": " + problem.message() : std::string()));
    }
}

} // namespace alxsim::program
