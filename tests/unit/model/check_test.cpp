// SPDX-License-Identifier: Apache-2.0
#include "model/graph/check.h"

#include "base/input_error.h"
#include "model/graph/resources.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/reading.h"

#include <gtest/gtest.h>

#include <limits>

namespace alxsim::model {
namespace {

/// Why a graph made in process is refused; "": it is not.
std::string refusal_in_process(const OpGraph& graph)
{
    try {
        check(graph, machine_of("tpu_v5e", 4));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

std::string refusal_of_op(Op op)
{
    return refusal_in_process(*graph_of({op_of(Vector{1}), std::move(op)}));
}

std::string refusal_of_work(Work work)
{
    return refusal_of_op(op_of(std::move(work)));
}

TEST(GraphCheck, RefusesInProcessWhatTheFileRefuses)
{
    const std::vector<std::pair<Work, std::string>> cases{
        {Matmul{1, 8, -8, 8}, "/ops/1/k: found -8; allowed: 1 or more"},
        {Matmul{1, 8, 2'000'000'000, 8}, "/ops/1/k: found 2000000000; allowed: 1000000000 or less"},
        {Matmul{1, 8, 8, 8, DType::f32, 2}, "/ops/1/passes: found 2; allowed: 1, 3, 6"},
        {Vector{-1}, "/ops/1/elements: found -1"},
        {Vector{1, std::numeric_limits<double>::quiet_NaN()}, "/ops/1/ops_per_element: found nan"},
        {stream_of(Bytes(-1), Bytes(0)), "/ops/1/bytes: found -1"},
        {RowGather{1, Bytes(4), 8, AccessPattern::trace}, "/ops/1/ids: missing"},
        {RowScatter{-1, Bytes(4)}, "/ops/1/rows: found -1"},
        {Collective{CollectiveKind::all_reduce, Bytes(-1)}, "/ops/1/bytes: found -1"},
        {Collective{CollectiveKind::all_reduce, Bytes(1), {}, {"x", "x"}},
         "/ops/1/group: found [\"x\",\"x\"]"},
        {Repeat{-1, "", graph_of({op_of(Vector{1})})}, "/ops/1/times: found -1"},
        {Repeat{2, "", nullptr}, "/ops/1/body: found none"},
        {Repeat{2, "", graph_of({op_of(Vector{-3})})}, "/ops/1/body/ops/0/elements: found -3"},
    };
    for (const auto& [work, expected] : cases) {
        const std::string refusal = refusal_of_work(work);
        EXPECT_EQ(refusal.rfind(expected, 0), 0u) << refusal << "\n  and not " << expected;
    }
    EXPECT_EQ(refusal_of_work(Matmul{1, 8, 8, 8}), "");
}

TEST(GraphCheck, RefusesAnOpAfterOneThatIsNotThere)
{
    EXPECT_EQ(refusal_of_op(op_of(Vector{1}, {5})),
              "/ops/1/after: found 5; allowed: indices of earlier ops, below 1");
    EXPECT_NE(refusal_of_op(op_of(Vector{1}, {-1})), "");
    EXPECT_EQ(refusal_of_op(op_of(Vector{1}, {0})), "");
}

TEST(GraphCheck, RefusesMessagesThatNeverLeave)
{
    Collective collective{CollectiveKind::all_reduce, Bytes(8)};
    collective.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 1, Bytes(8)}, {1, 0, Bytes(8)}});
    collective.after = std::make_shared<const std::vector<std::vector<int>>>(
        std::vector<std::vector<int>>{{1}, {0}});
    EXPECT_NE(refusal_of_work(collective).find("waits for itself"), std::string::npos);
    collective.after =
        std::make_shared<const std::vector<std::vector<int>>>(std::vector<std::vector<int>>{{1}});
    EXPECT_NE(refusal_of_work(collective).find("an order of 1 messages"), std::string::npos);
    collective.after = nullptr;
    EXPECT_NE(refusal_of_work(collective).find("messages for all_reduce"), std::string::npos);
}

TEST(GraphCheck, NamesTheGraphOfAProgram)
{
    OpGraph graph = *graph_of({op_of(Matmul{1, 1, 1, 0})});
    graph.name = "sweep";
    EXPECT_EQ(refusal_in_process(graph), "graph 'sweep': /ops/0/n: found 0; allowed: 1 or more");
}

TEST(GraphCheck, HasTheLimitsOfTheSchema)
{
    const Json definitions =
        parse_json(resources().get("schema/op_graph.schema.json"), "schema").at("definitions");
    const auto most = [](const Json& field) { return field.at("maximum").get<std::int64_t>(); };
    const Json& fields = definitions.at("op").at("properties");
    EXPECT_EQ(most(definitions.at("side")), graph_limits::side);
    EXPECT_EQ(most(fields.at("minor")), graph_limits::side);
    EXPECT_EQ(most(definitions.at("size")), graph_limits::count);
    EXPECT_EQ(most(definitions.at("device")), graph_limits::devices);
    EXPECT_EQ(most(fields.at("rows")), graph_limits::rows);
    EXPECT_EQ(most(fields.at("row_bytes")), graph_limits::row_bytes);
    EXPECT_EQ(most(fields.at("issue_cycles")), graph_limits::issue_cycles);
    EXPECT_EQ(most(fields.at("times")), graph_limits::times);
}

} // namespace
} // namespace alxsim::model
