// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// How good a model is, and what is said where figures mislead, as a user reads it.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// small_study() on one core, with these fields of alx and of evaluation.
Json study_of(const TemporaryFolder& folder, const Json& alx, const Json& evaluation)
{
    Json study = small_study(folder, {{"sweep", nullptr}});
    study.at("workload").at("alx").merge_patch(alx);
    study.at("workload")["evaluation"] = evaluation;
    return study;
}

Outcome run_in(const TemporaryFolder& folder, const Json& study,
               std::vector<std::string> more = {"--quiet"})
{
    std::vector<std::string> words{"run", folder.write("s.json", study.dump()), "-o",
                                   folder.path("out")};
    words.insert(words.end(), more.begin(), more.end());
    Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return outcome;
}

Json point_in(const TemporaryFolder& folder)
{
    return load_json(folder.path("out/report.json")).at("points").at(0);
}

std::string notes_in(const TemporaryFolder& folder)
{
    const Json point = point_in(folder);
    return point.contains("notes") ? point.at("notes").dump() : "";
}

const Json breaks_down = Json::parse(R"({"dim": 64, "epochs": 4, "solver": "cholesky",
    "reg": 1e-6, "alpha": 1e-5, "solve_dtype": "bf16"})");

TEST(Quality, OfATrainingThatDivergesSaysSinceWhenAndWhatWasBest)
{
    const TemporaryFolder folder;
    const Outcome outcome = run_in(folder, study_of(folder, breaks_down, Json::object()));
    EXPECT_THAT(outcome.output, HasSubstr("objective is not finite since epoch 1"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("try a search")));
    EXPECT_THAT(notes_in(folder), HasSubstr("not finite since epoch 1: training diverged"));
    const Outcome explained = run_program({"explain", folder.path("out/report.json")});
    EXPECT_THAT(explained.output, HasSubstr("training diverged"));
}

const Json exact = Json::parse(R"({"semantics": "clean", "table_dtype": "f32", "epochs": 6})");

/// small_study() in exact numbers, with these fields of alx.
Outcome run_exactly(const TemporaryFolder& folder, const Json& alx)
{
    Json fields = exact;
    fields.merge_patch(alx);
    return run_in(folder, study_of(folder, fields, Json::object()));
}

TEST(Quality, OfTablesOfZerosIsSaidWithItsCause)
{
    const TemporaryFolder folder;
    for (const double reg : {1.0, 3.0, 1e20}) {
        const Outcome outcome = run_exactly(folder, {{"reg", reg}});
        EXPECT_THAT(notes_in(folder), HasSubstr("the tables are as good as 0")) << reg;
        EXPECT_THAT(notes_in(folder), HasSubstr("of /workload/alx is too large, zeros minimize"));
        EXPECT_THAT(outcome.output, Not(HasSubstr("try a search"))) << reg;
        EXPECT_TRUE(point_in(folder).at("results").contains("collapsed_since_epoch"));
    }
    run_exactly(folder, {{"initial", {{"stddev", 0}}}});
    EXPECT_THAT(notes_in(folder), HasSubstr("since epoch 1 the tables are as good as 0"));
    EXPECT_THAT(notes_in(folder), HasSubstr("began as zeros"));
    EXPECT_THAT(notes_in(folder), Not(HasSubstr("too large")));
    run_exactly(folder, {{"alpha", 1e6}});
    EXPECT_THAT(notes_in(folder), HasSubstr("weighs more than a link (alpha)"));
    run_exactly(folder, {{"reg", 0.01}});
    EXPECT_THAT(notes_in(folder), Not(HasSubstr("as good as 0")));
}

TEST(Quality, OfFewColumnsAndRowsComesWithAWord)
{
    const TemporaryFolder folder;
    std::string ratings = "user,item\n";
    for (int user = 0; user < 30; ++user) {
        for (int item = 0; item < 6; ++item) {
            if ((user + item) % 6 != 0) {
                ratings += std::to_string(user) + "," + std::to_string(item) + "\n";
            }
        }
    }
    folder.write("six.csv", ratings);
    Json study = study_of(folder, {{"dim", 4}}, {{"metrics", {"ndcg_at_5"}}});
    study.at("workload")["dataset"] = {{"file", "six.csv"}};
    study.at("workload")["split"] = {{"test_rows", 0.3}, {"held_out_links", 0.25}};
    const Outcome checked = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_THAT(checked.output + checked.errors,
                HasSubstr("recall_at_20 and recall_at_50 say nothing here"));
    run_in(folder, study);
    EXPECT_THAT(notes_in(folder), HasSubstr("recall_at_20 and recall_at_50 say nothing here"));
    EXPECT_THAT(notes_in(folder), HasSubstr("with a standard error of"));
}

