// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/batch_options.h"

#include "alx/data/matrix_statistics.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

const char* const batch_pointer = "/workload/alx/batch";
const char* const column_pointer = "/workload/alx/column_batch";

double mean_of_linked(const std::vector<std::int64_t>& lengths)
{
    double links = 0;
    double linked = 0;
    for (const std::int64_t length : lengths) {
        links += static_cast<double>(length);
        linked += length > 0 ? 1 : 0;
    }
    return linked > 0 ? links / linked : 1;
}

Json batch_json(const BatchGeometry& batch)
{
    return {{"lines", batch.lines}, {"line_length", batch.line_length}, {"rows", batch.rows}};
}

std::vector<workloads::Option> ladder(const char* pointer, const std::string& half,
                                      double mean_length, bool auto_is_default)
{
    std::vector<workloads::Option> options{
        {}, {half + " batch auto", {{pointer, "auto"}}, auto_is_default}};
    for (std::int64_t lines = 64; lines <= 16384; lines *= 4) {
        for (const std::int64_t line_length : {8, 16, 32}) {
            for (const double filling : {0.5, 1.0, 2.0}) {
                const auto slots = static_cast<double>(lines * line_length);
                const std::int64_t rows =
                    std::max<std::int64_t>(1, std::llround(filling * slots / mean_length));
                options.push_back({half + " batch " + std::to_string(lines) + "x" +
                                       std::to_string(line_length) + " of " + std::to_string(rows) +
                                       " rows",
                                   {{pointer, batch_json({lines, line_length, rows})}},
                                   false});
            }
        }
    }
    return options;
}

} // namespace

BatchOptions batch_options(const Job& job)
{
    const auto mean = [&](auto of_shape, auto lengths) {
        return job.shape ? ((*job.shape).*of_shape)() : mean_of_linked(lengths(job.data->training));
    };
    using Shape = WorkloadShape;
    const bool automatic = job.batch_choices.rows == BatchChoice::automatic;
    BatchOptions options;
    options.rows = ladder(batch_pointer, "row", mean(&Shape::mean_row_length, row_lengths), true);
    options.columns = ladder(column_pointer, "column",
                             mean(&Shape::mean_column_length, column_lengths), automatic);
    if (!job.column_batch_asked) {
        options.pinned.set(column_pointer,
                           automatic ? Json("auto") : batch_json(job.config.column_batch));
    }
    return options;
}

} // namespace alxsim::alx
