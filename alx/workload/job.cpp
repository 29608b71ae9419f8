// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/job.h"

#include "alx/requests/dataset_request.h"
#include "alx/requests/mesh_request.h"
#include "alx/requests/section.h"
#include "alx/requests/shared_dataset.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/gather.h"
#include "alx/workload/host_memory.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/npy.h"
#include "base/paths.h"
#include "model/collectives/collective.h"
#include "spmd/collectives/hop_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::alx {
namespace {

model::DType dtype_of(const std::string& name)
{
    return name == "f64"   ? model::DType::f64
           : name == "f32" ? model::DType::f32
                           : model::DType::bf16;
}

/// Sets a switch that the study names: to the first value if it is called `name`, else to the
/// second.
template <class Value>
void set_switch(const Json& switches, const char* field, Value& value, const Json& name,
                Value first, Value second)
{
    if (switches.contains(field)) {
        value = switches.at(field) == name ? first : second;
    }
}

bool is_published(const Json& study)
{
    return section(study, "/workload/dataset").contains("webgraph");
}

/// What others ran is taken to be the released code, one's own data one's own code.
bool is_released_code(const Json& study)
{
    return study.at("workload")
               .at("alx")
               .value("semantics", is_published(study) ? "alx" : "clean") == "alx";
}

/// Left out, nothing is lost where the code can help it; published webs alone are known to have
/// been cut.
LongRows long_rows_of(const Json& study)
{
    const bool released = is_released_code(study);
    const std::string otherwise = !released ? "split" : is_published(study) ? "truncate" : "refuse";
    const std::string name = study.at("workload").at("alx").value("long_rows", otherwise);
    if (name == "split" && released) {
        throw InputError("", "/workload/alx/long_rows",
                         "found split with semantics alx: the released code raises an error for a "
                         "row that is longer than a batch; allowed are refuse and truncate, or "
                         "split with \"semantics\": \"clean\"");
    }
    return name == "split"    ? LongRows::split
           : name == "refuse" ? LongRows::refuse
                              : LongRows::truncate;
}

/// The named set, and the single switches on top.
Semantics semantics_of(const Json& study, model::DType table_dtype)
{
    const Json& alx = study.at("workload").at("alx");
    Semantics semantics = is_released_code(study) ? Semantics::alx(table_dtype) : Semantics{};
    const Json switches = alx.value("switches", Json::object());
    set_switch(switches, "phantom_rows", semantics.phantom_rows, "random", PhantomRows::random,
               PhantomRows::zero);
    set_switch(switches, "phantom_candidates", semantics.phantom_candidates, true, true, false);
    set_switch(switches, "admission", semantics.admission, "spare_line", Admission::spare_line,
               Admission::exact);
    set_switch(switches, "device_padding", semantics.device_padding, "always",
               DevicePadding::always, DevicePadding::when_needed);
    set_switch(switches, "solution_cast", semantics.solution_cast, "bf16", SolutionCast::bf16,
               SolutionCast::table);
    set_switch(switches, "residual", semantics.residual, "strict", Residual::strict,
               Residual::fused);
    set_switch(switches, "gramian_dtype", semantics.gramian_dtype, "table", GramianDType::table,
               GramianDType::f32);
    set_switch(switches, "eval_reg", semantics.evaluation_reg, "plain", EvaluationReg::plain,
               EvaluationReg::scaled);
    set_switch(switches, "score_dtype", semantics.score_dtype, "bf16", ScoreDType::bf16,
               ScoreDType::f32);
    set_switch(switches, "donate", semantics.donate, true, true, false);
    set_switch(switches, "psum_rounding", semantics.psum_rounding, "every_hop",
               PsumRounding::every_hop, PsumRounding::once);
    return semantics;
}

/// Left out, products are those of the hardware's default, one pass; but a table that is f32 and
/// whose solutions are not cast is meant to be f32 throughout.
int passes_of(const Json& alx, const AlxConfig& config)
{
    const bool in_f32 = config.table_dtype == model::DType::f32 &&
                        config.semantics.solution_cast == SolutionCast::table;
    const Json passes = alx.value("matmul_passes", in_f32 ? Json("exact") : Json(1));
    return passes == "exact" ? exact_products : passes.get<int>();
}

/// The study's own metrics, after the usual ones.
void add_metrics(EvaluationConfig& config, const Json& names)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto name = names.at(i).get<std::string>();
        const std::optional<RankingMetric> metric = ranking_metric(name);
        if (!metric || metric->k > static_cast<std::size_t>(config.top_k)) {
            throw InputError("", "/workload/evaluation/metrics/" + std::to_string(i),
                             "found " + name +
                                 "; allowed: recall_at_K and ndcg_at_K with K up to the " +
                                 std::to_string(config.top_k) + " of /workload/evaluation/top_k");
        }
        const bool listed =
            std::any_of(config.metrics.begin(), config.metrics.end(),
                        [&](const RankingMetric& one) { return one.name() == name; });
        if (!listed) {
            config.metrics.push_back(*metric);
        }
    }
}

