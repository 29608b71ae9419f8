// SPDX-License-Identifier: Apache-2.0
#include "program/requests/op_answer.h"

#include "base/input_error.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/trace/point_trace.h"
#include "model/graph/default_operands.h"
#include "report/point_fields.h"
#include "topologies/override_notes.h"
#include "workloads/registry.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace alxsim::program {

using namespace experiments;

namespace {

/// The work of a workload that computes numbers, if the op is such; else null.
const workloads::NumberedWork* numbered_work(const Json& op)
{
    if (op.is_object() && op.contains("length")) {
        return nullptr; // a top_k of an op graph, which has sizes where this one has files
    }
    const Json name = op.is_object() ? op.value("work", Json()) : Json();
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        const auto found =
            name.is_string() ? kind.works.find(name.get<std::string>()) : kind.works.end();
        if (found != kind.works.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

std::vector<std::string> works_with_output()
{
    std::vector<std::string> names;
    for (const workloads::Kind& kind : workloads::registry().kinds()) {
        for (const auto& [name, work] : kind.works) {
            if (work.has_output) {
                names.push_back(name);
            }
        }
    }
    return names;
}

/// Whether an op graph is given, not an op.
bool is_graph(const Json& given)
{
    return given.is_object() && (given.contains("ops") || given.contains("roles")) &&
           !given.contains("work");
}

void add_note(std::vector<std::string>& notes, const std::string& words)
{
    if (!words.empty()) {
        notes.push_back(words);
    }
}

/// Times the op, and computes its numbers if it has some. `place`: how errors name it.
Json timed_work(const Json& op, const std::string& place, const OpRequest& request,
                const topologies::Machine& machine, PointTrace* trace,
                std::vector<std::string>& notes)
{
    const workloads::NumberedWork* const work = numbered_work(op);
    if (!request.output.empty() && (work == nullptr || !work->has_output)) {
        throw InputError("--output", "",
                         "is only for work that has results to write: " +
                             join(works_with_output()));
    }
    if (is_graph(op)) {
        const auto graph = std::make_shared<const model::OpGraph>(
            model::op_graph_from_json(op, place, machine.devices));
        add_note(notes, model::default_operands_note(*graph));
        return json_of(time_graph(graph, place, machine, request.hbm, trace));
    }
    if (work == nullptr) {
        const OpTime time = time_op(op, place, machine, request.hbm, trace);
        add_note(notes, model::default_operands_note(model::op_graph_from_json(
                            {{"ops", Json::array({op})}}, place, machine.devices)));
        return json_of(time);
    }
    validate_json(op, work->schema, place);
    const workloads::NumberedWork::Result result = work->compute(op, request.output);
    Json told = result.numbers;
    if (result.graph != nullptr) {
        told.update(json_of(time_graph(result.graph, place, machine, request.hbm, trace)));
    } else if (trace != nullptr) {
        throw InputError("--trace", request.trace.file,
                         "found, but this op is not simulated: it has no timeline");
    }
    return told;
}

/// The machine as a report tells it.
Json machine_json(const topologies::Machine& machine)
{
    return json_of(machine_told(machine, {}));
}

/// Each by itself, in a simulation of its own.
Json timed_each(const GivenOps& given, const OpRequest& request, const topologies::Machine& machine,
                std::vector<std::string>& notes)
{
    if (request.trace.wanted() || !request.output.empty()) {
        throw InputError(request.trace.wanted() ? "--trace" : "--output", "",
                         "is for one op, or one op graph, at a time; found a list of ops");
    }
    if (given.json.empty()) {
        throw InputError(given.place, "", "found an empty list; allowed: one op or more");
    }
    Json results = Json::array();
    for (std::size_t i = 0; i < given.json.size(); ++i) {
        const std::string place = given.place + ", op " + std::to_string(i);
        results.push_back(timed_work(given.json.at(i), place, request, machine, nullptr, notes));
        results.back()["machine"] = machine_json(machine);
    }
    return results;
}

Json timed_one(const GivenOps& given, const OpRequest& request, const topologies::Machine& machine,
               std::vector<std::string>& notes)
{
    std::optional<PointTrace> trace;
    if (request.trace.wanted()) {
        TraceRequest of_op = request.trace;
        of_op.title = request.op;
        trace.emplace(machine, of_op);
    }
    Json result =
        timed_work(given.json, given.place, request, machine, trace ? &*trace : nullptr, notes);
    if (trace) {
        const PointTrace::Outcome outcome = trace->write();
        notes.insert(notes.end(), outcome.notes.begin(), outcome.notes.end());
    }
    if (result.contains("simulated_seconds")) {
        result["machine"] = machine_json(machine);
    }
    return result;
}

using Graphs = std::vector<std::shared_ptr<const model::OpGraph>>;

void add_graph(const Json& op, const std::string& place, int devices, Graphs& graphs)
{
    if (numbered_work(op) != nullptr) {
        return;
    }
    if (is_graph(op)) {
        graphs.push_back(
            std::make_shared<model::OpGraph>(model::op_graph_from_json(op, place, devices)));
        return;
    }
    auto graph = std::make_shared<model::OpGraph>();
    graph->add(model::op_from_json(op, place, devices));
    graphs.push_back(std::move(graph));
}

/// Whether an op takes another time without an override; work that computes numbers is not asked.
topologies::PresetUse use_by(const GivenOps& given, const topologies::Machine& machine)
{
    Graphs graphs;
    for (const Json& op : given.json.is_array() ? given.json : Json::array({given.json})) {
        add_graph(op, given.place, machine.devices, graphs);
    }
    topologies::PresetUse use;
    if (!graphs.empty()) {
        use.same_time = [graphs, &machine](const topologies::Machine& other) {
            const topologies::Machine without = without_host_program(other);
            return std::all_of(graphs.begin(), graphs.end(), [&](const auto& graph) {
                return estimated_time(graph, machine) == estimated_time(graph, without);
            });
        };
    }
    return use;
}

} // namespace

OpAnswer answer_of_op(const GivenOps& given, const OpRequest& request,
                      const topologies::Machine& machine)
{
    OpAnswer answer;
    answer.result = given.json.is_array() ? timed_each(given, request, machine, answer.notes)
                                          : timed_one(given, request, machine, answer.notes);
    for (const std::string& words : topologies::override_notes(machine, use_by(given, machine))) {
        answer.notes.push_back(words);
    }
    return answer;
}

} // namespace alxsim::program
