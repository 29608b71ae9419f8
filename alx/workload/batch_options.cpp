// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/batch_options.h"

#include "alx/batches/batch_geometry.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alxsim::alx {
namespace {

const char* const batch_pointer = "/workload/alx/batch";
const char* const column_pointer = "/workload/alx/column_batch";

Json batch_json(const BatchGeometry& batch)
{
    return {{"lines", batch.lines}, {"line_length", batch.line_length}, {"rows", batch.rows}};
}

/// One side of the job, and its batch.
struct Side {
    const char* pointer;
    std::string half; ///< "row" or "column"
    std::shared_ptr<const SideLengths> lengths;
    const SideBatches& batches;
};

/// No option holds less of a row than the job's own batch does where that cuts rows: plans that
/// lose more links do less work.
bool may_lose_more(const Side& side, const BatchGeometry& geometry)
{
    return side.lengths->long_rows == LongRows::truncate &&
           geometry.slots() < side.batches.geometry.slots();
}

workloads::Option option_of(const Side& side, const BatchGeometry& geometry)
{
    return {side.half + " batch " + std::to_string(geometry.lines) + "x" +
                std::to_string(geometry.line_length) + " of " + std::to_string(geometry.rows) +
                (geometry.rows == 1 ? " row" : " rows"),
            {{side.pointer, batch_json(geometry)}},
            false};
}

/// Up to where memory ends: plans that do not fit are left out by who tries them.
std::vector<workloads::Option> ladder(const Side& side, bool auto_is_default)
{
    std::vector<workloads::Option> options{
        {}, {side.half + " batch auto", {{side.pointer, "auto"}}, auto_is_default}};
    for (const std::int64_t lines : lines_to_choose_from(*side.lengths)) {
        for (const std::int64_t line_length : {8, 16, 32}) {
            std::int64_t before = 0;
            for (const double filling : {0.5, 1.0, 2.0}) {
                const auto slots = static_cast<double>(lines * line_length);
                const std::int64_t rows =
                    std::max<std::int64_t>(1, std::llround(filling * slots / side.lengths->mean));
                const BatchGeometry geometry{lines, line_length, rows};
                if (rows != before && !may_lose_more(side, geometry)) {
                    options.push_back(option_of(side, geometry));
                }
                before = rows;
            }
        }
    }
    return options;
}

std::shared_ptr<const SideLengths> row_lengths_of(const Job& job)
{
    return job.shape
               ? side_lengths(row_side(*job.shape), job.config, job.config.seed)
               : std::make_shared<const SideLengths>(side_lengths(job.data->training, job.config));
}

std::shared_ptr<const SideLengths> column_lengths_of(const Job& job)
{
    return job.shape ? side_lengths(column_side(*job.shape), job.config, job.config.seed + 1)
                     : std::make_shared<const SideLengths>(
                           side_lengths(job.program.halves->prepared->by_column, job.config));
}

} // namespace

BatchOptions batch_options(const Job& job)
{
    const bool automatic = job.batch_choices.rows == BatchChoice::automatic;
    BatchOptions options;
    options.rows = ladder({batch_pointer, "row", row_lengths_of(job), job.program.rows}, true);
    options.columns =
        ladder({column_pointer, "column", column_lengths_of(job), job.program.columns}, automatic);
    if (!job.column_batch_asked) {
        options.pinned.set(column_pointer,
                           automatic ? Json("auto") : batch_json(job.config.column_batch));
    }
    return options;
}

} // namespace alxsim::alx