EvaluationConfig evaluation_of(const Json& evaluation)
{
    EvaluationConfig config;
    config.every = evaluation.at("every").get<int>();
    config.top_k = evaluation.at("top_k").get<int>();
    config.approximate = evaluation.at("approximate").get<bool>();
    add_metrics(config, evaluation.value("metrics", Json::array()));
    if (evaluation.contains("batch")) {
        const Json& batch = evaluation.at("batch");
        config.batch =
            EvaluationBatch{batch.at("lines"), batch.at("rows"), batch.at("ground_truth_lines")};
    }
    return config;
}

std::optional<double> number_if(const Json& object, const char* field)
{
    return object.contains(field) ? std::optional(object.at(field).get<double>()) : std::nullopt;
}

void set_strategies(AlxConfig& config, const Json& alx)
{
    config.gather = alx.at("gather").get<std::string>();
    config.scatter = alx.at("scatter").get<std::string>();
    config.placement = alx.at("placement").get<std::string>();
    config.statistics = alx.at("statistics").get<std::string>();
    const Json& overlap = alx.at("overlap");
    config.prefetch_depth = overlap.at("kind") == "prefetch" ? overlap.at("depth").get<int>() : 0;
    if (alx.contains(config.gather)) {
        config.gather_options = alx.at(config.gather).get<std::map<std::string, std::int64_t>>();
    }
    const Json& assumed = alx.at("assumed_traffic");
    config.assumed_traffic = {
        assumed.at("distinct_factor").get<double>(), number_if(assumed, "local_share"),
        number_if(assumed, "row_imbalance"), number_if(assumed, "column_imbalance")};
}

/// The released code shards records after it has read them all.
topologies::InputRates input_of(const Json& study)
{
    const Json input = study.at("workload").at("alx").value("input", Json::object());
    const std::string reads = input.value("reads", is_released_code(study) ? "all" : "own");
    return {input.value("bytes_per_second", host_bytes_per_second.central),
            input.value("ids_per_second", host_ids_per_second.central), reads == "all"};
}

/// Choices that do not go together.
void check_strategies(const AlxConfig& config, const DeviceMesh& mesh)
{
    if (config.dim % mesh.embedding_shards != 0) {
        throw InputError("", "/workload/alx/embedding_axes",
                         "found axes of " + std::to_string(mesh.embedding_shards) +
                             " chips in all, allowed is a number that divides dim = " +
                             std::to_string(config.dim));
    }
    gather_strategies().create(config.gather)->check(config, mesh);
}

Json describe(const TimingProgram& program, const WorkloadShape& shape)
{
    const auto side = [](const SideBatches& batches) {
        return Json{{"length_exponent", batches.exponent}, {"longest", batches.longest}};
    };
    return {{"name", shape.name},
            {"rows", shape.table_rows},
            {"columns", shape.columns},
            {"training_rows", shape.rows},
            {"training_links", shape.links},
            {"assumed_row_lengths", side(program.rows)},
            {"assumed_column_lengths", side(program.columns)}};
}

/// Throws InputError for a row that is longer than the table is wide.
void set_longest(const Json& shape, const char* field, std::int64_t width, std::int64_t& longest,
                 bool& given)
{
    given = shape.contains(field);
    if (!given) {
        return;
    }
    longest = std::llround(shape.at(field).get<double>());
    if (longest > width) {
        throw InputError("", std::string("/workload/dataset/shape/") + field,
                         "found " + std::to_string(longest) + ", allowed is 1 to " +
                             std::to_string(width) +
                             ": no row has more links than there are columns, no column more than "
                             "there are rows");
    }
}

