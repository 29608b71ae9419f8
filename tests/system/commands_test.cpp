// SPDX-License-Identifier: Apache-2.0
#include "program.h"
#include "report/report.h"
#include "report/schema/report_schema.h"

#include <gtest/gtest.h>

namespace alxsim::testing {
namespace {

Json op(const std::vector<std::string>& arguments)
{
    std::vector<std::string> all{"op"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.push_back("--json");
    const Outcome outcome = run_program(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

/// Runs a study of one point, a matmul and then an all-reduce, through SystemC; the point.
Json point_on(const Json& machine, std::int64_t bytes)
{
    const TemporaryFolder folder;
    const Json graph{
        {"ops",
         {{{"work", "matmul"}, {"m", 512}, {"k", 512}, {"n", 512}, {"phase", "forward"}},
          {{"work", "collective"},
           {"kind", "all_reduce"},
           {"bytes", bytes},
           {"name", "sum"},
           {"phase", "gradients"},
           {"after", {0}}}}}};
    folder.write("graph.json", graph.dump());
    const Json study{{"study", "own"},
                     {"numerics", false},
                     {"fidelity", "detailed"},
                     {"machine", machine},
                     {"workload", {{"op_graph", "graph.json"}}}};
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = load_json(folder.path("out/report.json"));
    EXPECT_NO_THROW(report::validate_report(report, "report.json"));
    return report.at("points").at(0);
}

/// Adds up all axes and directions.
double sum_over_axes(const Json& point, const std::string& field)
{
    double sum = 0;
    for (const Json& axis : point.at("ici").at("axes")) {
        sum += axis.at(field).get<double>();
    }
    return sum;
}

TEST(Help, OfEveryCommandSaysWhatItTakes)
{
    const std::string all = run_program({"--help"}).output;
    for (const char* command : {"run", "check", "op", "chips", "report", "compare", "dataset"}) {
        EXPECT_NE(all.find(command), std::string::npos) << command;
        const Outcome help = run_program({command, "--help"});
        EXPECT_EQ(help.exit_code, 0);
        EXPECT_GT(help.output.size(), 150U) << help.output;
    }
    EXPECT_EQ(all.find("standard input"), std::string::npos)
        << "the internal command is shown to people";
}

TEST(Help, OfRunListsAllStrategiesThatStudiesMayName)
{
    const std::string help = run_program({"run", "--help"}).output;
    const Json schema = Json::parse(run_program({"check", "--schema"}).output);
    const Json& alx =
        schema.at(Json::json_pointer("/properties/workload/properties/alx/properties"));
    for (const char* field : {"gather", "scatter", "placement", "solver"}) {
        ASSERT_GT(alx.at(field).at("enum").size(), 2U);
        for (const Json& name : alx.at(field).at("enum")) {
            EXPECT_NE(help.find(name.get<std::string>()), std::string::npos) << name;
        }
    }
    EXPECT_NE(help.find("{\"ops\": [...]}"), std::string::npos) << "of an op graph";
}

TEST(Op, GivesBoundClosedFormAndSimulatedTimeInThatOrder)
{
    const Json allreduce = op({R"({"work":"collective","kind":"all_reduce","bytes":8388608})",
                               "--chip", "tpu_v3", "--cores", "64"});
    EXPECT_LE(allreduce.at("bound_seconds").get<double>(),
              allreduce.at("simulated_seconds").get<double>());
    EXPECT_NEAR(allreduce.at("simulated_seconds").get<double>() /
                    allreduce.at("closed_form_seconds").get<double>(),
                1.0, 0.01);
    EXPECT_EQ(allreduce.at("limited_by"), "link bandwidth");
    EXPECT_NE(allreduce.at("why").get<std::string>().find("hop latency"), std::string::npos);
}

TEST(Op, EveryCollectiveStaysBetweenItsBoundAndItsClosedForm)
{
    for (const char* kind :
         {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "permute"}) {
        const std::string work =
            std::string(R"({"work":"collective","bytes":1048576,"kind":")") + kind + "\"}";
        for (const char* chip : {"tpu_v3", "tpu_v4", "tpu_v5e"}) {
            const Json result = op({work, "--chip", chip, "--cores", "64"});
            const double simulated = result.at("simulated_seconds").get<double>();
            EXPECT_LE(result.at("bound_seconds").get<double>(), simulated)
                << kind << " on " << chip;
            EXPECT_NEAR(simulated / result.at("closed_form_seconds").get<double>(), 1.0, 0.01)
                << kind << " on " << chip;
        }
    }
}

TEST(Op, AnOverrideChangesTheMachine)
{
    const std::string gather = R"({"work":"row_gather","rows":1000000,"row_bytes":256})";
    const double fast = op({gather, "--chip", "tpu_v3"}).at("simulated_seconds").get<double>();
    const double slow = op({gather, "--chip", "tpu_v3", "--override", "gather_row_s=2.6e-8"})
                            .at("simulated_seconds")
                            .get<double>();
    EXPECT_NEAR(slow / fast, 2.0, 0.01) << "26 ns a row against 13";
}

TEST(Op, ALargeMatmulIsBoundByTheMxu)
{
    const Json matmul =
        op({R"({"work":"matmul","m":4096,"k":4096,"n":4096})", "--chip", "tpu_v5e"});
    EXPECT_EQ(matmul.at("limited_by"), "MXU");
    EXPECT_GE(matmul.at("simulated_seconds").get<double>(), 2 * 4096.0 * 4096 * 4096 / 197e12);
}

TEST(Chips, ShowEachNumberWithItsSource)
{
    const std::string all = run_program({"chips"}).output;
    for (const char* chip :
         {"tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p", "tpu_v6e", "tpu_7x"}) {
        EXPECT_NE(all.find(chip), std::string::npos) << chip;
    }
    const std::string v3 = run_program({"chips", "tpu_v3"}).output;
    EXPECT_NE(v3.find("gather_row_s"), std::string::npos);
    EXPECT_NE(v3.find("assumed"), std::string::npos);
}

TEST(Chips, RooflineStandsNextToTheDatasheetForEveryPreset)
{
    const Outcome all = run_program({"chips", "--roofline"});
    EXPECT_EQ(all.exit_code, 0) << all.errors;
    for (const char* chip :
         {"tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p", "tpu_v6e", "tpu_7x"}) {
        EXPECT_NE(all.output.find(std::string("one chip of ") + chip), std::string::npos) << chip;
    }
    const std::string v3 = run_program({"chips", "tpu_v3", "--roofline"}).output;
    for (const char* part : {"datasheet", "matmul", "vector", "stream, read", "stream, copy",
                             "gather of 256-byte rows", "clamped", "mapping"}) {
        EXPECT_NE(v3.find(part), std::string::npos) << part << "\n" << v3;
    }
}

TEST(Check, TellsPointsAndMemoryAndRunsNothing)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"check", folder.write("s.json", small_study(folder).dump())});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("3 points"), std::string::npos) << outcome.output;
}

TEST(Check, ForeseesMinutesWhereNumbersAreSimulatedOnThousandsOfCores)
{
    const TemporaryFolder folder;
    const Json study = {
        {"study", "many cores"},
        {"fidelity", "detailed"},
        {"machine", {{"chip", "tpu_v3"}, {"cores", 2048}}},
        {"workload",
         {{"dataset", {{"generate", {{"rows", 40000}, {"columns", 40000}, {"links", 50000}}}}},
          {"alx", {{"dim", 16}, {"batch", {{"lines", 512}, {"line_length", 8}, {"rows", 32}}}}}}}};
    const Outcome checked = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(checked.exit_code, 0) << checked.errors;
    // An earlier version said 17 s of a point that took more than 400 s.
    EXPECT_TRUE(checked.output.find(" minutes of one core") != std::string::npos ||
                checked.output.find(" hours of one core") != std::string::npos)
        << checked.output;
}

TEST(Check, PredictsARunsTimeByWhatAnEarlierOneTook)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const std::string report = folder.path("out/report.json");
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("out"), "--quiet"}).exit_code, 0);
    Json made = load_json(report);
    Json& work = made.at("host").at("work").at(0);
    EXPECT_EQ(work.at("kind"), "numbers");
    EXPECT_EQ(work.at("points"), 3);
    EXPECT_GT(work.at("predicted_cpu_seconds").get<double>(), 0);
    EXPECT_GT(work.at("cpu_seconds").get<double>(), 0);
    work["cpu_seconds"] = 400000;
    work["predicted_cpu_seconds"] = 1;
    const std::string slow = folder.write("slow.json", made.dump());
    const Outcome predicted = run_program({"check", study, "--like", slow});
    EXPECT_NE(predicted.output.find("hours of one core of that report's host"), std::string::npos)
        << predicted.output << predicted.errors;
    made.at("host").erase("work");
    const Outcome refused =
        run_program({"check", study, "--like", folder.write("old.json", made.dump())});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.errors.find("old.json: /host/work"), std::string::npos) << refused.errors;
}

