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
    const auto cells = [&](const std::string& text) { // a quotation mark within is two
        std::vector<std::string> all(1);
        bool quoted = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '"') {
                if (!quoted && i > 0 && text[i - 1] == '"') {
                    all.back() += '"';
                }
                quoted = !quoted;
            } else if (text[i] == ',' && !quoted) {
                all.emplace_back();
            } else {
                all.back() += text[i];
            }
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
    EXPECT_EQ(csv.find("point,series,sweep./machine/cores,machine.chip,machine.cores,machine.chips,"
                       "machine.slice,machine.slice_assumed,fits,memory.bytes_per_core"),
              0u);
    EXPECT_EQ(cell_of(csv, 1, "fits"), "false");
    EXPECT_EQ(cell_of(csv, 1, "epoch_seconds"), "");
    EXPECT_EQ(cell_of(csv, 2, "sweep./machine/cores"), "16") << "a number, as it was swept";
    EXPECT_EQ(cell_of(csv, 2, "phases.gather"), "0.2");
    EXPECT_EQ(cell_of(csv, 2, "ici.utilisation"), "0.25");
    EXPECT_EQ(csv.find("axes"), std::string::npos) << "lists have no place in a row";
    EXPECT_EQ(csv.find("schedules"), std::string::npos);
    EXPECT_EQ(cell_of(csv, 2, "last_quality.epoch"), "1");
    EXPECT_EQ(cell_of(csv, 2, "last_quality.recall_at_20"), "0.25");
}

/// What stands in `object` under a path of keys with dots between them, keys with dots included.
const Json* field_at(const Json& object, const std::string& path)
{
    if (object.is_array()) {
        const std::size_t index = static_cast<std::size_t>(std::atoi(path.c_str()));
        return index < object.size() ? &object.at(index) : nullptr;
    }
    for (const auto& [key, value] : object.items()) {
        if (path == key) {
            return &value;
        }
        const Json* const inner = path.rfind(key + ".", 0) == 0 && value.is_structured()
                                      ? field_at(value, path.substr(key.size() + 1))
                                      : nullptr;
        if (inner != nullptr) {
            return inner;
        }
    }
    return nullptr;
}

/// A point with fields of every kind, swept over a number, a name, an object and a list.
Report rich_report()
{
    Point point = with_exchange(16);
    Result& result = *point.result;
    result.quality = {{0, {}, {}}, {2, {{"recall_at_20", 0.25}}, 3.5}};
    result.low_seconds = 0.5;
    result.median_seconds = 1;
    result.high_seconds = 2;
    result.bill.emplace().intervals = 3;
    result.results = {{"norm", 2.5}, {"parts", {{"a", {{"b.c", 1}}}}}};
    ReportParts parts = fake_parts({point});
    parts.points[0].sweep = {{"/machine/cores", 16},
                             {"/workload/alx/gather", "all_to_all"},
                             {"/workload/transformer/mesh", {{"data", 2}, {"tensor", 8}}},
                             {"/machine/wrap", {true, false}}};
    return make_report(std::move(parts));
}

TEST(Csv, EveryColumnIsAFieldOfTheReportUnderItsPath)
{
    const Report report = rich_report();
    const Json point = to_json(report).at("points").at(0);
    const std::string csv = points_csv(report);
    const std::string header = lines_of(csv).at(0);
    std::size_t columns = 0;
    for (std::size_t at = 0; at <= header.size(); ++columns) {
        const std::size_t end = std::min(header.find(',', at), header.size());
        const std::string column = header.substr(at, end - at);
        at = end + 1;
        if (column == "point") {
            continue; // its place in /points
        }
        const Json* const field = field_at(point, column);
        ASSERT_NE(field, nullptr) << column;
        EXPECT_EQ(cell_of(csv, 1, column), field->is_string() ? field->get<std::string>()
                                           : field->is_null() ? ""
                                                              : field->dump())
            << column;
    }
    EXPECT_GT(columns, 40u);
    EXPECT_EQ(cell_of(csv, 1, "sweep./workload/transformer/mesh.tensor"), "8");
    EXPECT_EQ(cell_of(csv, 1, "sweep./machine/wrap.1"), "false");
}

