// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/point_notes.h"

#include "experiments/points/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Json shape_job(const std::string& gather)
{
    return {{"dataset", {{"shape", {{"rows", 100000}, {"columns", 30000}, {"links", 2000000}}}}},
            {"alx", {{"dim", 128}, {"gather", gather}}}};
}

Json web_job(const std::string& gather)
{
    return {{"dataset", {{"generate", {{"rows", 10000}, {"columns", 8000}, {"links", 200000}}}}},
            {"alx", {{"dim", 64}, {"epochs", 2}, {"gather", gather}}}};
}

struct Hurt {
    const char* name;
    Json machine;
    Json workload;
    bool numerics;
    double excess; ///< of the analytic epoch over that of SystemC
};

std::vector<Hurt> hurt_machines()
{
    const auto link = [](double bandwidth) {
        return Json{{{"link", {"0,0", "1,0"}}, {"bandwidth", bandwidth}}};
    };
    return {{"a slow core, batches of real links",
             {{"chip", "tpu_v5e"}, {"cores", 16}, {"faults", {{{"core", 3}, {"speed", 0.5}}}}},
             web_job("all_to_all"),
             true,
             0.078},
            {"a slow link in a mesh",
             {{"chip", "tpu_v3"}, {"cores", 64}, {"faults", link(0.1)}},
             shape_job("all_reduce_loop"),
             false,
             0.007},
            {"a dead link in a ring",
             {{"chip", "tpu_v5e"}, {"cores", 16}, {"wrap", {true, true}}, {"faults", link(0)}},
             web_job("all_reduce_loop"),
             true,
             0}};
}

report::Point point_of(const Hurt& hurt, const std::string& fidelity)
{
    const Json study{{"study", hurt.name},      {"numerics", hurt.numerics},
                     {"fidelity", fidelity},    {"band", false},
                     {"machine", hurt.machine}, {"workload", hurt.workload}};
    return run_point(point_study(study, "study.json"), {}).point;
}

TEST(AnalyticWithFaults, IsAsFarFromSystemCAsItsNoteSays)
{
    double most = 0;
    for (const Hurt& hurt : hurt_machines()) {
        const report::Point estimated = point_of(hurt, "analytic");
        const report::Point simulated = point_of(hurt, "detailed");
        const double excess = estimated.seconds() / simulated.seconds() - 1;
        EXPECT_NEAR(excess, hurt.excess, 0.01) << hurt.name;
        most = std::max(most, excess);
        const auto note = Contains(HasSubstr("up to 8.0% longer"));
        EXPECT_THAT(estimated.notes, note) << hurt.name;
        EXPECT_THAT(simulated.notes, Not(note)) << hurt.name;
    }
    EXPECT_NEAR(most, analytic_excess_with_faults, 0.01);
}

TEST(AnalyticWithoutFaults, NotesNothingButThatDevicesDiffer)
{
    Hurt healthy = hurt_machines().front();
    healthy.machine.erase("faults");
    EXPECT_THAT(point_of(healthy, "analytic").notes,
                ElementsAre(AllOf(HasSubstr("devices are taken to differ a little"),
                                  HasSubstr("--set /machine/overrides/step_skew_devices=0"))));
    healthy.machine["overrides"]["step_skew_devices"] = 0.05;
    EXPECT_THAT(point_of(healthy, "analytic").notes,
                Contains(HasSubstr("differ as the study says, and all wait for the slowest")));
    healthy.machine["overrides"]["step_skew_devices"] = 0;
    EXPECT_TRUE(point_of(healthy, "analytic").notes.empty());
}

} // namespace
} // namespace alxsim::experiments
