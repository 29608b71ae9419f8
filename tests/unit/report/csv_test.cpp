// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include "fake_report.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::report {
namespace {

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find("\r\n", at);
        lines.push_back(text.substr(at, end - at));
        at = end + 2;
    }
    return lines;
}

std::string cell_of(const std::string& csv, std::size_t line, const std::string& column)
{
    const auto cells = [&](const std::string& text) {
        std::vector<std::string> all(1);
        for (const char letter : text) {
            letter == ',' ? all.emplace_back() : all.back() += letter;
        }
        return all;
    };
    const std::vector<std::string> lines = lines_of(csv);
    const std::vector<std::string> header = cells(lines.at(0));
    const auto found = std::find(header.begin(), header.end(), column);
    EXPECT_NE(found, header.end()) << column;
    return cells(lines.at(line)).at(static_cast<std::size_t>(found - header.begin()));
}

TEST(Csv, HasARowPerPointAndFlatColumns)
{
    ReportParts parts =
        fake_parts({too_large_point(8), fake_point(16, {{"solve", 0.1}, {"gather", 0.2}})});
    parts.points[1].result->quality = {{0, {}, {}}, {1, {{"recall_at_20", 0.25}}, {}}};
    parts.points[1].result->ici.axes.emplace();
    parts.points[1].result->schedules.emplace();
    const std::string csv = points_csv(make_report(parts));
    EXPECT_EQ(lines_of(csv).size(), 3u);
    EXPECT_EQ(
        csv.find(
            "point,series,sweep,chip,cores,chips,slice,slice_assumed,fits,memory.bytes_per_core"),
        0u);
    EXPECT_EQ(cell_of(csv, 1, "fits"), "false");
    EXPECT_EQ(cell_of(csv, 1, "epoch_seconds"), "");
    EXPECT_EQ(cell_of(csv, 2, "sweep"), "/machine/cores=16");
    EXPECT_EQ(cell_of(csv, 2, "sweep/machine/cores"), "16") << "each swept value by itself, too";
    EXPECT_EQ(cell_of(csv, 2, "phases.gather"), "0.2");
    EXPECT_EQ(cell_of(csv, 2, "ici.utilisation"), "0.25");
    EXPECT_EQ(csv.find("axes"), std::string::npos) << "lists have no place in a row";
    EXPECT_EQ(csv.find("schedules"), std::string::npos);
    EXPECT_EQ(cell_of(csv, 2, "last_epoch"), "1");
    EXPECT_EQ(cell_of(csv, 2, "last_recall_at_20"), "0.25");
}

/// With half of its time for others, and communication along two axes.
Point waiting_point()
{
    Point point = fake_point(16, 2.0);
    Breakdown& epoch = point.result->epoch;
    epoch.share(Share::waiting) = 1.0;
    epoch.waiting = Waiting{0.5, 0.375, 0.125};
    epoch.communication = {{"fsdp", {0.25, 0.125, 0.0625}}, {"data+dcn", {0.5, 0.0, 0.0}}};
    return point;
}

TEST(Csv, HasSecondsOfEachAxisAndOfEachKindOfWaiting)
{
    const Report report = make_report(fake_parts({waiting_point()}));
    const std::string csv = points_csv(report);
    EXPECT_EQ(cell_of(csv, 1, "waiting.bubble"), "0.5");
    EXPECT_EQ(cell_of(csv, 1, "waiting.late_peer"), "0.125");
    EXPECT_EQ(cell_of(csv, 1, "communication.fsdp.exposed"), "0.125");
    EXPECT_EQ(cell_of(csv, 1, "communication.data+dcn.total"), "0.5");
    const std::string table =
        points_table(report, {"waiting.straggler", "communication.fsdp.alone"});
    EXPECT_NE(table.find("375 ms"), std::string::npos) << table;
    EXPECT_NE(table.find("62.5 ms"), std::string::npos) << table;
    EXPECT_EQ(to_json(report_of(to_json(report), "again")), to_json(report));
}

TEST(Csv, TrafficAndSkewOfAPointAddNoColumns)
{
    const std::string plain = points_csv(make_report(fake_parts({fake_point(16, 1.0)})));
    const std::string full = points_csv(make_report(fake_parts({with_exchange(16)})));
    EXPECT_EQ(full, plain);
}

TEST(Csv, QuotesWhatNeedsIt)
{
    ReportParts parts = fake_parts({fake_point(16, 1.0)});
    parts.series[0].name = "half, \"fast\"\nlinks";
    const std::string csv = points_csv(make_report(parts));
    EXPECT_NE(csv.find("0,\"half, \"\"fast\"\"\nlinks\",/machine/cores=16,tpu_v3,"),
              std::string::npos)
        << csv;
}

TEST(Csv, HoldsNoFormula)
{
    for (const char* name : {"=cmd|'/C calc'!A0", "+1", "-1", "@x", "\tx"}) {
        ReportParts parts = fake_parts({fake_point(16, 6.0)});
        parts.series[0].name = name;
        parts.points[0].result->epoch.seconds = 6.0;
        EXPECT_EQ(cell_of(points_csv(make_report(parts)), 1, "series"), "'" + std::string(name));
    }
}

} // namespace
} // namespace alxsim::report
