// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/job.h"

#include "alx/requests/config_request.h"
#include "alx/requests/dataset_request.h"
#include "alx/requests/mesh_request.h"
#include "alx/requests/shared_dataset.h"
#include "alx/requests/split_request.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/gather.h"
#include "alx/workload/host_memory.h"
#include "alx/workload/kept_programs.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"
#include "base/npy.h"
#include "base/paths.h"
#include "model/collectives/collective.h"
#include "spmd/collectives/hop_sum.h"
#include "topologies/memory_tier.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::alx {
namespace {

/// Throws InputError where the fixed table cannot stand where it shall.
void check_table_tier(const AlxConfig& config)
{
    const TableTier& tier = config.table_tier;
    if (tier.fixed_in_hbm()) {
        return;
    }
    const std::string fixed = std::string("\"fixed\": \"") + std::string(name_of(tier.fixed)) + '"';
    if (tier.updated_in_hbm()) {
        throw InputError("", "/workload/alx/table_tier/updated",
                         "found hbm together with " + fixed +
                             ": the table that one half updates is the fixed one of the other; "
                             "allowed: host");
    }
    if (config.gather == "replicated" || config.gather == "ship_statistics") {
        throw InputError(
            "", "/workload/alx/table_tier/fixed",
            "found " + std::string(name_of(tier.fixed)) + " together with gather " + config.gather +
                (config.gather == "replicated" ? ", which keeps the whole table in HBM"
                                               : ", which reads rows of a batch at two moments") +
                "; allowed: hbm, or another gather");
    }
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
    check_table_tier(config);
}

/// Half of a device's share of host memory: the rest is for what else hosts keep.
Bytes room_in_host(const topologies::Machine& machine)
{
    return Bytes(topologies::device_capacity(machine, topologies::Tier::host).count() / 2);
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
void set_longest(const std::optional<double>& asked, const char* field, std::int64_t width,
                 std::int64_t& longest, bool& given)
{
    given = asked.has_value();
    if (!given) {
        return;
    }
    longest = std::llround(*asked);
    if (longest > width) {
        throw InputError("", std::string("/workload/dataset/shape/") + field,
                         "found " + std::to_string(longest) + ", allowed is 1 to " +
                             std::to_string(width) +
                             ": no row has more links than there are columns, no column more than "
                             "there are rows");
    }
}

/// A matrix of one's own, of which only the training share of the rows counts.
WorkloadShape own_shape(const ShapeRequest& shape, double test_rows)
{
    for (const auto& [field, size] :
         {std::pair("rows", shape.rows), std::pair("columns", shape.columns),
          std::pair("links", shape.links)}) {
        if (!size) {
            throw InputError("", "/workload/dataset/shape",
                             std::string("missing field '") + field + "'");
        }
    }
    if (shape.locality) {
        throw InputError("", "/workload/dataset/shape/locality",
                         "lengths alone have no locality: leave it out, or use generate");
    }
    WorkloadShape result;
    result.name = "shape";
    result.rows = std::llround(*shape.rows * (1 - test_rows));
    result.table_rows = std::llround(*shape.rows);
    result.test_rows = result.table_rows - result.rows;
    result.columns = std::llround(*shape.columns);
    result.links = std::llround(*shape.links * (1 - test_rows));
    result.min_links = std::max<std::int64_t>(1, shape.min_links);
    result.row_exponent = shape.row_exponent.value_or(0);
    result.column_exponent = shape.column_exponent.value_or(0);
    set_longest(shape.longest_row, "longest_row", result.columns, result.longest_row,
                result.longest_row_given);
    set_longest(shape.longest_column, "longest_column", result.table_rows, result.longest_column,
                result.longest_column_given);
    return result;
}

WorkloadShape shape_of(const WorkloadRequest& workload)
{
    if (workload.split && !workload.split->test_file) {
        check_split(workload.dataset, *workload.split);
    }
    const double test_rows =
        workload.split && !workload.split->test_file ? test_share(*workload.split) : 0;
    return workload.dataset.shape ? own_shape(*workload.dataset.shape, test_rows)
                                  : webgraph_shape(workload.dataset.webgraph.value());
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

Job shape_job(const PointRequest& point, const std::string& file,
              const topologies::Machine& machine)
{
    if (point.numerics) {
        throw InputError(file, "/numerics",
                         "found true (the default), but the dataset is known by its sizes alone: "
                         "allowed is false");
    }
    Job job;
    job.shape = shape_of(point.workload);
    const WorkloadShape& shape = *job.shape;
    job.config = config_of(point);
    job.config.table_tier.host_bytes = room_in_host(machine);
    job.column_batch_asked = point.workload.alx.column_batch.has_value();
    job.mesh = mesh_of(point.workload.alx, machine, file);
    check_strategies(job.config, job.mesh);
    const std::shared_ptr<KeptPrograms> kept = kept_programs(point, machine);
    const auto program = [&](const AlxConfig& config) {
        return kept->get(config, shape, job.mesh);
    };
    try {
        const std::uint64_t seed = job.config.seed;
        take(job,
             set_batches(job.config, point.workload.alx,
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

/// Steps of a half. AdviseOnCnr2000.SearchesByTimesThatAreNearThoseOfAllSteps holds how near that
/// is.
constexpr std::int64_t steps_of_a_sketch = 24;

/// A table that has a row for each id of the data, also for those that are left out: without these.
void drop_unlinked(NpyMatrix& table, const std::vector<std::int32_t>& unlinked)
{
    const auto dim = static_cast<std::size_t>(table.columns);
    std::vector<double> kept;
    auto next = unlinked.begin();
    for (std::int32_t id = 0; id < table.rows; ++id) {
        if (next != unlinked.end() && *next == id) {
            ++next;
            continue;
        }
        const auto row = table.values.begin() + static_cast<std::ptrdiff_t>(dim) * id;
        kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(dim));
    }
    table.values = std::move(kept);
}

/// [rows x dim] of the file that the study names for one of the tables; empty if it names none.
/// `ids` of the data, `unlinked` of them left out; `padded_rows` that the shards have room for, as
/// earlier programs exported them.
std::vector<double> initial_table(const std::optional<std::string>& asked, const std::string& file,
                                  const char* table, int dim,
                                  const std::vector<std::int32_t>& unlinked, std::int64_t ids,
                                  std::int64_t padded_rows)
{
    if (!asked) {
        return {};
    }
    const std::string path = resolve_path(*asked, file);
    const std::string place = std::string("/workload/alx/initial_tables/") + table;
    NpyMatrix matrix = read_npy(path);
    const std::string found = "found " + std::to_string(matrix.rows) + " rows of " +
                              std::to_string(matrix.columns) + " numbers in " + path;
    if (matrix.columns != dim || matrix.rows == 0) {
        throw InputError(file, place, found + ", allowed are rows of dim = " + std::to_string(dim));
    }
    const std::int64_t linked = ids - static_cast<std::int64_t>(unlinked.size());
    const bool of_linked =
        matrix.rows == linked || (matrix.rows == padded_rows && padded_rows != ids);
    if (!unlinked.empty() && !of_linked) {
        if (matrix.rows < ids) {
            throw InputError(file, place,
                             found + "; allowed: " + std::to_string(ids) +
                                 " or more, one for each id of the data, or " +
                                 std::to_string(linked) +
                                 ", one for each id with links, as --export writes them");
        }
        drop_unlinked(matrix, unlinked);
    }
    return std::move(matrix.values);
}

/// What the study names of both.
InitialTables initial_tables(const InitialTablesRequest& asked, const std::string& file, int dim,
                             const Dataset& data, const TablePlacement& placement)
{
    const UnlinkedIds left_out = data.unlinked.left_out ? data.unlinked : UnlinkedIds();
    const auto ids = [](std::int32_t linked, const std::vector<std::int32_t>& others) {
        return linked + static_cast<std::int64_t>(others.size());
    };
    return {initial_table(asked.rows, file, "rows", dim, left_out.rows,
                          ids(data.training.rows, left_out.rows), placement.rows.padded_rows()),
            initial_table(asked.columns, file, "columns", dim, left_out.columns,
                          ids(data.training.columns, left_out.columns),
                          placement.columns.padded_rows())};
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

Job links_job(const PointRequest& point, const std::string& file,
              const topologies::Machine& machine, JobDetail detail)
{
    Job job;
    job.config = config_of(point);
    job.config.table_tier.host_bytes = room_in_host(machine);
    job.column_batch_asked = point.workload.alx.column_batch.has_value();
    job.mesh = mesh_of(point.workload.alx, machine, file);
    check_strategies(job.config, job.mesh);
    const auto refuse_large = [&](Bytes needed) {
        refuse_beyond_memory(needed, host_memory_limit(), "links and tables", file, "/workload");
    };
    if (point.numerics && point.workload.dataset.generate) {
        refuse_large(predicted_host_memory(point, file)); // the sizes of a file are not exact
    }
    const std::shared_ptr<const SharedDataset> data = shared_dataset_of(point, file);
    job.data = data;
    const SparseMatrix& training = data->training;
    if (point.numerics) {
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
    take(job, set_batches(job.config, point.workload.alx,
                          {batched_side(links->by_row, job.config, job.mesh.devices),
                           batched_side(links->by_column, job.config, job.mesh.devices), machine,
                           program}));
    job.initial = initial_tables(point.workload.alx.initial_tables, file, job.config.dim, *job.data,
                                 links->placement);
    job.description = dataset_description(*job.data, point.workload);
    job.useful = useful_work_of(job.data->training_row_count(), training.columns, job.program,
                                job.config.dim);
    if (point.numerics) {
        job.config.gramian_sum = gramian_sum(job.config, job.mesh, machine);
        job.names = source_names(point.workload.dataset, file, *job.data);
        job.asked = asked_rows(point.workload.evaluation, file, *job.data, job.names);
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

Job job_of(const PointRequest& point, const std::string& file, const topologies::Machine& machine,
           JobDetail detail)
{
    const DatasetRequest& dataset = point.workload.dataset;
    const InputRequest& input = point.workload.alx.input;
    check_dataset(dataset, file);
    try {
        const bool sizes_alone = dataset.webgraph || dataset.shape;
        Job job =
            sizes_alone ? shape_job(point, file, machine) : links_job(point, file, machine, detail);
        job.input_given = {input.ids_per_second.has_value(), input.bytes_per_second.has_value()};
        job.devices_of_host = machine.devices_of_host();
        return job;
    } catch (const InputError& error) {
        // Places inside the study come from below without the study's name.
        const std::string message = error.what();
        throw message.rfind("/workload", 0) == 0 ? InputError(file, "", message) : error;
    }
}

} // namespace alxsim::alx
