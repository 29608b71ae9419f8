// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "base/numbers/random.h"
#include "program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <utility>

/// How a file numbers its users and items, and in which order it tells of them, is not data.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Links = std::vector<std::pair<int, int>>;

constexpr int users = 60;
constexpr int items = 40;

/// The first user has all items, so that items appear in the order of their ids; of the others each
/// has eight to fifteen, more often those of its own half.
Links links()
{
    Links all;
    SplitMix64 random(7);
    for (int user = 0; user < users; ++user) {
        std::set<int> chosen;
        const auto count = 8 + random.below(8);
        while (user > 0 && chosen.size() < count) {
            const auto item = static_cast<int>(random.below(items));
            if (item % 2 == user % 2 || random.below(5) == 0) {
                chosen.insert(item);
            }
        }
        for (int item = 0; item < items; ++item) {
            if (user == 0 || chosen.count(item) > 0) {
                all.emplace_back(user, item);
            }
        }
    }
    return all;
}

using Called = std::function<std::string(int)>;

std::string lines_of(const Links& all, const Called& user, const Called& item,
                     const std::string& separator = " ")
{
    std::string lines;
    for (const auto& [from, to] : all) {
        lines += user(from) + separator + item(to) + "\n";
    }
    return lines;
}

std::string as_it_is(int id)
{
    return std::to_string(id);
}

Json study_of(const std::string& file, const Json& extra = Json::object())
{
    Json study = Json::parse(R"({
        "study": "numbered", "fidelity": "analytic", "band": false,
        "machine": {"chip": "tpu_v3", "cores": 2},
        "workload": {"split": {"test_rows": 0.2, "held_out_links": 0.25, "min_links": 4},
                     "alx": {"dim": 8, "epochs": 3, "reg": 0.01, "alpha": 0.01}}})");
    study["workload"]["dataset"] = {{"file", file}, {"format", "edges"}};
    study.merge_patch(extra);
    return study;
}

/// What a study of a file learns: report, and exported files by name.
struct Learned {
    Json point;
    std::map<std::string, std::string> exported;

    friend bool operator==(const Learned& a, const Learned& b)
    {
        return a.point.at("tables_digest") == b.point.at("tables_digest") &&
               a.point.at("quality") == b.point.at("quality") && a.exported == b.exported;
    }
};

