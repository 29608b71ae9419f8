// SPDX-License-Identifier: Apache-2.0
#include "model/costs/computed_operations.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

const Matmul product{2, 30, 40, 50};
constexpr double of_product = 2.0 * 2 * 30 * 40 * 50;

Program once(const std::shared_ptr<const OpGraph>& graph, Counts counts = {})
{
    return {{{graph, std::move(counts), 1}, 1}};
}

TEST(ComputedOperations, AreThoseOfProductsAndKernelsOnAllDevices)
{
    Matmul passes = product;
    passes.passes = 3; // of the same product
    const auto graph = graph_of({op_of(passes), op_of(Custom{1000}), op_of(Vector{1 << 20, 2}),
                                 op_of(Collective{CollectiveKind::all_reduce, Bytes(1024)})});
    EXPECT_DOUBLE_EQ(computed_operations(once(graph), 4), 4 * (of_product + 1000));
    Program thrice = once(graph);
    thrice.front().times = 3;
    EXPECT_DOUBLE_EQ(computed_operations(thrice, 4), 3 * 4 * (of_product + 1000));
}

TEST(ComputedOperations, OfALoopFollowItsIterationsOnEachDevice)
{
    const auto graph =
        graph_of({repeat_of(7, {op_of(product)}), repeat_of(5, {op_of(product)}, "n")});
    EXPECT_DOUBLE_EQ(computed_operations(once(graph), 2), 2 * 12 * of_product);
    EXPECT_DOUBLE_EQ(computed_operations(once(graph, {{"n", {1, 4}}}), 2),
                     (2 * 7 + 1 + 4) * of_product);
}

TEST(ComputedOperations, OfRolesAreThoseOfTheirDevices)
{
    auto step = std::make_shared<OpGraph>();
    step->roles = {{{0, 1, 2}, graph_of({op_of(product)})},
                   {{3}, graph_of({op_of(product), op_of(product)})}};
    EXPECT_DOUBLE_EQ(computed_operations(once(step), 4), 5 * of_product);
}

TEST(ComputedOperations, OfWorkThatDiffersAreWhatEachDeviceDoes)
{
    Op op = op_of(product);
    Matmul half = product;
    half.m /= 2;
    op.work_of_device = std::make_shared<const std::vector<Work>>(std::vector<Work>{product, half});
    EXPECT_DOUBLE_EQ(computed_operations(once(graph_of({op})), 2), 1.5 * of_product);
}

} // namespace
} // namespace alxsim::model
