// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// `alxsim op`: what it takes beside one op as JSON.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

const std::string matmul = R"({"work":"matmul","m":1024,"k":1024,"n":1024})";
const std::string all_reduce = R"({"work":"collective","kind":"all_reduce","bytes":8388608})";

Json op_on_32_cores(const std::string& op, const std::vector<std::string>& more = {})
{
    std::vector<std::string> words{"op", op, "--cores", "32", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

TEST(Op, OfAListIsEachByItself)
{
    const Json both = op_on_32_cores("[" + matmul + "," + all_reduce + "]");
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both.at(0), op_on_32_cores(matmul));
    EXPECT_EQ(both.at(1), op_on_32_cores(all_reduce));
}

TEST(Op, OfAGraphInAFileIsTimedAsAWhole)
{
    const TemporaryFolder folder;
    const Json ops = Json::parse("[" + matmul + "," + all_reduce + "]");
    Json graph{{"ops", ops}};
    graph.at("ops").at(1)["after"] = {0};
    const Json whole = op_on_32_cores(folder.write("graph.json", graph.dump()));
    EXPECT_EQ(op_on_32_cores(graph.dump()), whole) << "as an argument";
    const auto seconds = [](const Json& of) { return of.at("simulated_seconds").get<double>(); };
    EXPECT_NEAR(seconds(whole),
                seconds(op_on_32_cores(matmul)) + seconds(op_on_32_cores(all_reduce)), 2e-12);
    EXPECT_EQ(whole.at("limited_by"), "network");
    EXPECT_EQ(op_on_32_cores(folder.write("op.json", matmul)), op_on_32_cores(matmul));
}

TEST(Op, OnASlowLinkTakesAsMuchLongerAsTheLinkIsSlower)
{
    const std::string permute =
        R"({"work":"collective","kind":"permute","bytes":1e9,"messages":[[0,2,1e9]]})";
    const Json sound = op_on_32_cores(permute);
    const Json slow =
        op_on_32_cores(permute, {"--fault", R"({"link":["0,0","0,1"],"bandwidth":0.1})"});
    EXPECT_NEAR(slow.at("simulated_seconds").get<double>() /
                    sound.at("simulated_seconds").get<double>(),
                10, 0.02);
    const Outcome beyond = run_program(
        {"op", permute, "--cores", "32", "--fault", R"({"link":["0,0","9,0"],"bandwidth":0.1})"});
    EXPECT_EQ(beyond.exit_code, 2);
    EXPECT_THAT(beyond.errors, HasSubstr("/machine/faults/0/link/1: found \"9,0\""));
}

TEST(Op, SaysWhichOfAListIsWrongAndWhatElseItTakes)
{
    const auto refused = [](const std::vector<std::string>& words) {
        const Outcome outcome = run_program(words);
        EXPECT_EQ(outcome.exit_code, 2);
        return outcome.errors;
    };
    EXPECT_THAT(refused({"op", "[" + matmul + R"(,{"work":"matmull"}])"}), HasSubstr("OP, op 1: "));
    EXPECT_THAT(refused({"op", "[]"}), HasSubstr("empty list"));
    EXPECT_THAT(refused({"op", "no-such-file.json"}), HasSubstr("neither JSON nor a file"));
    EXPECT_THAT(refused({"op", "[" + matmul + "]", "--trace", "t.json"}),
                HasSubstr("found a list of ops"));
}

} // namespace
} // namespace alxsim::testing
