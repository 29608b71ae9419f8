// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/batch_geometry.h"
#include "alx/config.h"
#include "alx/steps/timing_program.h"
#include "base/json_document.h"
#include "topologies/machine.h"

#include <functional>

namespace alxsim::alx {

/// Where a half's batch geometry comes from.
enum class BatchChoice {
    given,
    automatic, ///< "auto": a careful user's of the released code
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
    double mean = 1;             ///< as in SideLengths
    std::int64_t most_lines = 1; ///< as in SideLengths
    std::function<BatchGeometry()> careful_geometry;
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
///   auto   careful_geometry(); halved until the job fits into memory, where that helps
///   tuned  of 64 to 65,536 lines of 8, 16, 32 or 64 ids, with 3/4, 1 and 3/2 times the rows that
///          fill them at mean length, and of "auto"; the same line length in both halves
/// Throws InputError, of auto and given geometries alone, where question.program does.
struct ChosenBatches {
    BatchChoices choices;
    TimingProgram program; ///< the job with these batches
};
ChosenBatches set_batches(AlxConfig& config, const Json& alx, const BatchQuestion& question);

} // namespace alxsim::alx
