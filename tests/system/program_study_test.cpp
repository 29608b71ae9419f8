// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

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

/// The same without a machine, but for what is given.
Json study_without_machine(const Json& program, const Json& more = Json::object())
{
    Json study{
        {"study", "compiled"}, {"fidelity", "analytic"}, {"workload", {{"program", program}}}};
    study.update(more);
    return study;
}

Json report_of(const TemporaryFolder& folder, const Json& study)
{
    const std::string out = folder.path("out");
    const Outcome run = run_program(
        {"run", folder.write("study.json", study.dump()), "-o", out, "--quiet", "--no-band"});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return load_json(out + "/report.json");
}

TEST(ProgramStudy, TakesItsMachineFromTheFileBesideTheText)
{
    const std::string text = examples + "v5e_4x4/step.hlo.txt.gz";
    const Json said{{"chip", "tpu_v5e"}, {"cores", 16}, {"slice", "4x4"}, {"wrap", {false, false}}};
    const Json point = run_one_point(study_without_machine({{"hlo", text}}));
    EXPECT_EQ(point.at("epoch_seconds"), run_one_point(study_of(text, said)).at("epoch_seconds"));
    EXPECT_NE(point.at("notes").dump().find("chip, slice and its rings are as step.json has them: "
                                            "tpu_v5e 4x4"),
              std::string::npos);
    Json faster = said;
    faster["overrides"] = {{"ici_link_bw_oneway", "x2"}};
    const Json alone{{"machine", {{"overrides", faster.at("overrides")}}}};
    const Json overridden = run_one_point(study_without_machine({{"hlo", text}}, alone));
    EXPECT_EQ(overridden.at("epoch_seconds"),
              run_one_point(study_of(text, faster)).at("epoch_seconds"));
    EXPECT_NE(overridden.at("notes").dump().find("runs with the same code where values of the chip "
                                                 "are overridden"),
              std::string::npos);
}

TEST(ProgramStudy, OtherWorkloadsNeedTheirMachine)
{
    const TemporaryFolder folder;
    const Json study{{"study", "s"}, {"workload", {{"op_graph", "g.json"}}}};
    const Outcome refused = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find("s.json: top level: missing field 'machine'"), std::string::npos)
        << refused.errors;
}

TEST(ProgramStudy, SeveralFilesAreACurve)
{
    const TemporaryFolder folder;
    const Json report =
        report_of(folder, study_without_machine({{"hlo", examples + "v5e_{4x4,4x8,8x8}/*.gz"}}));
    const Json by_devices = report_of(
        folder, study_without_machine({{"hlo",
                                        {{"64", examples + "v5e_8x8/step.hlo.txt.gz"},
                                         {"16", examples + "v5e_4x4/step.hlo.txt.gz"},
                                         {"32", examples + "v5e_4x8/step.hlo.txt.gz"}}}}));
    ASSERT_EQ(report.at("points").size(), 3U);
    ASSERT_EQ(by_devices.at("points").size(), 3U);
    EXPECT_TRUE(report.at("series").at(0).contains("sweet_spot"));
    const std::vector<std::string> slices{"4x4", "4x8", "8x8"};
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const Json& point = report.at("points").at(i);
        EXPECT_EQ(point.at("machine").at("slice"), slices[i]);
        EXPECT_EQ(point.at("machine").at("slice_assumed"), false);
        EXPECT_EQ(point.at("epoch_seconds"), by_devices.at("points").at(i).at("epoch_seconds"));
    }
    const Outcome explained = run_program({"explain", folder.path("out/report.json")});
    EXPECT_EQ(explained.exit_code, 0) << explained.errors;
    for (const char* said : {"By source line: mlp.py:17", "By axes: x+y (",
                             "With all of them the code stays the one that was compiled"}) {
        EXPECT_NE(explained.output.find(said), std::string::npos) << said << explained.output;
    }
}

