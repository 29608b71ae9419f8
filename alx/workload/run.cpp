// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/run.h"

#include "alx/training/slowest_iterations.h"
#include "alx/workload/notes/quality_notes.h"
#include "alx/workload/workload.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace alxsim::alx {
namespace {

void assume_counted_iterations(CgConfig& cg, const TrainingRun& run)
{
    const auto [rows, columns] = slowest_iterations(run);
    cg.assumed_row_iterations = rows ? whole_iterations(*rows) : cg.assumed_row_iterations;
    cg.assumed_column_iterations =
        columns ? whole_iterations(*columns) : cg.assumed_column_iterations;
}

Json half_counters(const HalfCounters& half, std::optional<double> slowest)
{
    Json json{{"batches", half.batches},
              {"padding_batches", half.padding_batches},
              {"steps", half.steps},
              {"density", half.density},
              {"solved_rows", half.solved_rows}};
    if (half.iterations_max > 0) {
        json["cg_iterations_max"] = half.iterations_max;
        json["cg_iterations_mean"] =
            static_cast<double>(half.iterations_sum) / static_cast<double>(half.systems);
        json[slowest_iterations_field] = slowest.value_or(0);
    }
    return json;
}

} // namespace

AlxRun::AlxRun(const AlxWorkload& workload, const workloads::RunOptions& options)
    : workload_(workload),
      pool_(options.threads),
      run_(workload.job().config, *workload.job().data, workload.job().mesh, pool_,
           &workload.job().initial, workload.job().program.halves)
{
    const Job& job = workload.job();
    if (!options.export_folder.empty()) {
        export_.emplace(options.export_folder, options.exported, job.config, *job.data, job.names,
                        run_);
    }
    keep_epochs(options);
    if (options.progress && job.config.epochs > 0) {
        run_.on_progress(
            [progress = options.progress, epochs = job.config.epochs](int epoch, double fraction) {
                progress((epoch - 1 + fraction) / epochs);
            });
    }
}

/// Keeps every epoch but the last, and goes on from one that was kept.
void AlxRun::keep_epochs(const workloads::RunOptions& options)
{
    if (options.checkpoint.empty()) {
        return;
    }
    if (options.resume) {
        run_.resume(options.checkpoint, options.checkpoint_key());
    }
    run_.on_epoch([this, key = options.checkpoint_key, path = options.checkpoint](int epoch) {
        if (epoch < workload_.job().config.epochs) {
            run_.keep(path, key());
        }
    });
}

std::vector<workloads::IntervalMetrics> AlxRun::metrics() const
{
    std::vector<workloads::IntervalMetrics> all;
    for (const EpochQuality& quality : run_.quality()) {
        workloads::IntervalMetrics one{quality.epoch, {{"objective", std::nullopt}}};
        if (std::isfinite(quality.objective)) { // a bf16 solve may break down
            one.metrics.front().value = quality.objective;
        }
        if (quality.ranking) {
            const std::vector<RankingMetric>& metrics = workload_.job().config.evaluation.metrics;
            for (std::size_t i = 0; i < metrics.size(); ++i) {
                one.metrics.push_back({metrics[i].name(), quality.ranking->at(i)});
            }
        }
        all.push_back(std::move(one));
    }
    return all;
}

Json AlxRun::results() const
{
    Json results = Json::object();
    results["tables_digest"] = run_.tables_digest();
    results["sketches"] = json_of(run_.sketches());
    if (const auto popular = run_.popularity()) {
        const std::vector<RankingMetric>& metrics = workload_.job().config.evaluation.metrics;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            results["popularity"][metrics[i].name()] = popular->at(i);
        }
    }
    const Job& job = workload_.job();
    const EvaluationConfig& evaluation = job.config.evaluation;
    if (evaluation.keep_best || evaluation.stop_after) {
        results[best_epoch_field] = best_epoch_json(job.config, run_.quality());
    }
    if (const auto since = collapsed_since(run_.quality());
        since && run_.final_quality().collapsed) {
        results[collapsed_field] = *since;
    }
    if (!std::isfinite(run_.final_quality().objective)) {
        results[not_finite_field] = true;
    }
    if (const std::int64_t count = run_.final_quality().recommended_unlinked; count > 0) {
        results["recommended_without_links"] = {
            {"count", count}, {"of", job.data->test_rows.size() * job.config.evaluation.top_k}};
    }
    if (!job.asked.rows.empty()) {
        const SparseMatrix histories = histories_of(job.asked, *job.data);
        results["recommended"] = recommended_json(
            job.asked, histories, run_.recommendations(histories), job.names, job.data->unlinked);
    }
    return results;
}

std::optional<int> AlxRun::kept_interval() const
{
    return workload_.job().config.evaluation.keep_best ? std::optional(run_.final_quality().epoch)
                                                       : std::nullopt;
}

std::vector<std::string> AlxRun::notes() const
{
    const Job& job = workload_.job();
    std::vector<std::string> notes = quality_notes(job.config, *job.data, run_);
    const std::vector<std::string> of_names = missing_names_notes(job.names, *job.data);
    notes.insert(notes.end(), of_names.begin(), of_names.end());
    return notes;
}

Json AlxRun::counters() const
{
    const TrainingCounters counters = run_.counters();
    const auto [rows, columns] = slowest_iterations(run_);
    return {{"rows", half_counters(counters.rows, rows)},
            {"columns", half_counters(counters.columns, columns)}};
}

std::shared_ptr<const workloads::Workload> AlxRun::as_counted() const
{
    const Job& ran = workload_.job();
    Job job; // without the links, of which the program knows what times need
    job.config = ran.config;
    job.batch_choices = ran.batch_choices;
    job.mesh = ran.mesh;
    job.program = ran.program;
    job.description = ran.description;
    job.useful = ran.useful;
    assume_counted_iterations(job.config.cg, run_);
    job.program = timing_program(job.config, job.program.rows, job.program.columns, job.mesh);
    return std::make_shared<AlxWorkload>(std::move(job), workload_.torus_axes());
}

void AlxRun::write_exports() const
{
    if (export_) {
        export_->write();
    }
}

} // namespace alxsim::alx
