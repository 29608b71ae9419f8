// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_workload.h"

#include "model/graph/op_graph.h"
#include "model/meshes/laid_program.h"

#include <algorithm>
#include <utility>

namespace alxsim::spmd {
namespace {

Bytes bytes_in(const model::OpGraph& graph, const std::string& prefix)
{
    Bytes bytes(0);
    for (const model::Buffer& buffer : model::all_buffers(graph)) {
        if (buffer.name.text().rfind(prefix, 0) == 0) {
            bytes += buffer.bytes;
        }
    }
    return bytes;
}

} // namespace

StepWorkload::StepWorkload(std::shared_ptr<const TimedStep> step, int steps,
                           const topologies::Machine& machine, const std::string& file)
    : machine_(machine),
      steps_(steps),
      step_(std::move(step)),
      program_(model::laid_out({{{step_->graph, {}, 1}, 1}}, machine, file,
                               model::DeviceNumbers::of_mesh))
{
}

workloads::Description StepWorkload::describe() const
{
    workloads::Description description;
    description.counters = step_counters();
    return description;
}

/// Adds up what each of a role's devices has of its own.
Bytes StepWorkload::host_memory() const
{
    if (graph()->roles.empty()) {
        return bytes_of("") * devices();
    }
    Bytes bytes(0);
    for (const model::Role& role : graph()->roles) {
        bytes += bytes_in(*role.graph, "") * static_cast<std::int64_t>(role.devices.size());
    }
    return bytes;
}

Json StepWorkload::step_counters() const
{
    MovedCounts counts;
    for (const CollectiveUse& use : step_->collectives) {
        MovedCount& count = counts[use.name()];
        count.calls += use.times;
        count.elements += use.times * use.elements;
    }
    for (const TransferUse& use : step_->transfers) {
        MovedCount& count = counts[use.name()];
        count.calls += use.times;
        count.elements += use.times * use.elements;
    }
    return counts_json(counts);
}

Bytes StepWorkload::bytes_of(const std::string& prefix) const
{
    if (graph()->roles.empty()) {
        return bytes_in(*graph(), prefix);
    }
    Bytes most(0);
    for (const model::Role& role : graph()->roles) {
        most = std::max(most, bytes_in(*role.graph, prefix));
    }
    return most;
}

} // namespace alxsim::spmd
