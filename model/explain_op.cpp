// SPDX-License-Identifier: Apache-2.0
#include "model/explain_op.h"

#include "base/text/printed.h"
#include "model/bounds.h"
#include "model/compiled_graph.h"
#include "model/costs/matmul.h"
#include "model/estimate.h"
#include "model/schedules/routed_load.h"
#include "model/schedules/schedule_choice.h"

#include <algorithm>

namespace alxsim::model {
namespace {

std::string readable(Picoseconds time)
{
    const double seconds = to_seconds(time).count();
    const std::pair<double, const char*> units[] = {
        {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    for (const auto& [scale, unit] : units) {
        if (seconds >= scale || scale == 1e-9) {
            return printed("%.4g ", seconds / scale) + unit;
        }
    }
    return "";
}

/// The same schedule with nothing to carry: what is left is hops.
Picoseconds hops_of(CollectiveSchedule schedule, const topologies::Machine& machine)
{
    for (PairMessage& message : schedule.messages) {
        message.bytes = Bytes(0);
    }
    if (!schedule.messages.empty()) {
        return load_of(schedule.messages, schedule.messages_after, machine).time;
    }
    for (Colour& colour : schedule.colours) {
        for (AxisPhase& phase : colour.phases) {
            phase.shard = Bytes(0);
        }
    }
    for (NetworkAxis& axis : schedule.axes) {
        axis.bytes_per_second = 1e9; // none goes: equal hops are one schedule, remembered
    }
    return schedule_time(schedule);
}

std::vector<TimePart> collective_parts(const CompiledOp& op, const topologies::Machine& machine)
{
    const Picoseconds hops = hops_of(*op.schedule, machine);
    return {{"collective launch", op.cost.launch},
            {"hop latency", hops},
            {"link bandwidth", op.schedule_time - hops}};
}

std::vector<TimePart> repeat_parts(const CompiledOp& op, Picoseconds whole)
{
    const Picoseconds control = op.cost.launch * as_repeat(op)->times;
    return {{"loop control", control}, {"the loop's body", whole - control}};
}

std::vector<TimePart> local_parts(const CompiledOp& op, const topologies::Machine& machine)
{
    const OpTime time = op_time(op.cost, machine, slowest_speed(machine));
    std::vector<TimePart> parts{{"op overhead", time.launch},
                                {std::string(op.cost.limited_by), time.unit}};
    if (time.latency > Picoseconds(0)) {
        parts.push_back({latency_name(op.cost), time.latency});
    }
    if (op.cost.hbm.bytes > Bytes(0)) {
        parts.push_back({std::string(hbm_limit(op.cost.hbm, machine)), time.first_tile + time.hbm});
    }
    return parts;
}

} // namespace

std::string latency_name(const OpCost& cost)
{
    return cost.unit == Unit::storage_read || cost.unit == Unit::storage_write ? "the first block"
                                                                               : "DMA latency";
}

OpExplanation explain_op(const Op& op, const topologies::Machine& machine)
{
    AnalyticModel model(machine);
    return explain_op(op, model);
}

OpExplanation explain_op(const Op& op, AnalyticModel& model)
{
    const topologies::Machine& machine = model.machine();
    auto graph = std::make_shared<OpGraph>();
    graph->add(op);
    Step step;
    step.graph = graph;
    const StepEstimate estimated = model.step(step);
    const auto compiled = model.compiled(graph);
    const CompiledOp& only = compiled->ops.front();

    OpExplanation result;
    result.bound = physical_bound(op, place(*graph, machine.device), machine);
    result.closed_form = std::max(estimated.on_device.total, estimated.infeed.sum());
    result.parts = only.schedule ? collective_parts(only, machine)
                   : only.body   ? repeat_parts(only, result.closed_form)
                                 : local_parts(only, machine);
    const auto longest =
        std::max_element(result.parts.begin(), result.parts.end(),
                         [](const TimePart& a, const TimePart& b) { return a.time < b.time; });
    result.limited_by = longest->mechanism;
    for (const TimePart& part : result.parts) {
        if (part.time > Picoseconds(0)) {
            result.why +=
                (result.why.empty() ? "" : ", ") + part.mechanism + " " + readable(part.time);
        }
    }
    result.why = result.limited_by + " takes longest: " + result.why;
    const auto* const matmul = std::get_if<Matmul>(&op.work);
    if (matmul != nullptr && only.cost.beside > Picoseconds(0)) {
        const bool product = only.cost.unit == Unit::mxu;
        result.why += std::string("; ") + (product ? "its epilogue" : "the product itself") +
                      " takes " + readable(only.cost.beside) + " meanwhile";
    } else if (matmul != nullptr && only.cost.unit == Unit::vpu) {
        result.why += "; a product of one row runs on the vector units, as the compiler of this "
                      "chip has it";
    } else if (matmul != nullptr) {
        result.why += "; " + printed_percent("%.3g", mxu_useful_share(*matmul, machine.device)) +
                      " of what the arrays could do meanwhile is useful";
    }
    if (only.schedule) {
        const Collective& collective = std::get<Collective>(op.work);
        result.schedule = only.schedule->name;
        result.algorithm = algorithm_of(*only.schedule);
        result.why += "; schedule: " + result.schedule;
        if (scaling_book_covers(collective, machine)) {
            result.textbook = scaling_book_time(collective, machine);
        }
    }
    return result;
}

std::string other_schedules(const Op& op, const topologies::Machine& machine)
{
    const auto* collective = std::get_if<Collective>(&op.work);
    if (collective == nullptr || collective->ranks || collective->messages ||
        !collective->schedule.asks_for_nothing()) {
        return "";
    }
    ScheduleBook schedules(machine);
    const Picoseconds launch =
        collective->launched ? to_picoseconds(machine.device.collective_launch) : Picoseconds(0);
    const TimedSchedule taken = schedules.best(*collective);
    std::string words;
    Collective free = *collective;
    free.schedule.choice = topologies::ScheduleChoice::fastest;
    const TimedSchedule fastest = schedules.best(free);
    if (fastest.time < taken.time) {
        words += "; the fastest known, " + fastest.schedule->name + ", takes " +
                 readable(fastest.time + launch);
    }
    Collective twice = *collective;
    twice.bytes = twice.bytes * 2;
    const TimedSchedule more = schedules.best(twice);
    if (more.time < taken.time && more.schedule->name != taken.schedule->name) {
        words += "; twice the bytes take less, " + readable(more.time + launch) +
                 ", since what runs then is " + more.schedule->name;
    }
    return words;
}

} // namespace alxsim::model
