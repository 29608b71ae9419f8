// SPDX-License-Identifier: Apache-2.0
#include "tests/device/stepwise_layer.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

/// Layers of broadcasts and reduces, panel by panel: simulated and by the analytic model.
namespace alxsim::sim {
namespace {

using topologies::Machine;

/// The estimate over the simulated time, less one: the largest over batches, roots and overlap.
double worst_error(int q, bool backward)
{
    double worst = 0;
    for (const bool overlap : {false, true}) {
        const Machine machine = stepwise_machine(q, overlap);
        for (const bool roots : {false, true}) {
            for (const int batch : {4, 8, 16, 24}) {
                StepwiseLayer layer;
                layer.q = q;
                layer.batch = batch;
                layer.roots = roots;
                layer.backward = backward;
                const auto graph = stepwise_graph(layer);
                const double error = estimated(machine, graph) / simulated(machine, graph) - 1;
                worst = std::abs(error) > std::abs(worst) ? error : worst;
            }
        }
    }
    std::printf("stepwise layers on %d x %d chips: worst %+.2f %%\n", q, q, 100 * worst);
    return std::abs(worst);
}

TEST(Stepwise, LayersTakeTheEstimatedTimeWhereverTheirRootsAre)
{
    for (const int q : {2, 4}) {
        for (const bool backward : {false, true}) {
            EXPECT_LT(worst_error(q, backward), 0.02);
        }
    }
}

TEST(Stepwise, LayersInALoopDoToo)
{
    for (const int q : {2, 4}) {
        const Machine machine = stepwise_machine(q);
        for (const bool roots : {false, true}) {
            StepwiseLayer layer;
            layer.q = q;
            layer.roots = roots;
            const auto loop =
                graph_of({model::op_of(model::Repeat{12, "", stepwise_graph(layer)})});
            EXPECT_NEAR(estimated(machine, loop) / simulated(machine, loop), 1, 0.05);
        }
    }
}

/// Links along x at 0.07 of their rate, as between slices.
Machine with_a_slow_axis(Machine machine)
{
    for (int chip = 0; chip < machine.slice.chips(); ++chip) {
        if (machine.slice.neighbour(chip, 0, +1)) {
            machine.faults.links.push_back({chip, 0, 0.07});
        }
    }
    return machine;
}

TEST(Stepwise, LayersTakeLongerWithALargerBatch)
{
    // Roots that were done as soon as they had something to send ran ahead and crowded the slow
    // links with panels that nobody waited for yet: 5.73, 5.64, 5.51, 5.69 ms.
    const Machine machine = with_a_slow_axis(stepwise_machine(4));
    for (const bool roots : {false, true}) {
        Picoseconds before(0);
        for (const int batch : {4, 8, 12, 16, 20, 24}) {
            StepwiseLayer layer{4, batch, 1024, 16};
            layer.roots = roots;
            layer.backward = false;
            const auto graph = stepwise_graph(layer);
            const Picoseconds time = simulated(machine, graph);
            EXPECT_GT(time, before) << batch;
            EXPECT_NEAR(estimated(machine, graph) / time, 1, 0.02) << batch;
            before = time;
        }
    }
}

TEST(Stepwise, PanelsOfOtherRootsFollowEachOtherDownALine)
{
    // A byte a nanosecond, a microsecond a hop: each panel is small, so in one chunk.
    const Machine line = easy_machine(4, "1x4", {false, false});
    const Picoseconds launch = to_picoseconds(line.device.collective_launch);
    const auto panels = [&](std::vector<int> roots) {
        std::vector<model::Op> ops;
        for (const int root : roots) {
            model::Collective panel{model::CollectiveKind::broadcast, Bytes(500)};
            panel.root = root;
            ops.push_back(op_of(panel));
        }
        return graph_of(std::move(ops));
    };
    const Picoseconds hop = nanoseconds(1500);
    // The root is done when the next has its panel, and sends another while that one passes it on.
    EXPECT_EQ(simulated(line, panels({0})), launch + hop * 3);
    EXPECT_EQ(simulated(line, panels({0, 0})), launch * 2 + hop * 4);
    // What 1 has got, it has passed on to 2 when it begins its own; 0 waits for that one.
    EXPECT_EQ(simulated(line, panels({0, 1})), launch * 2 + hop * 4);
    EXPECT_EQ(simulated(line, panels({0, 3})), launch * 2 + hop * 6);
    for (const std::vector<int>& roots :
         {std::vector<int>{0}, {0, 0}, {0, 1}, {0, 3}, {2, 0, 3, 1}, {3, 2, 1, 0, 0, 0}}) {
        EXPECT_EQ(simulated(line, panels(roots)), estimated(line, panels(roots)));
    }
}

} // namespace
} // namespace alxsim::sim
