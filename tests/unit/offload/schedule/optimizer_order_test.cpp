// SPDX-License-Identifier: Apache-2.0
// In which order the optimizer takes layers, and what programs make of it.
#include "free_transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace alxsim::offload {
namespace {

LayerTimes times(double forward, double backward, double read, double update, double write)
{
    LayerTimes all;
    all.forward = forward;
    all.backward = backward;
    all.read = read;
    all.update = update;
    all.write = write;
    return all;
}

std::vector<int> layers_of(const OptimizerOrder& order, OptimizerPart part)
{
    std::vector<int> layers;
    for (const OptimizerTask& task : order) {
        if (task.part == part) {
            layers.push_back(task.layer);
        }
    }
    return layers;
}

/// Each layer once in each part, one after the other, and never more of them between the beginning
/// of a read and that of a write than there are buffers.
void expect_valid(const OptimizerOrder& order, const OffloadShape& shape)
{
    std::map<int, int> parts;
    int in_memory = 0;
    for (const OptimizerTask& task : order) {
        EXPECT_EQ(parts[task.layer]++, static_cast<int>(task.part)) << task.layer;
        in_memory += task.part == OptimizerPart::read    ? 1
                     : task.part == OptimizerPart::write ? -1
                                                         : 0;
        EXPECT_LE(in_memory, shape.buffers);
    }
    EXPECT_EQ(parts.size(), static_cast<std::size_t>(shape.layers));
    EXPECT_EQ(order.size(), 3 * static_cast<std::size_t>(shape.layers));
}

TEST(OptimizerOrders, AreValidWhateverTakesLongest)
{
    for (const int buffers : {1, 2, 4, 100}) {
        for (const LayerTimes& all :
             {times(1, 2, 0, 3, 0), times(1, 2, 3, 0, 5), times(1, 2, 9, 1, 1),
              times(10, 20, 1, 1, 1), times(0, 0, 0, 1, 0), times(1, 1, 0, 0, 0)}) {
            OffloadShape shape{Schedule::edf, 9};
            shape.buffers = buffers;
            expect_valid(earliest_deadline_first(shape, all), shape);
            expect_valid(order_of_gradients(shape.layers), shape);
        }
    }
}

TEST(OptimizerOrders, OfAQuickOptimizerIsThatOfTheGradients)
{
    const OffloadShape shape{Schedule::edf, 9};
    EXPECT_EQ(
        layers_of(earliest_deadline_first(shape, times(10, 20, 1, 1, 1)), OptimizerPart::read),
        layers_of(order_of_gradients(9), OptimizerPart::read));
}

/// Gradients come every 21, from layer 7 on, and an update takes 30: at 51 layer 6 waits, at 81 5,
/// at 111 4 and 3, at 141 4 and 2, at 171 4, 1 and 0; then nothing comes any more.
TEST(OptimizerOrders, OfASlowOneLeavesWhatIsNeededLastForTheEnd)
{
    OffloadShape shape{Schedule::edf, 8};
    shape.buffers = 100;
    EXPECT_EQ(
        layers_of(earliest_deadline_first(shape, times(10, 21, 0, 30, 0)), OptimizerPart::update),
        (std::vector<int>{7, 6, 5, 3, 2, 0, 1, 4}));
}

TEST(OptimizerOrders, MoreBuffersNeverMakeALongerStepWhereTransfersAreFree)
{
    for (const Schedule schedule : {Schedule::sync, Schedule::fifo, Schedule::stale}) {
        const StepOps ops = free_transfers(0.01, 0.02, 0.03);
        double before = 1e9;
        for (const int buffers : {1, 2, 4}) {
            OffloadShape shape{schedule, 8};
            shape.buffers = buffers;
            const double now = seconds_of(shape, ops).estimated;
            EXPECT_LE(now, before + 1e-9) << name_of_value(schedule);
            before = now;
        }
    }
}

TEST(OptimizerOrders, MorePrefetchNeverMakesALongerStep)
{
    StepOps ops = free_transfers(0.01, 0.02, 0.01);
    ops.layer.load = known(0.015, model::FixedUnit::host);
    double before = 1e9;
    for (const int prefetch : {1, 2, 3, 8}) {
        OffloadShape shape{Schedule::sync, 8};
        shape.prefetch = prefetch;
        const double now = seconds_of(shape, ops).estimated;
        EXPECT_LE(now, before + 1e-9) << prefetch;
        before = now;
    }
    // One layer at a time: nothing of a load is hidden.
    OffloadShape alone{Schedule::sync, 8};
    alone.prefetch = 1;
    EXPECT_NEAR(seconds_of(alone, ops).estimated, 8 * (0.01 + 0.02 + 2 * 0.015 + 0.01), 1e-6);
}

} // namespace
} // namespace alxsim::offload
