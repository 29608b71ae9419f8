// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/batch_geometry.h"
#include "alx/steps/timing_program.h"
#include "alx/strategies/gather.h"
#include "model/collectives/group_source.h"
#include "model/hbm/hbm_rates.h"
#include "model/job_estimate.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

/// What must hold of an epoch's time whatever the sizes are.
namespace alxsim::sim {
namespace {

using alx::AlxConfig;
using alx::WorkloadShape;

WorkloadShape shape_of(double rows, double columns, double links)
{
    WorkloadShape shape;
    shape.name = "shape";
    shape.rows = shape.table_rows = std::llround(rows);
    shape.columns = std::llround(columns);
    shape.links = std::llround(links);
    return shape;
}

/// With the same batches for all. Rows are split: where they are cut, more links may be fewer that
/// count.
double seconds(AlxConfig config, const WorkloadShape& shape, const topologies::Machine& machine)
{
    config.long_rows = alx::LongRows::split;
    config.batch = config.column_batch = {1024, 16, 512};
    const alx::TimingProgram program = alx::timing_program(config, shape, machine.devices);
    return to_seconds(
               model::estimate(program.epoch, machine, model::ScheduleTimes::closed_form).total)
        .count();
}

TEST(AlxTimes, MoreLinksNeverTakeLessTime)
{
    for (const char* chip : {"tpu_v3", "tpu_v4", "tpu_v5e"}) {
        for (const int cores : {8, 256}) {
            const topologies::Machine machine = machine_of(chip, cores);
            for (const std::string& gather : alx::gather_strategies().names()) {
                for (const int dim : {16, 128}) {
                    AlxConfig config;
                    config.dim = dim;
                    config.gather = gather;
                    config.semantics = alx::Semantics::alx(config.table_dtype);
                    double before = 0;
                    for (double links = 2e7; links < 4e9; links *= 2) {
                        WorkloadShape shape = shape_of(4e6, 4e5, links);
                        // Four batches: fewer than each device has, so that no row rules a half.
                        shape.longest_row = shape.longest_column = 50'000;
                        const double now = seconds(config, shape, machine);
                        EXPECT_GE(now, before) << chip << " " << cores << " " << gather << " d "
                                               << dim << ", " << links << " links";
                        before = now;
                    }
                }
            }
        }
    }
}

/// Beyond as many devices as share the work, the batches of one column are what a half takes.
TEST(AlxTimes, NoHalfIsShorterThanTheBatchesOfItsLongestColumn)
{
    AlxConfig config;
    config.dim = 64;
    config.long_rows = alx::LongRows::split;
    config.batch = config.column_batch = {1024, 16, 256};
    WorkloadShape shape = shape_of(4e6, 4e5, 4e8);
    shape.longest_column = 4'000'000;
    const std::int64_t chain = ceil_divide(4'000'000, 16384);
    for (const int devices : {8, 128, 512, 4096}) {
        const alx::TimingProgram program = alx::timing_program(config, shape, devices);
        const std::int64_t shared = ceil_divide(program.columns.batches, devices);
        EXPECT_EQ(program.columns.steps(devices), std::max(shared, chain)) << devices;
        EXPECT_EQ(program.epoch.at(2).times, program.columns.steps(devices)) << devices;
    }
    EXPECT_LT(ceil_divide(alx::timing_program(config, shape, 512).columns.batches, 512), chain);
}

TEST(AlxTimes, ASmallerDimensionIsNeverSlower)
{
    const topologies::Machine machine = machine_of("tpu_v5e", 256);
    double before = 0;
    for (const int dim : {8, 16, 32, 64, 128}) {
        AlxConfig config;
        config.dim = dim;
        config.gather = "all_to_all";
        const double now = seconds(config, shape_of(4e6, 4e5, 4e8), machine);
        EXPECT_GE(now, before) << "d " << dim;
        before = now;
    }
}

TEST(AlxTimes, TheCopyOfTheShardTakesItsClosedFormInSystemC)
{
    const topologies::Machine machine = machine_of("tpu_v3", 8);
    AlxConfig config;
    config.semantics = alx::Semantics::alx(config.table_dtype);
    config.long_rows = alx::LongRows::truncate;
    config.batch = config.column_batch = {1024, 16, 512};
    const WorkloadShape shape = shape_of(8e6, 8e6, 2e7);
    const alx::TimingProgram program = alx::timing_program(config, shape, machine.devices);
    model::GroupSource source(program.epoch, {});
    const SimulationResult result = Simulator(machine).run(source);
    const double copied =
        to_seconds(result.epochs.at(0).breakdown.phases.at("scatter.copy")).count();

    // 2 x shard bytes x steps / bandwidth; both cores of a chip copy at once.
    const double shard = (1e6 + 1) * 128 * 2;
    const double steps = static_cast<double>(ceil_divide(program.rows.batches, 8) +
                                             ceil_divide(program.columns.batches, 8));
    const double rate = model::stream_bytes_per_second(machine.hbm, 0.5) / 2;
    EXPECT_NEAR(copied / (2 * shard * steps / rate), 1, 0.02);
}

} // namespace
} // namespace alxsim::sim
