// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/study_report.h"

#include "base/durable.h"
#include "base/input_error.h"
#include "experiments/exit_codes.h"
#include "experiments/machine_request.h"
#include "experiments/point_notes.h"
#include "experiments/point_parts.h"
#include "experiments/study_schema.h"
#include "experiments/version.h"
#include "report/csv.h"
#include "report/html.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unordered_map>

namespace alxsim::experiments {
namespace {

/// On stderr; the report has all.
constexpr std::size_t most_failures_told = 10;

report::ReportParts parts_of(StudyRun run)
{
    report::ReportParts parts;
    parts.study = with_study_defaults(run.study.document);
    parts.tool = {version, commit};
    parts.host = run.host;
    parts.assumptions = std::move(run.assumptions);
    parts.search = std::move(run.search);
    Named<Json> datasets; // of each series
    for (std::size_t i = 0; i < run.points.size(); ++i) {
        const PointSpec& spec = run.points[i];
        PointResult& result = run.results[i];
        if (parts.series.empty() || parts.series.back().name != spec.series) {
            parts.series.push_back({spec.series, {}});
        }
        parts.series.back().points.push_back(i);
        if (!result.dataset.is_null()) {
            datasets.emplace_back(spec.series, result.dataset);
        }
        result.point.sweep = spec.sweep;
        parts.points.push_back(std::move(result.point));
    }
    parts.dataset = json_of(datasets);
    return parts;
}

void write_outputs(const report::Report& report, const std::string& folder)
{
    const std::string json = folder + "/report.json";
    const std::string csv = folder + "/points.csv";
    const std::string html = folder + "/report.html";
    write_file_atomically(json, to_json(report).dump(2) + "\n");
    write_file_atomically(csv, report::points_csv(report));
    write_file_atomically(html, report::html_page(report));
    sync_files({json, csv, html});
}

/// One line a series on stdout: what people want to know first.
void print_summary(const report::Report& report)
{
    for (const report::Series& series : report.series) {
        std::cout << series.name << ": " << series.points.size() << " points";
        if (series.sweet_spot) {
            const std::string& edge = series.sweet_spot->at_edge;
            std::cout << ", sweet spot " << series.sweet_spot->cores << " cores"
                      << (edge == "low"    ? " (already the first step up fails)"
                          : edge == "high" ? " (no step up fails)"
                                           : "");
        }
        std::cout << "\n";
    }
}

/// The study's claims that were refuted, on stderr; says whether there were any.
bool tell_refuted(const report::Report& report)
{
    bool refuted = false;
    for (const report::Judgement& judgement : report.hypotheses) {
        if (judgement.holds == false) {
            refuted = true;
            std::cerr << "alxsim: hypothesis '" << judgement.name << "': " << judgement.why()
                      << "\n";
        }
    }
    return refuted;
}

/// One line a failed point.
std::vector<std::string> failures_of(const StudyRun& run)
{
    std::vector<std::string> failures;
    for (std::size_t i = 0; i < run.points.size(); ++i) {
        if (const auto& error = run.results[i].point.error) {
            failures.push_back(label_of(run.points[i]) + ": " + *error);
        }
    }
    return failures;
}

void tell_failures(const std::vector<std::string>& failures, std::size_t points)
{
    std::cerr << "alxsim: " << failures.size() << " of " << points << " points failed\n";
    const std::size_t told = std::min(failures.size(), most_failures_told);
    for (std::size_t i = 0; i < told; ++i) {
        std::cerr << "  " << failures[i] << "\n";
    }
    if (told < failures.size()) {
        std::cerr << "  and " << failures.size() - told << " more, which the report names\n";
    }
}

bool any_refused(const StudyRun& run)
{
    return std::any_of(run.results.begin(), run.results.end(),
                       [](const PointResult& result) { return result.refused; });
}

} // namespace

std::vector<report::Assumption> assumptions_of(const std::vector<PointSpec>& points)
{
    std::vector<report::Assumption> all;
    std::unordered_map<std::string, std::vector<std::size_t>> told; // by name: places in `all`
    for (const PointSpec& point : points) {
        const auto machine = for_point(
            point, [&point] { return machine_of(point.study.machine, point.study.file); });
        for (report::Assumption& one : assumptions_of(machine)) {
            std::vector<std::size_t>& places = told[one.name];
            if (std::none_of(places.begin(), places.end(),
                             [&](std::size_t place) { return all[place] == one; })) {
                places.push_back(all.size());
                all.push_back(std::move(one));
            }
        }
    }
    return all;
}

int report_run(StudyRun run, const ReportRequest& request)
{
    const std::vector<std::string> failures = failures_of(run);
    const int failed = failures.empty() ? 0 : any_refused(run) ? exit_bad_input : exit_failed;
    const report::Report report = report::make_report(parts_of(std::move(run)));
    write_outputs(report, request.folder);
    std::cerr << (request.quiet ? "" : notes_in_lines(report.points));
    print_summary(report);
    std::cout << "Wrote " << request.folder << "/report.json, report.html and points.csv\n";
    if (failed != 0) {
        tell_failures(failures, report.points.size());
    }
    const bool refuted = request.strict && tell_refuted(report);
    return failed != 0 ? failed : refuted ? exit_refuted : 0;
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

} // namespace alxsim::experiments