/// A matrix of one's own, of which only the training share of the rows counts.
WorkloadShape own_shape(const Json& shape, double test_rows)
{
    for (const char* field : {"rows", "columns", "links"}) {
        if (!shape.contains(field)) {
            throw InputError("", "/workload/dataset/shape",
                             std::string("missing field '") + field + "'");
        }
    }
    if (shape.contains("locality")) {
        throw InputError("", "/workload/dataset/shape/locality",
                         "lengths alone have no locality: leave it out, or use generate");
    }
    const auto training = [&](const char* field) {
        return std::llround(shape.at(field).get<double>() * (1 - test_rows));
    };
    WorkloadShape result;
    result.name = "shape";
    result.rows = training("rows");
    result.table_rows = std::llround(shape.at("rows").get<double>());
    result.test_rows = result.table_rows - result.rows;
    result.columns = std::llround(shape.at("columns").get<double>());
    result.links = training("links");
    result.min_links = std::max<std::int64_t>(1, shape.at("min_links").get<std::int64_t>());
    result.row_exponent = shape.value("row_exponent", 0.0);
    result.column_exponent = shape.value("column_exponent", 0.0);
    set_longest(shape, "longest_row", result.columns, result.longest_row, result.longest_row_given);
    set_longest(shape, "longest_column", result.table_rows, result.longest_column,
                result.longest_column_given);
    return result;
}

WorkloadShape shape_of(const Json& study)
{
    const Json dataset = section(study, "/workload/dataset");
    if (dataset.contains("shape")) {
        return own_shape(dataset.at("shape"),
                         section(study, "/workload/split").value("test_rows", 0.0));
    }
    return webgraph_shape(dataset.at("webgraph").get<std::string>());
}

void take(Job& job, ChosenBatches chosen)
{
    job.batch_choices = chosen.choices;
    job.program = std::move(chosen.program);
}

BatchedSide batched_side(const SideShape& side, const AlxConfig& config, std::uint64_t seed,
                         int devices)
{
    return {side_lengths(side, config, seed), devices,
            [=](std::int64_t lines) { return geometry_of(side, config, seed, lines); }};
}

BatchedSide batched_side(const SparseMatrix& matrix, const AlxConfig& config, int devices)
{
    const auto lengths = std::make_shared<const SideLengths>(side_lengths(matrix, config));
    return {lengths, devices,
            [lengths](std::int64_t lines) { return geometry_of(*lengths, lines); }};
}

/// Counts the links that the batches of both halves hold, half each.
workloads::UsefulWork useful_work_of(std::int64_t rows, std::int64_t columns,
                                     const TimingProgram& program, int dim)
{
    const double links = (program.rows.kept_links + program.columns.kept_links) / 2;
    return {epoch_operations(rows, columns, std::llround(links), dim), "links", links};
}

Job shape_job(const Json& study, const std::string& file, const topologies::Machine& machine)
{
    if (study.at("numerics").get<bool>()) {
        throw InputError(file, "/numerics",
                         "found true (the default), but the dataset is known by its sizes alone: "
                         "allowed is false");
    }
    Job job;
    job.shape = shape_of(study);
    const WorkloadShape& shape = *job.shape;
    job.config = config_of(study);
    job.column_batch_asked = study.contains(Json::json_pointer("/workload/alx/column_batch"));
    job.mesh = mesh_of(study, machine, file);
    check_strategies(job.config, job.mesh);
    const auto program = [&](const AlxConfig& config) {
        return timing_program(config, shape, job.mesh);
    };
    try {
        const std::uint64_t seed = job.config.seed;
        take(job,
             set_batches(job.config, study.at("workload").at("alx"),
                         {batched_side(row_side(shape), job.config, seed, job.mesh.devices),
                          batched_side(column_side(shape), job.config, seed + 1, job.mesh.devices),
                          machine, program}));
    } catch (const InputError& error) {
        throw InputError("", "/workload/dataset", error.what());
    }
    job.description = describe(job.program, shape);
    job.useful = useful_work_of(shape.rows, shape.columns, job.program, job.config.dim);
    return job;
}

