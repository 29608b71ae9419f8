// SPDX-License-Identifier: Apache-2.0
#include "experiments/point.h"

#include "experiments/job.h"
#include "experiments/machine_request.h"
#include "experiments/point_json.h"
#include "experiments/point_notes.h"
#include "experiments/sampling/sampling.h"
#include "experiments/timing.h"
#include "experiments/traffic_json.h"
#include "experiments/uncertainty/uncertainty.h"
#include "experiments/version.h"
#include "model/group_source.h"
#include "model/memory.h"

#include <memory>

namespace alxsim::experiments {
namespace {

using topologies::Machine;
using workloads::Run;
using workloads::Workload;

/// The band is the analytic model's, put round the point's own time.
void add_band(Json& point, const Job& job, const Json& study, const PointOptions& options)
{
    const std::unique_ptr<const GivenWorlds> given = given_worlds(study, options.file);
    const EpochBand band =
        epoch_band(UncertainJob(job), study.value("seed", std::uint64_t{1}), given.get());
    const double seconds = point.at("epoch_seconds").get<double>();
    point["epoch_seconds_low"] = seconds * band.low / band.central;
    point["epoch_seconds_high"] = seconds * band.high / band.central;
    point["uncertainty"] = uncertainty_json(band);
    point["drawn"] = drawn_json(band, seconds);
}

std::string fidelity_of(const Json& study)
{
    return study.value("fidelity", "sampled");
}

SamplingOptions sampling_of(const Json& study)
{
    SamplingOptions options;
    const Json sampling = study.value("sampling", Json::object());
    options.relative_width = sampling.value("relative_width", options.relative_width);
    options.confidence = sampling.value("confidence", options.confidence);
    options.seed = study.value("seed", options.seed);
    return options;
}

/// Steps as SystemC, a sample of them, or the analytic model has them.
Timing time_of(model::StepSource& source, const Machine& machine, const std::string& fidelity,
               const Json& study)
{
    return fidelity == "analytic"  ? estimate_steps(source, machine)
           : fidelity == "sampled" ? sample(source, machine, sampling_of(study))
                                   : simulate(source, machine);
}

/// The same of an epoch that is known as runs of equal steps.
Timing time_of(const model::Program& epoch, const Machine& machine, const std::string& fidelity,
               const Json& study, const PointOptions& options)
{
    if (fidelity == "analytic") {
        return estimate_groups(epoch, machine);
    }
    if (fidelity == "sampled") {
        return sample(epoch, machine, sampling_of(study));
    }
    model::GroupSource source(epoch, options.progress);
    return simulate(source, machine);
}

/// Runs the numbers, with every step timed; a job without intervals gets the estimate of one.
Timing time_with_numbers(Run& run, const Job& job, const std::string& fidelity, const Json& study)
{
    return job.workload->intervals() == 0 ? estimate_groups(job.workload->program(), job.machine)
                                          : time_of(run, job.machine, fidelity, study);
}

workloads::RunOptions run_options(const Json& study, const PointOptions& options)
{
    workloads::RunOptions run;
    run.threads = options.threads;
    run.progress = options.progress;
    run.checkpoint = options.checkpoint;
    run.checkpoint_key = {{"version", version}, {"commit", commit}, {"study", study}};
    run.resume = options.resume;
    run.export_folder = options.export_folder;
    run.exported = study.value("export", std::vector<std::string>{});
    return run;
}

/// The job's numbers; null where it is timed alone.
std::unique_ptr<Run> start_numbers(const Workload& workload, const Json& study,
                                   const PointOptions& options)
{
    return study.value("numerics", true) ? workload.start(run_options(study, options)) : nullptr;
}

/// Metrics, and what else the run yielded.
void add_results(Json& point, const Run& run, const Timing& timing)
{
    point["quality"] = quality_json(run.metrics(), timing);
    point.update(run.results());
    point["counters"].update(run.counters());
}

void run_job(Json& point, const Job& job, const workloads::Description& description,
             const Json& study, const PointOptions& options)
{
    const Workload& workload = *job.workload;
    const std::unique_ptr<Run> run = start_numbers(workload, study, options);
    const std::string fidelity = run && workload.intervals() == 0 ? "analytic" : fidelity_of(study);
    const Timing timing = run ? time_with_numbers(*run, job, fidelity, study)
                              : time_of(workload.program(), job.machine, fidelity, study, options);
    if (run) {
        run->write_exports();
    }
    if (!description.geometry.is_null()) {
        point["geometry"] = description.geometry;
    }
    point["interval"] = workload.interval();
    point["fidelity"] = fidelity;
    add_times(point, timing, job.machine);
    point["schedules"] = schedules_json(workload.program(), job.machine);
    point["traffic"] = traffic_json(workload.program(), job.machine.devices);
    point["skew"] = skew_json(workload.program(), description.spreads, job.machine.devices);
    add_cost(point, job.machine);
    point["counters"] = timing.counters;
    if (study.value("band", true)) {
        const WorkloadPointer counted = run ? run->as_counted() : nullptr;
        add_band(point, {job.machine, counted ? counted : job.workload}, study, options);
    }
    if (run) {
        add_results(point, *run, timing);
    } else if (!description.counters.is_null()) {
        point["counters"].update(description.counters);
    }
}

/// What should be known of a point beside its numbers; no field where there is nothing.
void add_notes(Json& point, const Machine& machine, bool analytic)
{
    const std::vector<std::string> notes = notes_of(machine, analytic);
    if (!notes.empty()) {
        point["notes"] = notes;
    }
}

/// Machine and memory; says whether the job fits.
bool add_fit(Json& point, const Job& job, const Json& study)
{
    const model::MemoryFit fit = model::memory_fit(job.workload->program(), job.machine);
    point["machine"] = machine_json(job.machine, study);
    point["fits"] = fit.fits();
    point["memory"] = memory_json(fit, job.machine);
    return fit.fits();
}

} // namespace

PointResult run_point(const Json& study, const PointOptions& options)
{
    const Job job = job_of(study, options.file);
    PointResult result;
    result.assumptions = assumptions_of(job.machine);
    const workloads::Description description = job.workload->describe();
    result.dataset = description.input;
    add_notes(result.point, job.machine, fidelity_of(study) == "analytic");
    if (add_fit(result.point, job, study)) {
        run_job(result.point, job, description, study, options);
    }
    return result;
}

PointResult preview_point(const Json& study, const std::string& file)
{
    const Job job = job_of(study, file);
    PointResult result;
    result.dataset = job.workload->describe().input;
    add_notes(result.point, job.machine, true);
    if (add_fit(result.point, job, study)) {
        add_times(result.point, estimate_groups(job.workload->program(), job.machine), job.machine);
        std::int64_t steps = 0;
        for (const model::StepGroup& group : job.workload->program()) {
            steps += group.times;
        }
        result.point["counters"] = {{"steps", steps}};
        result.intervals = job.workload->intervals();
    }
    return result;
}

} // namespace alxsim::experiments
