// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_workload.h"

#include "model/graph/op_graph.h"
#include "model/meshes/laid_program.h"

#include <utility>

namespace alxsim::spmd {

StepWorkload::StepWorkload(std::shared_ptr<const TimedStep> step, int steps,
                           const topologies::Machine& machine, const std::string& file)
    : machine_(machine),
      steps_(steps),
      step_(std::move(step)),
      program_(model::laid_out({{{step_->graph, {}, 1}, 1}}, machine, file))
{
}

workloads::Description StepWorkload::describe() const
{
    workloads::Description description;
    description.counters = step_counters();
    return description;
}

Bytes StepWorkload::host_memory() const
{
    return bytes_of("") * devices();
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
    Bytes bytes(0);
    for (const model::Buffer& buffer : model::all_buffers(*graph())) {
        if (buffer.name.text().rfind(prefix, 0) == 0) {
            bytes += buffer.bytes;
        }
    }
    return bytes;
}

} // namespace alxsim::spmd
