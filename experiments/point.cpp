// SPDX-License-Identifier: Apache-2.0
#include "experiments/point.h"

#include "alx/training.h"
#include "base/host_pool.h"
#include "base/input_error.h"
#include "experiments/alx_workload.h"
#include "experiments/export.h"
#include "experiments/machine_request.h"
#include "experiments/point_json.h"
#include "experiments/point_notes.h"
#include "experiments/sampling/sampling.h"
#include "experiments/study.h"
#include "experiments/timing.h"
#include "experiments/traffic_json.h"
#include "experiments/uncertainty/uncertainty.h"
#include "experiments/version.h"
#include "model/group_source.h"
#include "model/memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace alxsim::experiments {
namespace {

using topologies::Machine;

/// The slowest system of a step, in the mean over a half's steps: what all devices wait for.
void assume_counted_iterations(alx::CgConfig& cg, const alx::TrainingRun& run)
{
    std::array<double, 2> sums{};
    std::array<std::int64_t, 2> steps{};
    for (std::size_t half = 0; half < run.iterations().size(); ++half) {
        for (const std::vector<std::int32_t>& slowest : run.iterations()[half]) {
            sums[half % 2] += *std::max_element(slowest.begin(), slowest.end());
            ++steps[half % 2];
        }
    }
    const auto mean = [&](std::size_t side, std::int64_t otherwise) {
        return steps[side] == 0
                   ? otherwise
                   : std::max<std::int64_t>(
                         1, std::llround(sums[side] / static_cast<double>(steps[side])));
    };
    cg.assumed_row_iterations = mean(0, cg.assumed_row_iterations);
    cg.assumed_column_iterations = mean(1, cg.assumed_column_iterations);
}

/// The band is the analytic model's, put round the point's own time.
void add_band(Json& point, const AlxWorkload& workload, const Machine& machine, const Json& study,
              const PointOptions& options, const alx::TrainingRun* run)
{
    WhatIf job = what_if_of(workload, machine);
    if (run != nullptr) {
        assume_counted_iterations(job.config.cg, *run);
    }
    const std::unique_ptr<const GivenWorlds> given = given_worlds(study, options.file);
    const EpochBand band = epoch_band(job, study.value("seed", std::uint64_t{1}), given.get());
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
Timing time_of(const std::vector<model::StepGroup>& epoch, const Machine& machine,
               const std::string& fidelity, const Json& study, const PointOptions& options)
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

/// Runs the numbers, with every step timed; a job without epochs gets the estimate of one.
Timing time_with_numerics(alx::TrainingRun& run, const AlxWorkload& workload,
                          const Machine& machine, const std::string& fidelity, const Json& study,
                          const PointOptions& options)
{
    if (workload.config.epochs == 0) {
        return estimate_groups(workload.program.epoch, machine);
    }
    if (options.progress) {
        run.on_progress([&](int epoch, double fraction) {
            options.progress((epoch - 1 + fraction) / workload.config.epochs);
        });
    }
    return time_of(run, machine, fidelity, study);
}

/// Keeps every epoch but the last, and goes on from one that was kept.
void keep_epochs(alx::TrainingRun& run, const Json& study, const PointOptions& options)
{
    if (options.checkpoint.empty()) {
        return;
    }
    const Json key{{"version", version}, {"commit", commit}, {"study", study}};
    if (options.resume) {
        if (const auto kept = alx::read_checkpoint(options.checkpoint, key)) {
            run.resume(*kept);
        }
    }
    run.on_epoch([&run, key, path = options.checkpoint] {
        alx::write_checkpoint(path, run.checkpoint(key));
    });
}

void add_side_counters(Json& point, const AlxWorkload& workload, const Machine& machine)
{
    point["counters"]["rows"] = side_counters(workload.program.rows, machine.devices);
    point["counters"]["columns"] = side_counters(workload.program.columns, machine.devices);
    if (workload.config.solver == "cg") {
        const alx::CgConfig& cg = workload.config.cg;
        point["counters"]["assumed_cg_iterations"] = {{"rows", cg.assumed_row_iterations},
                                                      {"columns", cg.assumed_column_iterations}};
    }
}

void run_alx(Json& point, const AlxWorkload& workload, const Machine& machine, const Json& study,
             const PointOptions& options)
{
    const bool numerics = study.value("numerics", true);
    const std::string fidelity =
        numerics && workload.config.epochs == 0 ? "analytic" : fidelity_of(study);
    Timing timing;
    std::unique_ptr<HostPool> pool;
    std::unique_ptr<alx::TrainingRun> run;
    if (numerics) {
        pool = std::make_unique<HostPool>(options.threads);
        run = std::make_unique<alx::TrainingRun>(workload.config, *workload.data, workload.mesh,
                                                 *pool, &workload.initial);
        std::unique_ptr<Export> results;
        if (!options.export_folder.empty()) {
            results = std::make_unique<Export>(options.export_folder, study.value("export", Json()),
                                               workload.config, *workload.data, *run);
        }
        keep_epochs(*run, study, options);
        timing = time_with_numerics(*run, workload, machine, fidelity, study, options);
        if (results) {
            results->write();
        }
    } else {
        timing = time_of(workload.program.epoch, machine, fidelity, study, options);
    }
    point["geometry"] = geometry_json(workload);
    point["fidelity"] = fidelity;
    add_times(point, timing, machine);
    point["schedules"] = schedules_json(workload.program.epoch, machine);
    point["traffic"] = traffic_json(workload.program.epoch, machine.devices);
    point["skew"] = skew_json(workload.program, machine.devices);
    add_cost(point, machine);
    point["counters"] = timing.counters;
    if (study.value("band", true)) {
        add_band(point, workload, machine, study, options, run.get());
    }
    if (run) {
        add_quality(point, *run, timing);
        point["counters"]["rows"] = half_counters(run->counters().rows);
        point["counters"]["columns"] = half_counters(run->counters().columns);
    } else {
        add_side_counters(point, workload, machine);
    }
}

std::vector<std::shared_ptr<const model::OpGraph>>
graphs_of(const std::vector<model::StepGroup>& groups)
{
    std::vector<std::shared_ptr<const model::OpGraph>> graphs;
    graphs.reserve(groups.size());
    for (const model::StepGroup& group : groups) {
        graphs.push_back(group.step.graph);
    }
    return graphs;
}

/// A program of one's own: one step of the graph in the file.
std::vector<model::StepGroup> own_program_of(const Json& study, const std::string& file)
{
    const Json& workload = study.at("workload");
    if (workload.size() != 1) {
        throw InputError(
            file, "/workload",
            "op_graph stands alone: dataset, split, alx and evaluation have no meaning beside it");
    }
    const std::string path = resolve_path(workload.at("op_graph").get<std::string>(), file);
    model::StepGroup group;
    group.step.graph =
        std::make_shared<model::OpGraph>(model::op_graph_from_json(load_json(path), path));
    return {group};
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
bool add_fit(Json& point, const std::vector<model::StepGroup>& program, const Machine& machine,
             const Json& study)
{
    const model::MemoryFit fit = model::memory_fit(graphs_of(program), machine);
    point["machine"] = machine_json(machine, study);
    point["fits"] = fit.fits();
    point["memory"] = memory_json(fit, machine);
    return fit.fits();
}

void run_own_program(Json& point, const std::vector<model::StepGroup>& program,
                     const Machine& machine, const std::string& fidelity, const Json& study,
                     const PointOptions& options)
{
    const Timing timing = time_of(program, machine, fidelity, study, options);
    point["fidelity"] = fidelity;
    add_times(point, timing, machine);
    point["schedules"] = schedules_json(program, machine);
    add_cost(point, machine);
    point["counters"] = timing.counters;
}

} // namespace

PointResult run_point(const Json& study, const PointOptions& options)
{
    const Machine machine = machine_of(study, options.file);
    PointResult result;
    result.assumptions = assumptions_of(machine);
    add_notes(result.point, machine, fidelity_of(study) == "analytic");
    if (study.at("workload").contains("op_graph")) {
        const std::vector<model::StepGroup> program = own_program_of(study, options.file);
        if (add_fit(result.point, program, machine, study)) {
            run_own_program(result.point, program, machine, fidelity_of(study), study, options);
        }
        return result;
    }
    const AlxWorkload workload = alx_workload_of(study, options.file, machine);
    result.dataset = workload.description;
    if (add_fit(result.point, workload.program.epoch, machine, study)) {
        run_alx(result.point, workload, machine, study, options);
    }
    return result;
}

PointResult preview_point(const Json& study, const std::string& file)
{
    const Machine machine = machine_of(study, file);
    PointResult result;
    add_notes(result.point, machine, true);
    std::vector<model::StepGroup> program;
    if (study.at("workload").contains("op_graph")) {
        program = own_program_of(study, file);
    } else {
        AlxWorkload workload = alx_workload_of(study, file, machine);
        result.dataset = workload.description;
        program = std::move(workload.program.epoch);
    }
    if (add_fit(result.point, program, machine, study)) {
        add_times(result.point, estimate_groups(program, machine), machine);
        std::int64_t steps = 0;
        for (const model::StepGroup& group : program) {
            steps += group.times;
        }
        result.point["counters"] = {{"steps", steps}};
    }
    return result;
}

} // namespace alxsim::experiments
