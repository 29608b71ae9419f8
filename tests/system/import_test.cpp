// SPDX-License-Identifier: Apache-2.0
#include "program.h"
#include "tests/unit/import/hlo_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// `alxsim import` from outside.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

TEST(ImportHlo, MakesAGraphThatOpAndRunTake)
{
    const TemporaryFolder folder;
    const std::string text = folder.write("step.hlo.txt", hlo::small_program);
    const std::string graph = folder.path("graph.json");
    const Outcome imported = run_program({"import", "hlo", text, "--chip", "v5e-8", "-o", graph});
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
    EXPECT_THAT(imported.output, HasSubstr("jit_step: 25 instructions, 9 mapped, 16 free"));
    EXPECT_THAT(imported.output, HasSubstr("--chip tpu_v5e --cores 8 --slice 2x4"));
    const Outcome timed = run_program({"op", graph, "--chip", "v5e-8", "--json"});
    ASSERT_EQ(timed.exit_code, 0) << timed.errors;
    EXPECT_GT(Json::parse(timed.output).at("simulated_seconds").get<double>(), 0);
    const std::size_t study = imported.output.find("  {\"study\"");
    ASSERT_NE(study, std::string::npos);
    const Outcome checked =
        run_program({"check", folder.write("study.json", imported.output.substr(study))});
    EXPECT_EQ(checked.exit_code, 0) << checked.errors;
}

TEST(ImportHlo, CountsAreWholeNumbers)
{
    const TemporaryFolder folder;
    const std::string text = folder.write("step.hlo.txt", hlo::small_program);
    const Outcome imported = run_program({"import", "hlo", text, "--chip", "v5e-8", "--json"});
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
    const Json found = Json::parse(imported.output);
    EXPECT_EQ(found.at("matmul_flops"), 3 * 2 * 8 * 128 * 128);
    EXPECT_EQ(found.at("collective_bytes").at("permute"), 3 * 8 * 128 * 2);
    EXPECT_EQ(found.at("unmapped"), Json::array());
}

TEST(ImportHlo, SaysWhatIsMissing)
{
    const TemporaryFolder folder;
    const std::string text = folder.write("step.hlo.txt", hlo::small_program);
    const Outcome without = run_program({"import", "hlo", text});
    EXPECT_EQ(without.exit_code, 2);
    EXPECT_THAT(without.errors, HasSubstr("--chip"));
    const Outcome other = run_program({"import", "hlo", text, "--chip", "v5e-4"});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.errors, HasSubstr("found 8 partitions"));
    const Outcome unknown =
        run_program({"import", "hlo", text, "--chip", "v5e-8", "--trip", "loop.7=3"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("loop.7"));
}

/// Two ranks that compute for 50 us and sum 4,096 numbers of two bytes.
const char* const kineto_trace = R"({"traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 10, "dur": 50, "args": {"stream": 7}},
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 61, "dur": 30,
     "args": {"stream": 20, "Collective name": "allreduce", "In msg nelems": 4096,
              "dtype": "BFloat16", "Group size": 2, "Process Group Name": "0",
              "Process Group Ranks": "[0, 1]"}}]})";

TEST(ImportKineto, MakesAGraphThatOpAndRunTake)
{
    const TemporaryFolder folder;
    const std::string graph = folder.path("graph.json");
    const Outcome imported =
        run_program({"import", "kineto", folder.write("rank0.json", kineto_trace),
                     folder.write("rank1.json", kineto_trace), "--chip", "v5e", "-o", graph});
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
    EXPECT_THAT(imported.output, HasSubstr("2 traces: 4 nodes, 4 mapped, 0 dropped"));
    EXPECT_THAT(imported.output, HasSubstr("all_reduce 8,192 bytes in 1 calls"));
    const Outcome timed = run_program({"op", graph, "--chip", "v5e-2", "--json"});
    ASSERT_EQ(timed.exit_code, 0) << timed.errors;
    EXPECT_GT(Json::parse(timed.output).at("simulated_seconds").get<double>(), 50e-6);
    const std::size_t study = imported.output.find("  {\"study\"");
    ASSERT_NE(study, std::string::npos);
    const Outcome ran =
        run_program({"run", folder.write("study.json", imported.output.substr(study)), "-o",
                     folder.path("out"), "--quiet"});
    EXPECT_EQ(ran.exit_code, 0) << ran.errors;
}

/// A Node of Chakra's protobuf: 7 us of computing.
TEST(ImportChakra, FindsTheRanksOfAPrefix)
{
    const TemporaryFolder folder;
    const std::string bytes("\x07\x0a\x05"
                            "0.0.4"
                            "\x06\x08\x01\x18\x04\x38\x07",
                            15);
    folder.write("step.0.et", bytes);
    folder.write("step.1.et", bytes);
    const Outcome imported =
        run_program({"import", "chakra", folder.path("step"), "--chip", "v5e", "--json"});
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
    const Json found = Json::parse(imported.output);
    EXPECT_EQ(found.at("traces"), 2);
    EXPECT_EQ(found.at("computations_of_known_time"), 2);
    EXPECT_DOUBLE_EQ(found.at("step_seconds_if_devices_are_alike").get<double>(), 7e-6);
}

TEST(ImportChakra, SaysWhatIsMissing)
{
    const TemporaryFolder folder;
    const Outcome without = run_program({"import", "chakra", folder.path("step"), "--chip", "v5e"});
    EXPECT_EQ(without.exit_code, 2);
    EXPECT_THAT(without.errors, HasSubstr("found neither this file nor"));
    const Outcome cut = run_program({"import", "chakra",
                                     folder.write("cut.et", "\x07\x0a\x05"
                                                            "0.0"),
                                     "--chip", "v5e-1"});
    EXPECT_EQ(cut.exit_code, 2);
    EXPECT_THAT(cut.errors, HasSubstr("cut.et: byte 0: found a length of 7 bytes"));
}

} // namespace
} // namespace alxsim::testing
