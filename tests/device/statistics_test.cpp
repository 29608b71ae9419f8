// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/statistics.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <stdexcept>

namespace alxsim::sim {
namespace {

using topologies::Machine;

SimulationResult run(HbmModel hbm, bool remember)
{
    const Machine machine = machine_of("tpu_v3", 8);
    ListedSteps source(steps_of(
        graph_of(
            {repeat_of(12, {op_of(model::stream_of(Bytes(1 << 16), Bytes(0)))}),
             op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1 << 16)}, {0})}),
        3));
    return Simulator(machine, {remember, hbm}).run(source);
}

TEST(Statistics, OfOneNameAddUpInTheOrderOfDeclaration)
{
    Statistics statistics;
    statistics.declare("bytes_moved", "Bytes.", Bytes(3));
    statistics.declare("waited", "Time.", Picoseconds(7));
    statistics.declare("bytes_moved", "Bytes.", Bytes(4));
    ASSERT_EQ(statistics.all().size(), 2u);
    EXPECT_EQ(statistics.all().front().value, 7);
    EXPECT_EQ(statistics.at("bytes_moved").unit, StatisticUnit::bytes);
    EXPECT_STREQ(name_of(statistics.at("waited").unit), "picoseconds");
}

TEST(Statistics, OfDevicesAreKeptForEachOfThem)
{
    Statistics statistics;
    statistics.declare("moved", "Bytes.", Bytes(3), {Owner::device, 1});
    statistics.declare("moved", "Bytes.", Bytes(4), {Owner::device, 0});
    statistics.declare("moved", "Bytes.", Bytes(5), {Owner::device, 1});
    EXPECT_EQ(statistics.value("moved"), 12);
    EXPECT_EQ(statistics.at("moved").of_each, (std::vector<std::int64_t>{4, 8}));
}

TEST(Statistics, MustMeanOneThingByAName)
{
    Statistics statistics;
    statistics.declare("moved", "Bytes.", Bytes(3));
    EXPECT_THROW(statistics.declare("moved", "Bytes.", Bytes(3), {Owner::device, 0}),
                 std::logic_error);
    EXPECT_THROW(statistics.declare("moved", "Bytes.", std::int64_t{3}), std::logic_error);
    EXPECT_THROW(statistics.declare("moved", "Rows.", Bytes(3)), std::logic_error);
    EXPECT_THROW(statistics.at("mooved"), std::out_of_range);
}

TEST(Statistics, OfEveryModuleSayWhatTheyCount)
{
    std::set<std::string> names;
    for (const HbmModel hbm : {HbmModel::rates, HbmModel::banks}) {
        const SimulationResult result = run(hbm, true);
        for (const Statistic& statistic : result.statistics.all()) {
            names.insert(statistic.name);
            EXPECT_TRUE(std::regex_match(statistic.name, std::regex("[a-z]+(_[a-z]+)*")));
            EXPECT_TRUE(std::regex_match(statistic.description, std::regex("[A-Z].{15,}\\.")))
                << statistic.name << ": " << statistic.description;
        }
    }
    EXPECT_EQ(names, (std::set<std::string>{"activities",
                                            "activities_kept",
                                            "collectives",
                                            "collectives_disturbed",
                                            "collectives_predicted",
                                            "collectives_in_memory",
                                            "collective_transfer",
                                            "collective_wait",
                                            "collectives_remembered",
                                            "collectives_replayed",
                                            "dma_bursts",
                                            "dma_transfers",
                                            "hbm_bytes",
                                            "hbm_rows_opened",
                                            "hbm_transfers",
                                            "link_busy",
                                            "link_bytes",
                                            "loop_skips",
                                            "mxu_busy",
                                            "network_message_hops",
                                            "network_messages",
                                            "on_chip_bytes",
                                            "ops_executed",
                                            "ops_repeated",
                                            "packet_hops",
                                            "rows_busy",
                                            "storage_blocks",
                                            "vpu_busy"}));
}

TEST(Statistics, CountWhatRunsWhetherItIsSimulatedOrNot)
{
    const Statistics with = run(HbmModel::rates, true).statistics;
    const Statistics without = run(HbmModel::rates, false).statistics;
    const std::int64_t devices = 8;
    EXPECT_EQ(with.value("ops_executed"), devices * 3 * (1 + 12 + 1));
    EXPECT_EQ(with.value("hbm_bytes"), devices * 3 * 12 * (1 << 16));
    EXPECT_EQ(with.value("collectives"), 3);
    EXPECT_EQ(with.value("collectives_remembered"), 2);
    EXPECT_EQ(with.value("collectives_in_memory"), 1);
    EXPECT_GT(with.value("ops_repeated"), 0);
    EXPECT_GT(with.value("loop_skips"), 0);
    for (const char* name : {"collectives_remembered", "ops_repeated", "loop_skips"}) {
        EXPECT_EQ(without.value(name), 0) << name;
    }
    for (const char* name : {"ops_executed", "hbm_bytes", "hbm_transfers", "network_messages",
                             "link_bytes", "link_busy", "network_message_hops", "on_chip_bytes",
                             "collective_wait", "collective_transfer"}) {
        EXPECT_EQ(with.value(name), without.value(name)) << name;
        EXPECT_EQ(with.at(name).of_each, without.at(name).of_each) << name;
    }
    EXPECT_LT(with.value("packet_hops"), without.value("packet_hops"));
}

TEST(Statistics, OfADmaEngineCountItsBursts)
{
    const SimulationResult result = run(HbmModel::banks, true);
    const std::int64_t burst = machine_of("tpu_v3", 8).hbm.burst.count();
    EXPECT_EQ(result.statistics.value("dma_transfers"), 8 * 3 * 12);
    EXPECT_EQ(result.statistics.value("dma_bursts") * burst, result.statistics.value("hbm_bytes"));
    EXPECT_GT(result.statistics.value("hbm_rows_opened"), 0);
}

} // namespace
} // namespace alxsim::sim
