// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/batch_geometry.h"
#include "alx/config.h"
#include "alx/requests/point_request.h"
#include "alx/steps/timing_program.h"
#include "base/json_document.h"
#include "topologies/machine.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace alxsim::alx {

/// Where a half's batch geometry comes from.
enum class BatchChoice {
    given,
    automatic, ///< "auto": a careful user's
    tuned      ///< "tuned": the fastest by the analytic model that fits into memory
};

/// "given", "auto", "tuned".
const char* name_of(BatchChoice choice);

struct BatchChoices {
    BatchChoice rows = BatchChoice::given;
    BatchChoice columns = BatchChoice::given;
};

/// One side of a job, as the choice of its batches needs it.
struct BatchedSide {
    std::shared_ptr<const SideLengths> lengths;
    int devices = 1;
    /// A geometry of so many lines of 16 ids, see geometry_of().
    std::function<BatchGeometry(std::int64_t lines)> geometry;
};

/// What a geometry is chosen for.
struct BatchQuestion {
    BatchedSide rows;
    BatchedSide columns;
    const topologies::Machine& machine;
    /// The job with the geometries of a config. May throw InputError for some.
    std::function<TimingProgram(const AlxConfig&)> program;
};

/// Sets config.batch and config.column_batch from /workload/alx of a study. Left out, the column
/// half has the row half's batch, or its choice.
///   auto   careful_lines(). Where rows are split: four times as many, again and again, up to where
///          none is, as long as the analytic model says that it is faster, and it fits into memory.
///          Halved until the job fits into memory, where that helps
///   tuned  of lines_to_choose_from(), of 8, 16, 32 or 64 ids, with 3/4, 1 and 3/2 times the rows
///          that fill them at mean length, and of "auto"; the same line length in both halves
/// Where long rows are cut, neither has batches that cut more than the default of 1,024 lines does,
/// unless the memory holds no others.
/// Throws InputError, of auto and given geometries alone, where question.program does.
struct ChosenBatches {
    BatchChoices choices;
    TimingProgram program; ///< the job with these batches
};
ChosenBatches set_batches(AlxConfig& config, const AlxRequest& alx, const BatchQuestion& question);

} // namespace alxsim::alx
