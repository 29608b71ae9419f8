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
