// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

/// Names in, recommendations by name out.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Each of 40 listeners plays 12 of the 20 songs of one genre.
std::string plays()
{
    std::string lines = "listener\tsong\tplays\n";
    for (int listener = 0; listener < 40; ++listener) {
        const char* const genre = listener % 2 == 0 ? "rock, hard" : "jazz";
        for (int i = 0; i < 12; ++i) {
            const int song = (listener / 2 + 3 * i + i / 7) % 20;
            lines += "listener " + std::to_string(listener) + "\t" + genre + " " +
                     std::to_string(song) + "\t5\n";
        }
    }
    return lines + "a visitor\tsilence\t1\n";
}

/// A study of them by name, with these fields of the workload.
std::string study_of(const TemporaryFolder& folder, const Json& workload)
{
    const Outcome numbered =
        run_program({"dataset", "names", folder.write("plays.tsv", plays()), "--header", "-o",
                     folder.path("plays.edges.gz"), "--rows", folder.path("listeners.names"),
                     "--columns", folder.path("songs.names.gz")});
    EXPECT_EQ(numbered.exit_code, 0) << numbered.errors;
    EXPECT_THAT(numbered.output, HasSubstr("links: 481 lines"));
    EXPECT_THAT(numbered.output, HasSubstr("columns: 41 names"));
    Json study = Json::parse(R"({"study": "plays", "machine": {"chip": "tpu_v3", "cores": 2},
        "workload": {"dataset": {"file": "plays.edges.gz",
                                 "names": {"rows": "listeners.names", "columns": "songs.names.gz"}},
                     "alx": {"dim": 4, "epochs": 6, "reg": 0.01, "alpha": 0.01,
                             "batch": {"lines": 16, "line_length": 4, "rows": 16},
                             "initial": {"stddev": 0.1}}}})");
    study.at("workload").merge_patch(workload);
    return folder.write("study.json", study.dump());
}