/// Of a half. AdviseOnCnr2000.SearchesByTimesThatAreNearThoseOfAllSteps holds how near that is.
constexpr std::int64_t steps_of_a_sketch = 24;

/// [rows x dim] of the file that the study names for one of the tables; empty if it names none.
std::vector<double> initial_table(const Json& study, const std::string& file, const char* table,
                                  int dim)
{
    const Json tables = section(study, "/workload/alx/initial_tables");
    if (!tables.contains(table)) {
        return {};
    }
    const std::string path = resolve_path(tables.at(table).get<std::string>(), file);
    NpyMatrix matrix = read_npy(path);
    if (matrix.columns != dim || matrix.rows == 0) {
        throw InputError(file, std::string("/workload/alx/initial_tables/") + table,
                         "found " + std::to_string(matrix.rows) + " rows of " +
                             std::to_string(matrix.columns) + " numbers in " + path +
                             ", allowed are rows of dim = " + std::to_string(dim));
    }
    return std::move(matrix.values);
}

/// Null where the sum is rounded once. Throws InputError where there is no bf16 sum of all devices.
std::shared_ptr<const spmd::HopSum> gramian_sum(const AlxConfig& config, const DeviceMesh& mesh,
                                                const topologies::Machine& machine)
{
    if (config.semantics.psum_rounding == PsumRounding::once) {
        return nullptr;
    }
    const char* field = "/workload/alx/switches/psum_rounding";
    if (!config.gramian_in_bf16() || !mesh.plain()) {
        throw InputError("", field,
                         "found every_hop, which needs bf16 Gramians that all devices add up: "
                         "\"table_dtype\": \"bf16\", gramian_dtype table (that of semantics alx) "
                         "and neither embedding_axes nor replica_axes; allowed is once");
    }
    if (mesh.devices == 1) {
        return nullptr;
    }
    try {
        const model::Collective sum = gramian_all_reduce(config);
        return std::make_shared<const spmd::HopSum>(model::make_schedule(sum, machine), machine,
                                                    static_cast<std::size_t>(config.dim) *
                                                        static_cast<std::size_t>(config.dim));
    } catch (const InputError& error) {
        throw InputError("", field, std::string("found every_hop, but ") + error.what());
    }
}

/// A sketch knows by its lengths alone what making batches would find: no row is placed, and no
/// graph built, in vain.
void refuse_by_lengths(const AlxConfig& config, const PreparedLinks& links)
{
    if (config.long_rows != LongRows::refuse) {
        return;
    }
    const auto check = [](const SparseMatrix& matrix, const BatchGeometry& batch,
                          const std::string& field, const std::string& kind) {
        std::int64_t longest = 0;
        for (std::int32_t row = 0; row < matrix.rows; ++row) {
            longest = std::max(longest, matrix.length(row));
        }
        if (ceil_divide(longest, batch.line_length) > batch.lines) {
            throw InputError("", "/workload/alx/" + field + "/lines",
                             "found " + std::to_string(batch.lines) + ", but the longest " + kind +
                                 " has " + std::to_string(longest) + " links, for which it takes " +
                                 std::to_string(ceil_divide(longest, batch.line_length)) +
                                 " lines of " + std::to_string(batch.line_length));
        }
    };
    check(links.by_row, config.batch, "batch", "row");
    check(links.by_column, config.column_batch, "column_batch", "column");
}

