// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

/// Every sharding choice through SystemC, step by step, against the analytic model.
namespace alxsim::testing {
namespace {

const std::map<std::string, const char*>& strategies()
{
    static const std::map<std::string, const char*> all{
        {"released", "{}"},
        {"all_reduce", R"({"gather": "all_reduce"})"},
        {"reduce_scatter", R"({"gather": "reduce_scatter"})"},
        {"all_to_all", R"({"gather": "all_to_all"})"},
        {"ship_statistics",
         R"({"gather": "ship_statistics", "ship_statistics": {"min_length": 60}})"},
        {"replicated", R"({"gather": "replicated"})"},
        {"solutions to owners", R"({"scatter": "all_to_all"})"},
        {"owner_computes", R"({"scatter": "owner_computes"})"},
        {"prefetch", R"({"overlap": {"kind": "prefetch", "depth": 2}})"},
        {"batched_matmul", R"({"statistics": "batched_matmul"})"},
        {"groups along x", R"({"group_axes": ["x"]})"},
        {"embedding along y", R"({"embedding_axes": ["y"]})"},
        {"partitioned, at the owners",
         R"({"gather": "all_to_all", "scatter": "owner_computes", "placement": "partitioned",
             "overlap": {"kind": "prefetch", "depth": 1}})"}};
    return all;
}

Json study()
{
    Json study = Json::parse(R"({
        "study": "strategies", "numerics": false, "machine": {"chip": "tpu_v3", "cores": 16},
        "workload": {
            "dataset": {"generate": {"rows": 6000, "columns": 5000, "links": 120000,
                                     "locality": 0.5}},
            "alx": {"dim": 64, "semantics": "clean",
                    "batch": {"lines": 256, "line_length": 16, "rows": 128},
                    "column_batch": {"lines": 256, "line_length": 16, "rows": 128}}},
        "series": []})");
    for (const auto& [name, choices] : strategies()) {
        Json set = Json::object();
        const Json fields = Json::parse(choices);
        for (const auto& [field, value] : fields.items()) {
            set["/workload/alx/" + field] = value;
        }
        study["series"].push_back({{"name", name}, {"set", set}});
    }
    return study;
}

std::map<std::string, double> seconds(const std::string& fidelity)
{
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"run", folder.write("s.json", study().dump()), "-o", folder.path("out"),
                     "--set", "/fidelity=" + fidelity, "--jobs", "2"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::map<std::string, double> result;
    const Json report = Json::parse(read_file(folder.path("out/report.json")));
    for (const Json& point : report.at("points")) {
        result[point.at("series")] = point.at("epoch_seconds");
    }
    return result;
}

TEST(Strategies, TakeTheTimeOfTheirOwnOpGraphInSystemCAndInTheModel)
{
    const std::map<std::string, double> detailed = seconds("detailed");
    const std::map<std::string, double> analytic = seconds("analytic");
    ASSERT_EQ(detailed.size(), strategies().size());
    for (const auto& [name, simulated] : detailed) {
        const double error = analytic.at(name) / simulated - 1;
        std::printf("%-28s %9.3f ms simulated, model %+.1f %%\n", name.c_str(), 1e3 * simulated,
                    1e2 * error);
        // After messages of their own the model lets all devices wait for the last.
        EXPECT_LT(std::abs(error), 0.04) << name;
    }
    EXPECT_LT(detailed.at("reduce_scatter"), detailed.at("all_reduce"));
    EXPECT_LT(detailed.at("all_to_all"), detailed.at("reduce_scatter"));
    EXPECT_LT(detailed.at("groups along x"), detailed.at("released"));
}

} // namespace
} // namespace alxsim::testing
