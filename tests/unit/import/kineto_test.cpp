// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/kineto/kineto_file.h"

#include "base/input_error.h"
#include "tests/unit/import/trace_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string kernel(const std::string& name, double begin, double duration, int stream,
                   const std::string& args = "", const std::string& category = "kernel")
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "ts": )" +
           std::to_string(begin) + R"(, "dur": )" + std::to_string(duration) +
           R"(, "args": {"stream": )" + std::to_string(stream) + args + "}}";
}

Trace trace_of_events(const std::vector<std::string>& events)
{
    std::string text = R"({"traceEvents": [)";
    for (const std::string& event : events) {
        text += (text.back() == '[' ? "" : ", ") + event;
    }
    return read_kineto(text + "]}", "rank0.json");
}

std::string refusal_of_events(const std::vector<std::string>& events)
{
    try {
        trace_of_events(events);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

const std::string sum_args = R"(, "Collective name": "allreduce", "In msg nelems": 1024,
    "Out msg nelems": 1024, "dtype": "BFloat16", "Group size": 4, "Process Group Name": "1",
    "Process Group Ranks": "[0, 1, 2, 3]")";

TEST(Kineto, KernelsFollowTheirStreamAndWhatHadEndedOnOthers)
{
    const Trace trace =
        trace_of_events({R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 99})",
                         R"({"ph": "M", "name": "process_name"})", kernel("gemm", 10, 5, 7),
                         kernel("ncclDevKernel_AllReduce", 16, 20, 20, sum_args),
                         kernel("gelu", 17, 4, 7), kernel("add", 40, 2, 7)});
    ASSERT_EQ(trace.nodes.size(), 4U);
    EXPECT_THAT(trace.nodes[1].after, ElementsAre(0)); // the sum waits for the product
    EXPECT_THAT(trace.nodes[2].after, ElementsAre(0)); // beside the sum
    EXPECT_THAT(trace.nodes[3].after, ElementsAre(2, 1));
    EXPECT_DOUBLE_EQ(trace.nodes[2].seconds, 4e-6);
    EXPECT_EQ(trace.nodes[1].bytes, 2048);
    EXPECT_EQ(trace.nodes[1].kind, NodeKind::collective);
    EXPECT_THAT(trace.groups.at("1"), ElementsAre(0, 1, 2, 3));
}

TEST(Kineto, NamesOfCollectives)
{
    const std::vector<std::pair<std::string, Exchange>> names{
        {"allreduce_coalesced", Exchange::all_reduce},
        {"_allgather_base", Exchange::all_gather},
        {"all_gather_into_tensor_coalesced", Exchange::all_gather},
        {"_reduce_scatter_base", Exchange::reduce_scatter},
        {"reduce_scatter_tensor_coalesced", Exchange::reduce_scatter},
        {"all_to_allv", Exchange::all_to_all},
        {"broadcast", Exchange::broadcast},
        {"reduce", Exchange::reduce},
        {"gather", Exchange::gather},
        {"scatter", Exchange::scatter},
        {"barrier", Exchange::barrier}};
    for (const auto& [name, exchange] : names) {
        const Trace trace = trace_of_events({kernel(
            "ncclKernel", 0, 1, 1,
            R"(, "Collective name": ")" + name + R"(", "In msg nelems": 3, "dtype": "Float")")});
        EXPECT_TRUE(trace.nodes.at(0).has_exchange) << name;
        EXPECT_EQ(trace.nodes.at(0).exchange, exchange) << name;
        EXPECT_EQ(trace.nodes.at(0).bytes, 12) << name;
    }
}

TEST(Kineto, OlderFilesTellOfCollectivesInTheCallersEvent)
{
    const Trace trace = trace_of_events(
        {R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 0, "dur": 1,
            "args": {"External id": 5, "Collective name": "allreduce", "In msg nelems": 10,
                     "dtype": "Double"}})",
         kernel("ncclKernel_AllReduce", 3, 1, 20, R"(, "External id": 5)"),
         kernel("not of it", 5, 1, 7, R"(, "External id": 5)")});
    EXPECT_EQ(trace.nodes.at(0).bytes, 80);
    EXPECT_EQ(trace.nodes.at(1).kind, NodeKind::compute);
}

