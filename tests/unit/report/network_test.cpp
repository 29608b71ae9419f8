// SPDX-License-Identifier: Apache-2.0
#include "report/network.h"

#include "base/input_error.h"
#include "fake_report.h"
#include "report/schema/report_schema.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

/// An epoch of 1 s, so much of it collectives.
Point point_with(double communication)
{
    return fake_point(16, {{"solve", 1 - communication}, {"gather", communication}});
}

CollectiveSchedule schedule(double seconds, double latency, int times)
{
    return {"gather", "rows", "all_gather", 1024, times, "rings", seconds, latency, 0.001};
}

TEST(Network, OffTheCriticalPathSaysWhatAFasterLinkCouldSave)
{
    EXPECT_EQ(network_of(*point_with(0.004).result).statement,
              "Off the critical path: collectives take 0.4% of the epoch; a faster link cannot "
              "save more than that.");
    EXPECT_EQ(network_of(*point_with(0).result).statement,
              "Off the critical path: the epoch never waits for a collective.");
}

TEST(Network, OnTheCriticalPathTellsBandwidthFromLatency)
{
    Point point = point_with(0.625);
    EXPECT_EQ(network_of(*point.result).statement,
              "On the critical path: collectives take 62% of the epoch.");
    point.result->schedules = {schedule(0.01, 0.01, 10), schedule(0.1, 0.02, 3)};
    const Network network = network_of(*point.result);
    EXPECT_DOUBLE_EQ(network.share, 0.625);
    EXPECT_DOUBLE_EQ(network.latency_share.value(), 0.16 / 0.4);
    EXPECT_EQ(network.statement,
              "On the critical path: collectives take 62% of the epoch. Undisturbed, 60% of their "
              "time would be bandwidth, and 40% launch and hops, which no faster link shortens.");
}

TEST(Network, OfOneChipNamesNoLink)
{
    Point point = point_with(0.5);
    point.result->ici.bytes = std::int64_t{0};
    EXPECT_EQ(network_of(*point.result).statement,
              "Off the critical path: links between chips carry nothing. Collectives on a chip "
              "take 50% of the epoch.");
}

TEST(Network, IsInTheReportOfEveryPointThatFits)
{
    ReportParts parts = fake_parts({too_large_point(8), point_with(0.5)});
    parts.points[1].result->schedules = {schedule(0.01, 0.01, 10)};
    const Json report = to_json(make_report(parts));
    EXPECT_FALSE(report.at("points").at(0).contains("network"));
    EXPECT_EQ(report.at("points").at(1).at("network"),
              json_of(network_of(*parts.points.at(1).result)));
    EXPECT_NO_THROW(validate_report(report, "r.json"));
}

} // namespace
} // namespace alxsim::report
