// SPDX-License-Identifier: Apache-2.0
#include "model/meshes/laid_program.h"

#include "base/input_error.h"
#include "base/json_document.h"
#include "base/memo.h"
#include "model/collectives/mesh.h"
#include "model/graph/for_each_op.h"
#include "model/meshes/mesh_search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>
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

/// Whether what it has by device stays where it is.
bool names_devices(const OpGraph& graph, DeviceNumbers numbers)
{
    if (!graph.roles.empty()) {
        return numbers == DeviceNumbers::of_machine || !graph.mesh ||
               any_op(graph, [](const Op& op) { return op.work_of_device != nullptr; });
    }
    return any_op(graph, [](const Op& op) {
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

/// Pairs of places between which a collective without a mesh goes.
std::vector<std::pair<int, int>> pairs_of(const Collective& collective)
{
    std::vector<std::pair<int, int>> pairs;
    if (collective.messages) {
        for (const PairMessage& message : *collective.messages) {
            pairs.emplace_back(message.source, message.destination);
        }
    } else if (collective.ranks) {
        for (const std::vector<int>& group : *collective.ranks) {
            for (const int place : group) {
                pairs.emplace_back(group.front(), place);
            }
        }
    }
    return pairs;
}

/// Axes of a mesh along which any of these differ.
std::vector<std::string> axes_between(const std::vector<std::pair<int, int>>& pairs,
                                      const Mesh& mesh)
{
    std::vector<std::string> axes;
    int stride = 1;
    for (auto axis = mesh.axes.rbegin(); axis != mesh.axes.rend(); ++axis) {
        const auto differ = [&](const std::pair<int, int>& pair) {
            return pair.first / stride % axis->length != pair.second / stride % axis->length;
        };
        if (std::any_of(pairs.begin(), pairs.end(), differ)) {
            axes.push_back(axis->name.text());
        }
        stride *= axis->length;
    }
    return axes;
}

/// What roles do along the axes of the mesh whose places they are; where several meet, once. What
/// two of many do along an axis counts as if all did.
LaidMesh collect_of_roles(const StepGroup& group)
{
    const OpGraph& graph = *group.step.graph;
    LaidMesh laid{graph.mesh, {}};
    for (const Role& role : graph.roles) {
        const auto add = [&](const Op& op, std::int64_t times) {
            const auto* const written = std::get_if<Collective>(&op.work);
            if (written == nullptr) {
                return;
            }
            Collective collective = *written;
            if (!collective.mesh) {
                const auto pairs = pairs_of(collective);
                const bool is_here =
                    !pairs.empty() && std::find(role.devices.begin(), role.devices.end(),
                                                pairs.front().first) != role.devices.end();
                collective.group = axes_between(pairs, *graph.mesh);
                if (!is_here || collective.group.empty()) {
                    return;
                }
            }
            collective.mesh = graph.mesh;
            collective.messages = nullptr; // places are searched for parts that are equal
            collective.ranks = nullptr;
            laid.job.push_back({std::move(collective), times});
        };
        for_each_op(*role.graph, group.times, RoundsOfFirstDevice{group.step.counts}, add);
    }
    return laid;
}

/// What a program does along the axes of its meshes.
std::map<AxisLengths, LaidMesh> collect(const Program& program, const Machine& machine,
                                        DeviceNumbers numbers)
{
    std::map<AxisLengths, LaidMesh> meshes;
    for (const StepGroup& group : program) {
        const OpGraph& graph = *group.step.graph;
        if (names_devices(graph, numbers)) {
            continue;
        }
        if (!graph.roles.empty()) {
            if (has_devices(*graph.mesh, machine.devices)) {
                LaidMesh of_roles = collect_of_roles(group);
                LaidMesh& mesh = meshes[lengths_of(*graph.mesh)];
                mesh.mesh = of_roles.mesh;
                std::move(of_roles.job.begin(), of_roles.job.end(), std::back_inserter(mesh.job));
            }
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

/// Roles whose numbers are places of a mesh, on the devices that stand there. What ops share, they
/// share there, too.
class RolesOnDevices {
public:
    explicit RolesOnDevices(std::shared_ptr<const Mesh> mesh) : mesh_(std::move(mesh)) {}

    std::shared_ptr<const OpGraph> graph(const std::shared_ptr<const OpGraph>& by_places)
    {
        std::shared_ptr<const OpGraph>& known = graphs_[by_places.get()];
        if (!known) {
            auto laid = std::make_shared<OpGraph>(*by_places);
            lay(laid->mesh);
            for (Op& op : laid->ops) {
                if (auto* const collective = std::get_if<Collective>(&op.work)) {
                    lay(*collective);
                } else if (auto* const repeat = std::get_if<Repeat>(&op.work)) {
                    repeat->body = graph(repeat->body);
                }
            }
            for (Role& role : laid->roles) {
                lay(role.devices);
                role.graph = graph(role.graph);
            }
            known = std::move(laid);
        }
        return known;
    }

private:
    using Messages = std::vector<PairMessage>;
    using Ranks = std::vector<std::vector<int>>;

    void lay(std::shared_ptr<const Mesh>& mesh) const
    {
        mesh = mesh && lengths_of(*mesh) == lengths_of(*mesh_) ? mesh_ : mesh;
    }
    void lay(std::vector<int>& places) const
    {
        for (int& place : places) {
            place = mesh_->devices.at(static_cast<std::size_t>(place));
        }
    }
    void lay(Collective& collective)
    {
        lay(collective.mesh);
        if (collective.messages) {
            std::shared_ptr<const Messages>& known = messages_[collective.messages.get()];
            known = known ? known : placed(*collective.messages, mesh_->devices);
            collective.messages = known;
        }
        if (collective.ranks) {
            std::shared_ptr<const Ranks>& known = ranks_[collective.ranks.get()];
            if (!known) {
                Ranks groups = *collective.ranks;
                for (std::vector<int>& group : groups) {
                    lay(group);
                }
                known = std::make_shared<const Ranks>(std::move(groups));
            }
            collective.ranks = known;
        }
    }

    std::shared_ptr<const Mesh> mesh_;
    std::map<const OpGraph*, std::shared_ptr<const OpGraph>> graphs_; ///< by the one by places
    std::map<const Messages*, std::shared_ptr<const Messages>> messages_;
    std::map<const Ranks*, std::shared_ptr<const Ranks>> ranks_;
};

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
    return known.get(key, [&]() -> std::shared_ptr<const OpGraph> {
        if (graph->roles.empty()) {
            return with_meshes(*graph, laid);
        }
        const auto mesh = laid.find(lengths_of(*graph->mesh));
        return mesh == laid.end() ? graph : RolesOnDevices(mesh->second).graph(graph);
    });
}

Program laid_anew(const Program& program, const Machine& machine, const std::string& file,
                  DeviceNumbers numbers)
{
    const std::map<AxisLengths, LaidMesh> meshes = collect(program, machine, numbers);
    check_axes(meshes, machine, file);
    const LaidMeshes laid = lay(meshes, machine, file);
    Program result = program;
    for (StepGroup& group : result) {
        if (!laid.empty() && !names_devices(*group.step.graph, numbers)) {
            group.step.graph = laid_graph(group.step.graph, laid);
        }
    }
    return result;
}

/// What a layout goes by, beside the program: the network, and the axes that are asked for.
using LaidOn = std::pair<NetworkKey, std::vector<std::pair<std::string, std::vector<std::string>>>>;

LaidOn laid_on(const Machine& machine)
{
    LaidOn key{network_key(machine), {}};
    for (const MeshAxisPlace& asked : machine.mesh_axes) {
        key.second.emplace_back(asked.name, asked.axes);
    }
    return key;
}

} // namespace

/// Points that differ in what no layout goes by share it.
Program laid_out(const Program& program, const Machine& machine, const std::string& file,
                 DeviceNumbers numbers)
{
    const bool is_step = program.size() == 1 && program.front().step.counts.empty();
    if (!is_step || !machine.faults.links.empty()) {
        return laid_anew(program, machine, file, numbers);
    }
    using Graph = std::shared_ptr<const OpGraph>;
    static Memo<std::tuple<Graph, DeviceNumbers, LaidOn>, Graph> known(16);
    Program result = program;
    Graph& graph = result.front().step.graph;
    graph = known.get({graph, numbers, laid_on(machine)}, [&] {
        return laid_anew(program, machine, file, numbers).front().step.graph;
    });
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