TEST(Overrides, ThatChangeNothingAreToldByCheckRunOpAndReport)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("study.json", small_study(folder).dump());
    const std::string note = "the override of peak_bf16_flops_chip changes nothing";
    const std::vector<std::string> set{"--set", "/machine/overrides/peak_bf16_flops_chip=x2"};
    const Outcome checked = run_program({"check", study, set[0], set[1]});
    EXPECT_EQ(checked.exit_code, 0) << checked.errors;
    EXPECT_NE(checked.output.find("note: " + note), std::string::npos) << checked.output;
    const Outcome run = run_program({"run", study, "-o", folder.path("out"), set[0], set[1]});
    EXPECT_NE(run.errors.find("note: " + note), std::string::npos) << run.errors;
    const Json report = load_json(folder.path("out/report.json"));
    EXPECT_EQ(report.at("points").at(0).at("notes").at(0).get<std::string>().find(note), 0U);
    const Outcome op = run_program({"op", R"({"work":"matmul","m":128,"k":128,"n":128})",
                                    "--override", "peak_bf16_flops_chip=x2"});
    EXPECT_NE(op.errors.find("note: " + note), std::string::npos) << op.errors;
}

TEST(Overrides, AsAFactorAreRefusedAtTheirPlaceWhereTheyAreNone)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("study.json", small_study(folder).dump());
    const Outcome outcome =
        run_program({"check", study, "--set", "/machine/overrides/hbm_bw_chip=xfoo"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("/machine/overrides/hbm_bw_chip: found string \"xfoo\"; "
                                  "'hbm_bw_chip' allows: number in B/s, or x and a factor"),
              std::string::npos)
        << outcome.errors;
}