TEST(Quality, IsToldByEveryMetricBesidePopularity)
{
    const TemporaryFolder folder;
    const Json metrics{"precision_at_10", "map_at_10",      "mrr_at_10",
                       "hit_rate_at_10",  "coverage_at_10", "auc"};
    run_in(folder, study_of(folder, Json::object(), {{"metrics", metrics}}));
    const Json point = point_in(folder);
    for (const Json& metric : metrics) {
        const std::string name = metric.get<std::string>();
        EXPECT_GT(point.at("quality").back().at(name), 0) << name;
        EXPECT_LE(point.at("quality").back().at(name), 1) << name;
        EXPECT_GE(point.at("popularity").at(name), 0) << name;
    }
}

const Json overfits = Json::parse(R"({"dim": 32, "epochs": 12, "reg": 1e-3, "alpha": 1e-2,
    "semantics": "clean", "table_dtype": "f32", "batch": "auto"})");

/// Its recall falls after some epochs.
Json overfitting(const TemporaryFolder& folder, const Json& alx, const Json& evaluation)
{
    Json study = study_of(folder, alx, evaluation);
    study.merge_patch({{"fidelity", "analytic"}, {"bill", Json::object()}});
    study.at("workload")["dataset"] = {
        {"generate", {{"rows", 1000}, {"columns", 1000}, {"links", 12000}}}};
    study.at("workload")["split"] = {{"test_rows", 0.2}};
    return study;
}

int best_epoch_of(const Json& quality)
{
    int best = 0;
    double most = -1;
    for (const Json& one : quality) {
        if (one.at("recall_at_20") > most) {
            most = one.at("recall_at_20");
            best = one.at("epoch");
        }
    }
    return best;
}

TEST(BestEpoch, IsKeptAndTrainingEndsWhereNoneIsBetter)
{
    const TemporaryFolder folder;
    run_in(folder, overfitting(folder, overfits, Json::object()));
    const Json whole = point_in(folder);
    const int best = best_epoch_of(whole.at("quality"));
    ASSERT_LT(best, 10);
    EXPECT_THAT(notes_in(folder), HasSubstr("was best, "));

    run_in(folder, overfitting(folder, overfits, {{"keep_best", true}, {"stop_after", 2}}));
    const Json stopped = point_in(folder);
    const Json& told = stopped.at("results").at("best_epoch");
    const int first = best_epoch_of(stopped.at("quality"));
    EXPECT_EQ(told.at("epoch"), first);
    EXPECT_EQ(told.at("metric"), "recall_at_20");
    EXPECT_EQ(told.at("epochs_run"), first + 2);
    EXPECT_EQ(stopped.at("bill").at("intervals"), first + 2);
    EXPECT_EQ(stopped.at("quality").size(), static_cast<std::size_t>(first + 2));
    EXPECT_THAT(notes_in(folder), HasSubstr("training ended after epoch"));

    EXPECT_EQ(stopped.at("kept_interval"), first);
    EXPECT_EQ(stopped.at("last_quality").at("epoch"), first) << "what commands read";
    const std::string report = folder.path("out/report.json");
    const Outcome compared = run_program({"compare", report, report, "--json"});
    EXPECT_EQ(
        Json::parse(compared.output).at("pairs").at(0).at("a").at("metrics").at("recall_at_20"),
        stopped.at("last_quality").at("recall_at_20"));

    Json shorter = overfits;
    shorter["epochs"] = first;
    run_in(folder, overfitting(folder, shorter, Json::object()));
    EXPECT_EQ(point_in(folder).at("tables_digest"), stopped.at("tables_digest"))
        << "the tables of the best epoch, bit for bit";
}