/// One point: no sweet spot, but what would help all the same, and it helps when it is done.
TEST(ProgramStudy, OfOnePointSaysWhatWouldHelpAndThatHelps)
{
    const TemporaryFolder folder;
    Json study = study_without_machine({{"hlo", examples + "v5e_4x4/step.hlo.txt.gz"}});
    study["sweep"] = Json::parse(R"({"/machine/overrides": [{}, {"ici_link_bw_oneway": "x2"}]})");
    const auto explained = [&](const char* name) {
        const std::string file = folder.write(std::string(name) + ".json", study.dump());
        run_program({"run", file, "-o", folder.path(name), "--quiet"});
        return run_program({"explain", folder.path(std::string(name) + "/report.json")});
    };
    const std::string swept = explained("swept").output;
    EXPECT_NE(swept.find("the preset's point (overrides {})"), std::string::npos) << swept;
    EXPECT_NE(swept.find("ici_link_bw_oneway x2: 0."), std::string::npos) << swept;
    study.erase("sweep");
    const std::string alone = explained("alone").output;
    EXPECT_NE(alone.find("What would help, one thing at a time."), std::string::npos) << alone;
    EXPECT_NE(alone.find("links of twice the bandwidth:"), std::string::npos) << alone;
    EXPECT_NE(alone.find("- and 3 more, which matter less (all: --json)."), std::string::npos)
        << "five are told: " << alone;
    const Json by_itself = load_json(folder.path("alone/report.json")).at("points").at(0);
    const Json with_links = load_json(folder.path("swept/report.json")).at("points").at(1);
    EXPECT_LT(with_links.at("epoch_seconds"), by_itself.at("epoch_seconds"));
    // The rings are those of step.json: no world has others.
    EXPECT_EQ(by_itself.dump().find("wrap of all axes"), std::string::npos);
}

TEST(ProgramStudy, FitsByWhatXlaAllocates)
{
    const std::string text = examples + "v5e_4x4/step.hlo.txt.gz";
    const auto point_with = [&](const char* fits_by, double usable_bytes) {
        return run_one_point(study_without_machine(
            {{"hlo", text}, {"fits_by", fits_by}},
            {{"machine", {{"overrides", {{"hbm_usable_bytes_chip", usable_bytes}}}}}}));
    };
    const Json memory = point_with("xla", 16e9).at("memory");
    const Json beside = load_json(examples + "v5e_4x4/step.json").at("memory");
    const auto bytes = [&](const char* name) { return beside.at(name).get<std::int64_t>(); };
    const std::int64_t allocated = bytes("argument_size_in_bytes") + bytes("output_size_in_bytes") -
                                   bytes("alias_size_in_bytes") + bytes("temp_size_in_bytes");
    EXPECT_EQ(memory.at("compiler_bytes_per_core"), allocated);
    const auto alive = memory.at("bytes_per_core").get<double>();
    EXPECT_NEAR(alive, static_cast<double>(allocated), 0.2 * alive);
    ASSERT_LT(alive, allocated);
    const double between = (alive + static_cast<double>(allocated)) / 2;
    const Json unfit = point_with("xla", between);
    EXPECT_EQ(unfit.at("fits"), false);
    EXPECT_FALSE(unfit.contains("epoch_seconds"));
    EXPECT_NE(unfit.at("notes").dump().find("another packing might fit"), std::string::npos);
    // What the compiler has accepted for this chip fits, whatever its statistics add up to.
    EXPECT_FALSE(point_with("xla", 17e9).at("memory").contains("compiler_bytes_per_core"));
    const Json counted = point_with("count", between);
    EXPECT_EQ(counted.at("fits"), true);
    EXPECT_FALSE(counted.at("memory").contains("compiler_bytes_per_core"));
    EXPECT_NE(counted.at("notes").dump().find("judged by what is alive at once"),
              std::string::npos);
}

TEST(ProgramStudy, WithoutTheFileOurCountOfMemoryDecides)
{
    const TemporaryFolder folder;
    const std::string text =
        folder.write("step.hlo.txt.gz", read_file(examples + "v5e_4x4/step.hlo.txt.gz"));
    const Json point = run_one_point(study_of(text, {{"chip", "v5e-16"}}));
    EXPECT_FALSE(point.at("memory").contains("compiler_bytes_per_core"));
    EXPECT_NE(point.at("notes").dump().find("no step.json says what XLA allocates"),
              std::string::npos);
}

