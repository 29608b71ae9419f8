// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

/// What each device did, as a report has it.
namespace alxsim::testing {
namespace {

/// Null where there is none of that name.
Json counter_of(const Json& point, const std::string& name)
{
    for (const Json& one : point.at("device_counters")) {
        if (one.at("name") == name) {
            return one;
        }
    }
    return {};
}

TEST(DeviceCounters, OfAnAlxJobAddUpToItsCountersAndShowTheSlowCore)
{
    const TemporaryFolder folder;
    const Json study = small_study(
        folder, {{"machine", {{"cores", 4}, {"faults", {{{"core", 3}, {"speed", 0.5}}}}}},
                 {"workload", {{"dataset", {{"file", folder.path("graph.txt")}}}}},
                 {"sweep", nullptr}});
    const Json point = run_one_point(study);
    const double devices = 4;
    const double epochs = 2;
    for (const char* name : {"ops_executed", "hbm_bytes"}) {
        EXPECT_EQ(counter_of(point, name).at("mean").get<double>() * devices * epochs,
                  point.at("counters").at(name).get<double>())
            << name;
    }
    const double chips = 2;
    EXPECT_EQ(counter_of(point, "link_bytes").at("mean").get<double>() * chips,
              point.at("ici").at("bytes").get<double>());
    // Batches are dense: all MXUs have the same work, and half the clock takes twice as long.
    const Json busy = counter_of(point, "mxu_busy");
    EXPECT_EQ(busy.at("most_at"), 3);
    EXPECT_EQ(busy.at("of_each").size(), devices);
    EXPECT_NEAR(busy.at("most").get<double>() / busy.at("least").get<double>(), 2, 1e-4);
    EXPECT_NEAR(busy.at("mean").get<double>() / busy.at("least").get<double>(), 1.25, 1e-4);
}

TEST(DeviceCounters, OfRolesTellTheirWorkAndTheirWaiting)
{
    const Json product{{"work", "matmul"}, {"m", 1024}, {"k", 1024}, {"n", 1024}};
    const Json pass{{"work", "collective"},
                    {"kind", "permute"},
                    {"name", "activations"},
                    {"messages", {{0, 8, 65536}, {1, 9, 65536}}}};
    const auto role = [](const char* devices, const Json& ops) {
        return Json{{"devices", {devices}}, {"graph", {{"ops", ops}}}};
    };
    Json study{{"study", "roles"},
               {"fidelity", "detailed"},
               {"machine",
                {{"chip", "tpu_v5e"}, {"cores", 16}, {"overrides", {{"step_skew_devices", 0}}}}}};
    Json then = pass;
    then["after"] = {0};
    study["workload"]["op_graph"]["roles"] = {role("0-7", {product, then}),
                                              role("8-15", {pass, product, product})};
    const Json point = run_one_point(study);
    // 1024^3 multiplications at 4 MXUs of 128 x 128 and 1.5 GHz, and the pipeline's fill.
    const double ideal = 1024.0 * 1024 * 1024 / (4 * 128 * 128 * 1.5e9);
    const Json busy = counter_of(point, "mxu_busy");
    EXPECT_NEAR(busy.at("least").get<double>() / ideal, 1, 0.05);
    EXPECT_NEAR(busy.at("most").get<double>() / busy.at("least").get<double>(), 2, 1e-12);
    EXPECT_NEAR(busy.at("mean").get<double>() / busy.at("least").get<double>(), 1.5, 1e-12);
    EXPECT_GE(busy.at("most_at"), 8);
    EXPECT_EQ(busy.at("of_each").size(), 16U);
    EXPECT_EQ(counter_of(point, "ops_executed").at("least"), 2);
    EXPECT_EQ(counter_of(point, "ops_executed").at("most"), 3);
    EXPECT_EQ(counter_of(point, "link_bytes").at("per"), "chip");
    EXPECT_EQ(counter_of(point, "link_bytes").at("mean").get<double>() * 16,
              point.at("ici").at("bytes").get<double>());
    // Who gets something waits for the product before it; who neither sends nor gets, for nobody.
    const Json waited = counter_of(point, "collective_wait").at("of_each");
    EXPECT_EQ(waited.at(0), 0);
    EXPECT_GT(waited.at(8), ideal);
    EXPECT_EQ(waited.at(10), 0);
    study["fidelity"] = "analytic";
    EXPECT_FALSE(run_one_point(study).contains("device_counters"));
}

} // namespace
} // namespace alxsim::testing
