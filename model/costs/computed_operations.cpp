// SPDX-License-Identifier: Apache-2.0
#include "model/costs/computed_operations.h"

#include "model/costs/matmul.h"
#include "model/graph/for_each_op.h"

#include <map>
#include <memory>

namespace alxsim::model {
namespace {

double operations_of(const Work& work)
{
    if (const auto* matmul = std::get_if<Matmul>(&work)) {
        return matmul_operations(*matmul) / matmul->passes;
    }
    const auto* custom = std::get_if<Custom>(&work);
    return custom == nullptr ? 0 : custom->flops;
}

/// Counts those of a device in the mean.
double operations_of(const Op& op)
{
    if (!op.work_of_device || op.work_of_device->empty()) {
        return operations_of(op.work);
    }
    double sum = 0;
    for (const Work& work : *op.work_of_device) {
        sum += operations_of(work);
    }
    return sum / static_cast<double>(op.work_of_device->size());
}

/// Likewise: how often it iterates.
double mean_iterations(const Repeat& repeat, const Counts& counts, int devices)
{
    if (repeat.counter.empty() || counts.count(repeat.counter) == 0) {
        return static_cast<double>(repeat.times);
    }
    double sum = 0;
    for (int device = 0; device < devices; ++device) {
        sum += static_cast<double>(iterations(repeat, counts, device));
    }
    return sum / devices;
}

/// Counts those of all devices: each does it, or those of its roles do.
double operations_of(const OpGraph& graph, const Counts& counts, int devices)
{
    if (!graph.roles.empty()) {
        double sum = 0;
        for (const Role& role : graph.roles) {
            sum += operations_of(*role.graph, counts, static_cast<int>(role.devices.size()));
        }
        return sum;
    }
    double of_device = 0;
    for_each_op(
        graph, 1.0, [&](const Repeat& repeat) { return mean_iterations(repeat, counts, devices); },
        [&](const Op& op, double times) { of_device += times * operations_of(op); });
    return of_device * devices;
}

} // namespace

double computed_operations(const Program& program, int devices)
{
    std::map<const OpGraph*, double> known; // of steps without counts
    double sum = 0;
    for (const StepGroup& group : program) {
        const OpGraph* const graph = group.step.graph.get();
        auto found = known.find(graph);
        const bool again = group.step.counts.empty() && found != known.end();
        const double operations =
            again ? found->second : operations_of(*graph, group.step.counts, devices);
        if (group.step.counts.empty()) {
            known[graph] = operations;
        }
        sum += static_cast<double>(group.times) * operations;
    }
    return sum;
}

} // namespace alxsim::model
