// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/estimate.h"
#include "tests/unit/import/trace_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

namespace alxsim::traces {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal_of_ranks(const std::vector<std::string>& ranks,
                             const topologies::Machine& machine)
{
    try {
        graph_of_bytes(ranks, machine);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

std::string refusal_of_trace(const std::string& bytes)
{
    return refusal_of_ranks({bytes}, v5e(1, "1x1"));
}

const model::Collective& collective_at(const TraceGraph& lowered, std::size_t op)
{
    return std::get<model::Collective>(lowered.graph->ops.at(op).work);
}

/// A collective of `comm_type`.
std::string collective(std::uint64_t id, int type, std::uint64_t bytes,
                       const std::vector<std::uint64_t>& after = {}, const std::string& more = "")
{
    return node(id, 7, after,
                attribute("comm_type", static_cast<std::uint64_t>(type)) +
                    attribute("comm_size", bytes) + more);
}

TEST(Chakra, WhatWaitedForTheCpuWaitsForWhatThatWaitedFor)
{
    const std::string on_cpu = attribute("is_cpu_op", 1);
    const TraceGraph lowered = graph_of_bytes(
        {trace_of({node(9, 4, {5}, microseconds(3)), // stands before what it waits for
                   node(5, 4, {4, 77}, on_cpu), node(4, 1, {2}), node(2, 4, {}, microseconds(7))})},
        v5e(1, "1x1"));
    ASSERT_EQ(lowered.graph->ops.size(), 2U);
    EXPECT_EQ(std::get<model::Fixed>(lowered.graph->ops[0].work).seconds.count(), 7e-6);
    EXPECT_THAT(lowered.graph->ops[1].after, ElementsAre(0));
    EXPECT_EQ(lowered.dropped, 2);
    EXPECT_EQ(lowered.elsewhere, 1);
    EXPECT_THAT(lowered.notes, Contains(HasSubstr("1 dependencies are on nodes that the files")));
}

TEST(Chakra, ComputationsOfKnownOperationsAreCustomAndCopiesGoToTheHost)
{
    const TraceGraph lowered =
        graph_of_bytes({trace_of({node(1, 4, {},
                                       attribute("num_ops", 1000000) +
                                           attribute("tensor_size", 4096) + microseconds(5)),
                                  node(2, 2, {1}, attribute("tensor_size", 1 << 20)),
                                  node(3, 3, {2}, attribute("tensor_size", 1 << 10))})},
                       v5e(1, "1x1"));
    const std::vector<model::Op>& ops = lowered.graph->ops;
    EXPECT_EQ(std::get<model::Custom>(ops.at(0).work).flops, 1e6);
    EXPECT_EQ(ops[0].reads.at(0).touched, Bytes(4096));
    EXPECT_EQ(std::get<model::Copy>(ops.at(1).work).from, topologies::Tier::host);
    EXPECT_EQ(std::get<model::Copy>(ops.at(1).work).bytes, Bytes(1 << 20));
    EXPECT_EQ(std::get<model::Copy>(ops.at(2).work).to, topologies::Tier::host);
}

TEST(Chakra, BytesOfCollectivesAreThoseOfTheOpGraph)
{
    std::vector<std::string> nodes;
    for (int type = 0; type < 10; ++type) {
        nodes.push_back(collective(static_cast<std::uint64_t>(type), type, 8000));
    }
    const TraceGraph lowered = graph_of_bytes({trace_of(nodes)}, v5e(8, "2x4"));
    using Kind = model::CollectiveKind;
    const std::vector<std::pair<Kind, int>> expected{
        {Kind::all_reduce, 8000}, {Kind::reduce, 8000},         {Kind::all_gather, 64000},
        {Kind::permute, 8000},    {Kind::permute, 7000},        {Kind::broadcast, 8000},
        {Kind::all_to_all, 8000}, {Kind::reduce_scatter, 8000}, {Kind::reduce_scatter, 8000},
        {Kind::all_reduce, 4}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(collective_at(lowered, i).kind, expected[i].first) << i;
        EXPECT_EQ(collective_at(lowered, i).bytes, Bytes(expected[i].second)) << i;
    }
    EXPECT_EQ(collective_at(lowered, 3).messages->size(), 7U);
    EXPECT_EQ(collective_at(lowered, 3).messages->front().destination, 0);
    EXPECT_EQ(collective_at(lowered, 4).messages->front().source, 0);
}

TEST(Chakra, GroupsAreThoseOfMetadataOrOfDimensions)
{
    const std::string groups =
        R"(['[{"pg_name": "3", "ranks": [0, 2, 4, 6]}, {"pg_name": "0", "ranks": []}]'])";
    const std::string first_dimension =
        bytes_field(10, bytes_field(1, "involved_dim") +
                            bytes_field(28, bytes_field(1, std::string("\1\0", 2))));
    const TraceGraph lowered =
        graph_of_bytes({trace_of({node(0, 1, {}, bytes_field(8, bytes_field(1, groups))),
                                  collective(1, 2, 100, {}, text_attribute("pg_name", "3")),
                                  collective(2, 0, 100, {}, first_dimension)})},
                       v5e(8, "2x4"));
    EXPECT_EQ(*collective_at(lowered, 0).ranks,
              (std::vector<std::vector<int>>{{0, 2, 4, 6}, {1, 3, 5, 7}}));
    EXPECT_EQ(collective_at(lowered, 0).bytes, Bytes(400));
    EXPECT_THAT(collective_at(lowered, 1).group, ElementsAre("x"));
}

TEST(Chakra, SendsAtOnePlaceOfAllRanksAreAPermute)
{
    std::vector<std::string> ranks;
    for (int rank = 0; rank < 4; ++rank) {
        ranks.push_back(trace_of({node(0, 5, {}, message(true, (rank + 1) % 4, 4096)),
                                  node(1, 6, {0}, message(false, (rank + 3) % 4, 4096)),
                                  node(2, 4, {1}, microseconds(7))}));
    }
    const TraceGraph lowered = graph_of_bytes(ranks, v5e(4, "2x2"));
    ASSERT_EQ(lowered.graph->ops.size(), 2U);
    EXPECT_EQ(collective_at(lowered, 0).messages->size(), 4U);
    EXPECT_THAT(lowered.graph->ops[1].after, ElementsAre(0));
    EXPECT_EQ(lowered.message_bytes, 4 * 4096);
}

/// Two stages: the second computes what it gets.
TEST(Chakra, RanksThatDoOtherThingsAreRoles)
{
    const topologies::Machine machine = v5e(2, "1x2");
    const TraceGraph lowered = graph_of_bytes(
        {trace_of({node(0, 4, {}, microseconds(50)), node(1, 5, {0}, message(true, 1, 65536))}),
         trace_of({node(1, 4, {0}, microseconds(30)), node(0, 6, {}, message(false, 0, 65536))})},
        machine);
    ASSERT_EQ(lowered.graph->roles.size(), 2U);
    EXPECT_THAT(lowered.graph->roles[1].devices, ElementsAre(1));
    model::AnalyticModel model(machine);
    const double seconds = to_seconds(model.step({lowered.graph, {}}).on_device.total).count();
    EXPECT_GT(seconds, 80e-6); // one after the other, and the message between
    EXPECT_LT(seconds, 95e-6);
}

TEST(Chakra, CollectivesOfSeveralGroupsAtOnePlaceAreOne)
{
    std::vector<std::string> ranks;
    for (int rank = 0; rank < 4; ++rank) {
        const std::string group = rank < 2 ? "left" : "right";
        ranks.push_back(trace_of({collective(1, 0, 4096, {}, text_attribute("pg_name", group))}));
    }
    const TraceGraph lowered = graph_of_bytes(ranks, v5e(4, "2x2"));
    ASSERT_EQ(lowered.graph->ops.size(), 1U);
    EXPECT_EQ(*collective_at(lowered, 0).ranks, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
}

TEST(Chakra, RanksThatTakeOtherTimesDoTheSame)
{
    std::vector<std::string> ranks;
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
        ranks.push_back(
            trace_of({node(1, 4, {}, microseconds(100 + 10 * rank)), collective(2, 0, 4096, {1})}));
    }
    const topologies::Machine machine = v5e(4, "2x2");
    const TraceGraph lowered = graph_of_bytes(ranks, machine);
    ASSERT_EQ(lowered.graph->ops.size(), 2U);
    EXPECT_EQ(std::get<model::Fixed>(lowered.graph->ops[0].work).seconds.count(), 130e-6);
    const std::vector<model::Work>& works = *lowered.graph->ops[0].work_of_device;
    EXPECT_EQ(std::get<model::Fixed>(works.at(1)).seconds.count(), 110e-6);
    model::AnalyticModel model(machine);
    EXPECT_GT(to_seconds(model.step({lowered.graph, {}}).on_device.total).count(), 130e-6);
}

TEST(Chakra, WhatDoesNotWaitForACollectiveRunsBesideIt)
{
    const topologies::Machine machine = v5e(8, "2x4");
    model::AnalyticModel model(machine);
    const auto seconds = [&](const std::vector<std::string>& nodes) {
        const TraceGraph lowered = graph_of_bytes({trace_of(nodes)}, machine);
        return to_seconds(model.step({lowered.graph, {}}).on_device.total).count();
    };
    const double alone = seconds({collective(1, 0, 1 << 22)});
    ASSERT_GT(alone, 100e-6);
    const std::string computation = microseconds(100);
    EXPECT_NEAR(seconds({collective(1, 0, 1 << 22), node(2, 4, {}, computation)}), alone, 1e-9);
    EXPECT_GE(seconds({collective(1, 0, 1 << 22), node(2, 4, {1}, computation)}), alone + 100e-6);
}

TEST(Chakra, WhatCannotRunIsRefused)
{
    EXPECT_THAT(refusal_of_trace(trace_of({node(1, 4, {2}), node(2, 4, {1})})),
                HasSubstr("rank0.et: node 1: waits for nodes that wait for it, a cycle"));
    EXPECT_THAT(refusal_of_trace(trace_of({node(1, 4), node(1, 4)})),
                HasSubstr("node 1: found a second node of this id"));
    const topologies::Machine two = v5e(2, "1x2");
    const std::string sends = trace_of({node(0, 5, {}, message(true, 1, 64))});
    EXPECT_THAT(refusal_of_ranks({sends, trace_of({node(0, 4)})}, two),
                HasSubstr("rank0.et: node 0: sends to rank 1 with tag 0, which has no receive"));
    EXPECT_THAT(refusal_of_ranks({sends, trace_of({node(0, 6, {}, message(false, 0, 32))})}, two),
                HasSubstr("rank1.et: node 0: receives 32 bytes of which rank 0 sends 64"));
    const auto waits = [](int other) { // sends when it has received
        return trace_of(
            {node(0, 6, {}, message(false, other, 64)), node(1, 5, {0}, message(true, other, 64))});
    };
    EXPECT_THAT(refusal_of_ranks({waits(1), waits(0)}, two),
                HasSubstr("node 0: waits for ranks that wait for it"));
    EXPECT_THAT(
        refusal_of_ranks({trace_of({collective(1, 0, 64)}), trace_of({collective(1, 2, 64)})}, two),
        HasSubstr("found all_gather of 64 bytes where rank 0 has all_reduce"));
    EXPECT_THAT(refusal_of_ranks({sends, sends, sends}, two),
                HasSubstr("found traces of 3 ranks for a machine of 2 devices"));
}

std::string involved(const std::string& flags)
{
    return bytes_field(10, bytes_field(1, "involved_dim") + bytes_field(28, bytes_field(1, flags)));
}

TEST(Chakra, ACollectiveThatOneRankLacksIsRefused)
{
    const std::string twice = trace_of({collective(1, 0, 64), collective(2, 0, 64, {1})});
    EXPECT_THAT(refusal_of_ranks({twice, trace_of({collective(1, 0, 64)})}, v5e(2, "1x2")),
                HasSubstr("rank1.et: group '': found 1 collectives where another rank has 2"));
    const std::string of_four =
        node(0, 1, {},
             bytes_field(8, bytes_field(1, R"(['[{"pg_name": "3", "ranks": [0, 1, 2, 3]}]'])")));
    const std::string in_it =
        trace_of({of_four, collective(1, 0, 64, {}, text_attribute("pg_name", "3"))});
    EXPECT_THAT(refusal_of_ranks({in_it, in_it}, v5e(2, "1x2")),
                HasSubstr("found 2 ranks in it; allowed: 4, as the file says"));
}

TEST(Chakra, DimensionsAreTheSlicesAxesOrAllDevices)
{
    const topologies::Machine slice = v5e(8, "2x4");
    const auto over = [&](int type, const std::string& flags) {
        return trace_of({collective(1, type, 64, {}, involved(flags))});
    };
    EXPECT_TRUE(collective_at(graph_of_bytes({over(0, "\1")}, slice), 0).group.empty());
    const std::string part("\1\0", 2), third("\0\0\1", 3), none("\0\0", 2);
    for (const std::string& flags : {third, none}) {
        EXPECT_THAT(refusal_of_ranks({over(0, flags)}, slice),
                    HasSubstr("dimensions on a slice of 2 axes"));
    }
    EXPECT_THAT(refusal_of_ranks({over(3, part)}, slice), HasSubstr("found gather over part of"));
}

TEST(Chakra, OfAScatterTheRootSaysHowMuch)
{
    const TraceGraph lowered = graph_of_bytes(
        {trace_of({collective(1, 4, 8000)}), trace_of({collective(1, 4, 0)})}, v5e(2, "1x2"));
    ASSERT_EQ(lowered.graph->roles.size(), 0U);
    EXPECT_EQ(collective_at(lowered, 0).messages->front().bytes, Bytes(4000));
    EXPECT_THAT(refusal_of_ranks({trace_of({collective(1, 2, 1000000000000000)})}, v5e(8, "2x4")),
                HasSubstr("of each of 8 ranks; allowed: 1e15 of all"));
}

TEST(Chakra, NumbersOfTheJsonFormAreChecked)
{
    const auto read = [](const std::string& fields) {
        return read_chakra(R"({"workload_graph": [{"Id": 1, "NodeType": 4, )" + fields + "}]}",
                           "trace.json");
    };
    EXPECT_EQ(read(R"("num_ops": 1e6, "tensor_size": 64)").nodes.front().operations, 1e6);
    for (const char* wrong :
         {R"("num_ops": "many")", R"("tensor_size": true)", R"("involved_dim": 1)"}) {
        EXPECT_THROW(read(wrong), InputError) << wrong;
    }
}

TEST(Chakra, ForeignAndCutFilesAreRefusedWithTheByte)
{
    EXPECT_THAT(refusal_of_trace(""), HasSubstr("byte 0: found an empty file"));
    EXPECT_THAT(refusal_of_trace("# A text, which is no trace of anything at all, is it now?\n"),
                HasSubstr("byte "));
    EXPECT_THAT(refusal_of_trace(R"({"traceEvents": []})"), HasSubstr("/workload_graph: found no"));
    EXPECT_THAT(refusal_of_trace(trace_of({node(1, 11)})),
                HasSubstr("found node type 11 of node 1"));
    EXPECT_THAT(refusal_of_trace(trace_of({collective(1, 10, 8)})),
                HasSubstr("found comm_type 10"));
    EXPECT_THAT(refusal_of_trace(trace_of({node(1, 5)})), HasSubstr("found no comm_dst of node 1"));
    const std::string whole =
        trace_of({node(1, 4, {}, microseconds(1)), collective(2, 0, 4096, {1})});
    const std::size_t first = trace_of({}).size();
    const std::size_t second = trace_of({node(1, 4, {}, microseconds(1))}).size();
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
        if (cut != first && cut != second) {
            EXPECT_THAT(refusal_of_trace(whole.substr(0, cut)), HasSubstr("rank0.et: byte "))
                << cut;
        }
    }
}

TEST(Chakra, AnyNumberOfNodesWaitsForWhatTheCpuWaitedFor)
{
    constexpr std::uint64_t many = 20000;
    std::vector<std::string> nodes;
    std::vector<std::uint64_t> all;
    for (std::uint64_t id = 0; id < many; ++id) {
        nodes.push_back(node(id, 4, {}, microseconds(1)));
        all.push_back(id);
    }
    nodes.push_back(node(many, 4, all, attribute("is_cpu_op", 1)));
    for (std::uint64_t id = many + 1; id < 2 * many; ++id) {
        nodes.push_back(node(id, 4, {many}, microseconds(1)));
    }
    const auto begin = std::chrono::steady_clock::now();
    const TraceGraph lowered = graph_of_bytes({trace_of(nodes)}, v5e(1, "1x1"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_EQ(lowered.graph->ops.back().after.size(), 1U); // and not 20,000
}

class SharedTraces : public testing::Test {
protected:
    void SetUp() override
    {
        if (!std::filesystem::exists(folder)) {
            GTEST_SKIP() << "no " << folder;
        }
    }
    static TraceGraph read(const std::vector<std::string>& files)
    {
        std::vector<Trace> traces;
        for (const std::string& file : files) {
            traces.push_back(read_chakra_file(folder + file));
        }
        return graph_of(traces, v5e(8, "2x4"));
    }
    const static inline std::string folder = std::string(ALXSIM_SHARED_DIR) + "/data/programs/";
};

TEST_F(SharedTraces, OneAllReduce)
{
    const TraceGraph lowered = read({"all_reduce.0.et"});
    ASSERT_EQ(lowered.graph->ops.size(), 1U);
    EXPECT_EQ(collective_at(lowered, 0).kind, model::CollectiveKind::all_reduce);
    EXPECT_EQ(collective_at(lowered, 0).bytes, Bytes(1048576));
}

TEST_F(SharedTraces, AnAllReduceOfSendsAndReceives)
{
    std::vector<std::string> files;
    for (int rank = 0; rank < 8; ++rank) {
        files.push_back("custom_allreduce." + std::to_string(rank) + ".et");
    }
    const TraceGraph lowered = read(files);
    EXPECT_EQ(lowered.messages, 112);
    EXPECT_EQ(lowered.message_bytes, 14680064);
    EXPECT_EQ(lowered.fixed, 8 * 7);
    EXPECT_EQ(lowered.graph->ops.size(), 14U + 7U);
    const topologies::Machine machine = v5e(8, "2x4");
    model::AnalyticModel model(machine);
    EXPECT_GE(to_seconds(model.step({lowered.graph, {}}).on_device.total).count(), 49e-6);
}

TEST_F(SharedTraces, Json)
{
    const TraceGraph lowered = read({"small_chakra.0.json"});
    EXPECT_EQ(lowered.nodes, 7);
    EXPECT_EQ(lowered.dropped, 5); // on the CPU
    EXPECT_EQ(lowered.elsewhere, 7);
    ASSERT_EQ(lowered.graph->ops.size(), 2U);
    EXPECT_EQ(std::get<model::Fixed>(lowered.graph->ops[0].work).seconds.count(), 4e-6);
}

} // namespace
} // namespace alxsim::traces
