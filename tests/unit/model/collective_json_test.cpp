// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/graph/op_graph.h"
#include "model/graph/work_json.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

Op read_collective(const std::string& fields)
{
    return op_from_json(Json::parse(R"({"work": "collective", )" + fields + "}"), "op.json");
}

Collective collective_of(const std::string& fields)
{
    return std::get<Collective>(read_collective(fields).work);
}

void expect_refused_collective(const std::string& fields, const std::string& part)
{
    try {
        read_collective(fields);
        ADD_FAILURE() << "accepted: " << fields;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << error.what() << "\n  lacks: " << part;
    }
}

TEST(CollectiveJson, ReadsGroups)
{
    EXPECT_TRUE(collective_of(R"("kind": "all_gather", "bytes": 8)").group.empty());
    EXPECT_TRUE(collective_of(R"("kind": "all_gather", "bytes": 8, "group": "all")").group.empty());
    EXPECT_EQ(collective_of(R"("kind": "all_gather", "bytes": 8, "group": ["z", "x"])").group,
              (std::vector<std::string>{"z", "x"}));
}

TEST(CollectiveJson, RefusesOtherGroups)
{
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "group": [])", "/ops/0/group");
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "group": ["w"])",
                              "/ops/0/group");
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "group": "x")", "/ops/0/group");
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "group": ["x", "x"])",
                              R"(/ops/0/group: found ["x","x"]; allowed: every axis at most once)");
}

TEST(CollectiveJson, ReadsGroupsAcrossChips)
{
    EXPECT_FALSE(collective_of(R"("kind": "all_gather", "bytes": 8)").across_chips);
    EXPECT_TRUE(
        collective_of(R"("kind": "all_gather", "bytes": 8, "across_chips": true)").across_chips);
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "across_chips": 1)",
                              "/ops/0/across_chips");
}

/// The compiler goes by numbers, too: exported graphs say which they are of.
TEST(CollectiveJson, ReadsTheTypeOfNumbersThatItWrites)
{
    EXPECT_EQ(collective_of(R"("kind": "all_gather", "bytes": 8)").dtype, DType::f32);
    const Op op = read_collective(R"("kind": "all_gather", "bytes": 8, "dtype": "bf16")");
    EXPECT_EQ(std::get<Collective>(op.work).dtype, DType::bf16);
    const Op again = op_from_json(to_json(op.work), "op.json");
    EXPECT_EQ(std::get<Collective>(again.work).dtype, DType::bf16);
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "dtype": "bf8")",
                              "/ops/0/dtype");
}

TEST(CollectiveJson, ReadsMessages)
{
    const Collective exchange =
        collective_of(R"("kind": "all_to_all", "messages": [[0, 1, 5], [2, 0, 9], [0, 2, 6]])");
    ASSERT_EQ(exchange.messages->size(), 3u);
    EXPECT_EQ((*exchange.messages)[1].source, 2);
    EXPECT_EQ((*exchange.messages)[1].destination, 0);
    EXPECT_EQ((*exchange.messages)[1].bytes, Bytes(9));
    EXPECT_EQ(exchange.bytes, Bytes(11)); // what device 0 sends
    EXPECT_EQ(collective_of(R"("kind": "permute", "bytes": 7, "messages": [[0, 1, 5]])").bytes,
              Bytes(7));
}

TEST(CollectiveJson, RefusesOtherMessages)
{
    expect_refused_collective(
        R"("kind": "all_gather", "bytes": 1, "messages": [[0, 1, 5]])",
        "/ops/0/messages: found messages for all_gather; allowed: for all_to_all and "
        "permute only");
    expect_refused_collective(R"("kind": "permute", "messages": [[0, 1]])", "/ops/0/messages/0");
    expect_refused_collective(R"("kind": "permute", "messages": [[0, -1, 5]])",
                              "/ops/0/messages/0/1");
    expect_refused_collective(R"("kind": "permute", "messages": [])", "/ops/0/messages");
    expect_refused_collective(R"("kind": "permute")",
                              "needs the field 'bytes', unless it has messages");
}

