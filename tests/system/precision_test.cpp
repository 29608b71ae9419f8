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

} // namespace
} // namespace alxsim::testing
