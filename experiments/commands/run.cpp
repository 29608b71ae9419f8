// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"
#include "base/file_output.h"
#include "base/host_memory.h"
#include "base/input_error.h"
#include "experiments/commands/commands.h"
#include "experiments/exit_codes.h"
#include "experiments/machine_request.h"
#include "experiments/point_notes.h"
#include "experiments/point_parts.h"
#include "experiments/processes/child_process.h"
#include "experiments/processes/folder_lock.h"
#include "experiments/processes/kept_points.h"
#include "experiments/registration/workloads.h"
#include "experiments/runner.h"
#include "experiments/search.h"
#include "experiments/study_schema.h"
#include "experiments/version.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/report.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <unordered_map>

namespace alxsim::experiments {
namespace {

constexpr Bytes told_from(std::int64_t{256} << 20); ///< of memory that a point takes

struct RunRequest {
    std::string study;
    std::string folder = "out";
    std::vector<std::string> settings;
    std::string fidelity;
    std::string export_folder;
    int jobs = 0;
    int threads = 0;
    std::string memory; ///< "8G"
    bool resume = false;
    bool quiet = false;
    bool strict = false;
    bool no_band = false;
    std::string given; ///< a result of infer
};

int host_cores()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

/// As many points at once as asked for, and the host's threads shared out among them.
RunnerOptions options_of(const RunRequest& request)
{
    RunnerOptions options;
    options.executable = own_program();
    options.catch_signals = true;
    options.jobs = request.jobs > 0 ? request.jobs : host_cores();
    options.threads =
        request.threads > 0 ? request.threads : std::max(1, host_cores() / options.jobs);
    options.quiet = request.quiet;
    options.keep_folder = request.folder + "/.finished-points";
    options.resume = request.resume;
    options.export_folder = request.export_folder;
    return options;
}

/// What a point with numbers will keep in this host's memory, told before data is read, and as many
/// points at once as it has room for.
void fit_into_memory(const std::vector<PointSpec>& points, RunnerOptions& options)
{
    Bytes largest(0);
    for (const PointSpec& point : points) {
        const workloads::Kind& kind =
            workload_kinds().kind_of(point.study.document, point.study.file);
        if (kind.foresee_memory) {
            largest =
                std::max(largest, for_point(point, [&] {
                             return kind.foresee_memory(point.study.document, point.study.file);
                         }));
        }
    }
    const Bytes limit = host_memory_limit();
    options.jobs = points_at_once(options.jobs, largest, limit);
    if (largest > told_from && !options.quiet) {
        std::cerr << "A point keeps up to about " << memory_in_words(largest) << " of "
                  << memory_in_words(limit) << " of this host's memory; " << options.jobs
                  << " at once\n";
    }
}

/// An export that would write nothing is refused, or noted where the study alone speaks of it.
void check_export(const RunRequest& request, const std::vector<PointSpec>& points)
{
    const bool numbers = std::any_of(points.begin(), points.end(),
                                     [](const PointSpec& point) { return point.study.numerics; });
    if (!request.export_folder.empty() && !numbers) {
        throw InputError("--export", request.export_folder,
                         "found, but no point of the study has numbers that could be written; "
                         "allowed: with \"numerics\": true");
    }
    if (request.export_folder.empty() && !points.front().study.exported.empty()) {
        std::cerr << "note: the study says what to export, but nothing is written without "
                     "--export FOLDER\n";
    }
}

/// What no source settles in the presets of the points' machines. Points of the same chip assume
/// the same; each is told once.
std::vector<report::Assumption> all_assumptions(const std::vector<PointSpec>& points)
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

report::ReportParts parts_of(const Study& study, const std::vector<PointSpec>& specs,
                             std::vector<report::Assumption> assumptions,
                             std::vector<PointResult> results)
{
    report::ReportParts parts;
    parts.study = with_study_defaults(study.document);
    parts.tool = {version, commit};
    Named<Json> datasets; // of each series
    parts.assumptions = std::move(assumptions);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (parts.series.empty() || parts.series.back().name != specs[i].series) {
            parts.series.push_back({specs[i].series, {}});
        }
        parts.series.back().points.push_back(i);
        if (!results[i].dataset.is_null()) {
            datasets.emplace_back(specs[i].series, results[i].dataset);
        }
        results[i].point.sweep = specs[i].sweep;
        parts.points.push_back(std::move(results[i].point));
    }
    parts.dataset = json_of(datasets);
    return parts;
}

void write_outputs(const report::Report& report, const std::string& folder)
{
    write_file_atomically(folder + "/report.json", to_json(report).dump(2) + "\n");
    write_file_atomically(folder + "/points.csv", report::points_csv(report));
    write_file_atomically(folder + "/report.html", report::html_page(report));
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

void make_folder(const std::string& folder)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem || !std::filesystem::is_directory(folder)) {
        throw InputError("--output", folder,
                         "cannot be made a folder to write to" +
                             (problem ? ": " + problem.message() : std::string()));
    }
}

