// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <string>

/// Precision what-ifs, as a user runs them.
namespace alxsim::testing {
namespace {

TEST(Precision, OfASolveThatBreaksDownIsAResultNotAnError)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", small_study(folder, Json::parse(R"({
        "sweep": {"/machine/cores": null, "/workload/alx/solve_dtype": ["f32", "bf16"]},
        "workload": {"alx": {"dim": 64, "epochs": 4, "solver": "cholesky", "reg": 1e-6,
                             "alpha": 1e-5}}})"))
                                                         .dump());
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json points = Json::parse(read_file(folder.path("out/report.json"))).at("points");
    EXPECT_TRUE(points.at(0).at("quality").back().at("objective").is_number());
    EXPECT_TRUE(points.at(1).at("quality").back().at("objective").is_null());
    EXPECT_GT(points.at(0).at("quality").back().at("recall_at_20"),
              points.at(1).at("quality").back().at("recall_at_20"));
}

/// small_study() as the released code would run it, its Gramians' sum rounded once and at every
/// hop.
Json roundings_of_the_sum(const char* more)
{
    Json study = Json::parse(R"({
        "sweep": {"/machine/cores": [8, 32],
                  "/workload/alx/switches/psum_rounding": ["once", "every_hop"]},
        "workload": {"alx": {"semantics": "alx", "long_rows": "truncate"}}})");
    study.merge_patch(Json::parse(more));
    return study;
}

TEST(Precision, OfASumThatIsRoundedAtEveryHopMovesBitsAndNoSteps)
{
    const TemporaryFolder folder;
    const std::string study =
        folder.write("s.json", small_study(folder, roundings_of_the_sum("{}")).dump());
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json points = Json::parse(read_file(folder.path("out/report.json"))).at("points");
    const auto once_and_hops = [&](int cores, const char* field) {
        std::vector<Json> values;
        for (const Json& point : points) {
            if (point.at("machine").at("cores") == cores) {
                values.push_back(point.at(field));
            }
        }
        return values;
    };
    for (const int cores : {8, 32}) {
        const std::vector<Json> digests = once_and_hops(cores, "tables_digest");
        ASSERT_EQ(digests.size(), 2);
        EXPECT_NE(digests[0], digests[1]) << cores;
        const std::vector<Json> steps = once_and_hops(cores, "counters");
        EXPECT_EQ(steps[0].at("rows").at("steps"), steps[1].at("rows").at("steps"));
    }
}

TEST(Precision, OfASumThatIsNotInBf16HasNoHops)
{
    const TemporaryFolder folder;
    const std::string study = folder.write(
        "s.json", small_study(folder, roundings_of_the_sum(
                                          R"({"workload": {"alx": {"table_dtype": "f32"}}})"))
                      .dump());
    const Outcome outcome = run_program({"run", study, "-o", folder.path("out")});
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_NE(outcome.errors.find("/workload/alx/switches/psum_rounding: found every_hop"),
              std::string::npos)
        << outcome.errors;
}

} // namespace
} // namespace alxsim::testing
