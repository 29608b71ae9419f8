// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<std::vector<std::int64_t>>;

const std::string golden = ALXSIM_SOURCE_DIR "/tests/golden/data/";

/// Runs `alxsim op` on work with these files and numbers.
Outcome run_op(const Json& work, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{"op", work.dump(), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
}

Json result_of(const Json& work, const std::vector<std::string>& more = {})
{
    const Outcome outcome = run_op(work, more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return outcome.exit_code == 0 ? Json::parse(outcome.output) : Json::object();
}

/// Writes an array into the folder; its path.
std::string write_array(const TemporaryFolder& folder, const std::string& name,
                        const std::vector<std::int64_t>& shape, const std::vector<double>& values,
                        NpyNumber number = NpyNumber::f4)
{
    write_npy(folder.path(name), {0, 0, values, shape}, number);
    return folder.path(name);
}

/// The f32 numbers of a reference file.
std::vector<double> golden_f32(const std::string& name)
{
    const std::string bytes = read_file(golden + name);
    std::vector<float> numbers(bytes.size() / sizeof(float));
    std::copy_n(bytes.data(), numbers.size() * sizeof(float),
                reinterpret_cast<char*>(numbers.data()));
    return {numbers.begin(), numbers.end()};
}

/// Two systems, of which the second has a right-hand side of zero; x is (1, 2) and (0, 0).
Json two_systems(const TemporaryFolder& folder, NpyNumber number = NpyNumber::f4)
{
    return {{"work", "solve"},
            {"matrices", write_array(folder, "A.npy", {2, 2, 2}, {4, 1, 1, 3, 2, 0, 0, 2}, number)},
            {"rhs", write_array(folder, "b.npy", {2, 2}, {6, 7, 0, 0}, number)}};
}

TEST(OpSolve, GivesIterationsResidualsTimeAndSolutions)
{
    const TemporaryFolder folder;
    for (const NpyNumber number : {NpyNumber::f4, NpyNumber::f8}) {
        const Json result =
            result_of(two_systems(folder, number), {"--output", folder.path("x.npy")});
        EXPECT_EQ(result.at("iterations"), Json({2, 0}));
        EXPECT_EQ(result.at("max_iterations_of_batch"), 2);
        EXPECT_LT(result.at("residuals").at(0).get<double>(), 1e-5);
        EXPECT_EQ(result.at("residuals").at(1), 0.0);
        EXPECT_LE(result.at("bound_seconds"), result.at("simulated_seconds"));
        EXPECT_NEAR(result.at("closed_form_seconds").get<double>() /
                        result.at("simulated_seconds").get<double>(),
                    1, 0.01);
        EXPECT_EQ(result.at("limited_by"), "op overhead");
        const NpyMatrix x = read_npy(folder.path("x.npy"));
        EXPECT_EQ(x.number, number);
        EXPECT_EQ(x.shape, (std::vector<std::int64_t>{2, 2}));
        EXPECT_NEAR(x.values[0], 1, 1e-5);
        EXPECT_NEAR(x.values[1], 2, 1e-5);
        EXPECT_EQ(x.values[2], 0);
        EXPECT_EQ(x.values[3], 0);
    }
}

TEST(OpSolve, HasEverySolverAndTimesTheIterationsFound)
{
    const TemporaryFolder folder;
    Json work = two_systems(folder);
    for (const char* solver : {"cholesky", "lu", "qr"}) {
        work["solver"] = solver;
        const Json direct = result_of(work);
        EXPECT_EQ(direct.at("iterations"), Json({0, 0})) << solver;
        EXPECT_LT(direct.at("residuals").at(0).get<double>(), 1e-6) << solver;
    }
    work["solver"] = "cg";
    const double two = result_of(work).at("simulated_seconds");
    work["max_iterations"] = 1;
    const Json one = result_of(work);
    EXPECT_EQ(one.at("max_iterations_of_batch"), 1);
    EXPECT_LT(one.at("simulated_seconds").get<double>(), two);
}

TEST(OpSolve, TakesOneSystemWithoutItsFirstDimension)
{
    const TemporaryFolder folder;
    const Json result = result_of({{"work", "solve"},
                                   {"matrices", write_array(folder, "A.npy", {2, 2}, {4, 1, 1, 3})},
                                   {"rhs", write_array(folder, "b.npy", {2}, {0, 0})}},
                                  {"--output", folder.path("x.npy")});
    EXPECT_EQ(result.at("iterations"), Json::array({0}));
    EXPECT_EQ(read_npy_array(folder.path("x.npy")).shape, (std::vector<std::int64_t>{2}));
}

TEST(OpSolve, SaysWhichMatricesAreNotPositiveDefinite)
{
    const TemporaryFolder folder;
    const auto of = [&](const char* solver, const std::vector<double>& matrices) {
        return Json{{"work", "solve"},
                    {"solver", solver},
                    {"matrices", write_array(folder, "A.npy", {2, 2, 2}, matrices)},
                    {"rhs", write_array(folder, "b.npy", {2, 2}, {6, 7, 1, 1})}};
    };
    const std::vector<double> indefinite{4, 1, 1, 3, 1, 2, 2, 1};
    for (const char* solver : {"cg", "cholesky"}) {
        const Json result = result_of(of(solver, indefinite));
        EXPECT_EQ(result.at("not_positive_definite"), Json::array({1})) << solver;
        EXPECT_THAT(result.at("note").get<std::string>(),
                    HasSubstr("of system 1 elimination finds no positive pivot for row 1"));
        EXPECT_THAT(run_op(of(solver, indefinite)).output, HasSubstr("not positive definite"));
        EXPECT_THAT(result_of(of(solver, {4, 1, 2, 3, 2, 0, 0, 2})).at("note").get<std::string>(),
                    HasSubstr("of system 0 row 0, column 1 is 1, row 1, column 0 is 2"));
        EXPECT_FALSE(result_of(of(solver, {4, 1, 1, 3, 2, 0, 0, 2})).contains("note")) << solver;
    }
    for (const char* solver : {"lu", "qr"}) { // which take it
        const Json result = result_of(of(solver, indefinite));
        EXPECT_FALSE(result.contains("note")) << solver;
        EXPECT_LT(result.at("residuals").at(1).get<double>(), 1e-6) << solver;
    }
}

TEST(OpSolve, RefusesWrongShapesFieldsAndFiles)
{
    const TemporaryFolder folder;
    const Json work = two_systems(folder);
    const auto errors_with = [&](const char* field, const Json& value) {
        Json wrong = work;
        wrong[field] = value;
        const Outcome outcome = run_op(wrong);
        EXPECT_EQ(outcome.exit_code, 2) << field;
        return outcome.errors;
    };
    const std::string few = write_array(folder, "few.npy", {1, 3}, {1, 2, 3});
    EXPECT_THAT(errors_with("rhs", few),
                HasSubstr("few.npy: found the shape (1, 3); needed: (2, 2)"));
    EXPECT_THAT(errors_with("matrices", few), HasSubstr("needed: (n, d, d)"));
    EXPECT_THAT(errors_with("rhs", "none.npy"), HasSubstr("none.npy"));
    EXPECT_THAT(errors_with("solver", "gc"), HasSubstr("\"cholesky\""));
    EXPECT_THAT(errors_with("tolerence", 1), HasSubstr("did you mean 'tolerance'"));
}

TEST(OpSolve, MeetsTheReferenceIterations)
{
    const TemporaryFolder folder;
    for (const Json& expected : load_json(golden + "e_cg/cg.json")) {
        const auto name = expected.at("name").get<std::string>();
        const std::int64_t n = expected.at("n");
        const std::int64_t d = expected.at("d");
        const Json result = result_of(
            {{"work", "solve"},
             {"matrices",
              write_array(folder, "A.npy", {n, d, d}, golden_f32("e_cg/" + name + "_A.f32"))},
             {"rhs", write_array(folder, "b.npy", {n, d}, golden_f32("e_cg/" + name + "_b.f32"))}});
        for (std::size_t s = 0; s < static_cast<std::size_t>(n); ++s) {
            const double wanted = expected.at("iters_f32").at(s);
            EXPECT_NEAR(result.at("iterations").at(s).get<double>(), wanted,
                        expected.at("cond") <= 100 ? 3.0 : std::max(3.0, 0.1 * wanted))
                << name << " system " << s;
        }
    }
}

TEST(OpTopK, BreaksTiesAsTheReleasedCodeDoes)
{
    const TemporaryFolder folder;
    Json work{{"work", "top_k"},
              {"scores", write_array(folder, "s.npy", {1, 6}, {1, 3, 2, 3, 3, 0})},
              {"k", 2}};
    EXPECT_EQ(result_of(work).at("ids").get<Ids>(), (Ids{{1, 3}}));
    EXPECT_EQ(result_of(work).at("scores"), Json({{3.0, 3.0}}));
    work["merge"] = true; // one shard: places 0 and 1, reversed
    EXPECT_EQ(result_of(work).at("ids").get<Ids>(), (Ids{{3, 1}}));
    work["shards"] = 2; // columns 0-3 and 4-7: (1, 3) and (4, 5), places 0, 2 and 1, 3
    EXPECT_EQ(result_of(work).at("ids").get<Ids>(), (Ids{{3, 4}}));
    work["k"] = 5;
    EXPECT_THAT(run_op(work).errors, HasSubstr("/k: found 5; allowed: up to 4"));
}

TEST(OpTopK, RefusesWhatIsNoScores)
{
    const TemporaryFolder folder;
    const Json work{
        {"work", "top_k"}, {"scores", write_array(folder, "s.npy", {3}, {1, 2, 3})}, {"k", 1}};
    EXPECT_THAT(run_op(work).errors, HasSubstr("found the shape (3,) of f4"));
    EXPECT_THAT(run_op(work, {"--output", folder.path("x.npy")}).errors, HasSubstr("--output"));
}

TEST(OpTopK, MeetsTheReferenceLists)
{
    const TemporaryFolder folder;
    const Json expected = load_json(golden + "f_topk/topk.json");
    Json work{{"work", "top_k"},
              {"scores", write_array(folder, "s.npy", expected.at("scores_shape"),
                                     golden_f32("f_topk/scores.f32"))},
              {"shards", 1}};
    for (const int k : {10, 20, 50}) {
        const Json& lists = expected.at("k" + std::to_string(k));
        work["k"] = k;
        work["approximate"] = false;
        EXPECT_EQ(result_of(work).at("ids"), lists.at("exact_ids"));
        work["approximate"] = true;
        EXPECT_EQ(result_of(work).at("ids"), lists.at("approx_ids"));
    }
    work.update({{"k", 10}, {"approximate", false}, {"shards", 4}});
    EXPECT_EQ(result_of(work).at("ids"), expected.at("merge_M4_k10").at("top_ids"));
}

} // namespace
} // namespace alxsim::testing
