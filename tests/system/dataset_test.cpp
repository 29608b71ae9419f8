// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <tuple>

namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;

Json statistics_of(const std::string& path)
{
    const Outcome outcome = run_program({"dataset", "stats", path});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

/// Runs a study of one series; its report, with that series' data as `dataset`.
Json report_of(const TemporaryFolder& folder, const Json& study)
{
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    Json report = load_json(folder.path("out/report.json"));
    report["dataset"] = Json(report.at("dataset").front());
    return report;
}

/// The small study with another workload/dataset and split; null: none.
Json study_with(const TemporaryFolder& folder, const Json& dataset, const Json& split)
{
    Json study = small_study(folder, {{"sweep", {{"/machine/cores", {2}}}}});
    study["workload"]["dataset"] = dataset;
    study.at("workload").erase("split");
    if (!split.is_null()) {
        study["workload"]["split"] = split;
    }
    return study;
}

TEST(DatasetCommand, EveryPartTeaches)
{
    for (const char* command : {"stats", "convert", "generate", "split", "translate"}) {
        const Outcome help = run_program({"dataset", command, "--help"});
        EXPECT_EQ(help.exit_code, 0);
        EXPECT_GT(help.output.size(), 800U) << help.output;
    }
}

/// As JSON.
Json translated(const std::vector<std::string>& data, std::vector<std::string> values)
{
    values.insert(values.begin(), data.begin(), data.end());
    values.insert(values.begin(), {"dataset", "translate"});
    values.emplace_back("--json");
    const Outcome outcome = run_program(values);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output);
}

TEST(DatasetTranslate, CountsTheLinksOfAFileOrIsToldThem)
{
    const TemporaryFolder folder;
    const std::string even = folder.write("even.edges", "0 0\n0 2\n2 2\n2 3\n4 3\n4 0\n");
    const std::vector<std::string> values{"--from",  "implicit", "--regularization", "0.01",
                                          "--alpha", "40",       "--factors",        "64"};
    const Json of_file = translated({even}, values);
    EXPECT_EQ(of_file.at("rows"), 3) << "ids without links count for nothing";
    EXPECT_EQ(of_file.at("exact"), true);
    EXPECT_NEAR(of_file.at("set").at("/workload/alx/alpha").get<double>(), 1.0 / 39, 1e-7);
    EXPECT_EQ(of_file.at("set").at("/workload/alx/dim"), 64);
    const Json of_sizes = translated({"--rows", "3", "--columns", "3", "--links", "6"}, values);
    EXPECT_EQ(of_sizes.at("values"), of_file.at("values"));
    EXPECT_EQ(of_sizes.at("exact"), false) << "nobody knows whether rows are alike";
}

TEST(DatasetTranslate, CountsWhatAStudyTrainsOn)
{
    const TemporaryFolder folder;
    const Json study = small_study(folder, {{"sweep", Json::object()}});
    const Json report = report_of(folder, study);
    const Json found = translated({folder.path("s.json")},
                                  {"--from", "spark", "--regParam", "0.1", "--alpha", "40"});
    EXPECT_EQ(found.at("links"), report.at("dataset").at("training_links"));
    EXPECT_EQ(found.at("columns"), report.at("dataset").at("columns"));
    EXPECT_FALSE(found.at("exact"));
    EXPECT_LT(found.at("ridge_ratios").at("longest_row"), 1) << "Spark's grows with the links";
    EXPECT_EQ(found.at("search").at("over").at("/workload/alx/reg").size(), 5U);
}

