// SPDX-License-Identifier: Apache-2.0
#include "model/graph/op_graph.h"
#include "topologies/machine.h"
#include "workloads/collective_groups.h"

#include <gtest/gtest.h>

namespace alxsim::workloads {
namespace {

topologies::Machine machine_of(const char* chip, int cores, const char* shape, int slices = 1)
{
    topologies::SliceRequest request;
    request.cores = cores;
    request.shape = shape;
    request.slices = slices;
    return topologies::make_machine(topologies::Preset::load(chip), request);
}

model::Collective over(const std::vector<std::string>& group)
{
    model::Collective collective;
    collective.bytes = Bytes(1024);
    collective.group = group;
    return collective;
}

model::Collective of_ranks(const std::vector<std::vector<int>>& ranks)
{
    model::Collective collective = over({});
    collective.ranks = std::make_shared<const std::vector<std::vector<int>>>(ranks);
    return collective;
}

TEST(CollectiveGroups, AreToldByTheAxesThatTheySpan)
{
    const topologies::Machine v5e = machine_of("tpu_v5e", 8, "2x4");
    EXPECT_EQ(axes_in_words(over({}), v5e), "x+y");
    EXPECT_EQ(axes_in_words(over({"y"}), v5e), "y");
    EXPECT_EQ(axes_in_words(over({}), machine_of("tpu_v5e", 4, "1x4")), "y");
    const topologies::Machine two = machine_of("tpu_v5e", 8, "2x2", 2);
    EXPECT_EQ(axes_in_words(over({"dcn"}), two), "dcn");
    EXPECT_EQ(axes_in_words(over({}), two), "x+y+dcn");
}

TEST(CollectiveGroups, OfListsAreTheAxesInWhichDevicesDiffer)
{
    const topologies::Machine v5e = machine_of("tpu_v5e", 8, "2x4");
    EXPECT_EQ(axes_in_words(of_ranks({{0, 4}, {1, 5}, {2, 6}, {3, 7}}), v5e), "x");
    EXPECT_EQ(axes_in_words(of_ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}), v5e), "part of y");
    EXPECT_EQ(axes_in_words(of_ranks({{0, 5}, {1, 4}, {2, 7}, {3, 6}}), v5e), "part of x+y");
    const topologies::Machine v3 = machine_of("tpu_v3", 8, "2x2");
    EXPECT_EQ(axes_in_words(of_ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}), v3), "chip");
}

TEST(CollectiveGroups, OfMessagesAreThoseAlongWhichAnyGoes)
{
    model::Collective permute = over({});
    permute.kind = model::CollectiveKind::permute;
    permute.messages = std::make_shared<const std::vector<model::PairMessage>>(
        std::vector<model::PairMessage>{{0, 1, Bytes(8)}, {1, 2, Bytes(8)}});
    EXPECT_EQ(axes_in_words(permute, machine_of("tpu_v5e", 8, "2x4")), "y");
}

TEST(CollectiveGroups, OfAGraphHaveItsCollectivesAlone)
{
    model::OpGraph graph;
    graph.add({"sum", "forward", over({"x"}), {}, {}, {}, nullptr});
    graph.add({"square", "forward", model::Vector{}, {}, {}, {0}, nullptr});
    const std::vector<OpGroups> groups =
        groups_of_collectives(graph, machine_of("tpu_v5e", 8, "2x4"));
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].by, by_collective);
    EXPECT_EQ(groups[0].of_op, (std::map<std::string, std::string>{{"sum", "all_reduce over x"}}));
    EXPECT_EQ(groups[1].of_op, (std::map<std::string, std::string>{{"sum", "x"}}));
}

} // namespace
} // namespace alxsim::workloads
