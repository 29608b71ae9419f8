// SPDX-License-Identifier: Apache-2.0
#include "program.h"
#include "tests/unit/import/hlo_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// `alxsim import hlo` from outside.
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

} // namespace
} // namespace alxsim::testing