TEST(Kineto, CopiesToAndFromTheHost)
{
    const Trace trace = trace_of_events(
        {kernel("Memcpy HtoD (Pinned -> Device)", 0, 1, 7, R"(, "bytes": 64)", "gpu_memcpy"),
         kernel("Memcpy DtoH (Device -> Pinned)", 2, 1, 7, R"(, "bytes": 32)", "gpu_memcpy"),
         kernel("Memcpy DtoD (Device -> Device)", 4, 1, 7, R"(, "bytes": 16)", "gpu_memcpy"),
         kernel("Memset (Device)", 6, 1, 7, R"(, "bytes": 8)", "gpu_memset")});
    EXPECT_EQ(trace.nodes.at(0).kind, NodeKind::load);
    EXPECT_EQ(trace.nodes.at(1).kind, NodeKind::store);
    EXPECT_EQ(trace.nodes.at(2).kind, NodeKind::move);
    EXPECT_EQ(trace.nodes.at(3).kind, NodeKind::compute);
}

TEST(Kineto, MessagesGoFromRankToRank)
{
    const auto end = [](const std::string& name, const std::string& peer) {
        return trace_of_events(
            {kernel("ncclDevKernel_SendRecv", 0, 1, 1,
                    R"(, "Collective name": ")" + name +
                        R"(", "In msg nelems": 256, "dtype": "Half", ")" + peer)});
    };
    const TraceGraph lowered =
        graph_of({end("send", R"(Dst Rank": 1)"), end("recv", R"(Src Rank": 0)")}, v5e(2, "1x2"));
    ASSERT_EQ(lowered.graph->ops.size(), 1U);
    const auto& permute = std::get<model::Collective>(lowered.graph->ops[0].work);
    ASSERT_EQ(permute.messages->size(), 1U);
    EXPECT_EQ(permute.messages->front().source, 0);
    EXPECT_EQ(permute.messages->front().destination, 1);
    EXPECT_EQ(lowered.message_bytes, 512);
}

TEST(Kineto, AGroupOfWhichOnlyTheSizeIsKnownIsNotGuessedForSeveralRanks)
{
    const Trace trace = trace_of_events(
        {kernel("ncclDevKernel_AllReduce", 0, 1, 1,
                R"(, "Collective name": "allreduce", "In msg nelems": 1024, "dtype": "Float",
                   "Group size": 2, "Process Group Ranks": "[0, 2, ...]")")});
    EXPECT_TRUE(trace.groups.empty());
    const TraceGraph alone = graph_of({trace}, v5e(4, "2x2"));
    EXPECT_EQ(std::get<model::Collective>(alone.graph->ops[0].work).ranks->size(), 2U);
    EXPECT_THAT(alone.notes.front(), HasSubstr("is not said: 2 neighbours are taken"));
    EXPECT_THROW(graph_of({trace, trace, trace, trace}, v5e(4, "2x2")), InputError);
    EXPECT_NO_THROW(graph_of({trace, trace}, v5e(2, "1x2")));
}

TEST(Kineto, BadValuesAreRefusedWithTheirPlace)
{
    EXPECT_THAT(refusal_of_events(
                    {kernel("nccl", 0, 1, 7, R"(, "Collective name": "send", "Dst Rank": 1)")}),
                HasSubstr("/args/In msg nelems: found null; allowed: elements"));
    EXPECT_THAT(refusal_of_events({kernel("gemm", 0, -1, 7)}),
                HasSubstr("rank0.json: /traceEvents/0/dur: found -1.0; allowed: microseconds"));
    EXPECT_THAT(refusal_of_events({kernel("nccl", 0, 1, 7, R"(, "Collective name": "send")")}),
                HasSubstr("/traceEvents/0/args/Dst Rank: found null"));
    EXPECT_THAT(refusal_of_events({kernel("nccl", 0, 1, 7,
                                          R"(, "Collective name": "x", "In msg nelems": "many")")}),
                HasSubstr("/args/In msg nelems: found \"many\"; allowed: a whole number"));
    EXPECT_THROW(read_kineto(R"({"workload_graph": []})", "rank0.json"), InputError);
    EXPECT_THROW(read_kineto(R"({"traceEvents": [)", "rank0.json"), InputError);
}

} // namespace
} // namespace alxsim::traces
