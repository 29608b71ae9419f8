// SPDX-License-Identifier: Apache-2.0
#include "report/wording/point_words.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

TEST(PointWords, TellThroughputAndWhatItCosts)
{
    Throughput throughput;
    throughput.unit = "tokens";
    throughput.per_second = 12000;
    throughput.mfu = 0.4;
    EXPECT_EQ(throughput_in_words(throughput), "12000 tokens/s, MFU 40%");
    throughput.hfu = 0.53;
    throughput.usd_per_million = 0.25;
    EXPECT_EQ(throughput_in_words(throughput),
              "12000 tokens/s, MFU 40%, HFU 53%, 0.25 $ for a million tokens");
}

TEST(PointWords, TellWhatAnIntervalWaitsFor)
{
    Breakdown interval;
    interval.seconds = 2;
    EXPECT_EQ(waiting_in_words(interval), "");
    interval.waiting = Waiting{0.5, 0, 0.25};
    EXPECT_EQ(waiting_in_words(interval), "bubble (25%), late peer (12%)");
}

TEST(PointWords, TellTheBubbleOfAPipelineAsSlotsThatWait)
{
    Result result;
    EXPECT_EQ(slots_in_words(result), "");
    result.geometry = Json{{"slots", {{"in_all", 7}, {"wait", 3}}}};
    result.epoch.seconds = 2;
    result.epoch.waiting = Waiting{0.75, 0.125, 0.25};
    EXPECT_EQ(slots_in_words(result),
              "3 of 7 slots wait: bubble 43%; devices wait for each other 50% of the time");
}

TEST(PointWords, NameRowIssueAndKindsOfWaitingAmongTheResources)
{
    Breakdown interval;
    interval.seconds = 6;
    interval.share(Share::hbm) = 4;
    interval.row_issue = 3;
    interval.share(Share::waiting) = 2;
    interval.waiting = Waiting{1, 0.5, 0.5};
    double sum = 0;
    Named<double> told;
    for (const auto& [name, seconds] : resources_of(interval)) {
        sum += seconds;
        if (seconds > 0) {
            told.emplace_back(name, seconds);
        }
    }
    EXPECT_EQ(sum, interval.seconds);
    EXPECT_EQ(
        told,
        (Named<double>{
            {"row issue", 3}, {"hbm", 1}, {"bubble", 1}, {"straggler", 0.5}, {"late peer", 0.5}}));
}

TEST(PointWords, TellCommunicationByAxes)
{
    Breakdown interval;
    EXPECT_EQ(communication_in_words(interval), "");
    interval.communication = {{"fsdp", {0.25, 0.125, 0.0625}}};
    EXPECT_EQ(communication_in_words(interval),
              "fsdp (exposed 125 ms of 250 ms, 62.5 ms of it with nothing computed)");
}

} // namespace
} // namespace alxsim::report