TEST(Run, AJobThatDoesNotFitIsAPointAndNotAnError)
{
    const TemporaryFolder folder;
    const std::string study =
        folder.write("s.json", R"({"study": "too big", "numerics": false, "fidelity": "analytic",
        "machine": {"chip": "tpu_v3", "cores": 8},
        "workload": {"dataset": {"webgraph": "sparse"}, "alx": {"batch": "auto"}},
        "sweep": {"/machine/cores": [16, 32]}})");
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = load_json(folder.path("out/report.json"));
    EXPECT_EQ(report.at("points").at(0).at("fits"), false);
    EXPECT_GT(report.at("points").at(0).at("memory").at("bytes_per_core"),
              report.at("points").at(0).at("memory").at("capacity_bytes"));
    EXPECT_EQ(report.at("points").at(1).at("fits"), true);
}

TEST(Run, AnOpGraphOfOnesOwnIsAStep)
{
    const TemporaryFolder folder;
    folder.write("graph.json", R"({"ops": [
        {"work": "matmul", "m": 512, "k": 512, "n": 512, "phase": "forward"},
        {"work": "collective", "kind": "all_reduce", "bytes": 1048576, "phase": "gradients", "after": [0]}]})");
    const std::string study =
        folder.write("s.json", R"({"study": "own", "numerics": false, "fidelity": "detailed",
        "machine": {"chip": "tpu_v5e", "cores": 16}, "workload": {"op_graph": "graph.json"}})");
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json point = load_json(folder.path("out/report.json")).at("points").at(0);
    EXPECT_GT(point.at("phases").at("forward").get<double>(), 0);
    EXPECT_GT(point.at("phases").at("gradients").get<double>(), 0);
}

