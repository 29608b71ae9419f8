// SPDX-License-Identifier: Apache-2.0
#include "experiments/op_timing.h"

#include "experiments/machine_request.h"
#include "experiments/op_numbers.h"
#include "model/explain_op.h"

#include <cmath>
#include <memory>

namespace alxsim::experiments {
namespace {

double simulated_seconds(const model::Op& op, const topologies::Machine& machine, sim::HbmModel hbm)
{
    auto graph = std::make_shared<model::OpGraph>();
    graph->add(op);
    return to_seconds(simulated_time(graph, machine, hbm)).count();
}

} // namespace

topologies::Machine machine_for_op(const Json& machine, const std::string& file)
{
    return without_host_program(machine_of({{"machine", machine}}, file));
}

topologies::Machine without_host_program(topologies::Machine machine)
{
    machine.device.step_dispatch = Seconds(0);
    machine.device.program_overhead = Seconds(0);
    return machine;
}

Json time_op(const Json& work, const std::string& place, const topologies::Machine& machine,
             sim::HbmModel hbm)
{
    const model::Op op = model::op_from_json(work, place);
    const model::OpExplanation explained = model::explain_op(op, machine);
    const double seconds = simulated_seconds(op, machine, hbm);
    Json result{
        {"bound_seconds", explained.bound.count()},
        {"closed_form_seconds", to_seconds(explained.closed_form).count()},
        {"simulated_seconds", seconds},
        {"cycles", static_cast<std::int64_t>(std::llround(seconds * machine.device.clock_hz))},
        {"limited_by", explained.limited_by},
        {"why", explained.why}};
    if (!explained.schedule.empty()) {
        result["schedule"] = explained.schedule;
    }
    if (!explained.schedule.empty() && explained.bound.count() > 0) {
        result["efficiency"] = explained.bound.count() / seconds;
    }
    if (explained.textbook) {
        result["textbook_seconds"] = explained.textbook->count();
    }
    return result;
}

} // namespace alxsim::experiments
