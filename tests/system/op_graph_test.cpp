// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// A program of one's own gets what any workload gets.
namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json step(std::int64_t bytes)
{
    return {{"ops",
             {{{"work", "matmul"},
               {"m", 2048},
               {"k", 2048},
               {"n", 2048},
               {"phase", "forward"},
               {"reads", {{{"name", "weights"}, {"bytes", 8388608}}}}},
              {{"work", "collective"},
               {"kind", "all_reduce"},
               {"bytes", bytes},
               {"phase", "gradients"},
               {"after", {0}}}}}};
}

Json study_of(const Json& op_graph, const Json& extra = Json::object())
{
    Json study{{"study", "own"},
               {"fidelity", "detailed"},
               {"machine", {{"chip", "tpu_v5e"}, {"cores", 16}}},
               {"workload", {{"op_graph", op_graph}}}};
    study.merge_patch(extra);
    return study;
}

TEST(OwnProgram, HasABandAndItsTraffic)
{
    const Json point = run_one_point(study_of(step(8388608)));
    EXPECT_LT(point.at("epoch_seconds_low"), point.at("epoch_seconds"));
    EXPECT_GT(point.at("epoch_seconds_high"), point.at("epoch_seconds"));
    EXPECT_THAT(point.at("uncertainty").at("ranking").dump(),
                HasSubstr("model error of collectives"));
    EXPECT_EQ(point.at("traffic").at(0).at("payload_bytes"), 8388608);
}

TEST(OwnProgram, OfSeveralGraphsInARowTakesTheSumOfTheirTimes)
{
    const TemporaryFolder folder;
    folder.write("small.json", step(65536).dump());
    const Json steps{
        {"steps",
         {{{"graph", folder.path("small.json")}, {"times", 3}}, {{"graph", step(8388608)}}}}};
    // Nothing is dispatched beside what runs, so that steps add up.
    const Json quiet{{"machine", {{"overrides", {{"step_dispatch_s", 0}}}}}};
    const double small = run_one_point(study_of(step(65536), quiet)).at("epoch_seconds");
    const double large = run_one_point(study_of(step(8388608), quiet)).at("epoch_seconds");
    EXPECT_NEAR(run_one_point(study_of(steps, quiet)).at("epoch_seconds").get<double>(),
                3 * small + large, 1e-9);
}

TEST(OwnProgram, OfTheSameWorkOnMoreCoresHasASweetSpot)
{
    const TemporaryFolder folder;
    const Json graph = Json::parse(R"({"ops": [
        {"work": "matmul", "m": "262144/devices", "k": 4096, "n": 4096, "phase": "forward"},
        {"work": "collective", "kind": "all_reduce", "bytes": 33554432, "phase": "gradients",
         "after": [0]}]})");
    const Json study = study_of(graph, {{"sweep", {{"/machine/cores", {1, 4, 8, 16, 32, 64}}}}});
    const Outcome outcome = run_program(
        {"run", folder.write("own.json", study.dump()), "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = Json::parse(read_file(folder.path("out/report.json")));
    const Json& points = report.at("points");
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_LT(points.at(i).at("phases").at("forward"),
                  points.at(i - 1).at("phases").at("forward"));
    }
    const Json& spot = report.at("series").at(0).at("sweet_spot");
    EXPECT_GT(spot.at("cores"), 1);
    EXPECT_LT(spot.at("cores"), 64);
    EXPECT_THAT(points.at(0).at("notes").dump(),
                HasSubstr("1 op does not say where operands stand"));
}

TEST(OwnProgram, RunsOnSeveralSlices)
{
    const Json one = run_one_point(study_of(step(8388608)));
    const Json two = run_one_point(study_of(step(8388608), {{"machine", {{"slices", 2}}}}));
    EXPECT_EQ(two.at("machine").at("slices"), 2);
    EXPECT_EQ(two.at("machine").at("slice"), "2x4");
    EXPECT_FALSE(one.at("machine").contains("slices"));
    EXPECT_EQ(two.at("ici").at("axes").back().at("axis"), "dcn");
    // Every chip of a slice sends 1/8 of the array to the other, and as much takes in.
    EXPECT_EQ(two.at("ici").at("axes").back().at("bytes"), 8388608);
    const double between = 8388608 / 8 / 3.125e9;
    EXPECT_GT(two.at("phases").at("gradients").get<double>(), between);
    EXPECT_THAT(two.at("uncertainty").at("ranking").dump(), HasSubstr("dcn_bw_effective_frac"));
    EXPECT_THAT(one.at("uncertainty").dump(), Not(HasSubstr("dcn_bw_effective_frac")));
}