TEST(DatasetTranslate, RefusesAStudyWhoseLinksWeighUnlike)
{
    const TemporaryFolder folder;
    Json study = small_study(folder, {{"sweep", Json::object()}});
    study["workload"]["alx"]["weights"] = "confidence";
    study["workload"]["alx"]["semantics"] = "clean";
    const Outcome refused =
        run_program({"dataset", "translate", folder.write("s.json", study.dump()), "--from",
                     "spark", "--regParam", "0.1", "--alpha", "40"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.errors, HasSubstr("/workload/alx/weights: found \"confidence\""));
}

TEST(DatasetTranslate, SaysWhatIsExactAndRefusesWhatHasNoCounterpart)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("g.edges", "0 0\n0 2\n2 2\n2 3\n");
    const auto run = [&](const std::string& from, const std::string& alpha) {
        return run_program({"dataset", "translate", file, "--from", from, "--regularization",
                            "0.01", "--alpha", alpha});
    };
    const std::string words = run("paper", "40").output;
    EXPECT_THAT(words, HasSubstr("alpha is exact: a link weighs 41 times"));
    EXPECT_THAT(words, HasSubstr("reg is exact where all rows have as many links"));
    EXPECT_THAT(words, HasSubstr("\"search\": {\"kind\":\"grid\""));
    EXPECT_THAT(run("ials", "0.1").output, HasSubstr("Exact: both write the same objective."));
    const Outcome refused = run("implicit", "1");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.errors, HasSubstr("--alpha: found 1, with which a link weighs 1"));
    EXPECT_THAT(
        run_program({"dataset", "translate", "--from", "spark", "--reg", "1", "--alpha", "2"})
            .errors,
        HasSubstr("found no links to count; allowed: FILE, or --rows"));
}

TEST(DatasetCommand, ConvertedDataAreTheSame)
{
    const TemporaryFolder folder;
    const std::string text = folder.write("g.txt", "0 1 2\n3 1\n5\n");
    ASSERT_EQ(run_program({"dataset", "convert", text, folder.path("g.cache")}).exit_code, 0);
    ASSERT_EQ(run_program({"dataset", "convert", folder.path("g.cache"), folder.path("h.txt.gz")})
                  .exit_code,
              0);
    Json first = statistics_of(text);
    for (const char* name : {"g.cache", "h.txt.gz"}) {
        Json other = statistics_of(folder.path(name));
        other["file"] = first.at("file");
        other["format"] = first.at("format");
        EXPECT_EQ(other, first) << name;
    }
}

/// What the commands that go row by row make of a file.
std::vector<std::string> made_of(const TemporaryFolder& folder, const std::string& file)
{
    const auto path = [&folder](const char* name) { return folder.path(name); };
    const std::vector<std::vector<std::string>> commands{
        {"convert", file, path("whole.cache")},
        {"convert", file, path("whole.txt.gz")},
        {"convert", file, path("part.cache"), "--min-out", "3", "--min-in", "3", "--passes", "9"},
        {"convert", file, path("loops.txt"), "--self-links", "drop", "--nodes", "same"},
        {"split", file, "--training", path("training.cache"), "--test", path("test.txt.gz")}};
    for (std::vector<std::string> command : commands) {
        command.insert(command.begin(), "dataset");
        const Outcome outcome = run_program(command);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    }
    Json statistics = statistics_of(file);
    statistics.erase("file");
    statistics.erase("format");
    statistics.erase("read_as");
    std::vector<std::string> made{statistics.dump()};
    for (const char* name : {"whole.cache", "whole.txt.gz", "part.cache", "loops.txt",
                             "training.cache", "test.txt.gz"}) {
        made.push_back(read_file(path(name)));
    }
    return made;
}

TEST(DatasetCommand, WhatIsReadRowByRowGivesTheSameAsWhatIsKept)
{
    const TemporaryFolder folder;
    const std::string web = folder.path("web.txt");
    ASSERT_EQ(run_program({"dataset", "generate", "--rows", "3e3", "--columns", "2e3", "--links",
                           "3e4", "-o", web})
                  .exit_code,
              0);
    std::istringstream text(read_file(web));
    std::string reversed;
    std::string edges;
    for (std::string line; std::getline(text, line);) {
        reversed = line + "\n" + reversed;
        std::istringstream fields(line);
        std::string row;
        fields >> row;
        for (std::string column; fields >> column;) {
            edges += row + "\t" + column + "\n";
        }
    }
    const std::vector<std::string> made = made_of(folder, web);
    EXPECT_EQ(made_of(folder, folder.write("reversed.txt", reversed)), made);
    EXPECT_EQ(made_of(folder, folder.write("edges.tsv", edges)), made);
    EXPECT_EQ(made_of(folder, folder.path("whole.cache")), made);
}

