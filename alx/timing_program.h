// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
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
};

/// Uses config.batch and config.column_batch. Throws InputError for a bad configuration.
TimingProgram timing_program(const AlxConfig& config, const WorkloadShape& shape, int devices);

/// Of sides that are batched already, with what pads the devices: tables of `rows` and `columns`.
TimingProgram timing_program(const AlxConfig& config, std::int64_t rows, std::int64_t columns,
                             const SideBatches& row_batches, const SideBatches& column_batches,
                             int devices);

/// The same for real links, whose batches are really made. Throws InputError also for a row that
/// does not fit a batch.
TimingProgram timing_program(const AlxConfig& config, const Dataset& data, int devices);

} // namespace alxsim::alx
