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

/// The epoch of a program whose sides are batched.
void add_epoch(TimingProgram& program, const AlxConfig& config, std::int64_t rows,
               std::int64_t columns, int devices)
{
    const std::int64_t row_shard = shard_rows(rows, devices);
    const std::int64_t column_shard = shard_rows(columns, devices);
    const HalfShape row_half{"rows", "columns", config.batch, row_shard, column_shard};
    const HalfShape column_half{"columns", "rows", config.column_batch, column_shard, row_shard};
    program.epoch = {half_group(config, row_half, program.rows.batches, devices),
                     group(gramian_step_graph(config, "rows", row_shard, devices), 1),
                     half_group(config, column_half, program.columns.batches, devices),
                     group(gramian_step_graph(config, "columns", column_shard, devices), 1)};
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

TimingProgram timing_program(const AlxConfig& config, const WorkloadShape& shape, int devices)
{
    TimingProgram program;
    program.rows = padded_side(batch_side(shape.rows, shape.columns, shape.links, shape.min_links,
                                          config.batch, config.semantics.admission, config.seed),
                               config, devices);
    program.columns =
        padded_side(batch_side(shape.columns, shape.rows, shape.links, shape.min_links,
                               config.column_batch, config.semantics.admission, config.seed + 1),
                    config, devices);
    add_epoch(program, config, shape.rows, shape.columns, devices);
    return program;
}

TimingProgram timing_program(const AlxConfig& config, const Dataset& data, int devices)
{
    TimingProgram program;
    program.rows = side_of(batch_rows(config, data.training, devices));
    program.columns = side_of(batch_columns(config, transpose(data.training), devices));
    add_epoch(program, config, data.training.rows, data.training.columns, devices);
    return program;
}

} // namespace alxsim::alx