double sum_of(const Json& rows, const char* field)
{
    double sum = 0;
    for (const Json& row : rows) {
        sum += row.at(field).get<double>();
    }
    return sum;
}

TEST(ProgramStudy, TellsTimeBySourceLineCollectiveAndAxes)
{
    const Json point =
        run_one_point(study_without_machine({{"hlo", examples + "v5e_4x4/step.hlo.txt.gz"}}));
    const Json& tables = point.at("time_by");
    ASSERT_EQ(tables.size(), 3U);
    std::vector<std::string> by;
    for (const Json& table : tables) {
        by.push_back(table.at("by"));
        EXPECT_NEAR(sum_of(table.at("rows"), "seconds"), point.at("epoch_seconds"), 1e-12);
        EXPECT_NEAR(sum_of(table.at("rows"), "share"), 1, 1e-12);
        EXPECT_NEAR(sum_of(table.at("rows"), "work_seconds"),
                    sum_of(tables.at(0).at("rows"), "work_seconds"), 1e-12)
            << "all have the same ops";
    }
    EXPECT_EQ(by, (std::vector<std::string>{"source line", "collective", "axes"}));
    EXPECT_EQ(tables.at(0).at("rows").at(0).at("name"), "mlp.py:17");
    std::int64_t bytes = 0;
    for (const Json& row : tables.at(1).at("rows")) {
        bytes += row.value("bytes", std::int64_t{0});
    }
    EXPECT_EQ(bytes, 100663296 + 178257920) << "as 'import hlo' counts all_gather and permute";
    EXPECT_EQ(point.at("assumed").at("share"), 0);
}

/// A product, and a call that nobody knows the time of.
std::string text_with_assumed_call()
{
    return "HloModule job, is_scheduled=true, num_partitions=4\n\n"
           "ENTRY %main (a: f32[4096,4096]) -> f32[4096,4096] {\n"
           "  %a = f32[4096,4096]{1,0} parameter(0)\n"
           "  %dot = f32[4096,4096]{1,0} dot(%a, %a), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}\n"
           "  ROOT %odd = f32[4096,4096]{1,0} custom-call(%dot), custom_call_target=\"Odd\"\n"
           "}\n";
}

