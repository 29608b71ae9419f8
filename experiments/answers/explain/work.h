// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/job.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A point of a report, built again from its study: what a device does in an epoch, and where.
struct RebuiltPoint {
    PointStudy study;
    Job job;
    bool fits = true; ///< into the machine's memory

    const topologies::Machine& machine() const { return job.machine; }
    const model::Program& epoch() const { return job.workload->program(); }
};

/// Throws InputError.
RebuiltPoint rebuild(const PointStudy& study);

/// What a device does in an epoch, counted in its op graphs: phase -> kind of work -> how much.
/// Kinds are those of work_kinds(); what does not occur is left out. Of ops whose sizes differ from
/// device to device, the largest device's counts in each step.
using PhaseWork = std::map<std::string, std::map<std::string, double>>;
PhaseWork work_of(const RebuiltPoint& point);

/// The phases with such ops.
std::set<std::string> uneven_phases(const RebuiltPoint& point);

/// A kind of work: its key, and the same for people.
struct WorkKind {
    std::string key;
    std::string words;
};

/// All kinds, those that usually matter most first.
const std::vector<WorkKind>& work_kinds();

} // namespace alxsim::experiments
