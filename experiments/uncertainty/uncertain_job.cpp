// SPDX-License-Identifier: Apache-2.0
#include "experiments/uncertainty/uncertain_job.h"

#include "model/graph/memory.h"
#include "model/job_estimate.h"

#include <utility>

namespace alxsim::experiments {

UncertainJob::UncertainJob(const Job& job)
    : machine_{job.machine.preset, job.machine.slice, job.machine.faults},
      workload_(job.workload),
      machine_unknowns_(machine_unknowns(machine_))
{
    for (const MachineUnknown& one : machine_unknowns_) {
        unknowns_.push_back(one.unknown);
    }
    for (Unknown& one : workload_->unknowns()) {
        unknowns_.push_back(std::move(one));
    }
}

UncertainJob::Values UncertainJob::workload_values(const Values& values) const
{
    const auto first = static_cast<std::ptrdiff_t>(machine_unknowns_.size());
    return {values.begin() + first, values.end()};
}

topologies::Machine UncertainJob::machine(const Values& values) const
{
    MachineInputs inputs = machine_;
    for (std::size_t i = 0; i < machine_unknowns_.size(); ++i) {
        if (values.at(i)) {
            machine_unknowns_[i].set(inputs, *values[i]);
        }
    }
    inputs.host_bytes_per_second = workload_->host_bytes_per_second(workload_values(values));
    return machine_of(inputs);
}

model::Breakdown UncertainJob::estimate(const Values& values) const
{
    return model::estimate(workload_->drawn(workload_values(values)), machine(values),
                           model::ScheduleTimes::closed_form);
}

DrawnEstimate UncertainJob::estimate_with_memory(const Values& values) const
{
    const topologies::Machine drawn = machine(values);
    const model::Program program = workload_->drawn(workload_values(values));
    if (!model::memory_fit(program, drawn).fits()) {
        return {};
    }
    return {true, model::estimate(program, drawn, model::ScheduleTimes::closed_form)};
}

} // namespace alxsim::experiments
