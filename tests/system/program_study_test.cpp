// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>

/// A study whose workload is a program that XLA compiled (examples/jax).
namespace alxsim::testing {
namespace {

const std::string examples = std::string(ALXSIM_SOURCE_DIR) + "/examples/jax/";

Json study_of(const Json& hlo, const Json& machine)
{
    return {{"study", "compiled"},
            {"fidelity", "analytic"},
            {"machine", machine},
            {"workload", {{"program", {{"hlo", hlo}}}}}};
}

TEST(ProgramStudy, TakesWhatItsImportedGraphTakes)
{
    const TemporaryFolder folder;
    const std::string text = examples + "v5e_4x4/step.hlo.txt.gz";
    const std::string graph = folder.path("graph.json");
    ASSERT_EQ(run_program({"import", "hlo", text, "-o", graph}).exit_code, 0);
    const Json machine{
        {"chip", "tpu_v5e"}, {"cores", 16}, {"slice", "4x4"}, {"wrap", {false, false}}};
    const Json program = run_one_point(study_of(text, machine));
    Json imported = study_of(text, machine);
    imported["workload"] = {{"op_graph", graph}};
    const Json from_graph = run_one_point(imported);
    EXPECT_EQ(program.at("epoch_seconds"), from_graph.at("epoch_seconds"));
    EXPECT_EQ(program.at("phases"), from_graph.at("phases"));
    EXPECT_GT(program.at("phases").at("backward"), 0);
    EXPECT_GT(program.at("epoch_seconds_high"), program.at("epoch_seconds"));
}

TEST(ProgramStudy, HasAFileForEachNumberOfDevices)
{
    const TemporaryFolder folder;
    const std::string out = folder.path("out");
    const std::string study = examples + "mlp_on_slices.json";
    ASSERT_EQ(run_program({"run", study, "-o", out, "--quiet", "--no-band"}).exit_code, 0);
    const Json report = load_json(out + "/report.json");
    ASSERT_EQ(report.at("points").size(), 3U);
    // Each text and what stands beside it, by content.
    EXPECT_EQ(std::count_if(report.at("inputs").begin(), report.at("inputs").end(),
                            [](const Json& input) {
                                return input.at("file").get<std::string>().find("step.") !=
                                       std::string::npos;
                            }),
              6);
    const Outcome refused =
        run_program({"check", study, "--set", "/sweep={}", "--set", "/machine/cores=8"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find("/workload/program/hlo: found no program for 8 devices; allowed: "
                                  "machines of 16, 32, 64 devices"),
              std::string::npos)
        << refused.errors;
}

TEST(ProgramStudy, SaysWhereTheCodeIsThatOfAnotherChip)
{
    const auto notes_on = [](const char* chip) {
        return run_one_point(study_of(examples + "v5e_4x4/step.hlo.txt.gz",
                                      {{"chip", chip}, {"cores", 16}, {"slice", "4x4"}}))
            .at("notes")
            .dump();
    };
    EXPECT_EQ(notes_on("tpu_v5e").find("compiled for"), std::string::npos);
    EXPECT_NE(notes_on("tpu_v6e").find("compiled for tpu_v5e 4x4 and runs on tpu_v6e 4x4 with the "
                                       "same code"),
              std::string::npos);
}

TEST(ProgramStudy, RefusesAFieldThatIsNone)
{
    Json study = study_of("step.hlo.txt", {{"chip", "v5e-16"}});
    study["workload"]["program"]["trip"] = {{"while", 3}};
    const TemporaryFolder folder;
    const Outcome refused = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find("did you mean 'trips'"), std::string::npos) << refused.errors;
}

} // namespace
} // namespace alxsim::testing
