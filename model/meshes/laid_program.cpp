// SPDX-License-Identifier: Apache-2.0
#include "model/meshes/laid_program.h"

#include "base/input_error.h"
#include "base/json_document.h"
#include "base/memo.h"
#include "model/collectives/mesh.h"
#include "model/graph/for_each_op.h"
#include "model/meshes/mesh_search.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::MeshAxisPlace;

const std::string place_of_axes = "/machine/axes";

/// Names and lengths of the axes of a mesh.
using AxisLengths = std::vector<std::pair<std::string, int>>;

AxisLengths lengths_of(const Mesh& mesh)
{
    AxisLengths lengths;
    for (const MeshAxis& axis : mesh.axes) {
        lengths.emplace_back(axis.name.text(), axis.length);
    }
    return lengths;
}

bool names_devices(const OpGraph& graph)
{
    return !graph.roles.empty() || any_op(graph, [](const Op& op) {
        const auto* const collective = std::get_if<Collective>(&op.work);
        return op.work_of_device != nullptr ||
               (collective != nullptr &&
                (collective->ranks || (collective->messages && !collective->mesh)));
    });
}

struct LaidMesh {
    std::shared_ptr<const Mesh> mesh; ///< as it is in the graph
    std::vector<MeshCollective> job;
};

/// What a program does along the axes of its meshes.
std::map<AxisLengths, LaidMesh> collect(const Program& program, const Machine& machine)
{
    std::map<AxisLengths, LaidMesh> meshes;
    for (const StepGroup& group : program) {
        if (names_devices(*group.step.graph)) {
            continue;
        }
        for_each_op(*group.step.graph, group.times, RoundsOfFirstDevice{group.step.counts},
                    [&](const Op& op, std::int64_t times) {
                        const auto* const collective = std::get_if<Collective>(&op.work);
                        if (collective == nullptr || !collective->mesh) {
                            return;
                        }
                        if (has_devices(*collective->mesh, machine.devices)) {
                            LaidMesh& mesh = meshes[lengths_of(*collective->mesh)];
                            mesh.mesh = collective->mesh;
                            mesh.job.push_back({*collective, times});
                            // Places are searched for parts that are equal.
                            mesh.job.back().collective.messages = nullptr;
                        }
                    });
    }
    return meshes;
}

/// Names of the slice's axes on which an axis of a mesh lies.
std::set<std::string> axes_of(const std::vector<MeshPart>& parts, const Machine& machine)
{
    std::set<std::string> names;
    for (const MeshPart& part : parts) {
        names.insert(part.axis == MeshPart::on_chip ? "chip" : machine.slice.axis_name(part.axis));
    }
    return names;
}

std::vector<std::string> known_axes(const Machine& machine)
{
    std::vector<std::string> known = machine.slice.axis_names();
    if (machine.devices_per_chip > 1) {
        known.emplace_back("chip");
    }
    return known;
}

/// Those of more than one chip.
std::set<std::string> without_short_ones(const std::vector<std::string>& names,
                                         const Machine& machine)
{
    const std::vector<std::string> known = machine.slice.axis_names();
    std::set<std::string> result;
    for (const std::string& name : names) {
        const auto axis = std::find(known.begin(), known.end(), name) - known.begin();
        const bool on_chip = axis == static_cast<std::ptrdiff_t>(known.size());
        if (on_chip || machine.slice.axes()[static_cast<std::size_t>(axis)].length > 1) {
            result.insert(name);
        }
    }
    return result;
}

/// Whether the axes that the study has a word about lie where it says.
bool as_asked(const MeshLayout& layout, const Mesh& mesh, const Machine& machine)
{
    return std::all_of(
        machine.mesh_axes.begin(), machine.mesh_axes.end(), [&](const MeshAxisPlace& asked) {
            for (std::size_t i = 0; i < layout.size(); ++i) {
                if (mesh.axes[i].name.text() == asked.name) {
                    return axes_of(layout[i], machine) == without_short_ones(asked.axes, machine);
                }
            }
            return true;
        });
}

Json axes_json(const MeshLayout& layout, const Mesh& mesh, const Machine& machine)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (mesh.axes[i].length > 1) {
            json[mesh.axes[i].name.text()] = axes_of(layout[i], machine);
        }
    }
    return json;
}

[[noreturn]] void refuse_axes(const LaidMesh& laid, const Machine& machine, const std::string& file)
{
    Json found = Json::object();
    for (const MeshAxisPlace& asked : machine.mesh_axes) {
        found[asked.name] = asked.axes;
    }
    std::string mesh;
    for (const MeshAxis& axis : laid.mesh->axes) {
        mesh += (mesh.empty() ? "" : ", ") + axis.name.text() + " " + std::to_string(axis.length);
    }
    const auto free = best_layout(*laid.mesh, laid.job, machine, {});
    throw InputError(file, place_of_axes,
                     "found " + found.dump() + " for a mesh of " + mesh + " on " +
                         (machine.slice.slices() > 1 ? "" : "a slice of ") + machine.slice.words() +
                         " chips; allowed: axes whose lengths it has" +
                         (free ? ", as " + axes_json(*free, *laid.mesh, machine).dump() : ""));
}

