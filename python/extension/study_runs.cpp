// SPDX-License-Identifier: Apache-2.0
#include "python/extension/study_runs.h"

#include "base/cpu_level.h"
#include "base/file_output.h"
#include "base/host_pool.h"
#include "experiments/runs/executors/child_processes.h"
#include "experiments/runs/executors/host_room.h"
#include "experiments/runs/executors/in_process.h"
#include "experiments/runs/files/folder_lock.h"
#include "experiments/runs/kept/kept_points.h"
#include "experiments/runs/kept/shard_record.h"
#include "program/requests/run_study.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace alxsim::python {

using namespace experiments;

namespace {

RunnerOptions runner_options(const RunSettings& settings, int jobs)
{
    RunnerOptions options;
    options.threads = settings.threads > 0 ? settings.threads : std::max(1, host_cores() / jobs);
    options.retries = settings.retries;
    options.quiet = settings.quiet;
    options.keep_folder = kept_folder_of(settings.folder);
    options.resume = settings.resume;
    options.export_folder = settings.export_folder;
    options.trace.file = settings.trace_folder;
    options.trace.steps = settings.trace_steps;
    options.stop = settings.stop;
    return options;
}

/// limit_host_memory() of one run: what this process goes by before and after is another's.
class MemoryLimit {
public:
    explicit MemoryLimit(const std::string& memory)
    {
        if (memory.empty()) {
            return; // the environment is left alone: other threads may read it
        }
        is_set_ = true;
        if (const char* const before = std::getenv(variable)) {
            before_ = before;
        }
        limit_host_memory(memory);
    }
    ~MemoryLimit()
    {
        if (!is_set_) {
            return;
        }
        if (before_) {
            setenv(variable, before_->c_str(), 1);
        } else {
            unsetenv(variable);
        }
    }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
    static constexpr const char* variable = "ALXSIM_MEMORY";
    bool is_set_ = false;
    std::optional<std::string> before_;
};

bool any_failed(const program::StudyRun& run)
{
    return std::any_of(run.results.begin(), run.results.end(),
                       [](const PointResult& one) { return one.point.error.has_value(); });
}

} // namespace

ToldReport run_study(const Study& study, const RunSettings& settings,
                     const std::function<void(const std::string&)>& tell)
{
    const program::RunClock clock;
    const int jobs = settings.in_process ? 1 : settings.jobs > 0 ? settings.jobs : host_cores();
    const MemoryLimit limit(settings.memory);
    program::StudyRun run = program::begun_run(study);
    RunnerOptions options = runner_options(settings, jobs);
    program::check_trace(options.trace, run.points, tell);
    program::check_export(settings.export_folder, run.points, tell);
    program::make_folder(settings.folder, "output");
    if (options.trace.wanted()) {
        program::make_folder(options.trace.file, "trace");
    }
    const FolderLock lock(settings.folder, "output");
    remove_begun_files(settings.folder);
    std::unique_ptr<Executor> executor;
    std::function<void(int)> run_at_once;
    if (settings.in_process) {
        executor = std::make_unique<InProcess>();
    } else {
        auto children = std::make_unique<ChildProcesses>(own_program(), jobs);
        run_at_once = [processes = children.get()](int points) { processes->run_at_once(points); };
        executor = std::move(children);
    }
    options = program::within_host_room(run, options, {jobs, run_at_once, tell});
    program::run_search(run, options, *executor, tell);
    pack(run.points);
    run.results = run_points(run.points, options, *executor);
    run.host = {clock.seconds(), options.threads, name_of(cpu_level())};
    program::refuse_if_study_is_refused(run);
    const bool failed = any_failed(run);
    ToldReport told{program::report_of_run(run, settings.writes ? settings.folder : "."),
                    study.file};
    if (settings.writes) {
        program::write_report(told.report, settings.folder);
    }
    if (!failed) {
        KeptPoints(options.keep_folder).discard();
    }
    return told;
}

} // namespace alxsim::python