TEST(CollectiveJson, ReadsTheAlgorithm)
{
    EXPECT_EQ(collective_of(R"("kind": "all_to_all", "bytes": 8,
                               "schedule": {"algorithm": "routed"})")
                  .schedule.algorithm,
              ScheduleAlgorithm::routed);
    EXPECT_EQ(collective_of(R"("kind": "all_to_all", "bytes": 8)").schedule.algorithm,
              ScheduleAlgorithm::any);
    expect_refused_collective(
        R"("kind": "all_to_all", "bytes": 8, "schedule": {"algorithm": "magic"})",
        "/ops/0/schedule/algorithm");
}

TEST(CollectiveJson, HasARootWhereTheKindHasOne)
{
    EXPECT_EQ(collective_of(R"("kind": "broadcast", "bytes": 8, "root": 3)").root, 3);
    EXPECT_EQ(collective_of(R"("kind": "reduce", "bytes": 8)").root, 0);
    expect_refused_collective(R"("kind": "all_gather", "bytes": 8, "root": 0)", "/ops/0/root");
    expect_refused_collective(R"("kind": "reduce", "bytes": 8, "root": -1)", "/ops/0/root");
}

TEST(CollectiveJson, HasGroupsAsListsOfDevices)
{
    EXPECT_EQ(*collective_of(R"("kind": "all_gather", "bytes": 8,
                                "group": {"ranks": [[0, 1], [3, 2]]})")
                   .ranks,
              (std::vector<std::vector<int>>{{0, 1}, {3, 2}}));
    EXPECT_EQ(collective_of(R"("kind": "all_gather", "bytes": 8, "group": "all")").ranks, nullptr);
    const auto of = [](const std::string& ranks) {
        return R"("kind": "all_gather", "bytes": 8, "group": {"ranks": )" + ranks + "}";
    };
    expect_refused_collective(of("[[0, 1], [1, 2]]"), "/ops/0/group/ranks/1");
    expect_refused_collective(of("[[0, 1], [2]]"), "/ops/0/group/ranks/1");
    expect_refused_collective(of("[]"), "/ops/0/group");
}

TEST(CollectiveJson, SaysWhetherItOverlapsInWordsOfItsOwn)
{
    const auto with = [](const char* overlap) {
        return std::string(R"("kind": "all_gather", "bytes": 8, "overlap": )") + overlap;
    };
    EXPECT_EQ(std::get<Collective>(read_collective(with("\"sync\"")).work).overlap, Overlap::sync);
    expect_refused_collective(with("true"), "/ops/0/overlap");
}

TEST(CollectiveJson, WritesWhatItReads)
{
    for (const char* fields : {R"("kind": "all_reduce", "bytes": 8, "group": ["y", "z"],
             "schedule": {"colours": 2, "directions": 1, "algorithm": "axes"})",
                               R"("kind": "all_to_all", "messages": [[0, 1, 5], [0, 1, 6]])",
                               R"("kind": "all_gather", "bytes": 8, "across_chips": true)",
                               R"("kind": "broadcast", "bytes": 3)",
                               R"("kind": "all_gather", "bytes": 8, "overlap": "async")",
                               R"("kind": "reduce", "bytes": 3, "group": ["x"], "root": 2)",
                               R"("kind": "all_gather", "bytes": 3,
             "group": {"ranks": [[0, 1], [3, 2]]})"}) {
        const Json json = to_json(read_collective(fields));
        const Op back = op_from_json(json, "op.json");
        EXPECT_EQ(to_json(back), json);
    }
    const Json json = to_json(read_collective(R"("kind": "permute", "group": ["y"],
                                      "messages": [[4, 1, 5]])"));
    EXPECT_EQ(json.at("group"), Json::parse(R"(["y"])"));
    EXPECT_EQ(json.at("messages"), Json::parse("[[4, 1, 5]]"));
    EXPECT_FALSE(json.contains("schedule"));
    EXPECT_FALSE(json.contains("across_chips"));
}

} // namespace
} // namespace alxsim::model
