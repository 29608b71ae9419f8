// SPDX-License-Identifier: Apache-2.0
#include "model/graph/op_graph.h"

#include "base/input_error.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/reading.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

void expect_refusal(const std::string& text, const std::string& part)
{
    const std::string message = refusal_of(text);
    EXPECT_NE(message.find(part), std::string::npos) << message << "\n  lacks: " << part;
    EXPECT_EQ(message.rfind("graph.json: /ops", 0), 0u) << message;
}

TEST(OpGraphJson, RoundTripsEveryKindOfWork)
{
    OpGraph graph;
    graph.name = "all kinds";
    graph.add(op_of(Matmul{2, 3, 4, 5, DType::f32, 6, false}, {}, "statistics"));
    graph.add(op_of(Vector{7, 1.5, DType::f64}, {0}));
    graph.add(op_of(stream_of(Bytes(8), Bytes(9)), {0, 1}));
    graph.add(op_of(infeed_of(Bytes(10))));
    graph.add(op_of(RowGather{11, Bytes(12), 13, AccessPattern::clamped, 14}));
    graph.add(op_of(RowScatter{15, Bytes(16), 17, true}));
    graph.add(op_of(Collective{CollectiveKind::reduce_scatter, Bytes(18)}));
    graph.add(op_of(Collective{CollectiveKind::all_gather, Bytes(18), {1, 2}}));
    graph.add(repeat_of(19, {op_of(Vector{1, 1, DType::i32})}, "cg.iterations", {2}));
    graph.ops[0].reads = {{"tables.w", Bytes(20)}, {"ids", Bytes(21)}};
    graph.ops[0].writes = {{"out", Bytes(22)}};
    const Json json = to_json(graph);
    const OpGraph back = op_graph_from_json(json, "graph.json");
    EXPECT_EQ(to_json(back), json);
    EXPECT_EQ(std::get<Matmul>(back.ops[0].work).passes, 6);
    EXPECT_EQ(back.ops[0].reads[1].touched, Bytes(21));
    EXPECT_EQ(back.ops[2].after, (std::vector<int>{0, 1}));
    EXPECT_EQ(std::get<RowGather>(back.ops[4].work).pattern, AccessPattern::clamped);
    EXPECT_FALSE(json.at("ops").at(6).contains("schedule"));
    EXPECT_EQ(std::get<Collective>(back.ops[7].work).schedule.directions, 2);
    EXPECT_EQ(std::get<Repeat>(back.ops[8].work).body->ops.size(), 1u);
}

TEST(OpGraphJson, RoundTripsWorkOfDevicesAndBuffers)
{
    OpGraph graph;
    graph.add(op_of(RowGather{11, Bytes(12), 13}));
    graph.add(op_of(Vector{7, 1.5, DType::f64}, {0}));
    graph.ops[0].work_of_device = std::make_shared<const std::vector<Work>>(
        std::vector<Work>{RowGather{11, Bytes(12), 13}, RowGather{5, Bytes(12), 13}});
    graph.buffers = {{"ahead.rows", Bytes(99), Residency::hbm}};
    const Json json = to_json(graph);
    const OpGraph back = op_graph_from_json(json, "graph.json");
    EXPECT_EQ(to_json(back), json);
    ASSERT_EQ(back.ops[0].work_of_device->size(), 2u);
    EXPECT_EQ(std::get<RowGather>((*back.ops[0].work_of_device)[1]).rows, 5);
    EXPECT_EQ(back.ops[1].work_of_device, nullptr);
    EXPECT_EQ(back.buffers.at(0).bytes, Bytes(99));
    EXPECT_EQ(back.buffers.at(0).residency, Residency::hbm);
    EXPECT_FALSE(json.at("ops").at(1).contains("work_of_device"));
}

TEST(OpGraphJson, RefusesOtherWorkOfDevices)
{
    const auto infeeds = [](const std::string& works) {
        return R"({"ops": [{"work": "infeed", "bytes": 1, "work_of_device": )" + works + "}]}";
    };
    expect_refusal(infeeds("[]"), "/ops/0/work_of_device");
    expect_refusal(infeeds(R"([{"work": "infeed", "bytes": 1}, {"work": "infeed"}])"),
                   "/ops/0/work_of_device/1: work 'infeed' needs the field 'bytes'");
    expect_refusal(infeeds(R"([{"work": "infeed", "bytes": 1, "name": "x"}])"),
                   "/ops/0/work_of_device/0: work 'infeed' has no field 'name'");
    expect_refusal(infeeds(R"([{"work": "vector", "elements": 1}])"),
                   "/ops/0/work_of_device/0/work: found vector; allowed: copy from host to hbm");
    expect_refusal(R"({"ops": [{"work": "collective", "kind": "all_reduce", "bytes": 1,
                       "work_of_device": [{"work": "infeed", "bytes": 1}]}]})",
                   R"(/ops/0/work_of_device: found for work "collective")");
}

TEST(OpGraphJson, RefusesOtherHeldBuffers)
{
    EXPECT_NE(refusal_of(R"({"ops": [], "held": [{"name": "x"}]})").find("/held/0"),
              std::string::npos);
}

TEST(OpGraphJson, FillsInWhatIsUsual)
{
    const Op op = op_from_json(Json::parse(R"({"work": "matmul", "m": 1, "k": 2, "n": 3})"), "op");
    const Matmul& matmul = std::get<Matmul>(op.work);
    EXPECT_EQ(matmul.batch, 1);
    EXPECT_EQ(matmul.dtype, DType::bf16);
    EXPECT_TRUE(matmul.overlap);
    EXPECT_EQ(op.phase, "matmul");
}