Json recommended(const TemporaryFolder& folder, const Json& workload)
{
    const Outcome outcome =
        run_program({"run", study_of(folder, workload), "-o", folder.path("out"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return load_json(folder.path("out/report.json")).at("points").at(0).at("recommended");
}

void expect_songs_of_their_genre(const Json& lists)
{
    ASSERT_EQ(lists.size(), 2U);
    EXPECT_EQ(lists.at(0).at("row"), "listener 6");
    EXPECT_EQ(lists.at(1).at("row"), "listener 7");
    const std::set<std::string> played{"jazz 3", "jazz 6", "jazz 9"};
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(lists.at(i).at("known_links"), 12);
        EXPECT_EQ(lists.at(i).at("columns").size(), 5U);
        for (const Json& song : lists.at(i).at("columns")) {
            EXPECT_THAT(song.get<std::string>(), StartsWith(i == 0 ? "rock, hard " : "jazz "));
            EXPECT_EQ(played.count(song.get<std::string>()), 0U) << "known already";
        }
    }
}

const Json to_two = {{"recommend", {{"rows", {"listener 6", "listener 7"}}, {"k", 5}}}};

TEST(Recommend, TellsNamesOfWhatSuitsTheAskedRows)
{
    const TemporaryFolder folder;
    expect_songs_of_their_genre(recommended(folder, {{"evaluation", to_two}}));
}

TEST(Recommend, TellsTheSameNamesWhereAFilterGivesNewIds)
{
    const TemporaryFolder folder;
    const Json filter{{"filter", {{"min_out", 2}, {"nodes", "separate"}}}}; // the visitor goes
    expect_songs_of_their_genre(recommended(folder, {{"evaluation", to_two}, {"dataset", filter}}));
    const Outcome gone = run_program(
        {"check", study_of(folder, {{"evaluation", {{"recommend", {{"rows", {"a visitor"}}}}}},
                                    {"dataset", filter}})});
    EXPECT_EQ(gone.exit_code, 2);
    EXPECT_THAT(gone.errors,
                HasSubstr("/workload/evaluation/recommend/rows/0: found \"a visitor\""));
    EXPECT_THAT(gone.errors, HasSubstr("filter drops"));
}

TEST(Recommend, SaysWhereATableNamesSomeColumnsAndNotOthers)
{
    const TemporaryFolder folder;
    folder.write("titles.csv", "songId,title\n1,One\n2,Two\n100,Hundred\n");
    const Json other{{"dataset", {{"names", {{"columns", "titles.csv"}}}}}};
    const Outcome outcome = run_program({"run", study_of(folder, other), "-o", folder.path("out")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("39 of 41 columns have no name in their table, column 0 "
                                          "the first: are its ids those of the links' file?"));
}

TEST(Recommend, RefusesNamesThatAreNone)
{
    const TemporaryFolder folder;
    const auto refused = [&](const Json& request) {
        const Outcome outcome =
            run_program({"check", study_of(folder, {{"evaluation", {{"recommend", request}}}})});
        EXPECT_EQ(outcome.exit_code, 2);
        return outcome.errors;
    };
    EXPECT_THAT(refused({{"rows", {"listener 6", "nobody"}}}),
                HasSubstr("rows/1: found \"nobody\", which is no name of a row"));
    EXPECT_THAT(refused({{"rows", {41}}}), HasSubstr("rows/0: found 41, a row that the data"));
    EXPECT_THAT(refused({{"rows", {0}}, {"k", 51}}), HasSubstr("recommend/k: found 51"));
}

TEST(Recommend, RefusesFilesOfNamesThatAreSwapped)
{
    const TemporaryFolder folder;
    const Json swapped{{"names", {{"rows", "songs.names.gz"}, {"columns", "listeners.names"}}}};
    const Outcome outcome = run_program({"check", study_of(folder, {{"dataset", swapped}})});
    EXPECT_EQ(outcome.exit_code, 0) << "41 of both: nothing tells them apart";
    folder.write("listeners.names", "one\ntwo\n");
    const Outcome few = run_program({"check", folder.path("study.json")});
    EXPECT_EQ(few.exit_code, 2);
    EXPECT_THAT(few.errors, HasSubstr("/workload/dataset/names: found 2 names for 41 columns"));
}

TEST(DatasetNames, RefusesLinesWithoutTwoNamesAndSaysWhere)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_program({"dataset", "names", folder.write("bad.csv", "a,b\nc,\n"),
                                         "-o", folder.path("ids"), "--rows", folder.path("names")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("bad.csv: line 2"));
    EXPECT_EQ(folder.names().size(), 1U) << "nothing half is left";
}

TEST(Metrics, OfAStudysOwnAreToldAndSearchedBy)
{
    const TemporaryFolder folder;
    Json study = small_study(folder, {{"sweep", {{"/machine/cores", {1}}}}});
    study.at("workload")["evaluation"] = {{"metrics", {"ndcg_at_10", "recall_at_5"}}};
    study["search"] = {{"kind", "grid"},
                       {"over", {{"/workload/alx/reg", {1e-3, 1.0}}}},
                       {"maximize", "ndcg_at_10"}};
    const Outcome outcome = run_program(
        {"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = load_json(folder.path("out/report.json"));
    const Json& last = report.at("points").at(0).at("quality").back();
    for (const char* metric : {"recall_at_5", "ndcg_at_10"}) {
        EXPECT_GT(last.at(metric), 0);
        EXPECT_LE(last.at(metric), 1);
    }
    EXPECT_EQ(report.at("search").at("maximize"), "ndcg_at_10");
    const Outcome unknown =
        run_program({"check", folder.path("s.json"), "--set", "/search/maximize=ndcg_at_20"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("recall_at_20, recall_at_50, ndcg_at_10, recall_at_5"));
}

TEST(Metrics, WithoutAPlaceAreToldWhatIsAllowed)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder).dump());
    const auto refused = [&](const char* set) {
        return run_program({"check", study, "--set", set}).errors;
    };
    EXPECT_THAT(refused("/workload/evaluation/metrics=[\"mrr\"]"),
                HasSubstr("found string \"mrr\"; did you mean 'mrr_at_20'?; allowed: recall, "
                          "precision, hit_rate, mrr, map, ndcg, coverage, each _at_K"));
    EXPECT_THAT(refused("/workload/alx/initial/seed=3"), HasSubstr("did you mean '/seed'?"));
}

TEST(Recommend, SaysThatAllLinksOfARowMayLieBehindTheCut)
{
    const TemporaryFolder folder;
    folder.write("likes.csv", "user,item,time\n1,1,1\n1,2,2\n1,3,9\n2,1,1\n2,3,2\n2,2,9\n3,1,9\n");
    Json study = small_study(folder, {{"sweep", {{"/machine/cores", {1}}}}});
    study["workload"]["dataset"] = {{"file", "likes.csv"}};
    study["workload"]["split"] = {{"kind", "temporal"}, {"at", 5}, {"min_links", 1}};
    study["workload"]["evaluation"] = {{"recommend", {{"rows", {3}}}}};
    const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_THAT(outcome.errors, HasSubstr("rows/0: found 3, a row that the data"));
    EXPECT_THAT(outcome.errors, HasSubstr("all of whose links lie behind the split's cut"));
}

TEST(Metrics, OfMorePlacesThanAreRecommendedComeWithANote)
{
    const TemporaryFolder folder;
    const Json study = small_study(folder, {{"sweep", {{"/machine/cores", {1}}}}});
    const Outcome outcome =
        run_program({"run", folder.write("s.json", study.dump()), "-o", folder.path("out"), "--set",
                     "/workload/evaluation/top_k=30"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("note: recall_at_50 counts what stands among the 30"));
    EXPECT_THAT(outcome.errors, ::testing::Not(HasSubstr("recall_at_20 counts")));
}

} // namespace
} // namespace alxsim::testing
