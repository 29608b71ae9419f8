// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/solver.h"
#include "alx/split.h"
#include "alx/workload_shape.h"
#include "model/program.h"

#include <vector>

namespace alxsim::alx {

/// One epoch of a job that is timed but not computed.
struct TimingProgram {
    /// Row half, rows' Gramian, column half, columns' Gramian.
    std::vector<model::StepGroup> epoch;
    SideBatches rows;
    SideBatches columns;
    /// What the graphs assume where config.solver is cg.
    CgAssumption cg;
};

/// Uses config.batch and config.column_batch. Throws InputError for a bad configuration.
TimingProgram timing_program(const AlxConfig& config, const WorkloadShape& shape, int devices);

/// The same for real links, whose batches are really made. Throws InputError also for a row that
/// does not fit a batch.
TimingProgram timing_program(const AlxConfig& config, const Dataset& data, int devices);

} // namespace alxsim::alx
