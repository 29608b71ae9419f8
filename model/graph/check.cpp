// SPDX-License-Identifier: Apache-2.0
#include "model/graph/check.h"

#include "model/graph/check_work.h"

#include <optional>
#include <set>

namespace alxsim::model {
namespace {

/// Walks a graph with its roles and bodies.
class GraphCheck {
public:
    explicit GraphCheck(std::optional<int> devices) : devices_(devices) {}

    void graph(const OpGraph& graph, const GraphPlace& place) const
    {
        mesh(graph, place);
        for (std::size_t i = 0; i < graph.buffers.size(); ++i) {
            place.at("buffers", i)
                .expect("bytes", graph.buffers[i].bytes.count(), 0, graph_limits::count);
        }
        for (std::size_t i = 0; i < graph.roles.size(); ++i) {
            role(graph.roles[i], place.at("roles", i));
        }
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            op(graph.ops[i], static_cast<int>(i), place.at("ops", i));
        }
    }

private:
    static void mesh(const OpGraph& graph, const GraphPlace& place)
    {
        for (std::size_t i = 0; graph.mesh && i < graph.mesh->axes.size(); ++i) {
            const MeshAxis& axis = graph.mesh->axes[i];
            const std::string& name = axis.name.text();
            if (name == "x" || name == "y" || name == "z" || name == "dcn") {
                place.at("mesh").refuse("'" + name + "'", "names that no axis of the network has");
            }
            place.at("mesh").expect(name.c_str(), axis.length, 1, graph_limits::devices);
        }
    }

    void role(const Role& role, const GraphPlace& place) const
    {
        if (!role.graph) {
            place.at("graph").refuse("none", "what the devices do");
        }
        if (!role.graph->roles.empty()) {
            place.at("graph").refuse("roles of a role", "ops");
        }
        graph(*role.graph, place.at("graph"));
    }

    void op(const Op& op, int number, const GraphPlace& place) const
    {
        for (const int before : op.after) {
            if (before < 0 || before >= number) {
                place.at("after").refuse(std::to_string(before),
                                         number == 0 ? "none, it is the first op"
                                                     : "indices of earlier ops, below " +
                                                           std::to_string(number));
            }
        }
        uses(op.reads, place, "reads");
        uses(op.writes, place, "writes");
        check_work(op.work, place);
        if (const Repeat* repeat = std::get_if<Repeat>(&op.work)) {
            body(*repeat, place.at("body"));
        }
        if (op.work_of_device) {
            work_of_device(op, place);
        }
    }

    static void uses(const std::vector<BufferUse>& uses, const GraphPlace& place, const char* list)
    {
        for (std::size_t i = 0; i < uses.size(); ++i) {
            place.at(list, i).expect("bytes", uses[i].touched.count(), 0, graph_limits::count);
        }
    }

    void body(const Repeat& repeat, const GraphPlace& place) const
    {
        if (!repeat.body) {
            place.refuse("none", "a graph");
        }
        if (seen_.insert(repeat.body.get()).second) { // others of a role may have it, too
            graph(*repeat.body, place);
        }
    }

    void work_of_device(const Op& op, const GraphPlace& place) const
    {
        const std::vector<Work>& works = *op.work_of_device;
        if (std::holds_alternative<Collective>(op.work) ||
            std::holds_alternative<Repeat>(op.work)) {
            place.at("work_of_device")
                .refuse("for work \"" + kind_in_words(op.work) + "\"",
                        "for all but collective, which has messages, and repeat, which has a "
                        "counter");
        }
        if (devices_ && works.size() != static_cast<std::size_t>(*devices_)) {
            place.at("work_of_device")
                .refuse(std::to_string(works.size()) + " entries",
                        "one for each of " + std::to_string(*devices_) + " devices");
        }
        for (std::size_t i = 0; i < works.size(); ++i) {
            const GraphPlace here = place.at("work_of_device", i);
            if (!same_kind(works[i], op.work)) {
                here.at("work").refuse(kind_in_words(works[i]), kind_in_words(op.work) +
                                                                    ", the kind of the op's own "
                                                                    "work");
            }
            check_work(works[i], here);
        }
    }

    std::optional<int> devices_;
    mutable std::set<const OpGraph*> seen_; ///< bodies
};

} // namespace

void check(const OpGraph& graph, const std::string& file)
{
    GraphCheck({}).graph(graph, GraphPlace(file));
}

void check(const OpGraph& graph, const topologies::Machine& machine)
{
    const std::string name = graph.name.empty() ? "" : "graph '" + graph.name + "'";
    GraphCheck(machine.devices).graph(graph, GraphPlace(name));
}

} // namespace alxsim::model
