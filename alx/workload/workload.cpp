// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/workload.h"

#include "alx/steps/evaluation_program.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/gather.h"
#include "alx/workload/choices.h"
#include "alx/workload/host_memory.h"
#include "alx/workload/host_time.h"
#include "alx/workload/notes/quality_notes.h"
#include "alx/workload/notes/table_tier_notes.h"
#include "alx/workload/notes/unlinked_notes.h"
#include "alx/workload/row_lengths.h"
#include "alx/workload/run.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {
namespace {

using workloads::Spread;

Json batch_json(const SideBatches& side, const BatchGeometry& geometry, BatchChoice choice,
                int devices)
{
    return {{"lines", geometry.lines},
            {"line_length", geometry.line_length},
            {"rows", geometry.rows},
            {"choice", name_of(choice)},
            {"padding_share", side.padding_share(devices)},
            {"links_lost_share", side.links_lost}};
}

Json geometry_json(const Job& job)
{
    const int devices = job.mesh.devices;
    return {
        {"batch", batch_json(job.program.rows, job.config.batch, job.batch_choices.rows, devices)},
        {"column_batch", batch_json(job.program.columns, job.config.column_batch,
                                    job.batch_choices.columns, devices)}};
}

/// Lines x ids / rows.
std::string words_of(const BatchGeometry& geometry)
{
    return std::to_string(geometry.lines) + "x" + std::to_string(geometry.line_length) + "/" +
           std::to_string(geometry.rows);
}

Named<std::string> geometry_words(const AlxConfig& config)
{
    return {{"row batch", words_of(config.batch)}, {"column batch", words_of(config.column_batch)}};
}

/// Returns the counters of a half that is timed only.
Json side_counters(const SideBatches& side, int devices)
{
    return {{"batches", side.batches}, {"steps", side.steps(devices)}, {"density", side.density}};
}

Json timed_counters(const Job& job)
{
    Json counters{{"rows", side_counters(job.program.rows, job.mesh.devices)},
                  {"columns", side_counters(job.program.columns, job.mesh.devices)}};
    if (job.config.solver == "cg") {
        const CgConfig& cg = job.config.cg;
        counters["assumed_cg_iterations"] = {{"rows", cg.assumed_row_iterations},
                                             {"columns", cg.assumed_column_iterations}};
    }
    return counters;
}

/// What the hosts do longest for a batch, of their own.
std::string input_remark(const Job& job)
{
    const topologies::InputRates& rates = job.config.input;
    const double fed = job.devices_of_host;
    const double read_for = rates.every_host_reads_all ? job.mesh.devices : fed;
    const double reading = (record_id_bytes + (job.config.weighs_links ? weight_bytes : 0)) *
                           read_for / rates.bytes_per_second;
    const double parsing = fed / rates.ids_per_second;
    if (parsing >= reading) {
        return "hosts parse the ids of their batches";
    }
    return rates.every_host_reads_all
               ? "every host reads every record, so that more hosts do not help"
               : "hosts read the records of their batches";
}

/// The path that a phase of tables below HBM waits for.
std::string path_remark(const TableTier& tier, bool inwards)
{
    const bool stored = tier.fixed == topologies::Tier::storage;
    return std::string(inwards  ? stored ? "from the drives through host memory into HBM"
                                         : "from host memory over PCIe into HBM"
                       : stored ? "from HBM through host memory to the drives"
                                : "from HBM over PCIe into host memory") +
           ", what is not hidden behind the rest of its step";
}

/// Says of how a file was read that what stands beside its links weighs nothing; "": all counts.
std::string weightless(const std::string& read_as)
{
    const std::size_t end = read_as.find(" weigh nothing");
    if (end == std::string::npos) {
        return "";
    }
    const std::size_t separator = read_as.rfind("; ", end);
    return read_as.substr(separator == std::string::npos ? 0 : separator + 2);
}

std::vector<Spread> batch_spreads(const TimingProgram& program)
{
    std::vector<Spread> spreads;
    for (const auto& [name, side] : {std::pair("batches of the row half", &program.rows),
                                     std::pair("batches of the column half", &program.columns)}) {
        if (!side->links_of_device.empty()) {
            spreads.push_back({"infeed", name, "links", side->links_of_device});
        }
    }
    return spreads;
}

} // namespace

AlxWorkload::AlxWorkload(Job job, int torus_axes) : job_(std::move(job)), torus_axes_(torus_axes) {}

std::unique_ptr<workloads::Run> AlxWorkload::start(const workloads::RunOptions& options) const
{
    return std::make_unique<AlxRun>(*this, options);
}

void AlxWorkload::check_start() const
{
    if (job_.data) {
        check_training(job_.config, *job_.data, job_.initial,
                       job_.program.halves->prepared->placement, job_.mesh);
    }
}

workloads::Description AlxWorkload::describe() const
{
    const std::string read_as =
        job_.description.is_object() ? job_.description.value("read_as", "") : "";
    return {job_.description,
            geometry_json(job_),
            geometry_words(job_.config),
            "A batch is lines x line length / rows.",
            batch_spreads(job_.program),
            timed_counters(job_),
            links_cut_off(job_),
            read_as.empty() ? std::vector<std::string>{}
                            : std::vector<std::string>{"links are read from " + read_as}};
}