TEST(Csv, NamesOfAColumnInEarlierProgramsAreUnderstood)
{
    const std::string table =
        points_table(rich_report(), {"cores", "sweep/machine/cores", "last_recall_at_20",
                                     "epoch_seconds_low", "epoch_seconds_p05"});
    EXPECT_NE(table.find("16"), std::string::npos) << table;
    EXPECT_NE(table.find("0.25"), std::string::npos) << table;
    EXPECT_NE(table.find("500 ms"), table.rfind("500 ms")) << "one number under both names";
}

TEST(Csv, ASweptObjectHasAColumnOfItsJsonBesideThoseOfItsParts)
{
    ReportParts parts = fake_parts({fake_point(16, 1.0), fake_point(16, 0.5)});
    parts.points[0].sweep = {{"/machine/overrides", Json::object()}};
    parts.points[1].sweep = {{"/machine/overrides", {{"hbm_bw_chip", "x2"}}}};
    const Report report = make_report(std::move(parts));
    for (const char* name : {"overrides", "sweep./machine/overrides"}) {
        const std::string table = points_table(report, {name, "epoch_seconds"});
        EXPECT_NE(table.find("{}"), std::string::npos) << table;
        EXPECT_NE(table.find(R"({"hbm_bw_chip":"x2"})"), std::string::npos) << table;
    }
    EXPECT_EQ(cell_of(points_csv(report), 2, "sweep./machine/overrides.hbm_bw_chip"), "x2");
}

TEST(Csv, ASweptFieldIsNamedByItsLastName)
{
    const std::string table = points_table(rich_report(), {"mesh.tensor"});
    EXPECT_NE(table.find("8"), std::string::npos) << table;
    EXPECT_THROW(points_table(rich_report(), {"tensor"}), InputError);
}

TEST(Csv, DrawsHaveARowEach)
{
    ReportParts parts = fake_parts({too_large_point(8), fake_point(16, 1.0)});
    parts.points[1].result->drawn = Drawn{{0.5, 2.0}, {}, {}};
    EXPECT_EQ(draws_csv(make_report(parts)), "point,series,draw,drawn.epoch_seconds\r\n"
                                             "1,base,0,0.5\r\n"
                                             "1,base,1,2.0\r\n");
}

/// A report that has bands by their former names alone, as earlier programs wrote them, is read.
TEST(Bands, AreReadUnderTheirFormerNames)
{
    Json json = to_json(rich_report());
    Json& point = json.at("points").at(0);
    EXPECT_EQ(point.at("epoch_seconds_low"), point.at("epoch_seconds_p05"));
    for (const char* name : {"epoch_seconds_p05", "epoch_seconds_p50", "epoch_seconds_p95"}) {
        point.erase(name);
    }
    EXPECT_EQ(to_json(report_of(json, "former")), to_json(rich_report()));
    for (const char* name : {"epoch_seconds_low", "epoch_seconds_median", "epoch_seconds_high"}) {
        point.erase(name);
    }
    EXPECT_FALSE(report_of(json, "none").points[0].result->low_seconds);
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
    EXPECT_NE(csv.find("0,\"half, \"\"fast\"\"\nlinks\",16,tpu_v3,"), std::string::npos) << csv;
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

TEST(PointsTable, HasZeroForAPhaseOfNoTimeAndNothingForAPointWithoutTimes)
{
    Report report = rich_report();
    report.points.resize(2);
    report.points[1].result.reset();
    report.points[1].error = "failed";
    EXPECT_EQ(points_table(report, {"point", "phases.never"}, {"never"}),
              "point  phases.never\n    0             0\n    1\n");
    EXPECT_THROW(points_table(report, {"phases.never"}), InputError);
}

} // namespace
} // namespace alxsim::report