TEST(OpGraphJson, RefusesAnUnknownField)
{
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1, "byte": 2}]})", "'byte'");
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1, "rows": 2}]})",
                   "work 'infeed' has no field 'rows' (allowed: bytes)");
}

TEST(OpGraphJson, RefusesAMissingField)
{
    expect_refusal(R"({"ops": [{"work": "infeed"}]})", "work 'infeed' needs the field 'bytes'");
    expect_refusal(R"({"ops": [{"phase": "x"}]})", "work");
    expect_refusal(R"({"ops": [{"work": "repeat", "times": 2, "body": {"ops": [
                       {"work": "vector"}]}}]})",
                   "/ops/0/body/ops/0: work 'vector' needs the field 'elements'");
}

TEST(OpGraphJson, RefusesToWaitForALaterOp)
{
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1, "after": [0]}]})",
                   "/ops/0/after: found 0");
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1},
                               {"work": "infeed", "bytes": 1, "after": [0, 5]}]})",
                   "/ops/1/after: found 5; allowed: indices of earlier ops, below 1");
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1, "after": [-1]}]})", "/after");
    for (const char* beyond_32_bits : {"4294967295", "4294967296"}) {
        expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1},
                                   {"work": "infeed", "bytes": 1, "after": [)" +
                           std::string(beyond_32_bits) + "]}]}",
                       "/ops/1/after/0: found number " + std::string(beyond_32_bits));
    }
}

TEST(OpGraphJson, OpsWaitForOthersByTheirIdsAndNumbers)
{
    const OpGraph graph = op_graph_from_json(Json::parse(R"({"ops": [
        {"id": "batch", "work": "infeed", "bytes": 1},
        {"work": "infeed", "bytes": 1},
        {"id": "body", "work": "repeat", "times": 2, "after": ["batch", 1], "body": {"ops": [
            {"id": "batch", "work": "fixed", "seconds": 1},
            {"work": "fixed", "seconds": 1, "after": ["batch"]}]}},
        {"work": "fixed", "seconds": 1, "after": ["body"]}]})"),
                                             "graph.json");
    EXPECT_EQ(graph.ops[2].after, (std::vector<int>{0, 1}));
    EXPECT_EQ(graph.ops[3].after, (std::vector<int>{2}));
    EXPECT_EQ(std::get<Repeat>(graph.ops[2].work).body->ops[1].after, (std::vector<int>{0}));
}

TEST(OpGraphJson, RefusesIdsThatAreUnknownLateOrTaken)
{
    expect_refusal(R"({"ops": [{"id": "first", "work": "infeed", "bytes": 1},
                               {"work": "infeed", "bytes": 1, "after": [0, "frist"]}]})",
                   "/ops/1/after/1: found \"frist\", which is the id of no op of this graph; did "
                   "you mean 'first'?");
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1, "after": ["late"]},
                               {"id": "late", "work": "infeed", "bytes": 1}]})",
                   "/ops/0/after/0: found \"late\", the id of op 1; allowed: ids of ops that stand "
                   "before op 0");
    expect_refusal(R"({"ops": [{"id": "a", "work": "infeed", "bytes": 1},
                               {"id": "a", "work": "infeed", "bytes": 1}]})",
                   "/ops/1/id: found \"a\", as op 0 has it");
    expect_refusal(R"({"ops": [{"id": "", "work": "infeed", "bytes": 1}]})", "/ops/0/id");
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": 1},
                               {"work": "infeed", "bytes": 1, "after": [0.5]}]})",
                   "/ops/1/after/0");
}

TEST(OpGraphJson, RefusesAValueOutOfRange)
{
    expect_refusal(R"({"ops": [{"work": "infeed", "bytes": -1}]})", "/ops/0/bytes");
    expect_refusal(R"({"ops": [{"work": "matmul", "m": 1, "k": 1, "n": 1, "passes": 2}]})",
                   "passes");
    expect_refusal(R"({"ops": [{"work": "collective", "kind": "gossip", "bytes": 1}]})", "gossip");
}

TEST(OpGraphJson, RefusesAScheduleThatNoMachineHas)
{
    const auto scheduled = [](const std::string& schedule) {
        return R"({"ops": [{"work": "collective", "kind": "all_gather", "bytes": 1,
                            "schedule": )" +
               schedule + "}]}";
    };
    expect_refusal(scheduled(R"({"colours": 0})"), "/ops/0/schedule/colours");
    expect_refusal(scheduled(R"({"colours": 4})"), "/ops/0/schedule/colours");
    expect_refusal(scheduled(R"({"directions": 3})"), "/ops/0/schedule/directions");
    expect_refusal(scheduled(R"({"colors": 1})"), "/ops/0/schedule");
}

TEST(Repeat, IteratesAsOftenAsItsCounterSaysForTheDevice)
{
    const Repeat counted{5, "cg", nullptr};
    EXPECT_EQ(iterations(counted, {{"cg", {3, 4}}}, 1), 4);
    EXPECT_EQ(iterations(counted, {}, 1), 5);
    EXPECT_EQ(iterations({5, "", nullptr}, {{"", {9, 9}}}, 1), 5);
}

} // namespace
} // namespace alxsim::model
