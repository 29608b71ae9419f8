// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/host_work.h"

#include "experiments/points/point.h"
#include "experiments/points/study/job.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

PointStudy training(const std::string& gather, int cores, int epochs = 2)
{
    return point_study(
        {{"study", "work"},
         {"fidelity", "detailed"},
         {"band", false},
         {"machine", {{"chip", "tpu_v3"}, {"cores", cores}}},
         {"workload",
          {{"dataset", {{"generate", {{"rows", 3000}, {"columns", 2500}, {"links", 40000}}}}},
           {"alx",
            {{"dim", 16},
             {"epochs", epochs},
             {"gather", gather},
             {"batch", {{"lines", 128}, {"line_length", 8}, {"rows", 64}}}}}}}},
        "study.json");
}

HostWork predicted(const PointStudy& study)
{
    const Job job = job_of(study);
    model::AnalyticModel model(job.machine);
    return host_work(*job.workload, study, model);
}

class HostWorkOf : public testing::TestWithParam<std::string> {};

TEST_P(HostWorkOf, ARunWithNumbersIsWithinAFactorOfTwoWhatSystemCThenExecutes)
{
    for (const int cores : {8, 64}) { // a line of chips, and a torus
        const PointStudy study = training(GetParam(), cores);
        const HostWork work = predicted(study);
        const Json counters = run_point(study, {}).point.result->counters;
        const double ops = counters.at("ops_executed").get<double>();
        const double messages = counters.at("network_messages").get<double>();
        EXPECT_GT(work.simulated_ops, ops / 2) << cores;
        EXPECT_LT(work.simulated_ops, ops * 2) << cores;
        EXPECT_GT(work.messages, messages / 2) << cores;
        EXPECT_LT(work.messages, messages * 2) << cores;
    }
}

INSTANTIATE_TEST_SUITE_P(Gathers, HostWorkOf,
                         testing::Values("all_reduce_loop", "all_reduce", "reduce_scatter",
                                         "all_to_all"),
                         [](const auto& gather) { return gather.param; });

/// Ops of all devices that SystemC executed, those that it left out not counted.
double executed(const PointStudy& study)
{
    const report::Point point = run_point(study, {}).point;
    double ops = 0;
    for (const report::DeviceCounter& counter : point.result->device_counters) {
        const double sum = counter.mean * static_cast<double>(point.machine.devices.value());
        ops += counter.name == "ops_executed" ? sum : 0;
        ops -= counter.name == "ops_repeated" ? sum : 0;
    }
    return ops;
}

TEST(HostWork, OfLoopsThatBecomePeriodicIsThatOfTheirFirstTurns)
{
    const Json sum = {
        {"work", "collective"}, {"kind", "all_reduce"}, {"bytes", 1 << 20}, {"after", {1}}};
    const Json gather = {
        {"work", "row_gather"}, {"rows", 512}, {"row_bytes", 256}, {"table_rows", 100000}};
    const Json vector = {{"work", "vector"}, {"elements", 10000}, {"after", {0}}};
    const auto loop = [](int times, const Json& ops) {
        return Json{{"work", "repeat"}, {"times", times}, {"body", {{"ops", ops}}}};
    };
    const Json meeting = loop(1000, Json::array({gather, vector, sum}));
    const Json alone = loop(1000, Json::array({gather, vector}));
    for (const Json& graph :
         {meeting, alone, loop(100, Json::array({meeting})), loop(100, Json::array({alone}))}) {
        for (const int times : {1, 50}) {
            const PointStudy study = point_study(
                {{"study", "loops"},
                 {"fidelity", "detailed"},
                 {"band", false},
                 {"machine", {{"chip", "tpu_v3"}, {"cores", 64}}},
                 {"workload",
                  {{"op_graph",
                    {{"steps", {{{"graph", {{"ops", {graph}}}}, {"times", times}}}}}}}}},
                "study.json");
            const double ops = executed(study);
            EXPECT_GT(predicted(study).simulated_ops, ops / 2.5) << times << " of " << graph;
            EXPECT_LT(predicted(study).simulated_ops, ops * 2.5) << times << " of " << graph;
        }
    }
}

