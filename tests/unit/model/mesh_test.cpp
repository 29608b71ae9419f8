// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/mesh.h"

#include "base/input_error.h"
#include "model/collectives/collective.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/reading.h"

#include <gtest/gtest.h>

/// Axes that a graph gives to its devices.
namespace alxsim::model {
namespace {

using Axes = std::vector<std::string>;
using Groups = std::vector<std::vector<int>>;

Collective along(const Mesh& mesh, const Axes& axes,
                 CollectiveKind kind = CollectiveKind::all_reduce)
{
    Collective collective{kind, Bytes(1 << 20)};
    collective.group = axes;
    collective.mesh = std::make_shared<const Mesh>(mesh);
    return collective;
}

const Mesh data_and_tensor{{"data", 2}, {"tensor", 3}};

TEST(Mesh, HasItsDevicesRowByRow)
{
    EXPECT_EQ(groups_of_mesh(data_and_tensor, {"tensor"}), (Groups{{0, 1, 2}, {3, 4, 5}}));
    EXPECT_EQ(groups_of_mesh(data_and_tensor, {"data"}), (Groups{{0, 3}, {1, 4}, {2, 5}}));
    EXPECT_EQ(groups_of_mesh(data_and_tensor, {"tensor", "data"}), (Groups{{0, 1, 2, 3, 4, 5}}));
}

TEST(Mesh, IsTheTorusWhereItsAxesAreThoseOfTheTorus)
{
    const topologies::Machine machine = easy_machine(16, "4x4", {true, true});
    const Mesh square{{"data", 4}, {"tensor", 4}};
    const auto axes = [&](const Axes& names) {
        const Collective found = on_network(along(square, names), machine);
        EXPECT_EQ(found.ranks, nullptr);
        EXPECT_EQ(found.mesh, nullptr);
        return found.group;
    };
    EXPECT_EQ(axes({"data"}).size() + axes({"tensor"}).size(), 2u);
    EXPECT_NE(axes({"data"}), axes({"tensor"}));
    EXPECT_EQ(axes({"data", "tensor"}), (Axes{"x", "y"}));
    // What stands for the torus takes what the torus takes.
    Collective plain{CollectiveKind::all_reduce, Bytes(1 << 20)};
    plain.group = axes({"data"});
    EXPECT_EQ(schedule_time(make_schedule(along(square, {"data"}), machine)),
              schedule_time(make_schedule(plain, machine)));
    EXPECT_EQ(collective_bound(along(square, {"data"}), machine), collective_bound(plain, machine));
}

TEST(Mesh, JoinsTheDevicesOfAChipOrThoseAcrossChips)
{
    const topologies::Machine pairs = easy_pairs(4, "2x2", {false, false});
    const Mesh mesh{{"chip", 4}, {"core", 2}};
    EXPECT_TRUE(on_network(along(mesh, {"chip"}), pairs).across_chips);
    EXPECT_NE(on_network(along(mesh, {"core"}), pairs).ranks, nullptr) << "one chip is no axis";
}

TEST(Mesh, IsListsOfRanksWhereItCutsTheTorusOtherwise)
{
    const topologies::Machine machine = easy_machine(16, "4x4", {true, true});
    const Mesh mesh{{"data", 8}, {"tensor", 2}};
    const Collective found = on_network(along(mesh, {"tensor"}), machine);
    ASSERT_NE(found.ranks, nullptr);
    EXPECT_EQ(found.ranks->at(1), (std::vector<int>{2, 3}));
    EXPECT_TRUE(found.group.empty());
}

TEST(Mesh, HasARootInEveryGroup)
{
    const topologies::Machine machine = easy_machine(16, "4x4", {true, true});
    Collective collective =
        along({{"data", 8}, {"tensor", 2}}, {"tensor"}, CollectiveKind::broadcast);
    collective.root = 1;
    EXPECT_EQ(on_network(collective, machine).root, 1);
    collective.root = 2;
    EXPECT_THROW(make_schedule(collective, machine), InputError);
}

TEST(Mesh, HasAsManyDevicesAsTheMachine)
{
    try {
        on_network(along(data_and_tensor, {"data"}), easy_machine(16, "4x4", {true, true}));
        ADD_FAILURE() << "6 devices on 16";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "mesh: found 6 devices; allowed: the 16 of the machine");
    }
}

TEST(Mesh, OfMoreDevicesThanCanBeCountedIsRefused)
{
    // 2^32 + 16 of them: with what 32 bits hold of that, it would have as many as the machine.
    const Mesh huge{{"a", 16}, {"b", 268'435'457}};
    try {
        on_network(along(huge, {"a"}), easy_machine(16, "4x4", {true, true}));
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "mesh: found 2147483647 or more devices; allowed: the 16 of the machine");
    }
}

TEST(MeshJson, IsReadAndWritten)
{
    const OpGraph graph = read_graph(R"({"mesh": {"data": 4, "tensor": 2}, "ops": [
        {"work": "repeat", "times": 2, "body": {"ops": [
            {"work": "collective", "kind": "all_reduce", "bytes": 8, "group": ["tensor"]}]}},
        {"work": "collective", "kind": "all_reduce", "bytes": 8, "group": ["x"]}]})");
    const Op& inner = std::get<Repeat>(graph.ops[0].work).body->ops[0];
    EXPECT_EQ(std::get<Collective>(inner.work).mesh, graph.mesh);
    EXPECT_EQ(std::get<Collective>(inner.work).group, Axes{"tensor"});
    EXPECT_EQ(std::get<Collective>(graph.ops[1].work).mesh, nullptr);
    EXPECT_EQ(to_json(op_graph_from_json(to_json(graph), "graph.json")), to_json(graph));
}

TEST(MeshJson, RefusesOtherAxes)
{
    const auto refusal = [](const std::string& mesh, const std::string& group) {
        try {
            read_graph(R"({"mesh": )" + mesh + R"(, "ops": [{"work": "collective",
                     "kind": "all_reduce", "bytes": 8, "group": )" +
                       group + "}]}");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    EXPECT_EQ(refusal(R"({"data": 4})", R"(["model"])"),
              "graph.json: /ops/0/group: found model; allowed: axes of x, y, z, dcn, or of the "
              "mesh: data");
    EXPECT_EQ(refusal(R"({"data": 4})", R"(["data", "x"])"),
              "graph.json: /ops/0/group: found data, x; allowed: axes of x, y, z, dcn, or of the "
              "mesh: data");
    EXPECT_EQ(refusal(R"({"x": 4})", R"(["x"])"),
              "graph.json: /mesh: found 'x'; allowed: names that no axis of the network has");
}

} // namespace
} // namespace alxsim::model