/// Runs a study's search, if it has one, and sets the best candidate's values in its base; a
/// series' own `set` still comes after.
std::optional<report::SearchOutcome> tune(Study& study, RunnerOptions options)
{
    if (!study.search) {
        return std::nullopt;
    }
    const std::vector<Settings> candidates = search_candidates(study);
    options.keep_folder += "/search";
    options.export_folder.clear(); // what is tried is not exported
    const std::vector<PointResult> results = run_points(search_points(study, candidates), options);
    report::SearchOutcome outcome = search_outcome(study, candidates, results);
    const report::SearchCandidate& best = outcome.best_candidate();
    study = changed(study, best.values);
    std::cout << "search: best of " << candidates.size() << " by " << outcome.maximize
              << " on validation rows: " << json_of(best).dump() << "\n";
    return outcome;
}

int run_study(const RunRequest& request)
{
    const auto start = std::chrono::steady_clock::now();
    if (!request.memory.empty()) {
        bytes_of_text(request.memory, "--memory");
        setenv("ALXSIM_MEMORY", request.memory.c_str(), 1); // points run in processes
    }
    std::vector<std::string> settings = request.settings;
    if (!request.given.empty()) {
        settings.push_back(given_setting(request.given));
    }
    if (request.no_band) {
        settings.push_back("/band=false");
    }
    if (!request.fidelity.empty()) {
        settings.push_back("/fidelity=\"" + request.fidelity + "\"");
    }
    Study study = load_study(request.study, settings);
    expand(study); // what is wrong with a point shall be known before a search begins
    RunnerOptions options = options_of(request);
    make_folder(request.folder);
    const FolderLock lock(request.folder, "--output");
    std::optional<report::SearchOutcome> search = tune(study, options);
    const std::vector<PointSpec> specs = expand(study);
    check_export(request, specs);
    // Reads each machine: one that does not exist shall be known before a point runs.
    std::vector<report::Assumption> assumptions = all_assumptions(specs);
    fit_into_memory(specs, options);
    std::vector<PointResult> results = run_points(specs, options);
    const bool failed = std::any_of(results.begin(), results.end(), [](const PointResult& result) {
        return result.point.error.has_value();
    });
    report::ReportParts parts = parts_of(study, specs, std::move(assumptions), std::move(results));
    parts.search = std::move(search);
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    parts.host = {wall, options.threads, name_of(cpu_level())};
    const report::Report report = report::make_report(std::move(parts));
    write_outputs(report, request.folder);
    std::cerr << (request.quiet ? "" : notes_in_lines(report.points));
    print_summary(report);
    std::cout << "Wrote " << request.folder << "/report.json, report.html and points.csv\n";
    if (failed) {
        std::cerr << "alxsim: points failed (the report says why); those that finished are kept: "
                     "'alxsim run' with --resume runs the others again\n";
    } else {
        KeptPoints(options.keep_folder).discard();
    }
    const bool refuted = request.strict && tell_refuted(report);
    return failed ? exit_failed : refuted ? exit_refuted : 0;
}

