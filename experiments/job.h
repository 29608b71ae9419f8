// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <memory>
#include <string>

namespace alxsim::experiments {

using WorkloadPointer = std::shared_ptr<const workloads::Workload>;

/// What a point of a study is: a workload on a machine.
struct Job {
    topologies::Machine machine;
    WorkloadPointer workload;
};

/// Builds the job of a study without sweep and series; `file` stands for the study in messages and
/// for paths in it. Throws InputError.
Job job_of(const Json& study, const std::string& file);

/// Its workload alone, on a machine that is built already.
WorkloadPointer workload_of(const Json& study, const std::string& file,
                            const topologies::Machine& machine);

} // namespace alxsim::experiments
