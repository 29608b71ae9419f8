// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/job.h"

#include "workloads/registry.h"

#include <utility>

namespace alxsim::experiments {
namespace {

template <class Make>
Job made(const Make& make, topologies::Machine machine, const PointStudy& study)
{
    WorkloadPointer workload = make(study.document, study.file, machine);
    machine.host.input = workload->input_rates();
    return {std::move(machine), std::move(workload)};
}

} // namespace

Job job_of(const PointStudy& study)
{
    return job_on(machine_of(study.machine, study.file), study);
}

Job job_on(topologies::Machine machine, const PointStudy& study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    return made(kind.make, std::move(machine), study);
}

Job sketch_on(topologies::Machine machine, const PointStudy& study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    return made(kind.sketch ? kind.sketch : kind.make, std::move(machine), study);
}

model::MemoryFit memory_fit(const workloads::Workload& workload, const model::Program& program,
                            const topologies::Machine& machine)
{
    model::MemoryFit fit = model::memory_fit(program, machine);
    fit.allocated = workload.compiled_bytes();
    return fit;
}

model::MemoryFit memory_fit(const workloads::Workload& workload, const topologies::Machine& machine)
{
    return memory_fit(workload, workload.program(), machine);
}

} // namespace alxsim::experiments