TEST(Run, ATwistedSliceIsNamedAndItsLinksAreCounted)
{
    const Json point = point_on(
        {{"chip", "tpu_v4"}, {"cores", 256}, {"slice", "4x4x8"}, {"twisted", true}}, 1 << 20);
    EXPECT_EQ(point.at("machine").at("twisted"), true);
    EXPECT_FALSE(point.at("machine").contains("faults"));
    ASSERT_EQ(point.at("ici").at("axes").size(), 6U);
    EXPECT_EQ(sum_over_axes(point, "links"), 6 * 128);
    EXPECT_EQ(sum_over_axes(point, "bytes"), point.at("ici").at("bytes"));
    EXPECT_GE(point.at("ici").at("hops_per_message").get<double>(), 1);
}

TEST(Run, ASlowLinkIsTheBusiestAndFaultsAreCounted)
{
    const Json faults = {{{"link", {"1,1", "2,1"}}, {"bandwidth", 0.5}},
                         {{"core", 5}, {"speed", 0.5}}};
    const Json point = point_on({{"chip", "tpu_v5e"}, {"cores", 16}, {"faults", faults}}, 1 << 20);
    EXPECT_EQ(point.at("machine").at("faults"), 2);
    EXPECT_EQ(sum_over_axes(point, "bytes"), point.at("ici").at("bytes"));
    const Json& up = point.at("ici").at("axes").at(0);
    EXPECT_EQ(up.at("axis"), "x");
    EXPECT_EQ(up.at("direction"), "+");
    EXPECT_EQ(up.at("busiest").at("chip"), "1,1");
    EXPECT_GT(up.at("busiest").at("busy_seconds").get<double>() * up.at("links").get<double>(),
              up.at("busy_seconds").get<double>());
}

TEST(Run, EveryCollectiveHasItsScheduleAndThePointAStatement)
{
    const Json heavy = point_on({{"chip", "tpu_v5e"}, {"cores", 16}}, 1 << 24);
    ASSERT_EQ(heavy.at("schedules").size(), 1U);
    const Json& sum = heavy.at("schedules").at(0);
    EXPECT_EQ(sum.at("phase"), "gradients");
    EXPECT_EQ(sum.at("op"), "sum");
    EXPECT_EQ(sum.at("kind"), "all_reduce");
    EXPECT_EQ(sum.at("times"), 1);
    EXPECT_FALSE(sum.at("schedule").get<std::string>().empty());
    EXPECT_LE(sum.at("bound_seconds").get<double>(), sum.at("seconds").get<double>());
    EXPECT_NEAR(sum.at("seconds").get<double>() / heavy.at("communication_seconds").get<double>(),
                1, 0.01);
    EXPECT_EQ(heavy.at("network").at("statement").get<std::string>().find("On the critical path"),
              0U);
    EXPECT_LT(heavy.at("network").at("latency_share").get<double>(), 0.2);

    const Json alone = point_on({{"chip", "tpu_v5e"}, {"cores", 1}}, 1024);
    EXPECT_EQ(alone.at("ici").at("axes"), Json::array());
    EXPECT_EQ(alone.at("network").at("statement").get<std::string>().find("Off the critical path"),
              0U);
}

TEST(Run, AMeanEpochsBytesAddUpOverTheAxes)
{
    const TemporaryFolder folder;
    const Json study = small_study(folder, {{"sweep", {{"/machine/cores", {8}}}}});
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json point = load_json(folder.path("out/report.json")).at("points").at(0);
    EXPECT_GT(point.at("ici").at("bytes").get<double>(), 0);
    EXPECT_NEAR(sum_over_axes(point, "bytes") / point.at("ici").at("bytes").get<double>(), 1,
                1e-12);
    EXPECT_NEAR(sum_over_axes(point, "busy_seconds") /
                    (point.at("ici").at("utilisation").get<double>() *
                     sum_over_axes(point, "links") * point.at("epoch_seconds").get<double>()),
                1, 1e-6);
    EXPECT_GE(point.at("schedules").size(), 3U);
}

TEST(Report, PageAndTableCanBeMadeAgain)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    ASSERT_EQ(run_program({"run", study, "-o", folder.path("out"), "--quiet"}).exit_code, 0);
    for (const char* name : {"report.html", "points.csv"}) {
        const std::string again = folder.path(std::string("again-") + name);
        ASSERT_EQ(run_program({"report", folder.path("out/report.json"), "-o", again}).exit_code,
                  0);
        EXPECT_EQ(read_file(again), read_file(folder.path(std::string("out/") + name))) << name;
    }
    const Outcome compared =
        run_program({"compare", folder.path("out/report.json"), folder.path("out/report.json"),
                     "--html", folder.path("compared.html")});
    EXPECT_NE(compared.output.find("3 points in both"), std::string::npos) << compared.output;
    EXPECT_NE(read_file(folder.path("compared.html")).find("<p>3 points in both"),
              std::string::npos);
}

