// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"
#include "base/file_output.h"
#include "base/host_pool.h"
#include "base/input_error.h"
#include "experiments/points/study/replaced.h"
#include "experiments/runs/executors/child_processes.h"
#include "experiments/runs/executors/host_room.h"
#include "experiments/runs/executors/in_process.h"
#include "experiments/runs/executors/rank_agent.h"
#include "experiments/runs/executors/rank_pool.h"
#include "experiments/runs/files/folder_lock.h"
#include "experiments/runs/kept/kept_points.h"
#include "experiments/runs/kept/shard_record.h"
#include "experiments/runs/processes/child_process.h"
#include "experiments/runs/runner.h"
#include "program/commands/commands.h"
#include "program/commands/run_shard.h"
#include "program/commands/trace_options.h"
#include "program/requests/exit_codes.h"
#include "program/requests/given_setting.h"
#include "program/requests/run_study.h"
#include "program/requests/study_report.h"
#include "workloads/registry.h"

#include <algorithm>
#include <csignal>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sys/prctl.h>
#include <utility>

namespace alxsim::program {

using namespace experiments;

namespace {

struct RunRequest {
    std::string study;
    std::string folder = "out";
    std::vector<std::string> settings;
    std::string fidelity;
    std::string export_folder;
    int jobs = 0;
    int threads = 0;
    int retries = 0;
    std::string memory; ///< "8G"
    bool resume = false;
    bool quiet = false;
    bool strict = false;
    bool all_needed = false;
    bool compact = false;
    bool no_band = false;
    bool mpi = false;
    bool in_process = false;
    std::string given; ///< a result of infer
    std::string shard; ///< "3/16"; "": all points
    TraceRequest trace;
};

/// Where a run's points run.
class Workers {
public:
    Workers(const RunRequest& request, int jobs) : jobs_(jobs)
    {
        if (request.in_process) {
            own_ = std::make_unique<InProcess>();
            return;
        }
        auto children = std::make_unique<ChildProcesses>(own_program(), jobs);
        children_ = children.get();
        own_ = std::move(children);
        if (request.mpi) {
            ranks_ = open_mpi_ranks();
            // Whoever started the ranks is gone: rank 0 keeps what there is, the others end.
            prctl(PR_SET_PDEATHSIG, ranks_->rank() == 0 ? SIGTERM : SIGKILL);
            if (ranks_->rank() == 0) {
                pool_ = std::make_unique<RankPool>(*ranks_, *own_);
            }
        }
    }

