// SPDX-License-Identifier: Apache-2.0
#include "experiments/job.h"

#include "experiments/registration/workloads.h"

#include <utility>

namespace alxsim::experiments {

Job job_of(const PointStudy& study)
{
    return job_on(machine_of(study.machine, study.file), study);
}

Job job_on(topologies::Machine machine, const PointStudy& study)
{
    WorkloadPointer workload = workload_kinds()
                                   .kind_of(study.document, study.file)
                                   .make(study.document, study.file, machine);
    machine.host.input = workload->input_rates();
    return {std::move(machine), std::move(workload)};
}

} // namespace alxsim::experiments