std::vector<std::string> AlxWorkload::notes() const
{
    std::vector<std::string> notes =
        job_.data ? unlinked_notes(*job_.data, job_.config, job_.mesh) : std::vector<std::string>{};
    if (job_.data && !job_.data->split_as.empty()) {
        notes.push_back("split: " + job_.data->split_as);
    }
    if (const std::string words = job_.data ? weightless(job_.data->read_as) : ""; !words.empty()) {
        notes.push_back(words);
    }
    if (job_.data) {
        notes.insert(notes.end(), job_.data->id_notes.begin(), job_.data->id_notes.end());
    }
    const std::vector<std::string> of_metrics =
        job_.data ? metric_notes(job_.config, *job_.data) : std::vector<std::string>{};
    notes.insert(notes.end(), of_metrics.begin(), of_metrics.end());
    const std::vector<std::string> of_lengths = row_length_notes(job_);
    notes.insert(notes.end(), of_lengths.begin(), of_lengths.end());
    const std::vector<std::string> of_tier = table_tier_notes(job_.config);
    notes.insert(notes.end(), of_tier.begin(), of_tier.end());
    return notes;
}

std::optional<workloads::UsefulWork> AlxWorkload::useful_work() const
{
    return job_.useful;
}

workloads::Choices AlxWorkload::choices() const
{
    return choices_of(job_, torus_axes_);
}

std::vector<workloads::Alternative> AlxWorkload::alternatives() const
{
    return alternatives_of(job_);
}

std::string AlxWorkload::phase_remark(const std::string& phase) const
{
    if (phase == "infeed") {
        return input_remark(job_);
    }
    if (phase == "evaluation") {
        return job_.config.evaluation.approximate
                   ? ""
                   : "an exact ranking sorts the scores of all columns; \"approximate\": true in "
                     "/workload/evaluation takes one pass over them";
    }
    if (phase == "table.in" || phase == "table.out") {
        return path_remark(job_.config.table_tier, phase == "table.in");
    }
    const bool gather = phase.rfind("gather", 0) == 0;
    return gather && job_.config.prefetch_depth > 0 ? "the rest hidden behind the solve" : "";
}

const std::vector<JobUnknown>& AlxWorkload::listed_unknowns() const
{
    std::call_once(listed_, [this] { unknowns_ = unknowns_of(job_); });
    return unknowns_;
}

std::vector<workloads::Unknown> AlxWorkload::unknowns() const
{
    std::vector<workloads::Unknown> all;
    for (const JobUnknown& one : listed_unknowns()) {
        all.push_back(one.unknown);
    }
    return all;
}

model::Program AlxWorkload::drawn(const workloads::DrawnValues& values) const
{
    const bool as_it_is = std::none_of(values.begin(), values.end(),
                                       [](const auto& value) { return value.has_value(); });
    if (as_it_is && job_.shape) {
        return job_.program.epoch;
    }
    return program_of(job_, drawn_inputs(job_, listed_unknowns(), values));
}

std::optional<double> AlxWorkload::figure(const std::string& name,
                                          const workloads::DrawnValues& values) const
{
    const auto drawn = [&] { return drawn_inputs(job_, listed_unknowns(), values); };
    if (name == rows_fit_figure) {
        return rows_fit(job_, drawn()) ? 1.0 : 0.0;
    }
    return name == links_lost_figure ? std::optional(links_lost_share(job_, drawn()))
                                     : std::nullopt;
}

topologies::InputRates AlxWorkload::drawn_input_rates(const workloads::DrawnValues& values) const
{
    return alx::drawn_input_rates(job_, listed_unknowns(), values);
}

Bytes AlxWorkload::state_bytes() const
{
    const std::int64_t rows = job_.program.rows.shard_rows + job_.program.columns.shard_rows;
    return model::size_of(job_.config.table_dtype) *
           (rows * job_.config.dim / job_.mesh.embedding_shards);
}

model::Program AlxWorkload::evaluation() const
{
    EvaluationSize size;
    size.row_shard = job_.program.rows.shard_rows;
    size.column_shard = job_.program.columns.shard_rows;
    if (job_.data) {
        size.test_rows = static_cast<std::int64_t>(job_.data->test_rows.size());
        size.mean_history = static_cast<double>(job_.data->history.links()) /
                            static_cast<double>(std::max<std::int64_t>(1, size.test_rows));
    } else {
        size.test_rows = job_.shape->test_rows;
        size.mean_history = (1 - SplitConfig{}.held_out_links) * job_.shape->mean_row_length();
    }
    return evaluation_program(job_.config, size, job_.mesh);
}

int AlxWorkload::intervals_between_evaluations() const
{
    return std::max(1, job_.config.evaluation.every);
}

Bytes AlxWorkload::host_memory() const
{
    return alx::host_memory(job_);
}

Seconds AlxWorkload::host_time() const
{
    return alx::host_time(job_);
}

} // namespace alxsim::alx
