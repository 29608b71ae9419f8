// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/op_timing.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/trace/point_trace.h"
#include "model/bounds.h"
#include "model/collectives/group_source.h"
#include "model/compiled_graph.h"
#include "model/estimate.h"
#include "model/explain_op.h"
#include "model/graph/for_each_op.h"
#include "sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace alxsim::experiments {
namespace {

/// What a graph takes alone on a machine, through SystemC.
double simulated_seconds(std::shared_ptr<const model::OpGraph> graph,
                         const topologies::Machine& machine, sim::HbmModel hbm, PointTrace* trace)
{
    model::StepGroup group;
    group.step.graph = std::move(graph);
    model::GroupSource source({group});
    sim::SimulatorOptions options;
    options.hbm = hbm;
    sim::Simulator simulator(machine, options);
    return to_seconds(run_traced(simulator, source, trace).epochs.front().finish).count();
}

/// Adds, by mechanism, what sets the time of an op that runs `times` times.
void add_mechanisms(const model::CompiledOp& op, const topologies::Machine& machine,
                    std::int64_t times, std::map<std::string, Picoseconds>& mechanisms)
{
    const auto add = [&](std::string_view mechanism, Picoseconds time) {
        mechanisms[std::string(mechanism)] += time * times;
    };
    if (op.body) {
        add("loop control", op.cost.launch * model::as_repeat(op)->times);
        return;
    }
    const model::OpTime time = model::op_time(op.cost, machine);
    add("op overhead", time.launch);
    if (op.schedule) {
        add("network", op.schedule_time);
    }
    if (time.latency > Picoseconds(0)) {
        add(model::latency_name(op.cost), time.latency);
    }
    if (op.cost.hbm.bytes > Bytes(0)) {
        add(model::hbm_limit(op.cost.hbm, machine), time.first_tile);
    }
    add(model::body_limit(op.cost, machine), time.body());
}

using Mechanisms = std::map<std::string, Picoseconds>;

/// Writes the largest mechanism, and a sentence about all of them.
void tell_limit(OpTime& told, const Mechanisms& mechanisms)
{
    std::vector<std::pair<std::string, Picoseconds>> parts(mechanisms.begin(), mechanisms.end());
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    for (const auto& [mechanism, time] : parts) {
        if (time > Picoseconds(0)) {
            texts.push_back(mechanism + printed(" %.4g us", to_seconds(time).count() * 1e6));
        }
    }
    told.limited_by = parts.front().first;
    told.why = told.limited_by + " takes longest: " + join(texts);
}

/// What the ops of a graph without roles take by themselves.
Mechanisms mechanisms_of(const model::CompiledGraph& graph, const topologies::Machine& machine)
{
    Mechanisms mechanisms;
    model::for_each_op(
        graph, std::int64_t{1}, [](const model::Repeat& repeat) { return repeat.times; },
        [&](const model::CompiledOp& op, std::int64_t times) {
            add_mechanisms(op, machine, times, mechanisms);
        });
    return mechanisms;
}

Picoseconds sum_of(const Mechanisms& mechanisms)
{
    Picoseconds sum(0);
    for (const auto& [mechanism, time] : mechanisms) {
        sum += time;
    }
    return sum;
}

/// The same; of roles, of the one whose ops take longest.
Mechanisms longest_mechanisms(const model::CompiledGraph& graph, const topologies::Machine& machine)
{
    Mechanisms longest = mechanisms_of(graph, machine);
    for (const model::CompiledGraph::Role& role : graph.roles) {
        Mechanisms of_role = mechanisms_of(*role.graph, machine);
        if (sum_of(of_role) > sum_of(longest)) {
            longest = std::move(of_role);
        }
    }
    return longest;
}

/// What the ops of each role take; nothing of a graph without roles.
std::optional<std::vector<double>> ops_of_roles(const model::CompiledGraph& graph,
                                                const topologies::Machine& machine)
{
    if (graph.roles.empty()) {
        return std::nullopt;
    }
    std::vector<double> seconds;
    for (const model::CompiledGraph::Role& role : graph.roles) {
        seconds.push_back(to_seconds(sum_of(mechanisms_of(*role.graph, machine))).count());
    }
    return seconds;
}

/// The largest bound of the ops of a graph without roles.
double bound_of(const model::OpGraph& graph, const topologies::Machine& machine)
{
    const model::BufferPlacement placement = model::place(graph, machine.device);
    double longest = 0;
    for (const model::Op& op : graph.ops) {
        longest = std::max(longest, model::physical_bound(op, placement, machine).count());
    }
    return longest;
}

/// What a device does without others, here and in loops; nothing says what waits for what.
model::OpGraph without_collectives(const model::OpGraph& graph)
{
    model::OpGraph local;
    local.buffers = graph.buffers;
    for (const model::Op& op : graph.ops) {
        model::Op kept = op;
        if (const model::Repeat* repeat = model::as_repeat(op)) {
            auto body = std::make_shared<model::OpGraph>(without_collectives(*repeat->body));
            kept.work = model::Repeat{repeat->times, repeat->counter, std::move(body)};
        }
        if (!std::holds_alternative<model::Collective>(op.work)) {
            local.add(std::move(kept));
        }
    }
    return local;
}

/// The same of the whole. A role's collectives have no bound of their own: their groups are of the
/// role, or they meet other roles.
double bound_with_roles(const model::OpGraph& graph, const topologies::Machine& machine)
{
    double longest = graph.roles.empty() ? bound_of(graph, machine) : 0;
    for (const model::Role& role : graph.roles) {
        longest = std::max(longest, bound_of(without_collectives(*role.graph), machine));
    }
    return longest;
}

double simulated_seconds(const model::Op& op, const topologies::Machine& machine, sim::HbmModel hbm,
                         PointTrace* trace)
{
    auto graph = std::make_shared<model::OpGraph>();
    graph->add(op);
    return simulated_seconds(graph, machine, hbm, trace);
}

} // namespace

