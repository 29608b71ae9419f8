// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/device/running.h"
#include "workloads/offload/schedule/offload_schedule.h"

#include <utility>

/// Layers of known times, whose transfers take none, and what a step of them takes.
namespace alxsim::offload {

inline model::Op known(double seconds, model::FixedUnit unit)
{
    return model::op_of(model::Fixed{Seconds(seconds), unit});
}

/// Forward and backward on the device, the optimizer on the host's cores.
inline StepOps free_transfers(double forward, double backward, double optimizer)
{
    StepOps ops;
    ops.layer.forward = known(forward, model::FixedUnit::tensor_core);
    ops.layer.backward = known(backward, model::FixedUnit::tensor_core);
    ops.layer.update = known(optimizer, model::FixedUnit::host_cpu);
    return ops;
}

inline topologies::Machine one_chip(const model::Overrides& overrides = {})
{
    return model::machine_of("tpu_v5e", 1, overrides);
}

struct TwoEngines {
    double estimated = 0, simulated = 0;
};

/// Times one step.
inline TwoEngines seconds_of(const model::Program& program, const topologies::Machine& machine)
{
    TwoEngines seconds;
    for (const model::StepGroup& group : program) {
        const auto times = static_cast<double>(group.times);
        seconds.estimated += times * to_seconds(sim::estimated(machine, group.step.graph)).count();
        seconds.simulated += times * to_seconds(sim::simulated(machine, group.step.graph)).count();
    }
    return seconds;
}

inline TwoEngines seconds_of(const OffloadShape& shape, const StepOps& ops,
                             const topologies::Machine& machine = one_chip())
{
    return seconds_of(offload_program(shape, ops, optimizer_order(shape, ops, machine)), machine);
}

} // namespace alxsim::offload
