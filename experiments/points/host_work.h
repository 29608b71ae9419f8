// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "experiments/points/study/point_study.h"
#include "model/estimate.h"
#include "workloads/workload.h"

namespace alxsim::experiments {

/// What running a point takes of the host that simulates it, counted from its op graphs.
struct HostWork {
    double estimated_ops = 0;   ///< that the analytic model looks at, the band's draws included
    double schedule_phases = 0; ///< of candidates for collectives that the band's draws build
    double simulated_ops = 0;   ///< that devices execute in SystemC
    double messages = 0;        ///< that they send there, at most, by what they cost
    Seconds numbers{0};         ///< on one core (Workload::host_time)
};

/// Predicts the host's work for a job that fits. SystemC leaves out what repeats: without numbers,
/// equal steps and turns of loops count a few times. `model` must be of the job's machine.
HostWork host_work(const workloads::Workload& workload, const PointStudy& study,
                   model::AnalyticModel& model);

/// What SystemC's modules, and what they remember, keep of a point with numbers in the host's
/// memory; 0 of an analytic one. Measured on 64 to 2,048 cores of v3, within a factor of 2.
Bytes simulator_memory(const PointStudy& study);

/// The kind of work, for which a host may have a speed of its own: "numbers", "SystemC" or
/// "analytic".
const char* host_work_kind(const PointStudy& study);

/// Seconds on one core, at rates measured on one: of points that take longer than 5 s most are
/// within a factor of 2, of shorter ones not all.
Seconds host_seconds(const HostWork& work);

} // namespace alxsim::experiments
