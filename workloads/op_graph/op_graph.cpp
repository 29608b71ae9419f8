// SPDX-License-Identifier: Apache-2.0
#include "workloads/op_graph/op_graph.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "model/collectives/mesh.h"
#include "model/graph/default_operands.h"
#include "model/graph/op_graph.h"
#include "model/graph/size_expression.h"
#include "model/meshes/laid_program.h"
#include "workloads/mesh_words.h"

#include <utility>

namespace alxsim::workloads {
namespace {

class OpGraphJob : public Workload {
public:
    OpGraphJob(const model::Program& program, const topologies::Machine& machine,
               const std::string& file)
        : program_(model::laid_out(program, machine, file)),
          machine_(machine)
    {
    }

    std::string interval() const override { return "run of the program"; }
    const model::Program& program() const override { return program_; }
    std::vector<std::string> notes() const override
    {
        const std::string operands = model::default_operands_note(program_);
        return operands.empty() ? std::vector<std::string>{} : std::vector<std::string>{operands};
    }
    /// Where its meshes lie, if it has one; of several, of the first by its names.
    Description describe() const override
    {
        Description description;
        const auto meshes = model::meshes_of(program_);
        if (!meshes.empty() && model::has_devices(*meshes.front(), machine_.devices)) {
            const MeshWords mesh = mesh_words(*meshes.front(), machine_);
            description.geometry = {{"mesh", mesh.lengths}, {"mesh_axes", mesh.axes}};
            description.geometry_words = {{"mesh", mesh.words}};
        }
        return description;
    }

private:
    model::Program program_;
    topologies::Machine machine_;
};

/// Reads the graphs of a study for a machine of so many devices.
class ProgramReader {
public:
    explicit ProgramReader(int devices) : devices_(devices) {}

    /// `file` is where `json` stands, at `pointer`.
    model::Program program(const Json& json, const std::string& file,
                           const std::string& pointer) const
    {
        if (!json.is_object() || !json.contains("steps")) {
            model::StepGroup group;
            group.step.graph = graph(json, pointer.empty() ? file : file + ": " + pointer);
            return {group};
        }
        const Json& steps = json.at("steps");
        if (!steps.is_array() || steps.empty()) {
            throw InputError(file, pointer + "/steps",
                             "found no step; allowed: a list of one or more");
        }
        model::Program program;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            program.push_back(step(steps.at(i), file, pointer + "/steps/" + std::to_string(i)));
        }
        return program;
    }

private:
    std::shared_ptr<const model::OpGraph> graph(const Json& json, const std::string& place) const
    {
        auto graph =
            std::make_shared<model::OpGraph>(model::op_graph_from_json(json, place, devices_));
        if (graph->ops.empty() && graph->roles.empty()) {
            throw InputError(place, "/ops", "found no op; allowed: one or more");
        }
        return graph;
    }

    /// A number, or an expression of the devices.
    Json times(const Json& step, const std::string& file, const std::string& place) const
    {
        const Json times = step.value("times", Json(1));
        return times.is_string() ? Json(model::size_of_expression(times.get<std::string>(),
                                                                  devices_, file, place + "/times"))
                                 : times;
    }

    /// `place` names the step in messages.
    model::StepGroup step(const Json& step, const std::string& file, const std::string& place) const
    {
        const bool is_step = step.is_object() && step.contains("graph") &&
                             (step.at("graph").is_string() || step.at("graph").is_object());
        const Json repeated = is_step ? times(step, file, place) : Json();
        if (!is_step || !repeated.is_number_integer() || repeated.get<std::int64_t>() < 1) {
            throw InputError(file, place,
                             "found " + step.dump() +
                                 "; allowed: {\"graph\": a path or {\"ops\": [...]}, \"times\": a "
                                 "whole number >= 1}");
        }
        model::StepGroup group;
        group.times = repeated.get<std::int64_t>();
        const Json& asked = step.at("graph");
        if (asked.is_string()) {
            const std::string path = resolve_path(asked.get<std::string>(), file);
            group.step.graph = graph(load_json(path), path);
        } else {
            group.step.graph = graph(asked, file + ": " + place + "/graph");
        }
        return group;
    }

    int devices_;
};

std::unique_ptr<Workload> make_job(const Json& study, const std::string& file,
                                   const topologies::Machine& machine)
{
    const ProgramReader reader(machine.devices);
    const Json& asked = study.at("workload").at("op_graph");
    if (!asked.is_string()) {
        return std::make_unique<OpGraphJob>(reader.program(asked, file, "/workload/op_graph"),
                                            machine, file);
    }
    const std::string path = resolve_path(asked.get<std::string>(), file);
    return std::make_unique<OpGraphJob>(reader.program(load_json(path), path, ""), machine, file);
}

} // namespace

Kind op_graph_kind()
{
    Kind kind;
    kind.name = "op_graph";
    kind.fields["op_graph"] = {
        {"description", "Path of a JSON file with the ops of a step, or with several graphs in a "
                        "row; or that object itself."},
        {"type", {"string", "object"}}};
    kind.make = make_job;
    kind.has_numbers = false;
    kind.input_hint = "an op with \"work\": \"infeed\" adds one";
    kind.help = "            op_graph PATH: a step of your own, {\"ops\": [...]}, each op as "
                "'alxsim op' has it;\n"
                "            or {\"steps\": [{\"graph\": PATH or {\"ops\": [...]}, \"times\": "
                "N}]}: several in a row\n";
    return kind;
}

} // namespace alxsim::workloads
