// SPDX-License-Identifier: Apache-2.0
#include "experiments/job.h"

#include "experiments/machine_request.h"
#include "experiments/registration/workloads.h"
#include "experiments/study_schema.h"

#include <utility>

namespace alxsim::experiments {

Job job_of(const Json& study, const std::string& file)
{
    topologies::Machine machine = machine_of(study, file);
    WorkloadPointer workload = workload_of(study, file, machine);
    return {std::move(machine), std::move(workload)};
}

WorkloadPointer workload_of(const Json& study, const std::string& file,
                            const topologies::Machine& machine)
{
    return workload_kinds().kind_of(study, file).make(with_study_defaults(study), file, machine);
}

} // namespace alxsim::experiments