topologies::Machine machine_for_op(const MachineRequest& request, const std::string& file)
{
    return without_host_program(machine_of(request, file));
}

topologies::Machine without_host_program(topologies::Machine machine)
{
    machine.device.step_dispatch = Seconds(0);
    machine.device.program_overhead = Seconds(0);
    machine.straggling = 1; // which is a job's
    return machine;
}

Picoseconds estimated_time(const std::shared_ptr<const model::OpGraph>& graph,
                           const topologies::Machine& machine)
{
    model::Step step;
    step.graph = graph;
    return model::AnalyticModel(machine).step(step).on_device.total;
}

OpTime time_op(const Json& work, const std::string& place, const topologies::Machine& machine,
               sim::HbmModel hbm, PointTrace* trace)
{
    const model::Op op = model::op_from_json(work, place, machine.devices);
    const model::OpExplanation explained = model::explain_op(op, machine);
    OpTime time;
    time.bound_seconds = explained.bound.count();
    time.closed_form_seconds = to_seconds(explained.closed_form).count();
    time.simulated_seconds = simulated_seconds(op, machine, hbm, trace);
    time.cycles = std::llround(time.simulated_seconds * machine.device.clock_hz);
    time.limited_by = explained.limited_by;
    time.why = explained.why + model::other_schedules(op, machine);
    if (!explained.schedule.empty()) {
        time.schedule = explained.schedule;
        time.algorithm = model::to_json(*explained.algorithm);
    }
    if (time.schedule && time.bound_seconds > 0) {
        time.efficiency = time.bound_seconds / time.simulated_seconds;
    }
    if (explained.textbook) {
        time.textbook_seconds = explained.textbook->count();
    }
    return time;
}

OpTime time_graph(const std::shared_ptr<const model::OpGraph>& graph, const std::string& place,
                  const topologies::Machine& machine, sim::HbmModel hbm, PointTrace* trace)
{
    if (!model::any_op(*graph, [](const model::Op&) { return true; })) {
        throw InputError(place, graph->roles.empty() ? "/ops" : "/roles",
                         "found no op; allowed: one or more");
    }
    OpTime time;
    model::Step step;
    step.graph = graph;
    model::AnalyticModel model(machine);
    time.closed_form_seconds = to_seconds(model.step(step).on_device.total).count();
    time.bound_seconds = bound_with_roles(*graph, machine); // of a graph that the model took
    time.simulated_seconds = simulated_seconds(graph, machine, hbm, trace);
    const auto compiled = model.compiled(graph);
    tell_limit(time, longest_mechanisms(*compiled, machine));
    time.role_ops_seconds = ops_of_roles(*compiled, machine);
    return time;
}

} // namespace alxsim::experiments
