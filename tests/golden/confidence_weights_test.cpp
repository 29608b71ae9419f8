// SPDX-License-Identifier: Apache-2.0
#include "base/npy.h"
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

/// Ratings as confidences, from a file to tables, against confidence_weights.py.
namespace alxsim {
namespace {

using testing::Outcome;
using testing::run_program;

Json oracle()
{
    return load_json(std::string(ALXSIM_SOURCE_DIR) + "/tests/golden/confidence_weights.json");
}

NpyMatrix matrix_of(const Json& rows)
{
    NpyMatrix matrix{
        static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows.at(0).size()), {}};
    for (const auto& row : rows.get<std::vector<std::vector<double>>>()) {
        matrix.values.insert(matrix.values.end(), row.begin(), row.end());
    }
    return matrix;
}

Json study_of(const TemporaryFolder& folder, const Json& expected, const std::string& weights)
{
    std::ostringstream lines;
    lines << "user,item,rating\n";
    for (const Json& line : expected.at("lines")) {
        lines << line.at(0) << "," << line.at(1) << "," << line.at(2) << "\n";
    }
    folder.write("ratings.csv", lines.str());
    write_npy(folder.path("columns.npy"), matrix_of(expected.at("initial_columns")), NpyNumber::f8);
    return {{"study", "confidence"},
            {"numerics", true},
            {"fidelity", "analytic"},
            {"machine", {{"chip", "tpu_v3"}, {"cores", 2}}},
            {"workload",
             {{"dataset", {{"file", "ratings.csv"}}},
              {"alx",
               {{"dim", expected.at("dim")},
                {"epochs", expected.at("epochs")},
                {"reg", expected.at("reg")},
                {"alpha", expected.at("alpha")},
                {"semantics", "clean"},
                {"weights", weights},
                {"solver", "cholesky"},
                {"table_dtype", "f64"},
                {"batch", "auto"},
                {"initial_tables", {{"columns", "columns.npy"}}}}}}}};
}

void expect_near(const NpyMatrix& found, const NpyMatrix& expected)
{
    ASSERT_EQ(found.rows, expected.rows);
    ASSERT_EQ(found.values.size(), expected.values.size());
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        EXPECT_NEAR(found.values[i], expected.values[i], 1e-6) << "number " << i;
    }
}

TEST(ConfidenceWeights, YieldTheTablesOfDenseLeastSquares)
{
    const TemporaryFolder folder;
    const Json expected = oracle();
    const std::string study =
        folder.write("s.json", study_of(folder, expected, "confidence").dump());
    const Outcome outcome = run_program(
        {"run", study, "-o", folder.path("out"), "--export", folder.path("x"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json quality = load_json(folder.path("out/report.json")).at("points").at(0).at("quality");
    ASSERT_EQ(quality.size(), expected.at("objectives").size());
    for (std::size_t i = 0; i < quality.size(); ++i) {
        const auto objective = expected.at("objectives").at(i).get<double>();
        EXPECT_NEAR(quality.at(i).at("objective").get<double>(), objective, 1e-6 * objective);
    }
    expect_near(read_npy(folder.path("x/0/rows.npy")), matrix_of(expected.at("rows")));
    expect_near(read_npy(folder.path("x/0/columns.npy")), matrix_of(expected.at("columns")));
}

TEST(ConfidenceWeights, AreSaidToWeighNothingWhereTheyAreIgnoredAndTakeMemoryWhereTheyCount)
{
    const TemporaryFolder folder;
    const auto checked = [&](const std::string& weights) {
        const std::string study =
            folder.write("s.json", study_of(folder, oracle(), weights).dump());
        return std::pair(run_program({"check", study}), run_program({"check", study, "--json"}));
    };
    const auto [ignored, ignored_json] = checked("ignore");
    EXPECT_THAT(ignored.output, ::testing::HasSubstr("note: ratings weigh nothing"));
    const auto [counted, counted_json] = checked("confidence");
    EXPECT_THAT(counted.output, ::testing::Not(::testing::HasSubstr("weigh nothing")));
    const auto bytes = [](const Outcome& outcome) {
        return Json::parse(outcome.output)
            .at("points")
            .at(0)
            .at("memory")
            .at("bytes_per_core")
            .get<std::int64_t>();
    };
    EXPECT_GT(bytes(counted_json), bytes(ignored_json));
}

} // namespace
} // namespace alxsim