Learned learn(const TemporaryFolder& folder, const Json& study)
{
    const Outcome outcome =
        run_program({"run", folder.write("study.json", study.dump()), "-o", folder.path("out"),
                     "--export", folder.path("exported"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    Learned learned{load_json(folder.path("out/report.json")).at("points").at(0), {}};
    for (const char* const name :
         {"rows.npy", "columns.npy", "gramian_rows.npy", "gramian_columns.npy", "batches_rows.json",
          "batches_columns.json", "metrics.json"}) {
        learned.exported[name] = read_file(folder.path(std::string("exported/0/") + name));
    }
    return learned;
}

Learned learned_of(const std::string& lines, const Json& extra = Json::object())
{
    const TemporaryFolder folder;
    folder.write("links", lines);
    return learn(folder, study_of("links", extra));
}

/// The ids that a recommendation of this field was exported with.
std::vector<int> exported_ids(const TemporaryFolder& folder, const char* field)
{
    std::vector<int> ids;
    for (const Json& row : load_json(folder.path("exported/0/recommendations.json"))) {
        const Json& found = row.at(field);
        for (const Json& id : found.is_array() ? found : Json::array({found})) {
            ids.push_back(id.get<int>());
        }
    }
    return ids;
}

TEST(Numbering, ThatKeepsTheOrderChangesNothingThatIsLearned)
{
    const Links all = links();
    const Learned dense = learned_of(lines_of(all, as_it_is, as_it_is));
    EXPECT_GT(dense.point.at("quality").back().at("recall_at_20").get<double>(), 0);
    const auto with_gaps = [](int id) { return std::to_string(5 + 7 * id + id * id); };
    EXPECT_TRUE(learned_of(lines_of(all, with_gaps, with_gaps)) == dense);

    const TemporaryFolder folder;
    const auto name = [](const char* kind) {
        return
            [kind](int id) { return std::string(kind) + " no. " + std::to_string(997 * id % 101); };
    };
    const Outcome named = run_program(
        {"dataset", "names",
         folder.write("named.tsv", lines_of(all, name("user"), name("item"), "\t")), "-o",
         folder.path("links"), "--rows", folder.path("r"), "--columns", folder.path("c")});
    ASSERT_EQ(named.exit_code, 0) << named.errors;
    EXPECT_TRUE(learn(folder, study_of("links")) == dense) << "numbered as they appear";
}

/// Batches are what devices get: places in the tables, of which row_ids tells the file's ids.
TEST(Numbering, BatchesHavePlacesOfTheTablesAndRecommendationsIdsOfTheFile)
{
    const TemporaryFolder folder;
    const auto far = [](int id) { return std::to_string(1000 + 3 * id); };
    folder.write("links", lines_of(links(), far, far));
    learn(folder, study_of("links"));
    const auto exported = [&](const std::string& name) {
        return load_json(folder.path("exported/0/" + name + ".json"));
    };
    const Json ids = exported("row_ids");
    std::set<int> told;
    for (const Json& batch : exported("batches_test")) {
        for (const Json& place : batch.at("row_ids")) {
            if (place >= 0) {
                told.insert(ids.at(place.get<std::size_t>()).get<int>());
            }
        }
    }
    const std::vector<int> recommended = exported_ids(folder, "row_id");
    EXPECT_EQ(told, std::set<int>(recommended.begin(), recommended.end()));
}

TEST(Numbering, OrderOfLinesAndLinksThatStandTwiceChangeNothing)
{
    Links all = links();
    const Learned dense = learned_of(lines_of(all, as_it_is, as_it_is));
    SplitMix64 random(3);
    for (std::size_t i = all.size(); i > 1; --i) {
        std::swap(all[i - 1], all[random.below(i)]);
    }
    all.insert(all.end(), all.begin(), all.begin() + 50);
    EXPECT_TRUE(learned_of(lines_of(all, as_it_is, as_it_is)) == dense);

    std::string backwards; // rows of an adjacency list, and two without links
    for (int user = users + 1; user >= 0; --user) {
        backwards += std::to_string(user);
        for (const auto& [from, to] : all) {
            backwards += from == user ? " " + std::to_string(to) : "";
        }
        backwards += "\n";
    }
    const Json adjacency{{"workload", {{"dataset", {{"format", "adjacency"}}}}}};
    EXPECT_TRUE(learned_of(backwards, adjacency) == dense);
}

TEST(Numbering, IsReadFromAnyWayOfWriting)
{
    const Links all = links();
    const Learned dense = learned_of(lines_of(all, as_it_is, as_it_is));
    const auto in_quotes = [](int id) { return '"' + std::to_string(id) + '"'; };
    const auto with_ends = [](std::string lines, const std::string& end) {
        for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos;
             at += end.size()) {
            lines.replace(at, 1, end);
        }
        return lines;
    };
    const std::string plain = lines_of(all, as_it_is, as_it_is);
    Links turned;
    for (const auto& [user, item] : all) {
        turned.emplace_back(item, user);
    }
    for (const std::string& lines :
         {lines_of(all, as_it_is, as_it_is, "\t"), lines_of(all, as_it_is, as_it_is, " , "),
          lines_of(all, in_quotes, in_quotes, ";"), lines_of(all, as_it_is, as_it_is, "::"),
          with_ends(plain, "\r\n"), with_ends(plain, "\r"),
          with_ends(plain, "\n# a comment\n\n  \n"), "\xef\xbb\xbf" + plain,
          "item,rating,user\n" + lines_of(turned, as_it_is, as_it_is, ",3.5,")}) {
        EXPECT_TRUE(learned_of(lines) == dense) << lines.substr(0, 40);
    }
}

TEST(Numbering, IsTheSourcesInAllThatComesOut)
{
    const auto with_gaps = [](int id) { return std::to_string(1000 + 3 * id); };
    const TemporaryFolder folder;
    folder.write("links", lines_of(links(), with_gaps, with_gaps));
    const Learned learned = learn(
        folder,
        study_of("links",
                 {{"workload", {{"evaluation", {{"recommend", {{"rows", {1003}}, {"k", 5}}}}}}}}));
    const Json notes = learned.point.at("notes");
    EXPECT_THAT(notes.at(0).get<std::string>(),
                HasSubstr("1,118 of 1,178 rows and 1,078 of 1,118 columns have no links: they are "
                          "left out"));
    for (const char* const field : {"row_id", "top_ids"}) {
        for (const int id : exported_ids(folder, field)) {
            EXPECT_TRUE(id >= 1000 && (id - 1000) % 3 == 0) << field << " " << id;
        }
    }
    EXPECT_EQ(load_json(folder.path("exported/0/row_ids.json")).at(1), 1003);
    EXPECT_EQ(load_json(folder.path("exported/0/column_ids.json")).back(), 1000 + 3 * (items - 1));
    const Json& asked = learned.point.at("recommended").at(0);
    EXPECT_EQ(asked.at("row"), 1003);
    for (const Json& column : asked.at("columns")) {
        EXPECT_EQ((column.get<int>() - 1000) % 3, 0);
    }
}

/// Ratings of users and items from 1 on, with times.
std::string ratings(const std::string& header, const std::string& separator, bool dates)
{
    std::string lines = header;
    for (const auto& [user, item] : links()) {
        const int day = 10 + (user + item) % 20;
        lines += std::to_string(1 + user) + separator + std::to_string(1 + item) + separator + "4" +
                 separator +
                 (dates ? "2017-06-" + std::to_string(day) : std::to_string(1500000000 + day)) +
                 "\n";
    }
    return lines;
}

/// What is recommended to user 7 of a file, and what was noted.
std::pair<Json, std::string> recommended_to_user_7(const std::string& file, const std::string& text)
{
    const TemporaryFolder folder;
    folder.write(file, text);
    const Json study =
        study_of(file, {{"workload",
                         {{"dataset", {{"format", nullptr}}},
                          {"split", {{"test_rows", 0.1}}},
                          {"evaluation", {{"recommend", {{"rows", {7}}, {"k", 5}}}}}}}});
    const Learned learned = learn(folder, study);
    return {learned.point.at("recommended"), learned.point.at("notes").dump()};
}

TEST(Numbering, IsThatOfTheFileWhateverItIsCalledAndHoweverItTellsTimes)
{
    const std::string header = "user,movie,rating,timestamp\n";
    const Json told = recommended_to_user_7("ratings.csv", ratings(header, ",", false)).first;
    EXPECT_EQ(told.at(0).at("row"), 7);
    EXPECT_EQ(told.at(0).at("columns").size(), 5U);
    for (const bool dates : {false, true}) {
        for (const char* const name : {"likes.csv", "ratings.csv", "likes"}) {
            EXPECT_EQ(recommended_to_user_7(name, ratings(header, ",", dates)).first, told) << name;
        }
    }
    const auto [of_movielens, notes] = recommended_to_user_7("u.data", ratings("", "\t", false));
    EXPECT_EQ(of_movielens, told) << "whose ids are read as if they began at 0";
    EXPECT_THAT(notes, HasSubstr("u.data: ids from 1: recommendations, test files"));
    EXPECT_EQ(recommended_to_user_7("likes.tsv", ratings("", "\t", false)).first, told);
}

TEST(Numbering, OfATestFileIsThatOfTheLinksAndDoubtedWhereItFitsNone)
{
    const auto recall = [](const std::string& file, const std::string& separator, int less,
                           std::string& notes) {
        const TemporaryFolder folder;
        std::string training;
        std::string tests;
        for (int from = 0; from < users; ++from) {
            std::string history;
            std::string truth;
            for (const auto& [row, column] : links()) {
                if (row != from) {
                    continue;
                }
                const bool held_out = (row + column) % 4 == 0;
                std::string& side = held_out ? truth : history;
                side += " " + std::to_string(1 + column - less);
                training += held_out ? ""
                                     : std::to_string(1 + row) + separator +
                                           std::to_string(1 + column) + separator + "4\n";
            }
            tests += std::to_string(1 + from - less) + " |" + history + " |" + truth + "\n";
        }
        folder.write(file, (separator == "," ? "userId,movieId,rating\n" : "") + training);
        folder.write("tests.txt", tests);
        Json study = study_of(file, {{"workload", {{"dataset", {{"format", nullptr}}}}}});
        study["workload"]["split"] = {{"test_file", "tests.txt"}};
        const Learned learned = learn(folder, study);
        notes = learned.point.at("notes").dump();
        return learned.point.at("quality").back().at("recall_at_20").get<double>();
    };
    std::string notes;
    const double right = recall("ratings.csv", ",", 0, notes);
    EXPECT_THAT(notes, Not(HasSubstr("shifted")));
    EXPECT_EQ(recall("likes.csv", ",", 0, notes), right);
    EXPECT_EQ(recall("u.data", "\t", 0, notes), right);
    EXPECT_THAT(notes, Not(HasSubstr("shifted")));
    EXPECT_LT(recall("ratings.csv", ",", 1, notes), right);
    EXPECT_THAT(notes,
                HasSubstr("ids shifted by one? Were all of them one more, it would be 100 %"));
}

TEST(Numbering, IsToldByStatisticsOfAStudy)
{
    const TemporaryFolder folder;
    folder.write("links", "0 0\n7 9\n");
    for (const auto& [semantics, word] :
         {std::pair("clean", "6 of 8 rows and 8 of 10 columns have no links: they are left out"),
          std::pair("alx", "6 of 8 rows have no links, and count")}) {
        Json study = study_of("links", {{"workload", {{"alx", {{"semantics", semantics}}}}}});
        study.at("workload").erase("split");
        const Outcome outcome =
            run_program({"dataset", "stats", folder.write("study.json", study.dump())});
        ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        const Json told = Json::parse(outcome.output);
        EXPECT_THAT(told.at("notes").at(0).get<std::string>(), HasSubstr(word));
        EXPECT_EQ(told.at("dataset").at("columns_without_links"), 8);
        EXPECT_EQ(told.at("columns"), semantics == std::string("alx") ? 10 : 2);
    }
}

TEST(Numbering, CountsInReleasedCodeWhichSaysWhatItWeighs)
{
    const auto with_gaps = [](int id) { return std::to_string(10 * id); };
    const TemporaryFolder folder;
    folder.write("links", lines_of(links(), as_it_is, with_gaps));
    const Learned learned =
        learn(folder,
              study_of("links", {{"workload",
                                  {{"alx", {{"semantics", "alx"}}},
                                   {"evaluation", {{"recommend", {{"rows", {1}}, {"k", 20}}}}}}}}));
    EXPECT_THAT(learned.point.at("notes").at(0).get<std::string>(),
                HasSubstr("351 of 391 columns have no links, and count (as in the released code)"));
    int unlinked = 0;
    for (const int id : exported_ids(folder, "top_ids")) {
        unlinked += id % 10 == 0 && id / 10 < items ? 0 : 1;
    }
    EXPECT_GT(unlinked, 0);
    EXPECT_EQ(learned.point.at("results").at("recommended_without_links").at("count"), unlinked);
    const Json& asked = learned.point.at("recommended").at(0).at("columns");
    EXPECT_FALSE(asked.empty());
    for (const Json& column : asked) {
        EXPECT_EQ(column.get<int>() % 10, 0) << "told to somebody";
    }
}

/// A study in f64 with given tables and test rows, of users and items under these new numbers.
double objective_of(const std::vector<int>& user, const std::vector<int>& item)
{
    const TemporaryFolder folder;
    constexpr int dim = 8;
    const auto called = [](const std::vector<int>& ids) {
        return [&ids](int id) { return std::to_string(ids[static_cast<std::size_t>(id)]); };
    };
    Links training;
    std::string tests;
    for (int from = 0; from < users; ++from) {
        std::string history;
        std::string truth;
        for (const auto& [row, column] : links()) {
            if (row == from && from % 6 == 5) {
                (column % 3 == 0 ? truth : history) += " " + called(item)(column);
            } else if (row == from) {
                training.emplace_back(row, column);
            }
        }
        tests += from % 6 == 5 ? called(user)(from) + " |" + history + " |" + truth + "\n" : "";
    }
    folder.write("links", lines_of(training, called(user), called(item)));
    folder.write("tests.txt", tests);
    const auto write_table = [&](const char* name, const std::vector<int>& ids) {
        const int rows = 5 + *std::max_element(ids.begin(), ids.end()); // shards round up
        NpyMatrix table{rows, dim, std::vector<double>(static_cast<std::size_t>(rows) * dim, 0.25)};
        for (std::size_t id = 0; id < ids.size(); ++id) {
            for (std::size_t i = 0; i < dim; ++i) {
                table.values[static_cast<std::size_t>(ids[id]) * dim + i] =
                    0.1 * normal(mix64(id) + i);
            }
        }
        write_npy(folder.path(name), table, NpyNumber::f8);
    };
    write_table("rows.npy", user);
    write_table("columns.npy", item);
    Json study = study_of("links");
    study["workload"]["split"] = {{"test_file", "tests.txt"}};
    study["workload"]["alx"]["table_dtype"] = "f64";
    study["workload"]["alx"]["solver"] = "cholesky"; // CG ends with the slowest row of a batch
    study["workload"]["alx"]["initial_tables"] = {{"rows", "rows.npy"}, {"columns", "columns.npy"}};
    const Json quality = learn(folder, study).point.at("quality").back();
    EXPECT_GT(quality.at("recall_at_20").get<double>(), 0);
    return quality.at("objective").get<double>();
}

TEST(Numbering, ThatIsPermutedLeavesTheObjectiveWhereTablesAndTestRowsAreLikewise)
{
    const auto permuted = [](int count, int step, int stretch) {
        std::vector<int> ids(static_cast<std::size_t>(count));
        for (int id = 0; id < count; ++id) {
            ids[static_cast<std::size_t>(id)] = stretch * (id * step % count);
        }
        return ids;
    };
    const double dense = objective_of(permuted(users, 1, 1), permuted(items, 1, 1));
    EXPECT_NEAR(objective_of(permuted(users, 7, 1), permuted(items, 13, 1)), dense,
                1e-12 * std::abs(dense));
    EXPECT_NEAR(objective_of(permuted(users, 11, 3), permuted(items, 3, 5)), dense,
                1e-12 * std::abs(dense))
        << "with gaps";
}

TEST(Numbering, TakesTablesOfAllIdsAndOfThoseWithLinks)
{
    const auto with_gaps = [](int id) { return std::to_string(2 * id); };
    const TemporaryFolder folder;
    folder.write("links", lines_of(links(), with_gaps, with_gaps));
    const Learned first = learn(folder, study_of("links"));
    const auto next_of = [&](const NpyMatrix& rows) {
        write_npy(folder.path("given.npy"), rows, NpyNumber::f4);
        Json study = study_of("links");
        study["workload"]["alx"]["initial_tables"] = {{"rows", "given.npy"}};
        return run_program(
            {"run", folder.write("next.json", study.dump()), "-o", folder.path("next"), "--quiet"});
    };
    const NpyMatrix exported = read_npy(folder.path("exported/0/rows.npy"));
    EXPECT_EQ(next_of(exported).exit_code, 0);
    const Json digest =
        load_json(folder.path("next/report.json")).at("points").at(0).at("tables_digest");

    NpyMatrix all{2 * users, exported.columns, {}};
    all.values.resize(static_cast<std::size_t>(all.rows * all.columns), -1.0);
    for (std::int64_t i = 0; i < users * exported.columns; ++i) {
        const std::int64_t row = i / exported.columns;
        all.values[static_cast<std::size_t>(2 * row * all.columns + i % all.columns)] =
            exported.values[static_cast<std::size_t>(i)];
    }
    EXPECT_EQ(next_of(all).exit_code, 0);
    EXPECT_EQ(load_json(folder.path("next/report.json")).at("points").at(0).at("tables_digest"),
              digest);

    all.rows = 2 * users - 2;
    all.values.resize(static_cast<std::size_t>(all.rows * all.columns));
    const Outcome short_of = next_of(all);
    EXPECT_NE(short_of.exit_code, 0);
    EXPECT_THAT(short_of.errors, HasSubstr("found 118 rows of 8 numbers"));
    EXPECT_THAT(short_of.errors,
                HasSubstr("allowed: 119 or more, one for each id of the data, or 60"));
}

} // namespace
} // namespace alxsim::testing