/// Throws InputError for names that no mesh or no slice has.
void check_axes(const std::map<AxisLengths, LaidMesh>& meshes, const Machine& machine,
                const std::string& file)
{
    std::vector<std::string> names;
    for (const auto& [lengths, laid] : meshes) {
        for (const auto& [name, length] : lengths) {
            names.push_back(name);
        }
    }
    if (names.empty() && !machine.mesh_axes.empty()) {
        throw InputError(file, place_of_axes,
                         "found axes for a program that has no mesh of the machine's devices, or "
                         "names them by number; allowed: none");
    }
    const std::vector<std::string> known = known_axes(machine);
    const auto is_in = [](const std::vector<std::string>& all, const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    for (const MeshAxisPlace& asked : machine.mesh_axes) {
        if (!is_in(names, asked.name)) {
            throw InputError(file, place_of_axes,
                             "found '" + asked.name +
                                 "'; allowed: axes of the mesh: " + join(names));
        }
        for (const std::string& axis : asked.axes) {
            if (!is_in(known, axis)) {
                throw InputError(file, place_of_axes + "/" + asked.name,
                                 "found '" + axis + "' on " +
                                     (machine.slice.slices() > 1 ? "" : "a slice of ") +
                                     machine.slice.words() + " chips; allowed: " + join(known));
            }
        }
    }
}

/// The laid mesh of those lengths; null: it stays as it is.
using LaidMeshes = std::map<AxisLengths, std::shared_ptr<const Mesh>>;

LaidMeshes lay(const std::map<AxisLengths, LaidMesh>& meshes, const Machine& machine,
               const std::string& file)
{
    LaidMeshes laid;
    for (const auto& [lengths, one] : meshes) {
        const Mesh& mesh = *one.mesh;
        const auto layout = best_layout(mesh, one.job, machine, [&](const MeshLayout& other) {
            return as_asked(other, mesh, machine);
        });
        if (!layout && !machine.mesh_axes.empty()) {
            refuse_axes(one, machine, file);
        }
        if (layout) {
            auto placed = std::make_shared<Mesh>(mesh);
            placed->devices = devices_of(mesh, *layout, machine);
            if (!std::is_sorted(placed->devices.begin(), placed->devices.end())) {
                laid[lengths] = std::move(placed);
            }
        }
    }
    return laid;
}

/// Messages between places of a mesh as messages between the devices that stand there; a place that
/// there is not stays, to be refused.
std::shared_ptr<const std::vector<PairMessage>> placed(const std::vector<PairMessage>& messages,
                                                       const std::vector<int>& devices)
{
    const auto device_at = [&](int place) {
        const auto index = static_cast<std::size_t>(place);
        return index < devices.size() ? devices[index] : place;
    };
    auto result = std::make_shared<std::vector<PairMessage>>(messages);
    for (PairMessage& message : *result) {
        message.source = device_at(message.source);
        message.destination = device_at(message.destination);
    }
    return result;
}

std::shared_ptr<const OpGraph> with_meshes(const OpGraph& graph, const LaidMeshes& laid)
{
    const auto other = [&laid](std::shared_ptr<const Mesh>& mesh) {
        const auto found = mesh ? laid.find(lengths_of(*mesh)) : laid.end();
        mesh = found == laid.end() ? mesh : found->second;
        return found != laid.end();
    };
    auto result = std::make_shared<OpGraph>(graph);
    other(result->mesh);
    for (Op& op : result->ops) {
        if (auto* const collective = std::get_if<Collective>(&op.work)) {
            if (other(collective->mesh) && collective->messages) {
                collective->messages = placed(*collective->messages, collective->mesh->devices);
            }
        } else if (auto* const repeat = std::get_if<Repeat>(&op.work)) {
            repeat->body = with_meshes(*repeat->body, laid);
        }
    }
    return result;
}

/// Points that differ in machines alone share graphs, by which their costs are remembered.
std::shared_ptr<const OpGraph> laid_graph(const std::shared_ptr<const OpGraph>& graph,
                                          const LaidMeshes& laid)
{
    using Key = std::pair<std::shared_ptr<const OpGraph>, std::vector<std::vector<int>>>;
    static Memo<Key, std::shared_ptr<const OpGraph>> known(64);
    Key key{graph, {}};
    for (const auto& [lengths, mesh] : laid) {
        key.second.push_back(mesh->devices);
    }
    return known.get(key, [&] { return with_meshes(*graph, laid); });
}

} // namespace

Program laid_out(const Program& program, const Machine& machine, const std::string& file)
{
    const std::map<AxisLengths, LaidMesh> meshes = collect(program, machine);
    check_axes(meshes, machine, file);
    const LaidMeshes laid = lay(meshes, machine, file);
    Program result = program;
    for (StepGroup& group : result) {
        if (!laid.empty() && !names_devices(*group.step.graph)) {
            group.step.graph = laid_graph(group.step.graph, laid);
        }
    }
    return result;
}

std::vector<std::shared_ptr<const Mesh>> meshes_of(const Program& program)
{
    std::map<AxisLengths, std::shared_ptr<const Mesh>> meshes;
    for (const StepGroup& group : program) {
        for_each_op(*group.step.graph, [&](const Op& op) {
            const auto* const collective = std::get_if<Collective>(&op.work);
            if (collective != nullptr && collective->mesh) {
                meshes.try_emplace(lengths_of(*collective->mesh), collective->mesh);
            }
        });
    }
    std::vector<std::shared_ptr<const Mesh>> all;
    for (const auto& [lengths, mesh] : meshes) {
        all.push_back(mesh);
    }
    return all;
}

} // namespace alxsim::model