TEST(DatasetCommand, ATrainingFileMayTakeThePlaceOfTheData)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("g.txt", "0 1 2 3 4\n1 0 2 3 4\n2 0 1\n");
    const Outcome outcome =
        run_program({"dataset", "split", file, "--test-rows", "0.5", "--training", file, "--test",
                     folder.path("t.txt"), "--min-links", "4"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(statistics_of(file).at("links"), 6);
}

TEST(DatasetCommand, LinksThatStayInMemoryAreToldBeforeTheyAreRead)
{
    const TemporaryFolder folder;
    const std::string file =
        folder.write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                              "9 9 900000000\n2 1\n1 2\n2 2\n");
    const Outcome outcome = run_program({"dataset", "stats", file});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.errors.find("stay in memory, about 4.2 GiB of "), std::string::npos)
        << outcome.errors;
}

TEST(DatasetCommand, ConvertFiltersAndRefusesWhatLeavesNothing)
{
    const TemporaryFolder folder;
    const std::string edges = folder.write("g.tsv", "0 1\n1 0\n1 2\n2 2\n");
    const Outcome outcome =
        run_program({"dataset", "convert", edges, folder.path("f.txt"), "--min-out", "1",
                     "--min-in", "1", "--self-links", "drop"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(read_file(folder.path("f.txt")), "0 1\n1 0\n");
    const Outcome nothing = run_program(
        {"dataset", "convert", edges, folder.path("n.txt"), "--min-out", "9", "--nodes", "same"});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_NE(nothing.errors.find("no links are left"), std::string::npos) << nothing.errors;
}

TEST(DatasetCommand, WhetherSidesOfOneSizeAreTheSameNodesIsSaidOrAsked)
{
    const TemporaryFolder folder;
    const std::string edges = folder.write("g.edges", "0 1\n1 0\n1 2\n2 2\n");
    const Outcome asked =
        run_program({"dataset", "convert", edges, folder.path("f.txt"), "--min-out", "2"});
    EXPECT_EQ(asked.exit_code, 2);
    EXPECT_NE(
        asked.errors.find("found 3 rows and as many columns, and neither study nor file says"),
        std::string::npos)
        << asked.errors;
    const std::string ratings = folder.write("likes.csv", "userId,movieId\n1,2\n2,1\n2,2\n");
    const Outcome no_graph = run_program(
        {"dataset", "convert", ratings, folder.path("f.txt"), "--min-out", "2", "--nodes", "same"});
    EXPECT_EQ(no_graph.exit_code, 2);
    EXPECT_NE(no_graph.errors.find("found nodes 'same' for a file of users and items"),
              std::string::npos)
        << no_graph.errors;
    EXPECT_EQ(run_program({"dataset", "convert", edges, folder.path("f.txt"), "--min-out", "2",
                           "--nodes", "separate"})
                  .exit_code,
              0);
    EXPECT_EQ(read_file(folder.path("f.txt")), "0 0 2\n");
}

TEST(DatasetCommand, AStudyWhoseDatasetHasNoLinksIsRefused)
{
    const TemporaryFolder folder;
    for (const char* dataset : {R"({"webgraph": "dense"})",
                                R"({"shape": {"rows": 100, "columns": 100, "links": 1000}})"}) {
        const std::string study =
            folder.write("study.json", R"({"study": "sizes", "numerics": false,
                "machine": {"chip": "tpu_v3", "cores": 8},
                "workload": {"alx": {"dim": 16}, "dataset": )" +
                                           std::string(dataset) + "}}");
        for (const char* command : {"stats", "placements"}) {
            const Outcome outcome = run_program({"dataset", command, study});
            EXPECT_EQ(outcome.exit_code, 2) << command;
            EXPECT_NE(outcome.errors.find("/workload/dataset: found"), std::string::npos)
                << outcome.errors;
        }
    }
}

TEST(DatasetCommand, GenerateMakesWhatStatsMeasures)
{
    const TemporaryFolder folder;
    const std::vector<std::string> wanted{
        "dataset", "generate", "--rows",     "2e3", "--columns", "1500",
        "--links", "3e4",      "--locality", "0.6", "-o",        folder.path("w.cache")};
    ASSERT_EQ(run_program(wanted).exit_code, 0);
    const Json statistics = statistics_of(folder.path("w.cache"));
    EXPECT_EQ(statistics.at("links"), 30000);
    EXPECT_NEAR(statistics.at("locality").get<double>(), 0.6, 0.005);
    ASSERT_EQ(run_program({"dataset", "generate", "--like", folder.path("w.cache"), "-o",
                           folder.path("like.cache")})
                  .exit_code,
              0);
    const Json like = statistics_of(folder.path("like.cache"));
    EXPECT_EQ(like.at("links"), 30000);
    EXPECT_NEAR(like.at("locality").get<double>(), 0.6, 0.01);
    const Outcome bad = run_program({"dataset", "generate", "--rows", "5", "-o", folder.path("x")});
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_NE(bad.errors.find("'columns' is missing"), std::string::npos) << bad.errors;
}

TEST(DatasetStudy, ASplitWrittenToFilesIsTheSplitOfTheStudy)
{
    const TemporaryFolder folder;
    const Json split{{"test_rows", 0.1}, {"held_out_links", 0.25}, {"min_links", 4}, {"seed", 3}};
    const Json whole = report_of(folder, study_with(folder, {{"file", "graph.txt"}}, split));
    ASSERT_EQ(run_program({"dataset", "split", folder.path("graph.txt"), "--min-links", "4",
                           "--seed", "3", "--training", folder.path("tr.cache"), "--test",
                           folder.path("te.txt.gz")})
                  .exit_code,
              0);
    const Json parts =
        report_of(folder, study_with(folder, {{"file", "tr.cache"}}, {{"test_file", "te.txt.gz"}}));
    EXPECT_GT(whole.at("dataset").at("test_rows").get<int>(), 5);
    EXPECT_EQ(whole.at("dataset").at("held_out_links"), parts.at("dataset").at("held_out_links"));
    EXPECT_EQ(whole.at("points").at(0).at("quality"), parts.at("points").at(0).at("quality"));
    EXPECT_EQ(whole.at("points").at(0).at("epoch_seconds"),
              parts.at("points").at(0).at("epoch_seconds"));
}

/// Ratings of 90 users, two kinds of them with a taste each, in time order, under ids with gaps.
std::string timed_ratings()
{
    std::ostringstream text;
    text << "userId,movieId,rating,timestamp\n";
    for (int i = 0; i < 1400; ++i) {
        const int user = i * 37 % 90;
        const int item = i * 7919 % 10007 % 40 + (user % 2 == 0 ? 0 : 30);
        text << 3 * user + 2 << ',' << 5 * item + 1 << ',' << (i % 5 == 0 ? 2 : 4) << ','
             << 1000000000 + 60 * i << '\n';
    }
    return text.str();
}

/// What the last evaluation of a study over 1 and 8 cores finds, the same on both.
Json last_quality(const TemporaryFolder& folder, Json study)
{
    study["sweep"] = {{"/machine/cores", {1, 8}}};
    const Json report = report_of(folder, study);
    const Json& points = report.at("points");
    const auto learnt = [&points](std::size_t place) {
        Json quality = points.at(place).at("quality").back();
        quality.erase("simulated_seconds");
        return quality;
    };
    Json quality = learnt(0);
    EXPECT_EQ(learnt(1), quality) << "with clean semantics";
    EXPECT_GT(quality.at("recall_at_20").get<double>(), 0);
    return quality;
}

TEST(DatasetStudy, ASplitByTimeOrOfLastLinksIsWhatItWritesToFiles)
{
    const TemporaryFolder folder;
    const std::string ratings = folder.write("ratings.csv", timed_ratings());
    for (const std::string kind : {"temporal", "leave_out"}) {
        const Outcome parted = run_program(
            {"dataset", "split", ratings, "--threshold", "3", "--kind", kind, "--training",
             folder.path(kind + ".adj"), "--test", folder.path(kind + ".txt")});
        ASSERT_EQ(parted.exit_code, 0) << parted.errors;
        const Json whole =
            last_quality(folder, study_with(folder, {{"file", "ratings.csv"}, {"threshold", 3}},
                                            {{"kind", kind}}));
        const Json from_files = last_quality(
            folder, study_with(folder, {{"file", kind + ".adj"}, {"format", "adjacency"}},
                               {{"test_file", kind + ".txt"}}));
        EXPECT_EQ(whole.at("recall_at_20"), from_files.at("recall_at_20")) << kind;
    }
}

TEST(DatasetStudy, WhatASplitMadeOfItsLinksIsSaid)
{
    const TemporaryFolder folder;
    folder.write("ratings.csv", timed_ratings());
    const Json report = report_of(folder, study_with(folder, {{"file", "ratings.csv"}},
                                                     {{"kind", "temporal"}, {"at", 1000060000}}));
    const auto said = report.at("dataset").at("split_as").get<std::string>();
    EXPECT_EQ(said.find("links from 1000060000 on are later ones: "), 0u) << said;
    EXPECT_NE(report.dump().find("split: " + said), std::string::npos) << "a note of its points";
}

TEST(DatasetStudy, ACutMayBeADate)
{
    const TemporaryFolder folder;
    folder.write("ratings.csv", timed_ratings());
    const auto said = [&](const Json& at) {
        return report_of(folder, study_with(folder, {{"file", "ratings.csv"}},
                                            {{"kind", "temporal"}, {"at", at}}))
            .at("dataset")
            .at("split_as")
            .get<std::string>();
    };
    EXPECT_EQ(said("2001-09-09 18:26:40"), said(1000060000));
    const auto refused = [&](const Json& at) {
        const Json study =
            study_with(folder, {{"file", "ratings.csv"}}, {{"kind", "temporal"}, {"at", at}});
        return run_program({"check", folder.write("s.json", study.dump())}).errors;
    };
    EXPECT_THAT(
        refused("9 September"),
        HasSubstr("/workload/split/at: found \"9 September\"; allowed: a number as the file "
                  "counts time, or where it has dates"));
    EXPECT_THAT(refused("1970-01-02"), HasSubstr("cut, 86400; the file's times are from 1000"));
}

TEST(DatasetStudy, HistoriesOfATestFileWeighWhatTheLinksDo)
{
    const TemporaryFolder folder;
    folder.write("likes.csv", "user,item,plays\n7,1,3\n7,2,1\n8,2,2\n8,3,1\n9,1,1\n9,3,4\n");
    const auto run_with = [&](const std::string& tests) {
        folder.write("tests.txt", tests);
        Json study = study_with(folder, {{"file", "likes.csv"}}, {{"test_file", "tests.txt"}});
        study["workload"]["alx"]["weights"] = "confidence";
        return run_program(
            {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    };
    const Outcome known = run_with("7 | 1 2 | 3\n");
    EXPECT_EQ(known.exit_code, 0) << known.errors;
    const Outcome unknown = run_with("7 | 1 3 | 2\n");
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("by which row 7 is known by column 3, a link without a "
                                          "weight, as it is none of the dataset's file"));
}

/// temporal_split.py: ratings, and what textbook formulas learn of the earlier and recall of the
/// later ones.
Json textbook_split()
{
    return load_json(std::string(ALXSIM_SOURCE_DIR) + "/tests/system/temporal_split_expected.json");
}

/// Lines of the ratings that were made before a time.
std::string ratings_before(const Json& textbook, std::int64_t time)
{
    std::ostringstream text;
    text << "userId,movieId,rating,timestamp\n";
    for (const Json& line : textbook.at("lines")) {
        if (line.at(3) < time) {
            text << line.at(0) << ',' << line.at(1) << ',' << line.at(2) << ',' << line.at(3)
                 << '\n';
        }
    }
    return text.str();
}

/// The textbook's study of the ratings before a time.
Json textbook_study(const TemporaryFolder& folder, const Json& textbook, std::int64_t time,
                    const Json& split)
{
    folder.write("ratings.csv", ratings_before(textbook, time));
    const auto columns = textbook.at("initial_columns").get<std::vector<std::vector<double>>>();
    NpyMatrix initial{static_cast<std::int64_t>(columns.size()) + 2, 3, {}};
    for (const std::vector<double>& row : columns) {
        initial.values.insert(initial.values.end(), row.begin(), row.end());
    }
    initial.values.resize(static_cast<std::size_t>(3 * initial.rows)); // rows that only fill up
    write_npy(folder.path("columns.npy"), initial, NpyNumber::f8);
    Json study = study_with(
        folder, {{"file", "ratings.csv"}, {"threshold", textbook.at("threshold")}}, split);
    study["workload"]["alx"] = {{"dim", 3},
                                {"epochs", 6},
                                {"reg", textbook.at("reg")},
                                {"alpha", textbook.at("alpha")},
                                {"solver", "cholesky"},
                                {"table_dtype", "f64"},
                                {"initial_tables", {{"columns", "columns.npy"}}}};
    study["workload"]["evaluation"] = {{"metrics", {"recall_at_3"}}};
    return study;
}

constexpr std::int64_t after_all = 2000000;

TEST(DatasetStudy, ASplitByTimeRecallsWhatTextbookFormulasDo)
{
    const TemporaryFolder folder;
    const Json textbook = textbook_split();
    const Json split{
        {"kind", "temporal"}, {"at", textbook.at("cut")}, {"min_links", textbook.at("min_links")}};
    const Json report = report_of(folder, textbook_study(folder, textbook, after_all, split));
    for (const char* field : {"training_links", "held_out_links"}) {
        EXPECT_EQ(report.at("dataset").at(field), textbook.at(field)) << field;
    }
    EXPECT_EQ(report.at("dataset").at("test_rows"), textbook.at("test_rows").size());
    const Json& quality = report.at("points").at(0).at("quality");
    for (std::size_t epoch = 0; epoch < 6; ++epoch) {
        EXPECT_NEAR(quality.at(epoch).at("recall_at_3").get<double>(),
                    textbook.at("recall_at_3").at(epoch).get<double>(), 1e-12);
    }
}

TEST(DatasetStudy, ASplitByTimeLearnsAsIfNothingCameLater)
{
    const TemporaryFolder folder;
    const Json textbook = textbook_split();
    const auto digest = [&](std::int64_t time, const Json& split) {
        return report_of(folder, textbook_study(folder, textbook, time, split))
            .at("points")
            .at(0)
            .at("tables_digest");
    };
    const auto cut = textbook.at("cut").get<std::int64_t>();
    EXPECT_EQ(digest(after_all, {{"kind", "temporal"}, {"at", cut}, {"min_links", 2}}),
              digest(cut, nullptr))
        << "users and items that are new behind the cut must not count";
}

TEST(DatasetStudy, GeneratedAndFilteredLinksAreTrainedOn)
{
    const TemporaryFolder folder;
    const Json dataset{
        {"generate", {{"rows", 3e2}, {"columns", 200}, {"links", 3e3}, {"locality", 0.3}}},
        {"filter", {{"min_in", 2}}}};
    Json study = study_with(folder, dataset, nullptr);
    study["workload"]["alx"]["batch"]["lines"] = 128; // for the longest columns
    const Json report = report_of(folder, study);
    EXPECT_EQ(report.at("dataset").at("name"), "generated");
    EXPECT_EQ(report.at("dataset").at("rows"), 300);
    EXPECT_LT(report.at("dataset").at("columns").get<int>(), 200);
    const Json again = statistics_of(folder.path("s.json"));
    EXPECT_EQ(again.at("links"), report.at("dataset").at("training_links"));
}

TEST(DatasetStudy, OtherFormatsAndThresholdsAreRead)
{
    const TemporaryFolder folder;
    folder.write("u.data", "1\t1\t5\t1\n1\t2\t3\t1\n2\t1\t4\t1\n3\t3\t4\t1\n");
    const Json report =
        report_of(folder, study_with(folder, {{"file", "u.data"}, {"threshold", 4}}, nullptr));
    EXPECT_EQ(report.at("dataset").at("training_links"), 3);
}

TEST(DatasetStudy, WhatDoesNotGoTogetherIsRefused)
{
    const TemporaryFolder folder;
    const auto errors = [&](const Json& dataset, const Json& split) {
        Json study = study_with(folder, dataset, split);
        study["numerics"] = !dataset.contains("shape");
        const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
        EXPECT_EQ(outcome.exit_code, 2) << outcome.errors;
        return outcome.errors;
    };
    const Json made{{"rows", 300}, {"columns", 200}, {"links", 3000}};
    for (const auto& [message, dataset, split] : std::vector<std::tuple<std::string, Json, Json>>{
             {"/workload/dataset/format: found beside generate, allowed is beside file",
              {{"generate", made}, {"format", "edges"}},
              nullptr},
             {"/workload/dataset/generate/links: found 2.5, allowed are whole numbers",
              {{"generate", {{"rows", 300}, {"columns", 200}, {"links", 2.5}}}},
              nullptr},
             {"/workload/dataset/format: found string \"edge\"",
              {{"file", "graph.txt"}, {"format", "edge"}},
              nullptr},
             {"/workload/split/at: found beside kind leave_out, allowed is beside temporal",
              {{"file", "graph.txt"}},
              {{"kind", "leave_out"}, {"at", 3}}},
             {"/workload/split/kind: found a split by time of links that have none",
              {{"generate", made}},
              {{"kind", "temporal"}}},
             {"/workload/split/kind: found 'leave_out' of a matrix that is known by its sizes",
              {{"shape", made}},
              {{"kind", "leave_out"}}},
             {"/workload/split/test_rows: found 1, which leaves no row to train on",
              {{"generate", made}},
              {{"test_rows", 1}}},
             {"graph.txt: is of a format without times of links",
              {{"file", "graph.txt"}},
              {{"kind", "temporal"}}},
             {"/workload/split: found test_file beside other fields",
              {{"file", "graph.txt"}},
              {{"test_file", "t.txt"}, {"seed", 2}}},
             {"/workload/dataset/filter: gives rows and columns new ids",
              {{"file", "graph.txt"}, {"filter", {{"min_in", 2}}}},
              {{"test_file", "t.txt"}}},
             {"graph.txt: found a threshold for the format adjacency",
              {{"file", "graph.txt"}, {"threshold", 2}},
              nullptr}}) {
        const std::string found = errors(dataset, split);
        EXPECT_NE(found.find(message), std::string::npos) << found;
    }
}

TEST(DatasetBatches, AreThoseOfTheReleasedBatchingCode)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("case.json", R"({"examples": [[5, [0, 1, 2]], [6, [3]]],
        "batch_size": 3, "num_rows_per_batch": 4, "seq_len": 2, "num_devices": 2})");
    const Outcome outcome = run_program({"dataset", "batches", file});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json answer = Json::parse(outcome.output);
    // One is made; the second pads the devices with the example (-1, [-1]).
    EXPECT_EQ(answer.at("num_batches_before_padding"), 1);
    ASSERT_EQ(answer.at("batches").size(), 2U);
    EXPECT_EQ(answer.at("batches").at(0).at("batched_history"), Json({0, 1, 2, -1, 3, -1}));
    EXPECT_EQ(answer.at("batches").at(0).at("batch_ids"), Json({0, 0, 1}));
    EXPECT_EQ(answer.at("batches").at(0).at("row_ids"), Json({5, 6, -1, -1}));
    EXPECT_EQ(answer.at("batches").at(1).at("item_lengths"), Json({1, 0, 0, 0}));
}

TEST(DatasetBatches, OfAListGoOnAfterACaseThatIsRefused)
{
    const TemporaryFolder folder;
    const std::string file = folder.write("cases.json", R"([
        {"name": "long", "examples": [[0, [1, 2, 3]]], "batch_size": 1, "num_rows_per_batch": 1,
         "seq_len": 2},
        {"name": "fits", "examples": [[0, [1]]], "batch_size": 1, "num_rows_per_batch": 1,
         "seq_len": 2}])");
    const Json answers = Json::parse(run_program({"dataset", "batches", file}).output);
    EXPECT_NE(answers.at(0).at("error").get<std::string>().find("row 0 has 3 links"),
              std::string::npos);
    EXPECT_EQ(answers.at(1).at("batches").size(), 1U);
}

TEST(DatasetPlacements, MeasuresEveryPlacementOnTheEmbeddedGraph)
{
    const Outcome outcome =
        run_program({"dataset", "placements",
                     std::string(ALXSIM_SOURCE_DIR) + "/experiments/data/debian-deps.adj.gz",
                     "--shards", "8", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::map<std::string, Json> found;
    for (const Json& one : Json::parse(outcome.output)) {
        found[one.at("placement")] = one;
    }
    ASSERT_EQ(found.size(), 5U);
    EXPECT_GT(found["partitioned"].at("local_share"), found["contiguous"].at("local_share"));
    EXPECT_GT(found["contiguous"].at("local_share"), found["hash"].at("local_share"));
    EXPECT_LT(found["degree_balanced"].at("rows").at("most_links_over_mean").get<double>(), 1.001);
}

} // namespace
} // namespace alxsim::testing
