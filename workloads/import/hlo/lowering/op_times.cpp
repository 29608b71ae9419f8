// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/op_times.h"

#include "model/compiled_graph.h"
#include "model/costs/matmul.h"
#include "model/estimate.h"
#include "model/graph/check_work.h"

#include <algorithm>
#include <utility>

namespace alxsim::hlo {
namespace {

double flops_of(const model::Matmul& matmul)
{
    return 2.0 * static_cast<double>(matmul.batch) * static_cast<double>(matmul.m) *
           static_cast<double>(matmul.k) * static_cast<double>(matmul.n);
}

void add_ops(const model::CompiledGraph& graph, const topologies::Machine& machine,
             std::int64_t times, ProgramTimes& sum)
{
    for (const model::CompiledOp& op : graph.ops) {
        if (op.body) {
            add_ops(*op.body, machine, times * model::as_repeat(op)->times, sum);
            continue;
        }
        const Picoseconds once = op.schedule ? op.cost.launch + op.schedule_time
                                             : model::op_time(op.cost, machine).total();
        sum.ops.push_back({op.op->name.text(), op.op->phase.text(),
                           model::kind_in_words(op.op->work), times,
                           to_seconds(once).count() * static_cast<double>(times)});
        if (const auto* matmul = std::get_if<model::Matmul>(&op.op->work)) {
            const double flops = flops_of(*matmul) * static_cast<double>(times);
            const double rate = machine.device.matmul_flops() / matmul->passes *
                                model::mxu_rate(matmul->dtype, machine.device);
            sum.product_flops += flops;
            sum.products_at_peak_seconds += flops / rate;
        }
    }
}

double sum_of(const ProgramTimes& times)
{
    double sum = 0;
    for (const TimedOp& op : times.ops) {
        sum += op.seconds;
    }
    return sum;
}

} // namespace

ProgramTimes times_of(const Lowered& program, const topologies::Machine& machine)
{
    return times_of(program.graph, machine);
}

ProgramTimes times_of(const std::shared_ptr<const model::OpGraph>& graph,
                      const topologies::Machine& machine)
{
    ProgramTimes times;
    model::AnalyticModel model(machine);
    const auto compiled = model.compiled(graph);
    add_ops(*compiled, machine, 1, times);
    for (const model::CompiledGraph::Role& role : compiled->roles) {
        ProgramTimes of_role;
        add_ops(*role.graph, machine, 1, of_role);
        if (sum_of(of_role) > sum_of(times)) {
            times = std::move(of_role);
        }
    }
    times.step_seconds = to_seconds(model.step({graph, {}}).on_device.total).count();
    std::stable_sort(times.ops.begin(), times.ops.end(),
                     [](const TimedOp& a, const TimedOp& b) { return a.seconds > b.seconds; });
    return times;
}

} // namespace alxsim::hlo
