// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/point.h"

#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/work/cpu_time.h"
#include "experiments/points/host_work.h"
#include "experiments/points/parts/bill.h"
#include "experiments/points/parts/group_notes.h"
#include "experiments/points/parts/point_notes.h"
#include "experiments/points/parts/point_parts.h"
#include "experiments/points/study/job.h"
#include "experiments/points/timing/overlapping_steps.h"
#include "experiments/points/timing/path_uses.h"
#include "experiments/points/timing/sampling.h"
#include "experiments/points/timing/time_tables.h"
#include "experiments/points/timing/timing.h"
#include "experiments/points/timing/traffic.h"
#include "experiments/points/trace/point_trace.h"
#include "experiments/points/uncertainty/uncertainty.h"
#include "experiments/version.h"
#include "model/collectives/group_source.h"
#include "model/costs/computed_operations.h"
#include "model/job_estimate.h"
#include "model/lent_model.h"
#include "workloads/op_sources.h"
#include "workloads/registry.h"

#include <memory>
#include <optional>
#include <utility>

namespace alxsim::experiments {
namespace {

using report::Result;
using topologies::Machine;
using workloads::Run;
using workloads::Workload;

/// The band is the analytic model's, put round the point's own time.
void add_band(Result& result, const Job& job, const PointStudy& study, int threads)
{
    const std::unique_ptr<const GivenWorlds> given = given_worlds(study);
    const EpochBand band = epoch_band(UncertainJob(job), study.seed, given.get(), threads);
    const double seconds = result.epoch.seconds;
    result.low_seconds = seconds * band.low / band.central;
    result.high_seconds = seconds * band.high / band.central;
    result.median_seconds = seconds * band.median / band.central;
    result.uncertainty = uncertainty_of(band, seconds);
    result.drawn = drawn_of(band, seconds);
}

/// Steps as SystemC, a sample of them, or the analytic model has them.
Timing time_of(model::StepSource& source, const Machine& machine, const PointStudy& study,
               PointTrace* trace)
{
    return study.fidelity == Fidelity::analytic  ? estimate_steps(source, machine)
           : study.fidelity == Fidelity::sampled ? sample(source, machine, study.sampling, trace)
                                                 : simulate(source, machine, trace);
}

/// The same of an epoch that is known as runs of equal steps.
Timing time_of(const model::Program& epoch, model::AnalyticModel& analytic, const PointStudy& study,
               const PointOptions& options, PointTrace* trace)
{
    const Machine& machine = analytic.machine();
    if (study.fidelity == Fidelity::analytic) {
        return estimate_groups(epoch, analytic);
    }
    if (study.fidelity == Fidelity::sampled && !has_overlapping_steps(epoch)) {
        return sample(epoch, machine, study.sampling, trace);
    }
    if (has_overlapping_steps(epoch)) {
        return simulate_overlapping(epoch, machine, trace);
    }
    if (trace != nullptr && trace->changes_what_is_left_out()) {
        model::GroupSource traced(epoch);
        simulate(traced, machine, trace);
        trace = nullptr;
    }
    model::GroupSource source(epoch, options.progress);
    return simulate(source, machine, trace);
}

/// Runs the numbers, with every step timed; a job without intervals gets the estimate of one. Steps
/// that overlap are timed by their program.
Timing time_with_numbers(Run& run, const Job& job, model::AnalyticModel& analytic,
                         const PointStudy& study, const PointOptions& options, PointTrace* trace)
{
    const model::Program& program = job.workload->program();
    if (has_overlapping_steps(program)) {
        int intervals = 0; // fewer than the workload's where the run stops early
        while (const std::optional<model::Step> step = run.next()) {
            intervals = step->epoch;
        }
        return repeated(time_of(program, analytic, study, options, trace), intervals);
    }
    return job.workload->intervals() == 0 ? estimate_groups(job.workload->program(), analytic)
                                          : time_of(run, job.machine, study, trace);
}

workloads::RunOptions run_options(const PointStudy& study, const PointOptions& options)
{
    workloads::RunOptions run;
    run.threads = options.threads;
    run.progress = options.progress;
    run.checkpoint = options.checkpoint;
    run.checkpoint_key = [watch = input_watch(), &study] {
        return Json{{"version", version},
                    {"commit", commit},
                    {"study", study.document},
                    {"inputs", json_of(as_named_in(watch->files(), study.file))}};
    };
    run.resume = options.resume;
    run.export_folder = options.export_folder;
    run.exported = study.exported;
    return run;
}

/// The job's numbers; null where it is timed alone. A damaged checkpoint costs time alone.
std::unique_ptr<Run> start_numbers(const Workload& workload, const PointStudy& study,
                                   const PointOptions& options)
{
    if (!study.numerics) {
        return nullptr;
    }
    workloads::RunOptions run = run_options(study, options);
    try {
        return workload.start(run);
    } catch (const InputError& damaged) {
        if (!run.resume) {
            throw;
        }
        run.resume = false;
        std::unique_ptr<Run> anew =
            workload.start(run); // throws what the checkpoint is not to blame for
        if (options.tell) {
            options.tell(std::string(damaged.what()) + "; computed from the beginning");
        }
        return anew;
    }
}

/// Some fields have always stood in a point itself.
void add_results(Result& result, const Json& of_run)
{
    for (const auto& [name, value] : of_run.items()) {
        const bool known =
            std::any_of(report::fields_of_workloads.begin(), report::fields_of_workloads.end(),
                        [&wanted = name](const auto& field) { return wanted == field.name; });
        (known ? result.of_workload : result.results)[name] = value;
    }
}

/// What was counted: by the simulation, and by the workload.
void add_counters(Result& result, const Timing& timing, const Json& of_workload)
{
    result.counters = json_of(timing.counters);
    result.device_counters = timing.device_counters;
    if (!of_workload.is_null()) {
        result.counters.update(of_workload);
    }
}

/// Nothing if none is wanted, or where nothing is simulated.
std::optional<PointTrace> trace_of(const Job& job, bool estimated, const PointStudy& study,
                                   const PointOptions& options)
{
    if (!options.trace.wanted() || estimated || study.fidelity == Fidelity::analytic) {
        return std::nullopt;
    }
    const auto* const known = dynamic_cast<const workloads::HasOpSources*>(job.workload.get());
    return std::optional<PointTrace>(std::in_place, job.machine, options.trace,
                                     known != nullptr ? known->op_sources()
                                                      : workloads::OpSources());
}

/// The critical path of what was traced.
std::optional<report::CriticalPath> write_trace(const PointTrace& trace,
                                                const PointOptions& options)
{
    PointTrace::Outcome outcome = trace.write();
    for (const std::string& note : outcome.notes) {
        if (options.tell) {
            options.tell(note);
        }
    }
    return std::move(outcome.path);
}

/// `notes` gets what the run found that readers should know.
Result run_job(const Job& job, const workloads::Description& description, const PointStudy& study,
               const PointOptions& options, model::AnalyticModel& analytic,
               std::vector<std::string>& notes)
{
    const Workload& workload = *job.workload;
    const std::unique_ptr<Run> run = start_numbers(workload, study, options);
    const bool estimated = run && workload.intervals() == 0;
    std::optional<PointTrace> trace = trace_of(job, estimated, study, options);
    PointTrace* const watching = trace ? &*trace : nullptr;
    const Timing timing = run ? time_with_numbers(*run, job, analytic, study, options, watching)
                              : time_of(workload.program(), analytic, study, options, watching);
    Result result;
    if (trace) {
        result.critical_path = write_trace(*trace, options);
    }
    if (run) {
        run->write_exports();
    }
    if (!description.geometry.is_null()) {
        result.geometry = description.geometry;
    }
    result.interval = workload.interval();
    if (workload.interval_plural() != workload.interval() + "s") {
        result.intervals = workload.interval_plural();
    }
    result.fidelity = name_of(estimated ? Fidelity::analytic : study.fidelity);
    add_times(result, timing, job.machine);
    add_row_issue(result, workload.program(), job.machine);
    result.schedules = schedules_of(workload.program(), analytic);
    result.traffic = traffic_of(workload.program(), job.machine);
    result.skew = skew_of(workload.program(), description.spreads, job.machine.devices);
    PathUses paths = path_uses(workload.program(), result.epoch.seconds, job.machine);
    result.paths = std::move(paths.paths);
    result.host_memory = paths.host_memory;
    result.input = input_of(workload.program(), analytic);
    if (description.assumed) {
        result.assumed = assumed_time(*description.assumed, workload, analytic);
    }
    result.time_by = time_tables(workload, result.epoch.seconds, analytic);
    add_cost(result, prices_of(study, job.machine), job.machine);
    if (const auto work = workload.useful_work()) {
        add_throughput(result, *work,
                       model::computed_operations(workload.program(), job.machine.devices),
                       prices_of(study, job.machine), job.machine);
    }
    if (study.band) {
        const WorkloadPointer counted = run ? run->as_counted() : nullptr;
        add_band(result, {job.machine, counted ? counted : job.workload}, study, options.threads);
    }
    if (run) {
        result.quality = quality_of(run->metrics(), timing);
        result.kept_interval = run->kept_interval();
        add_results(result, run->results());
        const std::vector<std::string> found = run->notes();
        notes.insert(notes.end(), found.begin(), found.end());
    }
    const int intervals =
        run && !estimated ? static_cast<int>(timing.epoch_ends.size()) : workload.intervals();
    result.bill = bill_of(study, result, intervals, workload, analytic);
    add_counters(result, timing, run ? run->counters() : description.counters);
    return result;
}

/// Machine, notes and memory.
report::Point point_of(const Job& job, const workloads::Description& description,
                       const PointStudy& study, Fidelity fidelity)
{
    const model::MemoryFit fit = memory_fit(*job.workload, job.machine);
    report::Point point;
    point.machine = machine_told(job.machine, study.machine);
    point.fits = fit.fits();
    if (std::optional<std::string> note = input_note(job, study)) {
        point.notes.push_back(std::move(*note));
    }
    for (const auto& notes :
         {notes_of(job, study, point.fits, fidelity == Fidelity::analytic), notes_of(study),
          job.workload->notes(), group_notes(job.workload->program(), job.machine)}) {
        point.notes.insert(point.notes.end(), notes.begin(), notes.end());
    }
    if (description.left_out) {
        point.left_out = {description.left_out->share, description.left_out->words};
    }
    if (std::optional<std::string> note = skew_note(job.machine)) {
        point.notes.push_back(std::move(*note));
    }
    point.memory = memory_of(fit, job.machine);
    return point;
}

Seconds predicted_time(const Job& job, const PointStudy& study, const PointOptions& options,
                       model::AnalyticModel& analytic)
{
    // Phases have the numbers that an estimate gives them: the last picosecond goes by these.
    const model::JobEstimate numbers_phases(analytic);
    const Seconds time = host_seconds(host_work(*job.workload, study, analytic));
    if (options.predicted) {
        options.predicted(time);
    }
    return time;
}

} // namespace

PointResult run_point(const PointStudy& study, const PointOptions& options)
try {
    const Seconds before = cpu_time(CpuTimeOf::process);
    InputWatch watch;
    check_bill(study);
    const Bytes memory = predicted_memory(study);
    const std::optional<PeakMemory> peak =
        memory > Bytes(0) ? std::optional<PeakMemory>(std::in_place) : std::nullopt;
    const Job job = job_of(study);
    const workloads::Description description = job.workload->describe();
    PointResult result{point_of(job, description, study, study.fidelity), description.input, {}};
    if (result.point.fits) {
        const model::LentModel analytic(job.machine, model::ScheduleTimes::exact);
        analytic->tell_use();
        const Seconds predicted = predicted_time(job, study, options, *analytic);
        result.point.result =
            run_job(job, description, study, options, *analytic, result.point.notes);
        if (const auto& bill = result.point.result->bill) {
            if (std::optional<std::string> note = bill_note(*bill, *job.workload)) {
                result.point.notes.push_back(std::move(*note));
            }
        }
        if (std::optional<std::string> note = host_memory_note(*result.point.result)) {
            result.point.notes.push_back(std::move(*note));
        }
        if (!options.resume) {
            result.host = report::HostUse{host_work_kind(study), 1, predicted.count(),
                                          (cpu_time(CpuTimeOf::process) - before).count()};
            if (const std::optional<Bytes> rise = peak ? peak->rise() : std::nullopt) {
                result.host->predicted_memory_bytes = memory.count();
                result.host->memory_bytes = rise->count();
            }
        }
    }
    result.inputs = as_named_in(watch.files(), study.file);
    return result;
} catch (const DurationError& error) {
    refuse_duration_of(study, error);
}

Bytes predicted_memory(const PointStudy& study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    const Bytes of_numbers =
        kind.predict_memory ? kind.predict_memory(study.document, study.file) : Bytes(0);
    return of_numbers > Bytes(0) ? of_numbers + simulator_memory(study) : of_numbers;
}

Preview preview_point(const PointStudy& study,
                      const std::shared_ptr<model::ScheduleBook>& schedules)
try {
    check_bill(study);
    const Job job = job_of(study);
    Preview preview{point_of(job, job.workload->describe(), study, Fidelity::analytic)};
    if (study.numerics) {
        job.workload->check_start();
        preview.host_memory = job.workload->host_memory();
        preview.host_memory += preview.host_memory > Bytes(0) ? simulator_memory(study) : Bytes(0);
    }
    if (study.band) {
        given_worlds(study);
    }
    if (preview.point.fits) {
        model::AnalyticModel model(job.machine, schedules);
        preview.host_time = host_seconds(host_work(*job.workload, study, model));
        Result& result = preview.point.result.emplace();
        result.interval = job.workload->interval();
        result.fidelity = name_of(Fidelity::analytic);
        add_times(result, estimate_groups(job.workload->program(), model), job.machine);
    }
    return preview;
} catch (const DurationError& error) {
    refuse_duration_of(study, error);
}

} // namespace alxsim::experiments
