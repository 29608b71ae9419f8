// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/workload_shape.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/steps/epoch_plan.h"
#include "alx/steps/prepared_links.h"
#include "base/memo.h"
#include "model/graph/program.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

namespace alxsim::alx {

/// One epoch of a job that is timed but not computed.
struct TimingProgram {
    /// Row half, rows' Gramian, column half, columns' Gramian.
    model::Program epoch;
    SideBatches rows;
    SideBatches columns;
    std::shared_ptr<const PreparedHalves> halves = nullptr; ///< of a job with real links
    std::shared_ptr<const model::OpGraph> row_gramian = {}; ///< of `epoch`
    std::shared_ptr<const model::OpGraph> column_gramian = {};
};

/// Steps of a job's parts, for programs of one job that differ in batches alone: a half's follow
/// from its own batches.
class KeptSteps {
public:
    /// What `make` makes, or has made of the part with these batches.
    template <class Make>
    model::Program get(EpochPart part, const BatchGeometry& batches, const Make& make)
    {
        return steps_.get({part, batches.lines, batches.line_length, batches.rows}, make);
    }

private:
    static constexpr std::size_t most = 32;

    Memo<std::tuple<EpochPart, std::int64_t, std::int64_t, std::int64_t>, model::Program> steps_{
        most};
};

/// Uses config.batch and config.column_batch. With `kept`, graphs are those of other programs of
/// the job, where they are the same. `like`: a program of the same tables on the same mesh, with
/// other batches and counts, whose Gramian graphs it shares; null: it makes its own. Throws
/// InputError for a bad configuration.
TimingProgram timing_program(const AlxConfig& config, const WorkloadShape& shape,
                             const DeviceMesh& mesh, KeptSteps* kept = nullptr,
                             const TimingProgram* like = nullptr);

/// Takes sides that are batched already, with what pads the devices: all steps of a half are alike,
/// their traffic that of the mean.
TimingProgram timing_program(const AlxConfig& config, const SideBatches& rows,
                             const SideBatches& columns, const DeviceMesh& mesh,
                             KeptSteps* kept = nullptr, const TimingProgram* like = nullptr);

/// Takes real links, whose batches are really made: where a strategy's sizes follow the data, each
/// step has its own. Throws InputError also for a row that does not fit a batch. Of a half with
/// more steps than `most_steps` some stand for those around them, and no traffic of the mean is
/// told.
TimingProgram timing_program(const AlxConfig& config, std::shared_ptr<const PreparedLinks> links,
                             const DeviceMesh& mesh,
                             std::int64_t most_steps = std::numeric_limits<std::int64_t>::max());

} // namespace alxsim::alx
