// SPDX-License-Identifier: Apache-2.0
#include "model/estimate.h"

#include "model/compiled_graph.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

/// How many devices an estimate tells apart: what it costs, and whose courses differ.
namespace alxsim::model {
namespace {

using topologies::Machine;

int apart_on(const Machine& machine, const std::shared_ptr<const OpGraph>& graph)
{
    AnalyticModel model(machine);
    return model.devices_apart(*model.compiled(graph));
}

int apart_on(const Machine& machine, std::vector<Op> ops)
{
    return apart_on(machine, graph_of(std::move(ops)));
}

/// So small that it is passed on from the root in one piece.
Op small_spread(CollectiveKind kind, std::vector<std::string> axes = {}, bool across_chips = false)
{
    Collective collective{kind, Bytes(100), {1, 0}, std::move(axes)};
    collective.across_chips = across_chips;
    return op_of(collective);
}

TEST(DevicesApart, IsOneWhereNobodyIsARoot)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    EXPECT_EQ(apart_on(torus, {op_of(Vector{1000, 1, DType::f32})}), 1);
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce,
          CollectiveKind::all_to_all, CollectiveKind::permute}) {
        EXPECT_EQ(apart_on(torus, {op_of(Collective{kind, Bytes(3200), {}, {"y"}})}), 1)
            << static_cast<int>(kind);
    }
}

TEST(DevicesApart, AreThePlacesAlongTheAxesOfARoot)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::reduce}) {
        EXPECT_EQ(apart_on(torus, {small_spread(kind, {"x"})}), 4);
        EXPECT_EQ(apart_on(torus, {small_spread(kind, {"y"})}), 8);
        EXPECT_EQ(apart_on(torus, {small_spread(kind)}), 32);
    }
}

TEST(DevicesApart, OfSeveralOpsAreThePlacesAlongAllTheirAxes)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    const Op rows = small_spread(CollectiveKind::broadcast, {"x"});
    const Op columns = small_spread(CollectiveKind::reduce, {"y"});
    EXPECT_EQ(apart_on(torus, {rows, rows}), 4);
    EXPECT_EQ(apart_on(torus, {rows, columns}), 32);
    EXPECT_EQ(apart_on(torus, {rows, repeat_of(3, {repeat_of(2, {columns})})}), 32);
}

TEST(DevicesApart, OfAChipAreBothUnlessTheGroupJoinsChips)
{
    const Machine pairs = easy_pairs(4, "1x4", {false, true});
    EXPECT_EQ(apart_on(pairs, {small_spread(CollectiveKind::broadcast, {"y"})}), 8);
    EXPECT_EQ(apart_on(pairs, {small_spread(CollectiveKind::broadcast, {"y"}, true)}), 4);
}

TEST(DevicesApart, IsOneWhereAnAllReduceStandsForASpread)
{
    // Whoever has the root, all do the same; as in the schedules, whose choice goes by the size.
    const Machine torus = easy_machine(64, "8x8", {true, true});
    EXPECT_EQ(apart_on(torus, {op_of(Collective{CollectiveKind::broadcast, Bytes(64 << 20)})}), 1);
    EXPECT_EQ(apart_on(torus, {op_of(Collective{CollectiveKind::broadcast, Bytes(100)})}), 64);
}

TEST(DevicesApart, IsOneOfListsAndOfRoles)
{
    const Machine line = easy_machine(8, "1x8", {false, false});
    Collective listed{CollectiveKind::broadcast, Bytes(100)};
    listed.ranks = std::make_shared<const std::vector<std::vector<int>>>(
        std::vector<std::vector<int>>{{0, 3, 5}, {1, 2, 7}});
    EXPECT_EQ(apart_on(line, {op_of(listed)}), 1);

    auto roles = std::make_shared<OpGraph>();
    const auto compute = graph_of({op_of(Vector{1000, 1, DType::f32})});
    roles->roles = {{{0, 1, 2, 3}, compute}, {{4, 5, 6, 7}, compute}};
    EXPECT_EQ(apart_on(line, roles), 1);
}

} // namespace
} // namespace alxsim::model