TEST(BestEpoch, IsWhatASearchChoosesByWhereItIsKept)
{
    const TemporaryFolder folder;
    Json study = overfitting(folder, overfits, {{"keep_best", true}});
    study["search"] = {{"kind", "grid"}, {"over", {{"/workload/alx/reg", {1e-5, 1e-3}}}}};
    const Outcome outcome = run_in(folder, study);
    EXPECT_THAT(outcome.output, HasSubstr("by recall_at_20 of each one's best epoch"));
    const Json search = load_json(folder.path("out/report.json")).at("search");
    EXPECT_TRUE(search.at("candidates").at(0).contains("kept_interval"));
}

TEST(BestEpoch, NeedsTestRows)
{
    const TemporaryFolder folder;
    Json study = study_of(folder, Json::object(), {{"keep_best", true}});
    study.at("workload").erase("split");
    const Outcome outcome = run_program({"check", folder.write("s.json", study.dump())});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("/workload/evaluation/keep_best: found, but no rows"));
}

TEST(Export, TellsRecommendationsByNameInCsv)
{
    const TemporaryFolder folder;
    std::string names;
    for (int i = 0; i < 200; ++i) {
        names += "it is \"" + std::to_string(i) + "\", you\n";
    }
    folder.write("names", names);
    Json study = study_of(folder, {{"epochs", 1}, {"semantics", "clean"}}, Json::object());
    study.at("workload").at("dataset")["names"] = {{"rows", "names"}, {"columns", "names"}};
    run_in(folder, study, {"--quiet", "--export", folder.path("x")});
    const std::string csv = read_file(folder.path("x/0/recommendations.csv"));
    EXPECT_THAT(csv, ::testing::StartsWith("row,rank,column,score\n\"it is \"\""));
    EXPECT_GT(load_json(folder.path("x/0/column_names.json")).size(), 80U);
}

TEST(Export, HoldsRowsOfTheMatrixAloneAndTrainingGoesOnFromThem)
{
    for (const char* semantics : {"alx", "clean"}) {
        SCOPED_TRACE(semantics);
        const TemporaryFolder folder;
        const auto study_from = [&](int epochs, const Json& alx) {
            Json study =
                study_of(folder, {{"epochs", epochs}, {"semantics", semantics}}, Json::object());
            study.at("machine")["cores"] = 8;
            study.at("workload").at("alx").merge_patch(alx);
            return study;
        };
        run_in(folder, study_from(3, Json::object()));
        const Json whole = point_in(folder).at("tables_digest");

        run_in(folder, study_from(1, Json::object()), {"--quiet", "--export", folder.path("x")});
        const Json dataset =
            load_json(folder.path("out/report.json")).at("dataset").begin().value();
        const std::int64_t columns = dataset.at("columns");
        EXPECT_EQ(read_npy(folder.path("x/0/columns.npy")).rows, columns);
        EXPECT_EQ(read_npy(folder.path("x/0/rows.npy")).rows, dataset.at("rows"));
        EXPECT_EQ(read_npy(folder.path("x/0/rows_after_first_half.npy")).rows, dataset.at("rows"));
        for (const Json& row : load_json(folder.path("x/0/recommendations.json"))) {
            for (const Json& id : row.at("top_ids")) {
                EXPECT_LT(id, columns + dataset.value("columns_without_links", 0))
                    << "by its source";
            }
            EXPECT_EQ(row.at("top_ids").size(), row.at("top_scores").size());
        }

        run_in(folder,
               study_from(2, {{"initial_tables",
                               {{"rows", "x/0/rows.npy"}, {"columns", "x/0/columns.npy"}}}}));
        EXPECT_EQ(point_in(folder).at("tables_digest"), whole) << "bit for bit";
    }
}

/// Ids of films, with gaps as MovieLens has them.
std::set<int> film_ids()
{
    std::set<int> ids;
    for (int film = 0; film < 24; ++film) {
        ids.insert(1 + 8311 * film);
    }
    return ids;
}

/// A study of 60 users, each of whom has seen eight films of one half.
Json gappy_study(const TemporaryFolder& folder, const char* semantics)
{
    const std::set<int> all = film_ids();
    const std::vector<int> films(all.begin(), all.end());
    std::string lines = "userId,movieId,rating\n";
    for (int user = 1; user <= 60; ++user) {
        for (int i = 0; i < 8; ++i) {
            const std::size_t film = user % 2 * 12 + (user / 2 + 5 * i + i / 3) % 12;
            lines += std::to_string(user) + "," + std::to_string(films[film]) + ",4\n";
        }
    }
    folder.write("ratings.csv", lines);
    return {{"study", "gaps"},
            {"fidelity", "analytic"},
            {"band", false},
            {"machine", {{"chip", "tpu_v3"}, {"cores", 8}}},
            {"workload",
             {{"dataset", {{"file", "ratings.csv"}}},
              {"split", {{"test_rows", 0.2}, {"held_out_links", 0.3}, {"min_links", 2}}},
              {"alx", {{"dim", 8}, {"epochs", 2}, {"semantics", semantics}}}}}};
}