TEST(Compare, OfReportsWithoutACommonPointFailsAndSaysWhatTheyHave)
{
    const TemporaryFolder folder;
    const auto report_of = [&](const std::string& name, const Json& cores) {
        const Json study =
            small_study(folder, {{"sweep", {{"/machine/cores", cores}}}, {"numerics", false}});
        EXPECT_EQ(run_program({"run", folder.write(name + ".json", study.dump()), "-o",
                               folder.path(name), "--quiet"})
                      .exit_code,
                  0);
        return folder.path(name + "/report.json");
    };
    const std::string a = report_of("a", {1, 2});
    const std::string b = report_of("b", {4});
    const Outcome none = run_program({"compare", a, b});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_NE(none.errors.find("no point of A has one in B"), std::string::npos) << none.errors;
    EXPECT_NE(none.errors.find("cores 4"), std::string::npos) << none.errors;
    const Outcome cheaper = run_program({"compare", b, a, "--by", "dollars", "--json"});
    ASSERT_EQ(cheaper.exit_code, 0) << cheaper.errors;
    const Json pair = Json::parse(cheaper.output).at("pairs").at(0);
    EXPECT_EQ(pair.at("a").at("cores"), 4);
    EXPECT_LE(pair.at("b").at("cost_usd"), pair.at("a").at("cost_usd"));
}

TEST(Dataset, StatisticsOfAFileAreJson)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"dataset", "stats", folder.write("g.txt", "0 1 2\n3 1\n")});
    const Json statistics = Json::parse(outcome.output);
    EXPECT_EQ(statistics.at("links"), 3);
    EXPECT_EQ(statistics.at("row_lengths").at("linked"), 2);
    EXPECT_EQ(statistics.at("column_lengths").at("longest"), 2);
}

TEST(Run, TakesEveryFidelityThatAStudyMayName)
{
    const TemporaryFolder folder;
    const std::string study = small_study(folder).dump();
    for (const std::string fidelity : {"detailed", "sampled", "analytic"}) {
        const Outcome outcome = run_program({"run", folder.write("s.json", study), "-o",
                                             folder.path(fidelity), "--fidelity", fidelity});
        ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        const Json report = Json::parse(read_file(folder.path(fidelity + "/report.json")));
        EXPECT_EQ(report.at("points").at(0).at("fidelity"), fidelity);
    }
}