    Executor& executor() { return pool_ ? *pool_ : *own_; }
    bool are_served() const { return ranks_ != nullptr && ranks_->rank() > 0; }
    int serve() { return serve_rank(*ranks_, *own_, jobs_); }
    /// Sets how many run at once on this host.
    void run_at_once(int points)
    {
        if (children_ != nullptr) {
            children_->run_at_once(points);
        }
    }
    int on_this_host() const { return ranks_ ? ranks_->on_this_host() : 1; }

private:
    int jobs_;
    std::unique_ptr<Ranks> ranks_;
    std::unique_ptr<Executor> own_;
    ChildProcesses* children_ = nullptr; ///< `own_`, if it is that
    std::unique_ptr<Executor> pool_;
};

/// As many points at once as asked for, and the host's threads shared out among them.
RunnerOptions runner_options(const RunRequest& request, int jobs, int ranks_on_host)
{
    RunnerOptions options;
    options.catch_signals = true;
    options.threads =
        request.threads > 0 ? request.threads : std::max(1, host_cores() / (jobs * ranks_on_host));
    options.retries = request.retries;
    options.quiet = request.quiet;
    options.keep_folder = kept_folder_of(request.folder);
    options.resume = request.resume;
    options.export_folder = request.export_folder;
    options.trace = request.trace;
    options.costliest_first = request.mpi;
    return options;
}

/// The study as the command line changes it.
Study requested_study(const RunRequest& request)
{
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
    const Study study = load_study(request.study, settings);
    for (const std::string& setting : request.settings) {
        refuse_replaced(study, "--set", setting);
    }
    if (!request.fidelity.empty()) {
        refuse_replaced(study, "--fidelity", "/fidelity=" + request.fidelity);
    }
    return study;
}

/// Reports the points, and forgets what was kept of them where the report has them all.
int report_whole(StudyRun run, const RunRequest& request)
{
    refuse_if_study_is_refused(run);
    const int code = report_run(std::move(run),
                                {request.folder, request.quiet, request.strict, request.all_needed,
                                 request.compact ? report::Form::compact : report::Form::full});
    if (code == 0 || code == exit_refuted) {
        KeptPoints(kept_folder_of(request.folder)).discard();
    } else {
        std::cerr << "Finished points are kept: 'alxsim run' with --resume runs the others again\n";
    }
    return code;
}

int run_study(const RunRequest& request)
{
    const RunClock clock;
    const int jobs = request.jobs > 0 ? request.jobs : request.mpi ? 1 : host_cores();
    std::optional<Workers> workers(std::in_place, request, jobs);
    if (workers->are_served()) {
        return workers->serve();
    }
    std::optional<Shard> shard; // a wrong one is refused before a search begins
    if (!request.shard.empty()) {
        shard = shard_of(request.shard, "--shard");
    }
    limit_host_memory(request.memory);
    StudyRun run = begun_run(requested_study(request));
    const auto warn = [](const std::string& words) { std::cerr << words << "\n"; };
    check_export(request.export_folder, run.points, warn);
    check_trace(request.trace, run.points, warn);
    const RunnerOptions options =
        within_host_room(run, runner_options(request, jobs, workers->on_this_host()),
                         {jobs, [&workers](int points) { workers->run_at_once(points); },
                          [&request](const std::string& words) {
                              if (!request.quiet) {
                                  std::cerr << words << "\n";
                              }
                          }});
    make_folder(request.folder, "--output");
    if (request.trace.wanted()) {
        make_folder(request.trace.file, "--trace");
    }
    const FolderLock lock(request.folder, "--output");
    remove_begun_files(request.folder);
    run_search(run, options, workers->executor(),
               [](const std::string& words) { std::cout << words << "\n"; });
    run.host = {clock.seconds(), options.threads, name_of(cpu_level())};
    if (shard) {
        return run_shard(*shard, run, request.folder, options, workers->executor());
    }
    pack(run.points);
    run.results = run_points(run.points, options, workers->executor());
    workers.reset(); // other hosts are free while the report is made
    run.host.wall_seconds = clock.seconds();
    return report_whole(std::move(run), request);
}

/// What points with numbers can write.
std::string exports_help()
{
    std::vector<std::string> names;
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        std::copy_if(kind.exports.begin(), kind.exports.end(), std::back_inserter(names),
                     [&](const std::string& name) {
                         return std::find(names.begin(), names.end(), name) == names.end();
                     });
    }
    return "Folder for what each point with numbers can write (" + join(names) +
           "); the study's \"export\" says which (default: all)";
}

/// What a study looks like: examples and fields of all kinds of workload.
std::string run_help()
{
    std::string examples;
    std::string workload = "  workload  one of\n";
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
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
           "  sweep     {\"/json/pointer\": [values]}: the product over all pointers; those of "
           "\"zip\": {...} go together,\n"
           "            value by value: {\"zip\": {\"/machine/cores\": [1, 4], "
           "\"/workload/transformer/batch\": [8, 32]}}\n"
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
           "Times and numbers do not depend on --jobs or --threads. Ctrl-C leaves earlier "
           "reports as they were.\n"
           "Exit codes: 0 done; 1 a point failed; 2 bad usage or bad input, of a single point "
           "perhaps (the others run);\n3 a hypothesis is refuted (--strict), a point does not fit "
           "(--fail-if-missing); 130 interrupted.\n";
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
    command->add_option("--export", request->export_folder, exports_help());
    add_trace_options(*command, request->trace);
    command->add_flag("--resume", request->resume,
                      "Go on with a run in the same folder that was interrupted or of which points "
                      "failed: finished points are taken over where the files that they read hold "
                      "what they held (else computed anew, which is said), others go on after "
                      "their last complete interval, to the same bits");
    command->add_option(
        "--shard", request->shard,
        "I/N, I from 1 to N: runs the I-th of N parts of the points, of about equal work, and "
        "keeps them in the output folder, without a report; each shard needs a folder of its own. "
        "'alxsim merge' then makes the report. A search is run by each shard");
    command->add_flag("--mpi", request->mpi,
                      "Under 'mpirun -n N alxsim run --mpi ...': the points go to N ranks on any "
                      "hosts that share the study's and the output's folders, --jobs at once on "
                      "each (default: 1)");
    command
        ->add_flag("--in-process", request->in_process,
                   "All points in this process, one after another: for debuggers and emulators")
        ->excludes("--mpi");
    command
        ->add_option("--retry", request->retries,
                     "How often a point is tried again whose process died; it goes on after its "
                     "last complete interval")
        ->check(CLI::Range(0, 1000));
    command->add_flag("--compact", request->compact,
                      "report.json with points in columns, far smaller: for thousands of "
                      "points (all commands read it; 'alxsim report' makes either of the other)");
    command->add_flag("--strict", request->strict,
                      "Exit with 3, after all is written, if a hypothesis of the study's own is "
                      "refuted, or cannot be judged");
    command
        ->add_flag("--fail-if-missing", request->all_needed,
                   "Exit with 3, after all is written, if a point has no time because it does not "
                   "fit into memory")
        ->excludes("--shard");
    add_given(*command, request->given, "bands and verdicts");
    command->add_flag(
        "--no-band", request->no_band,
        "Central values alone: uncertain inputs are not sampled, verdicts rest on one "
        "value (a study's \"band\": false says the same)");
    command->add_flag(
        "--quiet", request->quiet,
        "No progress and no notes on stderr (the report has the notes); failed points are told");
    command->footer(run_help());
    command->callback([request, &action] { action = [request] { return run_study(*request); }; });
}

} // namespace alxsim::program
