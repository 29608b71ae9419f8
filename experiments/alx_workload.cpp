// SPDX-License-Identifier: Apache-2.0
#include "experiments/alx_workload.h"

#include "base/input_error.h"
#include "experiments/dataset_request.h"
#include "model/placement.h"

namespace alxsim::experiments {
namespace {

constexpr std::int64_t default_line_length = 16;

Json section(const Json& study, const char* pointer)
{
    const Json::json_pointer at(pointer);
    return study.contains(at) ? study.at(at) : Json::object();
}

model::DType table_dtype_of(const std::string& name)
{
    return name == "f32" ? model::DType::f32 : model::DType::bf16;
}

alx::Semantics semantics_of(const Json& switches)
{
    alx::Semantics semantics;
    if (switches.value("admission", "exact") == "spare_line") {
        semantics.admission = alx::Admission::spare_line;
    }
    if (switches.value("device_padding", "when_needed") == "always") {
        semantics.device_padding = alx::DevicePadding::always;
    }
    return semantics;
}

alx::AlxConfig config_of(const Json& study)
{
    const Json alx = section(study, "/workload/alx");
    const Json evaluation = section(study, "/workload/evaluation");
    const Json cg = alx.value("cg", Json::object());
    alx::AlxConfig config;
    config.dim = alx.value("dim", config.dim);
    config.epochs = alx.value("epochs", config.epochs);
    config.reg = alx.value("reg", config.reg);
    config.alpha = alx.value("alpha", config.alpha);
    config.solver = alx.value("solver", config.solver);
    config.cg.tolerance = cg.value("tolerance", config.cg.tolerance);
    config.cg.max_iterations = cg.value("max_iterations", config.cg.max_iterations);
    config.table_dtype = table_dtype_of(alx.value("table_dtype", "bf16"));
    config.gather = alx.value("gather", config.gather);
    config.initial_stddev =
        alx.value("initial", Json::object()).value("stddev", config.initial_stddev);
    config.seed = study.value("seed", config.seed);
    config.semantics = semantics_of(alx.value("switches", Json::object()));
    config.evaluation.every = evaluation.value("every", config.evaluation.every);
    config.evaluation.top_k = evaluation.value("top_k", config.evaluation.top_k);
    return config;
}

/// Mean lengths of what is solved for: rows with links, columns with links.
struct MeanLengths {
    double row = 1;
    double column = 1;
};

/// The geometry of one half; "auto" follows from the mean length, and what is left out from
/// `fallback`.
alx::BatchGeometry geometry_of(const Json& batch, const alx::BatchGeometry& fallback,
                               const alx::AlxConfig& config, double mean_length,
                               const topologies::Machine& machine)
{
    if (batch == "auto") {
        return alx::auto_geometry(config, mean_length, default_line_length,
                                  model::usable_vmem(machine.device));
    }
    alx::BatchGeometry geometry = fallback;
    geometry.lines = batch.value("lines", geometry.lines);
    geometry.line_length = batch.value("line_length", geometry.line_length);
    geometry.rows = batch.value("rows", geometry.rows);
    return geometry;
}

void set_geometries(alx::AlxConfig& config, const Json& study, const MeanLengths& lengths,
                    const topologies::Machine& machine)
{
    const Json alx = section(study, "/workload/alx");
    const Json batch = alx.value("batch", Json("auto"));
    config.batch = geometry_of(batch, {}, config, lengths.row, machine);
    // Left out, the column half has the row half's batch; "auto" is worked out from the columns.
    const Json column_batch =
        alx.value("column_batch", batch == "auto" ? Json("auto") : Json::object());
    config.column_batch = geometry_of(column_batch, config.batch, config, lengths.column, machine);
}

MeanLengths mean_lengths(const alx::SparseMatrix& matrix)
{
    const auto mean = [&](const alx::SparseMatrix& side) {
        const auto linked = static_cast<double>(alx::linked_rows(side).size());
        return linked == 0 ? 1.0 : static_cast<double>(matrix.links()) / linked;
    };
    return {mean(matrix), mean(alx::transpose(matrix))};
}

Json describe(const alx::TimingProgram& program, const alx::WorkloadShape& shape)
{
    const auto side = [](const alx::SideBatches& batches) {
        return Json{{"length_exponent", batches.exponent}, {"longest", batches.longest}};
    };
    return {{"name", "webgraph " + shape.name},
            {"rows", shape.rows},
            {"columns", shape.columns},
            {"training_links", shape.links},
            {"assumed_row_lengths", side(program.rows)},
            {"assumed_column_lengths", side(program.columns)}};
}

AlxWorkload webgraph_workload(const Json& study, const std::string& file,
                              const topologies::Machine& machine)
{
    if (study.value("numerics", true)) {
        throw InputError(file, "/numerics",
                         "found true (the default), but a webgraph is known by its sizes alone: "
                         "allowed is false");
    }
    const alx::WorkloadShape shape =
        alx::webgraph_shape(section(study, "/workload/dataset")["webgraph"].get<std::string>());
    AlxWorkload workload;
    workload.config = config_of(study);
    set_geometries(workload.config, study, {shape.mean_row_length(), shape.mean_column_length()},
                   machine);
    workload.program = alx::timing_program(workload.config, shape, machine.devices);
    workload.description = describe(workload.program, shape);
    return workload;
}

AlxWorkload links_workload(const Json& study, const std::string& file,
                           const topologies::Machine& machine)
{
    AlxWorkload workload;
    workload.config = config_of(study);
    workload.data = dataset_of(study, file);
    set_geometries(workload.config, study, mean_lengths(workload.data->training), machine);
    workload.program = alx::timing_program(workload.config, *workload.data, machine.devices);
    workload.description = dataset_description(*workload.data, study);
    return workload;
}

} // namespace

AlxWorkload alx_workload_of(const Json& study, const std::string& file,
                            const topologies::Machine& machine)
{
    const Json dataset = section(study, "/workload/dataset");
    check_dataset(dataset, file);
    if (section(study, "/workload/alx").value("epochs", 1) == 0) {
        throw InputError(file, "/workload/alx/epochs",
                         "found 0, which is not supported yet; allowed for now: 1 or more");
    }
    try {
        return dataset.contains("webgraph") ? webgraph_workload(study, file, machine)
                                            : links_workload(study, file, machine);
    } catch (const InputError& error) {
        // Places inside the study come from below without the study's name.
        const std::string message = error.what();
        throw message.rfind("/workload", 0) == 0 ? InputError(file, "", message) : error;
    }
}

} // namespace alxsim::experiments
