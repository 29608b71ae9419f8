// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_builder.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::spmd {

/// A job of equal steps on a machine, its mesh laid on the torus.
class StepWorkload : public workloads::Workload {
public:
    /// `file`: the study's, for messages. Throws InputError for axes of the machine on which its
    /// mesh does not lie.
    StepWorkload(std::shared_ptr<const TimedStep> step, int steps,
                 const topologies::Machine& machine, const std::string& file);

    /// A step as it is timed, laid out.
    const std::shared_ptr<const model::OpGraph>& graph() const
    {
        return program_.front().step.graph;
    }
    const topologies::Machine& machine() const { return machine_; }
    int devices() const { return machine_.devices; }

    std::string interval() const override { return "step"; }
    int intervals() const override { return steps_; }
    const model::Program& program() const override { return program_; }
    /// Its counters alone.
    workloads::Description describe() const override;
    /// The buffers of all devices, as they are stored.
    Bytes host_memory() const override;

protected:
    /// A report's `counters` of one step: calls and elements of collectives by name.
    Json step_counters() const;
    /// Bytes of a device's buffers whose names begin so; of roles, of the one that has most.
    Bytes bytes_of(const std::string& prefix) const;

private:
    topologies::Machine machine_;
    int steps_;
    std::shared_ptr<const TimedStep> step_;
    model::Program program_;
};

} // namespace alxsim::spmd