Job links_job(const Json& study, const std::string& file, const topologies::Machine& machine,
              JobDetail detail)
{
    Job job;
    job.config = config_of(study);
    job.column_batch_asked = study.contains(Json::json_pointer("/workload/alx/column_batch"));
    job.mesh = mesh_of(study, machine, file);
    check_strategies(job.config, job.mesh);
    const auto refuse_large = [&](Bytes needed) {
        refuse_beyond_memory(needed, host_memory_limit(), "links and tables", file, "/workload");
    };
    const bool numerics = study.at("numerics").get<bool>();
    if (numerics && section(study, "/workload/dataset").contains("generate")) {
        refuse_large(predicted_host_memory(study, file)); // the sizes of a file are not exact
    }
    const std::shared_ptr<const SharedDataset> data = shared_dataset_of(study, file);
    job.data = data;
    const SparseMatrix& training = data->training;
    if (numerics) {
        refuse_large(
            host_memory_of({training.rows, training.columns, training.links()}, job.config));
    }
    const std::shared_ptr<const PreparedLinks> links = data->prepared(job.config, job.mesh);
    const auto program = [&](const AlxConfig& config) {
        if (detail == JobDetail::whole) {
            return timing_program(config, links, job.mesh);
        }
        refuse_by_lengths(config, *links);
        return timing_program(config, links, job.mesh, steps_of_a_sketch);
    };
    take(job, set_batches(job.config, study.at("workload").at("alx"),
                          {batched_side(links->by_row, job.config, job.mesh.devices),
                           batched_side(links->by_column, job.config, job.mesh.devices), machine,
                           program}));
    job.initial = {initial_table(study, file, "rows", job.config.dim),
                   initial_table(study, file, "columns", job.config.dim)};
    job.description = dataset_description(*job.data, study);
    job.useful = useful_work_of(job.data->training_row_count(), training.columns, job.program,
                                job.config.dim);
    if (numerics) {
        job.config.gramian_sum = gramian_sum(job.config, job.mesh, machine);
        job.names = source_names(study, file, *job.data);
        job.asked = asked_rows(study, file, *job.data, job.names);
    }
    return job;
}

} // namespace

double epoch_operations(std::int64_t rows, std::int64_t columns, std::int64_t links, int dim)
{
    const double d = dim;
    const double of_link = 2 * d * d + 2 * d;
    const double of_row = 2 * d * d + d * d * d / 3 + 2 * d * d;
    return 2 * static_cast<double>(links) * of_link + static_cast<double>(rows + columns) * of_row;
}

InputGiven input_given(const Json& study)
{
    const Json input = section(study, "/workload/alx/input");
    return {input.contains("ids_per_second"), input.contains("bytes_per_second")};
}

AlxConfig config_of(const Json& study)
{
    const Json& alx = study.at("workload").at("alx");
    const Json& cg = alx.at("cg");
    AlxConfig config;
    config.dim = alx.at("dim").get<int>();
    config.epochs = alx.at("epochs").get<int>();
    config.reg = alx.at("reg").get<double>();
    config.alpha = alx.at("alpha").get<double>();
    config.solver = alx.at("solver").get<std::string>();
    config.cg.tolerance = cg.at("tolerance").get<double>();
    config.cg.max_iterations = cg.value("max_iterations", config.cg.max_iterations);
    if (cg.contains("assumed_iterations")) {
        const Json& assumed = cg.at("assumed_iterations");
        config.cg.assumed_row_iterations = assumed.at("rows").get<std::int64_t>();
        config.cg.assumed_column_iterations = assumed.at("columns").get<std::int64_t>();
        config.cg.iterations_given = true;
    }
    config.table_dtype = dtype_of(alx.at("table_dtype").get<std::string>());
    // A table in f64 is there to see the algorithm without rounding.
    config.solve_dtype =
        dtype_of(alx.value("solve_dtype", config.table_dtype == model::DType::f64 ? "f64" : "f32"));
    set_strategies(config, alx);
    const Json& initial = alx.at("initial");
    config.initial = {initial.at("stddev"), initial.at("divide_by_sqrt_dim"), initial.at("tied")};
    config.seed = study.at("seed").get<std::uint64_t>();
    config.semantics = semantics_of(study, config.table_dtype);
    config.long_rows = long_rows_of(study);
    config.matmul_passes = passes_of(alx, config);
    config.evaluation = evaluation_of(study.at("workload").at("evaluation"));
    config.input = input_of(study);
    return config;
}

Job job_of(const Json& study, const std::string& file, const topologies::Machine& machine,
           JobDetail detail)
{
    const Json dataset = section(study, "/workload/dataset");
    check_dataset(dataset, file);
    try {
        const bool sizes_alone = dataset.contains("webgraph") || dataset.contains("shape");
        Job job =
            sizes_alone ? shape_job(study, file, machine) : links_job(study, file, machine, detail);
        job.input_given = input_given(study);
        job.devices_of_host = machine.devices_of_host();
        return job;
    } catch (const InputError& error) {
        // Places inside the study come from below without the study's name.
        const std::string message = error.what();
        throw message.rfind("/workload", 0) == 0 ? InputError(file, "", message) : error;
    }
}

} // namespace alxsim::alx
