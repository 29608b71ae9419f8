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

TEST(Op, TellsSecondsInWordsBesideSixDigits)
{
    const std::string told =
        run_program({"op", all_reduce, "--chip", "tpu_v3", "--cores", "64"}).output;
    EXPECT_THAT(told, HasSubstr("simulated_seconds       0.000168666  (169 us)\n")) << told;
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

TEST(Op, TakesAMachineByItsNameAndSaysWhatThatIs)
{
    const Json named =
        Json::parse(run_program({"op", all_reduce, "--chip", "v4-32", "--json"}).output);
    EXPECT_EQ(named, Json::parse(run_program({"op", all_reduce, "--chip", "tpu_v4", "--cores", "32",
                                              "--slice", "2x2x4", "--json"})
                                     .output));
    EXPECT_EQ(named.at("machine").at("chips"), 16);
    EXPECT_EQ(named.at("machine").at("cores"), 32);
    EXPECT_EQ(named.at("machine").at("devices"), 16);
    EXPECT_THAT(run_program({"op", all_reduce, "--chip", "trillium-16"}).output,
                HasSubstr("tpu_v6e, 16 chips, 16 cores, 16 devices, slice 4x4\n"));
    EXPECT_THAT(run_program({"op", all_reduce, "--chip", "v5e-12"}).output,
                HasSubstr("slice 3x4 (assumed: the vendor lists no such slice)"));
    const Outcome other = run_program({"op", all_reduce, "--chip", "v4-32", "--cores", "16"});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.errors, HasSubstr("/machine/cores: found 16 beside chip 'v4-32'"));
}

TEST(Op, OfRolesIsTimedAsAWhole)
{
    const std::string sends =
        R"({"work":"collective","kind":"permute","name":"there","messages":[[0,1,65536]])";
    const std::string product = R"({"work":"matmul","m":1024,"k":1024,"n":1024)";
    const std::string roles = R"({"roles":[{"devices":[0],"graph":{"ops":[)" + product + "}," +
                              sends + R"(,"after":[0]}]}},{"devices":[1],"graph":{"ops":[)" +
                              sends + "}," + product + R"(,"after":[0]}]}}]})";
    const auto on_two = [](const std::string& op) {
        return Json::parse(
            run_program({"op", op, "--chip", "v5e", "--cores", "2", "--json"}).output);
    };
    const auto seconds = [](const Json& of) { return of.at("simulated_seconds").get<double>(); };
    const Json both = on_two(roles);
    EXPECT_NEAR(seconds(both), 2 * seconds(on_two(product + "}")) + seconds(on_two(sends + "}")),
                1e-11);
    EXPECT_NEAR(both.at("closed_form_seconds").get<double>(), seconds(both), 1e-11);
    EXPECT_GE(both.at("bound_seconds"), on_two(product + "}").at("bound_seconds"));
    EXPECT_EQ(both.at("limited_by"), "MXU");
    // Each computes and has the message, which is what the whole takes but for the other's product.
    ASSERT_EQ(both.at("role_ops_seconds").size(), 2U);
    EXPECT_NEAR(both.at("role_ops_seconds").at(0).get<double>(),
                seconds(on_two(product + "}")) + seconds(on_two(sends + "}")), 1e-10);
    EXPECT_EQ(both.at("role_ops_seconds").at(0), both.at("role_ops_seconds").at(1));
}

TEST(Op, OfNothingIsRefused)
{
    const auto refused = [](const std::string& op) {
        const Outcome outcome = run_program({"op", op});
        EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
        return outcome.errors;
    };
    EXPECT_THAT(refused(R"({"ops":[]})"), HasSubstr("OP: /ops: found no op"));
    EXPECT_THAT(refused(R"({"roles":[{"devices":[0],"graph":{"ops":[]}}]})"),
                HasSubstr("OP: /roles: found no op"));
    EXPECT_THAT(refused(R"({"work":"repeat","times":2,"body":{"ops":[]}})"),
                HasSubstr("/ops/0/body/ops: found no op"));
    EXPECT_THAT(refused(R"({"work":"repeat","times":0,"body":{"ops":[)" + matmul + "]}}"),
                HasSubstr("/ops/0/times: found 0; allowed: 1 or more"));
    EXPECT_THAT(refused(R"({"work":"allreduce","bytes":8})"),
                HasSubstr("did you mean 'collective', of kind 'all_reduce'?"));
}

TEST(Op, SaysWhereOperandsStandThatNobodyNames)
{
    const Outcome plain = run_program({"op", matmul, "--chip", "v5e-1", "--json"});
    EXPECT_THAT(plain.errors, HasSubstr("note: 1 op does not say where operands stand"));
    const std::string at_hand =
        R"({"work":"matmul","m":1024,"k":1024,"n":1024,"reads":[],"writes":[]})";
    const Outcome without = run_program({"op", at_hand, "--chip", "v5e-1", "--json"});
    EXPECT_EQ(without.errors, "");
    EXPECT_GT(Json::parse(plain.output).at("simulated_seconds"),
              Json::parse(without.output).at("simulated_seconds"));
}

TEST(Op, TakesSizesThatFollowTheMachine)
{
    const std::string shared = R"({"work":"vector","elements":"1048576/devices"})";
    const auto on = [](const std::string& op, const std::string& chip) {
        return Json::parse(run_program({"op", op, "--chip", chip, "--json"}).output)
            .at("simulated_seconds");
    };
    EXPECT_EQ(on(shared, "v5e-16"), on(R"({"work":"vector","elements":65536})", "v5e-16"));
    EXPECT_EQ(on(shared, "v4-16"), on(R"({"work":"vector","elements":131072})", "v4-16"))
        << "8 devices of two cores";
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

TEST(Op, OfATopKWithALengthIsTheOpGraphs)
{
    // Without one it reads scores from a file.
    const Outcome outcome =
        run_program({"op", R"({"work": "top_k", "rows": 64, "length": 8192, "k": 10})", "--chip",
                     "tpu_v5e", "--cores", "1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("VPU takes longest"));
}

} // namespace
} // namespace alxsim::testing