TEST(ProgramStudy, EveryAnswerSaysHowMuchIsAssumed)
{
    const TemporaryFolder folder;
    const std::string text = folder.write("job.hlo.txt", text_with_assumed_call());
    Json study = study_of(text, {{"chip", "v5e-4"}});
    study["workload"]["program"]["assume"] = {{"Odd", 2e-3}};
    const std::string path = folder.write("study.json", study.dump());
    const Outcome run = run_program({"run", path, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    const Json point = load_json(folder.path("out/report.json")).at("points").at(0);
    const double share = point.at("assumed").at("share");
    // The call comes behind the product and takes its seconds, times those of the slowest device.
    EXPECT_GT(share * point.at("epoch_seconds").get<double>(), 2e-3);
    EXPECT_LT(share * point.at("epoch_seconds").get<double>(), 2.2e-3);
    const std::string words = point.at("assumed").at("words");
    EXPECT_NE(
        words.find(
            "of the time of a run of the program rests on 1 instruction whose cost is assumed"),
        std::string::npos)
        << words;
    const Outcome imported =
        run_program({"import", "hlo", text, "--chip", "v5e-4", "--assume", "Odd=2ms", "--json"});
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
    const double of_step = Json::parse(imported.output).at("assumed_time_share");
    EXPECT_GT(of_step, share) << "which is of the step with its dispatch";
    EXPECT_LT(of_step, 1);
    for (const std::string& said :
         {run.output, run_program({"explain", folder.path("out/report.json")}).output,
          run_program({"import", "hlo", text, "--chip", "v5e-4", "--assume", "Odd=2ms"}).output,
          run_program({"advise", path}).output}) {
        EXPECT_NE(said.find(" rests on"), std::string::npos) << said;
    }
}

TEST(ProgramStudy, AdviseRanksVariants)
{
    const TemporaryFolder folder;
    Json study = study_without_machine({{"variants",
                                         {{"as compiled", examples + "v5e_4x4/step.hlo.txt.gz"},
                                          {"with a call", folder.path("job.hlo.txt")}}}});
    std::string other = text_with_assumed_call();
    other.replace(other.find("num_partitions=4"), 16, "num_partitions=16");
    other.replace(other.find("custom-call"),
                  other.find(", custom_call_target") - other.find("custom-call"), "negate(%dot)");
    other.erase(other.find(", custom_call_target"), 26);
    folder.write("job.hlo.txt", other);
    study["machine"] = {{"chip", "v5e-16"}};
    const std::string path = folder.write("study.json", study.dump());
    const Outcome advised = run_program({"advise", path, "--json", "--quiet"});
    ASSERT_EQ(advised.exit_code, 0) << advised.errors;
    const Json plans = Json::parse(advised.output).at("plans");
    ASSERT_EQ(plans.size(), 2U);
    EXPECT_EQ(plans.at(0).at("set").at("/workload/program/variant"), "with a call");
    EXPECT_EQ(plans.at(1).at("released"), true);
    EXPECT_GT(plans.at(0).at("speedup"), 1);
    Json swept = study;
    swept["sweep"] = {{"/workload/program/variant", {"as compiled", "with a call"}}};
    const Json points = report_of(folder, swept).at("points");
    EXPECT_GT(points.at(0).at("epoch_seconds"), points.at(1).at("epoch_seconds"));
}

TEST(ProgramStudy, AdviseSaysThatTheCodeStaysTheSameOnAnotherChip)
{
    const TemporaryFolder folder;
    const Json study = study_without_machine({{"hlo", examples + "v5e_4x4/step.hlo.txt.gz"}});
    const std::string path = folder.write("study.json", study.dump());
    const std::string chips = "--chips=tpu_v5e,tpu_v6e";
    const Outcome told = run_program({"advise", path, chips, "--quiet"});
    ASSERT_EQ(told.exit_code, 0) << told.errors;
    EXPECT_NE(told.output.find("the program was compiled for tpu_v5e 4x4"), std::string::npos)
        << told.output;
    const Json plans =
        Json::parse(run_program({"advise", path, chips, "--json", "--quiet"}).output).at("plans");
    EXPECT_NE(plans.at(0).at("notes").dump().find("with the same code"), std::string::npos);
    EXPECT_EQ(plans.at(1).at("notes").dump().find("with the same code"), std::string::npos);
}

/// One model, compiled with different recomputation; without any it does not fit.
TEST(ProgramStudy, RecomputationIsAChoiceAmongVariants)
{
    const std::string tpu = std::string(ALXSIM_SHARED_DIR) + "/data/programs/tpu/";
    const auto text = [&](const char* kept) {
        return tpu + "llama_fsdp_remat_" + kept + "__v5e-4x4.hlo.txt.gz";
    };
    if (!std::filesystem::exists(text("none"))) {
        GTEST_SKIP() << "needs the shared programs";
    }
    const TemporaryFolder folder;
    const Json study = study_without_machine(
        {{"variants", {{"none", text("none")}, {"dots", text("dots")}, {"full", text("full")}}}},
        {{"machine", {{"overrides", {{"hbm_usable_bytes_chip", 5e9}}}}}});
    const Outcome advised =
        run_program({"advise", folder.write("study.json", study.dump()), "--json", "--quiet"});
    ASSERT_EQ(advised.exit_code, 0) << advised.errors;
    const Json plans = Json::parse(advised.output).at("plans");
    ASSERT_EQ(plans.size(), 3U) << "every variant is told";
    EXPECT_EQ(plans.at(0).at("changes"), Json({"variant dots"}));
    EXPECT_EQ(plans.at(1).at("changes"), Json({"variant full"}));
    EXPECT_EQ(plans.at(2).at("fits"), false) << "6.45 GB are allocated";
    EXPECT_GT(plans.at(2).at("memory").at("compiler_bytes_per_core"), 6.4e9);
    EXPECT_GT(plans.at(0).at("simulated").at("cost_usd"), 0);
    EXPECT_LT(plans.at(0).at("simulated").at("epoch_seconds_low"),
              plans.at(0).at("simulated").at("epoch_seconds_high"));
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
