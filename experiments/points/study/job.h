// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/point_study.h"
#include "model/graph/memory.h"
#include "report/words.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <memory>

namespace alxsim::experiments {

using WorkloadPointer = std::shared_ptr<const workloads::Workload>;

/// What a point of a study is: a workload on a machine.
struct Job {
    topologies::Machine machine;
    WorkloadPointer workload;
};

/// Builds the job of a point. Throws InputError.
Job job_of(const PointStudy& study);

/// Builds the job of a point on a machine that is built already.
Job job_on(topologies::Machine machine, const PointStudy& study);

/// Builds a job that is only estimated, in a search (workloads::Kind::sketch).
Job sketch_on(topologies::Machine machine, const PointStudy& study);

/// Returns what a workload needs in memory; where a compiler made it, by what that one allocates.
model::MemoryFit memory_fit(const workloads::Workload& workload,
                            const topologies::Machine& machine);
/// Returns what a program needs in memory that is the workload's, or drawn of it.
model::MemoryFit memory_fit(const workloads::Workload& workload, const model::Program& program,
                            const topologies::Machine& machine);

/// Returns the words for the interval that the job's times are told of.
inline report::IntervalWords interval_words(const workloads::Workload& workload)
{
    return {workload.interval(), workload.interval_plural()};
}

} // namespace alxsim::experiments