TEST(HostWork, GrowsWithEpochsWhereThereAreNumbersAndNotWhereThereAreNone)
{
    PointStudy once = training("all_to_all", 8, 1);
    PointStudy thrice = training("all_to_all", 8, 3);
    EXPECT_DOUBLE_EQ(predicted(thrice).simulated_ops, 3 * predicted(once).simulated_ops);
    EXPECT_GT(predicted(thrice).numbers, predicted(once).numbers);
    once.numerics = false;
    thrice.numerics = false;
    EXPECT_DOUBLE_EQ(predicted(thrice).simulated_ops, predicted(once).simulated_ops);
    EXPECT_EQ(predicted(thrice).numbers, Seconds(0));
}

TEST(HostUse, OfAPointWithNumbersSaysWhatMemoryItKeptBesideWhatWasPredicted)
{
    PointStudy study = training("all_reduce", 8);
    const report::HostUse with_numbers = run_point(study, {}).host.value();
    EXPECT_EQ(Bytes(with_numbers.predicted_memory_bytes.value()), predicted_memory(study));
    EXPECT_GE(with_numbers.memory_bytes.value_or(0), 0);
    study = changed(study, Settings{{"/numerics", false}});
    EXPECT_FALSE(run_point(study, {}).host.value().predicted_memory_bytes.has_value());
}

TEST(HostUse, OfSystemCGrowsWithCores)
{
    const auto memory = [](int cores, const char* fidelity) {
        const PointStudy study = training("all_reduce", cores);
        return predicted_memory(changed(study, Settings{{"/fidelity", fidelity}}));
    };
    const Bytes numbers = memory(8, "analytic");
    EXPECT_EQ(memory(64, "analytic"), numbers);
    EXPECT_GT(memory(8, "detailed"), numbers);
    EXPECT_EQ(memory(64, "detailed") - numbers, (memory(8, "detailed") - numbers) * 8);
}

TEST(HostWork, OfABandIsHundredsOfEstimates)
{
    PointStudy study = training("all_reduce", 8);
    study.numerics = false;
    study.fidelity = Fidelity::analytic;
    const HostWork central = predicted(study);
    study.band = true;
    EXPECT_GT(predicted(study).estimated_ops, 256 * central.estimated_ops);
    EXPECT_EQ(central.simulated_ops, 0);
}

/// Those chips of each row of four, in turn, spread `bytes` to the others.
PointStudy spreads_with_band(int bytes, const std::vector<int>& roots)
{
    Json ops = Json::array();
    for (const int root : roots) {
        ops.push_back({{"work", "collective"},
                       {"kind", "broadcast"},
                       {"bytes", bytes},
                       {"root", root},
                       {"group", {"y"}}});
    }
    return point_study(
        {{"study", "spreads"},
         {"fidelity", "analytic"},
         {"machine", {{"chip", "tpu_v5e"}, {"cores", 8}}},
         {"workload", {{"op_graph", {{"steps", {{{"graph", {{"ops", ops}}}, {"times", 1}}}}}}}}},
        "study.json");
}

TEST(HostWork, OfABandAreThePhasesOfEachRootsCandidates)
{
    const double of_four = predicted(spreads_with_band(1 << 20, {0, 1, 2, 3})).schedule_phases;
    double one_by_one = 0;
    for (const int root : {0, 1, 2, 3}) {
        one_by_one += predicted(spreads_with_band(1 << 20, {root})).schedule_phases;
    }
    EXPECT_DOUBLE_EQ(of_four, one_by_one);
    // What is chosen once in a draw costs once.
    EXPECT_DOUBLE_EQ(predicted(spreads_with_band(1 << 20, {0, 1, 2, 3, 2, 0})).schedule_phases,
                     of_four);
    // What fits into a packet goes in fewer chunks.
    EXPECT_LT(predicted(spreads_with_band(64, {0, 1, 2, 3})).schedule_phases, of_four);
    PointStudy without = spreads_with_band(1 << 20, {0, 1, 2, 3});
    without.band = false;
    EXPECT_EQ(predicted(without).schedule_phases, 0);
}

} // namespace
} // namespace alxsim::experiments
