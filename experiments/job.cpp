// SPDX-License-Identifier: Apache-2.0
#include "experiments/job.h"

#include "experiments/registration/workloads.h"

#include <utility>

namespace alxsim::experiments {

Job job_of(const PointStudy& study)
{
    topologies::Machine machine = machine_of(study.machine, study.file);
    WorkloadPointer workload = workload_of(study, machine);
    return {std::move(machine), std::move(workload)};
}

WorkloadPointer workload_of(const PointStudy& study, const topologies::Machine& machine)
{
    return workload_kinds()
        .kind_of(study.document, study.file)
        .make(study.document, study.file, machine);
}

WorkloadPointer sketch_of(const PointStudy& study, const topologies::Machine& machine)
{
    const workloads::Kind& kind = workload_kinds().kind_of(study.document, study.file);
    const auto& make = kind.sketch ? kind.sketch : kind.make;
    return make(study.document, study.file, machine);
}

} // namespace alxsim::experiments