Json schema_of(const std::string& name)
{
    const Outcome outcome = run_program({"schema", name});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

TEST(Schema, OfAReportHoldsOneAndAllowsAFieldThatIsNew)
{
    const Json schema = schema_of("report");
    EXPECT_EQ(schema.at("$id"), "urn:alxsim:schema:report:2");
    Json report = load_json(ALXSIM_SOURCE_DIR "/experiments/galleries/predicted/report.json");
    EXPECT_NO_THROW(validate_json(report, schema.dump(), "report.json"));
    report["points"][0]["machine"]["moons"] = 2;
    EXPECT_NO_THROW(validate_json(report, schema.dump(), "report.json"));
    report["points"][0]["machine"]["cores"] = "many";
    EXPECT_THROW(validate_json(report, schema.dump(), "report.json"), InputError);
}

TEST(Schema, OfAStudyAllowsNoUnknownField)
{
    const std::string schema = schema_of("study").dump();
    Json study = load_json(ALXSIM_SOURCE_DIR "/experiments/studies/default.json");
    EXPECT_NO_THROW(validate_json(study, schema, "default.json"));
    study["machine"]["moons"] = 2;
    EXPECT_THROW(validate_json(study, schema, "default.json"), InputError);
}

/// The schema without what lets later programs write more: a field that nobody describes is none.
Json closed(Json schema)
{
    if (schema.is_object() && schema.contains("properties") && !schema.at("properties").empty() &&
        !schema.contains("additionalProperties")) {
        schema["additionalProperties"] = false;
    }
    for (Json& child : schema) {
        if (child.is_structured()) {
            child = closed(std::move(child));
        }
    }
    return schema;
}

Json answer_of(const std::vector<std::string>& words)
{
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

TEST(Schema, OfCheckHoldsWhatItPrintsOfEveryKindOfWork)
{
    const std::string schema = closed(schema_of("check")).dump();
    std::size_t too_large = 0;
    for (const char* study :
         {"docs/studies/seven_chips_alx.json", "docs/studies/seven_chips_transformer.json",
          "experiments/galleries/transformer/tp2d.json",
          "experiments/galleries/projection/study.json",
          "experiments/galleries/tensor_scaling/study.json"}) {
        const Json checked =
            answer_of({"check", std::string(ALXSIM_SOURCE_DIR "/") + study, "--json"});
        EXPECT_NO_THROW(validate_json(checked, schema, study));
        EXPECT_FALSE(checked.at("points").empty()) << study;
        too_large += checked.at("fewest_cores").size();
    }
    EXPECT_GT(too_large, 0U);
    const TemporaryFolder folder;
    const Json checked =
        answer_of({"check", folder.write("s.json", small_study(folder).dump()), "--json"});
    EXPECT_NO_THROW(validate_json(checked, schema, "small"));
}

TEST(Schema, OfChipsHoldsWhatItPrints)
{
    const std::string schema = closed(schema_of("chips")).dump();
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{},
                                               {"v5e-16"},
                                               {"--unsourced"},
                                               {"tpu_v4", "--unsourced"},
                                               {"tpu_v3", "--roofline"}}) {
        std::vector<std::string> all{"chips", "--json"};
        all.insert(all.end(), words.begin(), words.end());
        EXPECT_NO_THROW(validate_json(answer_of(all), schema, join(words)));
    }
    for (const Json& chip : answer_of({"chips", "--json"}).at("chips")) {
        const std::string name = chip.at("name").get<std::string>();
        EXPECT_NO_THROW(validate_json(answer_of({"chips", name, "--json"}), schema, name));
    }
}

/// A report.json of one study, as `run` writes it with `more`.
Json finished_report(const TemporaryFolder& folder, const Json& study,
                     const std::vector<std::string>& more = {})
{
    std::vector<std::string> words{"run", folder.write("s.json", study.dump()), "-o",
                                   folder.path("out"), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return load_json(folder.path("out/report.json"));
}

/// Some points fit, others do not.
Json study_of_a_transformer()
{
    return {{"study", "step"},
            {"numerics", false},
            {"fidelity", "analytic"},
            {"machine", {{"chip", "tpu_v5e"}, {"cores", 16}}},
            {"workload",
             {{"transformer",
               {{"preset", "llama3-8b"},
                {"batch", 256},
                {"recomputation", "full"},
                {"mesh", {{"fsdp", -1}}}}}}},
            {"sweep", {{"/machine/cores", {16, 64, 128}}}}};
}

TEST(Schema, OfAReportHoldsTheCompactForm)
{
    const std::string schema = schema_of("report").dump();
    const TemporaryFolder folder;
    for (const Json& study : {small_study(folder), study_of_a_transformer()}) {
        Json report = finished_report(folder, study, {"--compact"});
        ASSERT_TRUE(report.at("points").contains("shapes"));
        EXPECT_NO_THROW(validate_json(report, schema, "report.json"));
        report["points"]["shapes"][0]["columns"][0] = {{"worth", 3}};
        EXPECT_THROW(validate_json(report, schema, "report.json"), InputError);
    }
    EXPECT_NO_THROW(
        validate_json(finished_report(folder, study_of_a_transformer()), schema, "report.json"));
}

TEST(Schema, OfExplainHoldsWhatItPrints)
{
    const std::string schema = closed(schema_of("explain")).dump();
    const TemporaryFolder folder;
    for (const Json& study : {small_study(folder), study_of_a_transformer()}) {
        finished_report(folder, study);
        EXPECT_NO_THROW(validate_json(
            answer_of({"explain", folder.path("out/report.json"), "--json"}), schema, "explain"));
    }
    Json batches = study_of_a_transformer();
    batches["sweep"] = {{"/workload/transformer/batch", {128, 256}}};
    batches["machine"]["cores"] = 128;
    finished_report(folder, batches);
    const Json explained = answer_of({"explain", folder.path("out/report.json"), "--json"});
    EXPECT_TRUE(explained.at("series").at(0).contains("between"));
    EXPECT_NO_THROW(validate_json(explained, schema, "explain"));
}

TEST(Schema, OfCompareHoldsWhatItPrints)
{
    const std::string schema = closed(schema_of("compare")).dump();
    const TemporaryFolder folder;
    finished_report(folder, small_study(folder));
    const std::string report = folder.path("out/report.json");
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{}, {"--by", "dollars"}, {"--fail-above", "5%"}}) {
        std::vector<std::string> words{"compare", report, report, "--json"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_NO_THROW(validate_json(answer_of(words), schema, join(more)));
    }
    Json slower = load_json(report);
    for (Json& point : slower["points"]) {
        point["epoch_seconds"] = 2 * point["epoch_seconds"].get<double>();
    }
    const std::string after = folder.write("after.json", slower.dump());
    const Outcome gate = run_program({"compare", report, after, "--fail-above", "5%", "--json"});
    EXPECT_EQ(gate.exit_code, 3) << gate.errors;
    EXPECT_FALSE(Json::parse(gate.output).at("gate").at("exceeding").empty());
    EXPECT_NO_THROW(validate_json(Json::parse(gate.output), schema, "gate"));
}