TEST(OwnProgram, KeepsInHostMemoryWhatFitsThere)
{
    const auto keeping = [](double bytes) {
        Json graph = step(8388608);
        graph["buffers"] = {{{"name", "optimizer.state"},
                             {"bytes", static_cast<std::int64_t>(bytes)},
                             {"residency", "host"}}};
        return run_one_point(study_of(graph));
    };
    const Json fits = keeping(6e10); // 512 GiB for the 8 chips of a host of v5e
    EXPECT_TRUE(fits.at("fits").get<bool>());
    EXPECT_EQ(fits.at("memory").at("host_bytes_per_core"), 60'000'000'000);
    EXPECT_LT(fits.at("memory").at("bytes_per_core"), 1e9);
    const Json too_large = keeping(8e10);
    EXPECT_FALSE(too_large.at("fits").get<bool>());
    EXPECT_EQ(too_large.at("memory").at("largest"), "host memory");
    EXPECT_EQ(too_large.at("memory").at("host_capacity_bytes"), (std::int64_t{1} << 39) / 8);
}

TEST(OwnProgram, MayHaveRoles)
{
    const Json pass{{"work", "collective"},
                    {"kind", "permute"},
                    {"name", "activations"},
                    {"phase", "pass"},
                    {"messages", {{0, 8, 65536}, {1, 9, 65536}}}};
    const Json product{{"work", "matmul"}, {"m", 1024}, {"k", 1024}, {"n", 1024}};
    const auto then = [](Json op) {
        op["after"] = Json::array({0});
        return op;
    };
    const Json graph{{"roles",
                      {{{"devices", {"0-7"}}, {"graph", {{"ops", {product, then(pass)}}}}},
                       {{"devices", {"8-15"}}, {"graph", {{"ops", {pass, then(product)}}}}}}}};
    const Json point = run_one_point(study_of(graph));
    EXPECT_GT(point.at("phases").at("pass"), 0);
    EXPECT_EQ(point.at("ici").at("messages"), 2);
    EXPECT_LT(point.at("epoch_seconds_low"), point.at("epoch_seconds"));
}

TEST(OwnProgram, ListsACollectiveOfSeveralRolesOnce)
{
    const auto reduce = [](const std::string& name, std::int64_t bytes, const Json& extra) {
        Json op{{"work", "collective"}, {"kind", "all_reduce"}, {"name", name}, {"bytes", bytes}};
        op.merge_patch(extra);
        return op;
    };
    const Json pairs{{"group", {{"ranks", {{0, 8}, {1, 9}}}}}};
    const auto role = [&](const char* devices, std::int64_t own) {
        const Json body{
            {"ops", {reduce("across", 65536, pairs), reduce("within", own, Json::object())}}};
        const Json loop{{"work", "repeat"}, {"times", 3}, {"body", body}};
        return Json{{"devices", {devices}}, {"graph", {{"ops", {loop}}}}};
    };
    const Json point =
        run_one_point(study_of({{"roles", {role("0-3", 8192), role("4-15", 16384)}}}));
    const Json& traffic = point.at("traffic");
    ASSERT_EQ(traffic.size(), 2U);
    EXPECT_EQ(traffic.at(0).at("op"), "across");
    EXPECT_EQ(traffic.at(0).at("times"), 3);
    EXPECT_EQ(traffic.at(0).at("payload_bytes"), 3 * 65536);
    // Two collectives of one name, of 4 devices and of 12.
    EXPECT_EQ(traffic.at(1).at("times"), 2 * 3);
    EXPECT_EQ(traffic.at(1).at("payload_bytes"), 3 * (8192 * 4 + 16384 * 12) / 16);
    std::vector<std::pair<std::int64_t, std::int64_t>> schedules;
    for (const Json& schedule : point.at("schedules")) {
        schedules.emplace_back(schedule.at("bytes"), schedule.at("times"));
    }
    EXPECT_THAT(schedules, ::testing::ElementsAre(std::pair(65536, 3), std::pair(8192, 3),
                                                  std::pair(16384, 3)));
}

TEST(OwnProgram, RefusesWrongStepsWithTheirPlace)
{
    const TemporaryFolder folder;
    const auto errors_of = [&](const Json& op_graph) {
        const Outcome outcome =
            run_program({"check", folder.write("s.json", study_of(op_graph).dump())});
        EXPECT_EQ(outcome.exit_code, 2);
        return outcome.errors;
    };
    EXPECT_THAT(errors_of({{"steps", Json::array()}}), HasSubstr("/workload/op_graph/steps"));
    EXPECT_THAT(errors_of({{"steps", {{{"graph", step(1024)}, {"times", 0}}}}}),
                HasSubstr("/workload/op_graph/steps/0"));
    Json wrong = step(1024);
    wrong["ops"][0]["work"] = "matmull";
    EXPECT_THAT(errors_of({{"steps", {{{"graph", wrong}}}}}), HasSubstr("matmul"));
    EXPECT_THAT(errors_of("nowhere.json"), HasSubstr("nowhere.json"));
}

TEST(OwnProgram, IsExplainedAndAdvisedOnItsSlice)
{
    const TemporaryFolder folder;
    const Json study = study_of(step(268435456), Json::parse(R"({"fidelity": "analytic",
        "sweep": {"/machine/cores": [8, 32, 128]}})"));
    const std::string path = folder.write("s.json", study.dump());
    ASSERT_EQ(run_program({"run", path, "-o", folder.path("out"), "--quiet"}).exit_code, 0);
    const Outcome explained = run_program({"explain", folder.path("out/report.json")});
    EXPECT_EQ(explained.exit_code, 0) << explained.errors;
    EXPECT_THAT(explained.output, HasSubstr("links of twice the bandwidth"));
    const Outcome advised = run_program({"advise", path, "--json", "--budget", "5", "--quiet"});
    ASSERT_EQ(advised.exit_code, 0) << advised.errors;
    EXPECT_THAT(Json::parse(advised.output).at("plans").dump(), HasSubstr("slice"));
}

} // namespace
} // namespace alxsim::testing
