// SPDX-License-Identifier: Apache-2.0
#include "alx/timing_program.h"

#include "alx/factor_table.h"
#include "alx/half_batches.h"
#include "alx/step_graph.h"

#include <memory>

namespace alxsim::alx {
namespace {

model::StepGroup group(model::OpGraph graph, std::int64_t times)
{
    return {{std::make_shared<const model::OpGraph>(std::move(graph)), {}, 1}, times};
}

model::StepGroup half_group(const AlxConfig& config, const HalfShape& half, std::int64_t batches,
                            int devices)
{
    return group(half_step_graph(config, half, devices), ceil_divide(batches, devices));
}

/// The devices work on the batches that only pad the last step, too. No power law here.
SideBatches side_of(const DenseBatches& batches)
{
    return {batches.geometry, static_cast<std::int64_t>(batches.batches.size()), batches.density(),
            0, 0};
}

/// With the batches that pad the devices in any case: the released code appends a whole step where
/// nothing is missing.
SideBatches padded_side(SideBatches side, const AlxConfig& config, int devices)
{
    if (config.semantics.device_padding == DevicePadding::always) {
        side.batches += devices - side.batches % devices;
    }
    return side;
}

} // namespace

TimingProgram timing_program(const AlxConfig& config, std::int64_t rows, std::int64_t columns,
                             const SideBatches& row_batches, const SideBatches& column_batches,
                             int devices)
{
    const std::int64_t row_shard = shard_rows(rows, devices);
    const std::int64_t column_shard = shard_rows(columns, devices);
    const HalfShape row_half{"rows", "columns", config.batch, row_shard, column_shard};
    const HalfShape column_half{"columns", "rows", config.column_batch, column_shard, row_shard};
    return {{half_group(config, row_half, row_batches.batches, devices),
             group(gramian_step_graph(config, "rows", row_shard, devices), 1),
             half_group(config, column_half, column_batches.batches, devices),
             group(gramian_step_graph(config, "columns", column_shard, devices), 1)},
            row_batches,
            column_batches};
}

TimingProgram timing_program(const AlxConfig& config, const WorkloadShape& shape, int devices)
{
    const Admission admission = config.semantics.admission;
    const SideBatches rows = batch_side(row_side(shape), config.batch, admission, config.seed);
    const SideBatches columns =
        batch_side(column_side(shape), config.column_batch, admission, config.seed + 1);
    return timing_program(config, shape.table_rows, shape.columns,
                          padded_side(rows, config, devices), padded_side(columns, config, devices),
                          devices);
}

TimingProgram timing_program(const AlxConfig& config, const Dataset& data, int devices)
{
    const SideBatches rows = side_of(batch_rows(config, data.training, devices));
    const SideBatches columns = side_of(batch_columns(config, transpose(data.training), devices));
    return timing_program(config, data.training.rows, data.training.columns, rows, columns,
                          devices);
}

} // namespace alxsim::alx
