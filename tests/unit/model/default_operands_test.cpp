// SPDX-License-Identifier: Apache-2.0
#include "model/graph/default_operands.h"

#include "model/costs/op_cost.h"
#include "model/estimate.h"
#include "model/graph/memory.h"
#include "tests/unit/model/building.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using ::testing::HasSubstr;

OpGraph graph_with_ops(const std::string& ops)
{
    return op_graph_from_json(Json::parse(R"({"ops": [)" + ops + "]}"), "graph.json");
}

Bytes touched(const std::vector<BufferUse>& uses)
{
    Bytes sum(0);
    for (const BufferUse& use : uses) {
        sum += use.touched;
    }
    return sum;
}

/// What an op of a graph moves in HBM.
Bytes moved(const OpGraph& graph, std::size_t op = 0)
{
    const topologies::Machine machine = machine_of("tpu_v5e", 1);
    const BufferPlacement placement = place(graph, machine.device);
    return op_cost(graph.ops.at(op), placement, machine).hbm.bytes;
}

TEST(DefaultOperands, OfAProductAreItsThreeMatricesInHbm)
{
    const OpGraph graph =
        graph_with_ops(R"({"work": "matmul", "batch": 2, "m": 512, "k": 1024, "n": 256})");
    const Bytes left(2 * 512 * 1024 * 2);
    const Bytes right(2 * 1024 * 256 * 2);
    const Bytes product(2 * 512 * 256 * 2);
    EXPECT_EQ(touched(graph.ops[0].reads), left + right);
    EXPECT_EQ(touched(graph.ops[0].writes), product);
    EXPECT_EQ(moved(graph), left + right + product);
    const OpGraph f32 =
        graph_with_ops(R"({"work": "matmul", "m": 8, "k": 8, "n": 8, "dtype": "f32"})");
    EXPECT_EQ(touched(f32.ops[0].reads), Bytes(2 * 64 * 4));
}

TEST(DefaultOperands, OfAVectorOpAreAsManyElementsInAndOut)
{
    const OpGraph plain = graph_with_ops(R"({"work": "vector", "elements": 1000})");
    EXPECT_EQ(touched(plain.ops[0].reads), Bytes(4000));
    EXPECT_EQ(touched(plain.ops[0].writes), Bytes(4000));
    const OpGraph rows = graph_with_ops(
        R"({"work": "vector", "elements": 1000, "reduction": "lanes", "minor": 100, "dtype": "bf16"})");
    EXPECT_EQ(touched(rows.ops[0].reads), Bytes(2000));
    EXPECT_EQ(touched(rows.ops[0].writes), Bytes(20));
    const OpGraph sum =
        graph_with_ops(R"({"work": "vector", "elements": 1000, "reduction": "sublanes"})");
    EXPECT_TRUE(sum.ops[0].writes.empty());
}

TEST(DefaultOperands, StandAsideForWhatAnOpSays)
{
    const OpGraph none =
        graph_with_ops(R"({"work": "matmul", "m": 8, "k": 8, "n": 8, "reads": [], "writes": []})");
    EXPECT_EQ(moved(none), Bytes(0));
    EXPECT_EQ(default_operands_note(none), "");
    const OpGraph named = graph_with_ops(
        R"({"work": "matmul", "m": 8, "k": 8, "n": 8, "reads": [{"buffer": "w", "bytes": 99}]})");
    EXPECT_EQ(touched(named.ops[0].reads), Bytes(99));
    EXPECT_EQ(touched(named.ops[0].writes), Bytes(128)) << "of its result it says nothing";
    const OpGraph other = graph_with_ops(R"({"work": "hbm_stream", "bytes_read": 5})");
    EXPECT_TRUE(other.ops[0].reads.empty());
}

TEST(DefaultOperands, TakeMemoryWhileTheirOpRuns)
{
    const std::string small = R"({"work": "matmul", "m": 64, "k": 64, "n": 64})";
    const std::string large = R"({"work": "matmul", "m": 128, "k": 128, "n": 128})";
    const BufferPlacement placement =
        place(graph_with_ops(small + "," + large + "," + small), Bytes(0));
    EXPECT_EQ(placement.hbm_peak, Bytes(3 * 128 * 128 * 2)) << "not the sum of all ops";
    EXPECT_EQ(placement.hbm_parts().count("operands"), 1U);
    const BufferPlacement beside_weights =
        place(op_graph_from_json(
                  Json::parse(R"({"buffers": [{"name": "w", "bytes": 7, "residency": "hbm"}],
                                           "ops": [)" +
                              small + "]}"),
                  "graph.json"),
              Bytes(1 << 20));
    EXPECT_EQ(beside_weights.hbm_peak, Bytes(7 + 3 * 64 * 64 * 2));
    EXPECT_TRUE(beside_weights.in_vmem.empty()) << "however small: they stand in HBM";
}

TEST(DefaultOperands, AreTheSameForEveryRepetitionAndAfterWriting)
{
    const OpGraph graph = graph_with_ops(R"({"work": "repeat", "times": 8, "body": {"ops": [
        {"work": "matmul", "m": 64, "k": 64, "n": 64}, {"work": "vector", "elements": 10}]}})");
    EXPECT_EQ(place(graph, Bytes(0)).hbm_peak, Bytes(3 * 64 * 64 * 2))
        << "they come and go with their op, in a loop, too";
    const Json json = to_json(graph);
    EXPECT_EQ(to_json(op_graph_from_json(json, "graph.json")), json);
}

TEST(DefaultOperands, AreNotedWithTheirSizes)
{
    const std::string note = default_operands_note(graph_with_ops(
        R"({"work": "matmul", "m": 1000, "k": 1000, "n": 500}, {"work": "vector", "elements": 1000})"));
    EXPECT_THAT(note, HasSubstr("2 ops do not say where operands stand"));
    EXPECT_THAT(note, HasSubstr("3.004 MB read and 1.004 MB written"));
    EXPECT_THAT(note, HasSubstr("\"reads\": []"));
}

TEST(DefaultOperands, AreRefusedBeyondEveryMemory)
{
    try {
        graph_with_ops(R"({"work": "matmul", "batch": 1e9, "m": 1e9, "k": 1e9, "n": 1})");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("graph.json: /ops/0: its operand 'left'"));
    }
}

} // namespace
} // namespace alxsim::model