TEST(Schema, OfAdviseHoldsWhatItPrints)
{
    const std::string schema = closed(schema_of("advise")).dump();
    const TemporaryFolder folder;
    Json small = small_study(folder);
    small["numerics"] = false;
    for (const Json& study : {small, study_of_a_transformer()}) {
        const Json advice = answer_of({"advise", folder.write("s.json", study.dump()), "--json",
                                       "--quiet", "--budget", "4", "--table", "--deadline", "1h"});
        EXPECT_FALSE(advice.at("plans").empty());
        EXPECT_NO_THROW(validate_json(advice, schema, "advise"));
    }
}

TEST(Schema, OfInferredHoldsWhatInferPrints)
{
    const std::string schema = closed(schema_of("inferred")).dump();
    const TemporaryFolder folder;
    Json study = study_of_a_transformer();
    study["sweep"] = {{"/machine/cores", {64, 128}}};
    const std::string path = folder.write("s.json", study.dump());
    const Json at{{"machine", {{"cores", 128}}}, {"workload", {{"transformer", Json::object()}}}};
    for (const double seconds : {8.0, 0.001}) {
        const Json said{{"statements",
                         {{{"name", "mine"},
                           {"source", "measured"},
                           {"run", "mine"},
                           {"at", at},
                           {"figure", "epoch_seconds"},
                           {"value", seconds},
                           {"tolerance", 0.5}}}}};
        const Json inferred = answer_of({"infer", path, folder.write("said.json", said.dump()),
                                         "--json", "--quiet", "--draws", "300", "--measure"});
        EXPECT_NO_THROW(validate_json(inferred, schema, "infer"));
    }
}

TEST(Schema, AloneListsTheNames)
{
    const Outcome outcome = run_program({"schema"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.errors, "");
    for (const char* name :
         {"study", "report", "op_graph", "trace", "preset", "statements", "measured", "inferred",
          "advise", "check", "chips", "compare", "explain"}) {
        EXPECT_NE(outcome.output.find(std::string("\n  ") + name + " "), std::string::npos) << name;
    }
}

TEST(Schema, IsThereForEachFileThatIsReadOrWritten)
{
    for (const char* name :
         {"study", "report", "op_graph", "trace", "preset", "statements", "measured", "inferred",
          "advise", "check", "chips", "compare", "explain"}) {
        const Json schema = schema_of(name);
        EXPECT_TRUE(schema.contains("$schema") && schema.contains("$id")) << name;
        EXPECT_EQ(
            schema.at("$id").get<std::string>().find(std::string("urn:alxsim:schema:") + name), 0U);
    }
    const Outcome wrong = run_program({"schema", "reports"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_NE(wrong.errors.find("report"), std::string::npos) << wrong.errors;
}

} // namespace
} // namespace alxsim::testing