/// What a study looks like: examples and fields of all kinds of workload.
std::string run_help()
{
    std::string examples;
    std::string workload = "  workload  one of\n";
    for (const workloads::Kind& kind : workload_kinds().kinds()) {
        examples += kind.example;
        workload += kind.help;
    }
    return examples +
           "\nFields worth knowing ('alxsim check --schema' prints all; what is not supported yet "
           "is "
           "refused by name):\n"
           "  machine   chip, cores, slice \"8x16\", wrap [true, false], overrides {preset key: "
           "value in the\n            preset's unit, or \"x0.5\": half the preset's}\n" +
           workload +
           "  sweep     {\"/json/pointer\": [values]}: the product over all pointers\n"
           "  series    [{name, set {\"/json/pointer\": value}, sweep}]: several curves in one "
           "report\n"
           "  search    {kind grid|random, over {\"/json/pointer\": [values]}, points (random), "
           "maximize\n"
           "            a metric}: chooses parameters on data that training does not see, before "
           "the "
           "points run\n"
           "  hypotheses [{name, claim, series, where {min_cores}, value, is, than}]: claims that "
           "the "
           "report judges,\n"
           "            over all draws of uncertain inputs; or [{name, claim \"linear_then_flat\", "
           "series}];\n"
           "            value is a field of its points or series, like "
           "\"communication_seconds/epoch_seconds\"\n"
           "Times, tables and recall do not depend on --jobs or --threads. Ctrl-C leaves earlier "
           "reports as they were.\n"
           "Exit codes: 0 done; 1 a point failed; 2 bad usage or bad input; 3 a hypothesis is "
           "refuted\n(--strict); 130 interrupted.\n";
}

} // namespace

void add_run(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "run", "Runs a study and writes report.json, report.html and points.csv");
    auto request = std::make_shared<RunRequest>();
    command->add_option("STUDY", request->study, "The study file (JSON, comments allowed)")
        ->required();
    command->add_option("-o,--output", request->folder, "Folder for the report")
        ->capture_default_str();
    command
        ->add_option("--set", request->settings,
                     "/json/pointer=value: changes the study before it runs; repeatable")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--fidelity", request->fidelity,
            "detailed: every step through SystemC; sampled: some; analytic: closed forms only")
        ->check(CLI::IsMember({"detailed", "sampled", "analytic"}));
    command
        ->add_option("--jobs", request->jobs,
                     "Points run at once (default: one per core of this host)")
        ->check(CLI::Range(1, most_jobs));
    command
        ->add_option("--threads", request->threads,
                     "Host threads of each point (default: the cores shared out)")
        ->check(CLI::Range(1, most_jobs));
    command->add_option("--memory", request->memory,
                        "Of this host for the points, such as 8G: fewer run at once, and one that "
                        "needs more is refused (default: what is available)");
    command->add_option("--export", request->export_folder,
                        "Folder for tables (.npy), Gramians, batches, CG iterations and "
                        "recommendations of each point with numbers; the study's \"export\" says "
                        "which (default: all)");
    command->add_flag("--resume", request->resume,
                      "Go on with a run in the same folder that was interrupted or of which points "
                      "failed: finished points are taken over, others go on after their last "
                      "complete epoch, to the same bits");
    command->add_flag("--strict", request->strict,
                      "Exit with 3, after all is written, if a hypothesis of the study's own is "
                      "refuted");
    add_given(*command, request->given, "bands and verdicts");
    command->add_flag(
        "--no-band", request->no_band,
        "Central values alone: uncertain inputs are not sampled, verdicts rest on one "
        "value (a study's \"band\": false says the same)");
    command->add_flag("--quiet", request->quiet, "No progress on stderr");
    command->footer(run_help());
    command->callback([request, &action] { action = [request] { return run_study(*request); }; });
}

} // namespace alxsim::experiments