/// The third of a line's values, of each line but the first.
std::vector<int> columns_in_csv(const TemporaryFolder& folder)
{
    std::istringstream csv(read_file(folder.path("x/0/recommendations.csv")));
    std::vector<int> films;
    std::string line;
    for (std::getline(csv, line); std::getline(csv, line);) {
        std::istringstream values(line);
        std::string film;
        for (int i = 0; i < 3; ++i) {
            std::getline(values, film, ',');
        }
        films.push_back(std::stoi(film));
    }
    return films;
}

std::vector<int> columns_in_json(const TemporaryFolder& folder)
{
    std::vector<int> films;
    for (const Json& row : load_json(folder.path("x/0/recommendations.json"))) {
        for (const Json& film : row.at("top_ids")) {
            films.push_back(film.get<int>());
        }
    }
    return films;
}

/// How many of them are no films.
std::ptrdiff_t phantoms_among(const std::vector<int>& films)
{
    const std::set<int> ids = film_ids();
    EXPECT_GT(films.size(), ids.size());
    return std::count_if(films.begin(), films.end(),
                         [&](int film) { return ids.count(film) == 0; });
}

TEST(Export, RecommendsNoIdThatTheFileLacksUnlessReleasedCodeDoesWhichIsSaid)
{
    for (const char* semantics : {"clean", "alx"}) {
        const TemporaryFolder folder;
        run_in(folder, gappy_study(folder, semantics), {"--quiet", "--export", folder.path("x")});
        EXPECT_EQ(phantoms_among(columns_in_csv(folder)), 0) << semantics;
        const bool is_clean = std::string(semantics) == "clean";
        EXPECT_EQ(phantoms_among(columns_in_json(folder)) == 0, is_clean) << semantics;
        const bool is_said =
            notes_in(folder).find("they may be recommended, too") != std::string::npos;
        EXPECT_NE(is_said, is_clean) << notes_in(folder);
    }
}

/// The tables' digest and all metrics, trained on so many cores; when they were reached is another
/// matter.
Json trained_on(int cores, const Json& alx)
{
    const TemporaryFolder folder;
    Json study = study_of(folder, alx, Json::object());
    study.at("machine")["cores"] = cores;
    run_in(folder, study);
    Json quality = point_in(folder).at("quality");
    for (Json& epoch : quality) {
        epoch.erase("simulated_seconds");
    }
    return {{"digest", point_in(folder).at("tables_digest")}, {"quality", quality}};
}

TEST(Quality, IsTheSameBitForBitOnAnyNumberOfCoresWithCleanSemanticsAlone)
{
    const Json clean{{"semantics", "clean"}, {"epochs", 2}};
    const Json on_one = trained_on(1, clean);
    for (const int cores : {2, 8}) {
        EXPECT_EQ(trained_on(cores, clean), on_one) << cores;
    }
    const Json released{{"semantics", "alx"}, {"epochs", 2}};
    EXPECT_NE(trained_on(8, released), trained_on(1, released))
        << "rows that fill the shards start random";
}

TEST(Series, MayBeSetToNone)
{
    const TemporaryFolder folder;
    Json study = study_of(folder, {{"epochs", 1}}, Json::object());
    study["series"] = {{{"name", "one"}}, {{"name", "two"}}};
    run_in(folder, study, {"--quiet", "--set", "/series=[]"});
    EXPECT_EQ(load_json(folder.path("out/report.json")).at("points").size(), 1U);
}

TEST(ReportColumns, ShowsAPhaseThatTakesNoTimeAsZero)
{
    const TemporaryFolder folder;
    run_in(folder, study_of(folder, {{"epochs", 1}}, Json::object()));
    const Outcome outcome = run_program(
        {"report", folder.path("out/report.json"), "--columns", "cores,phases.table.in"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr(" 0\n"));
}

} // namespace
} // namespace alxsim::testing
