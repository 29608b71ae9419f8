// SPDX-License-Identifier: Apache-2.0
#include "report/files.h"
#include "report/report.h"
#include "report/schema/report_schema.h"

#include "base/input_error.h"
#include "fake_report.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

Json small_report()
{
    return to_json(
        make_report(fake_parts({too_large_point(8), fake_point(16, 6.0), fake_point(32, 3.0)})));
}

std::string complaint_about(const Json& report)
{
    try {
        validate_report(report, "r.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Report, IsWhole)
{
    const Json report = small_report();
    EXPECT_EQ(complaint_about(report), "");
    EXPECT_EQ(report.at("points").at(1).at("series"), "base");
    EXPECT_EQ(report.at("points").at(2).at("speedup"), 2.0);
    EXPECT_EQ(report.at("series").at(0).at("points"), Json({0, 1, 2}));
    EXPECT_TRUE(report.at("validation").is_array());
}

TEST(Report, APointMayTellItsTrafficAndSkewInFull)
{
    Json report = to_json(make_report(fake_parts({with_exchange(16)})));
    EXPECT_EQ(complaint_about(report), "");
    report.at("points").at(0).at("skew").at(0).erase("straggler");
    EXPECT_NE(complaint_about(report).find("straggler"), std::string::npos);
}

TEST(Report, TellsTheTimeToTheRecallThatEveryPointOfASeriesReaches)
{
    const auto learning = [](int cores, std::vector<double> recalls) {
        Point point = fake_point(cores, 6.0);
        for (std::size_t i = 0; i < recalls.size(); ++i) {
            if (i == 0) {
                point.result->quality.emplace();
            }
            point.result->quality->push_back(
                {static_cast<int>(i) + 1,
                 {{"objective", 1.0}, {"recall_at_20", recalls[i]}, {"recall_at_50", recalls[i]}},
                 6.0 * static_cast<double>(i + 1)});
        }
        return point;
    };
    ReportParts parts = fake_parts(
        {learning(8, {0.1, 0.3, 0.4}), learning(16, {0.2, 0.5, 0.6}), fake_point(32, 3.0)});
    parts.series[0].target = MetricTarget{"recall_at_20", "recall"};
    const Json report = to_json(make_report(parts));
    EXPECT_EQ(complaint_about(report), "");
    EXPECT_DOUBLE_EQ(report.at("series").at(0).at("target_recall_at_20"), 0.99 * 0.4);
    EXPECT_EQ(report.at("points").at(0).at("seconds_to_recall"), 18.0);
    EXPECT_EQ(report.at("points").at(1).at("seconds_to_recall"), 12.0);
    EXPECT_FALSE(report.at("points").at(2).contains("seconds_to_recall"));

    parts.series[0].target->asked = 0.5;
    const Json asked = to_json(make_report(parts));
    EXPECT_EQ(asked.at("series").at(0).at("target_recall_at_20"), 0.5);
    EXPECT_TRUE(asked.at("points").at(0).at("seconds_to_recall").is_null()) << "never";
    EXPECT_EQ(asked.at("points").at(1).at("seconds_to_recall"), 12.0);
}

TEST(Report, TellsTheTimeToAMetricOfWhichLessIsBetterUnderItsOwnName)
{
    const auto learning = [](int cores, std::vector<double> losses) {
        Point point = fake_point(cores, 6.0);
        point.result->quality.emplace();
        for (std::size_t i = 0; i < losses.size(); ++i) {
            point.result->quality->push_back(
                {static_cast<int>(i) + 1, {{"loss", losses[i]}}, 6.0 * static_cast<double>(i + 1)});
        }
        return point;
    };
    ReportParts parts = fake_parts({learning(8, {3, 2, 1}), learning(16, {4, 2, 1.5})});
    parts.series[0].target = MetricTarget{"loss", "fit", true};
    const Json report = to_json(make_report(parts));
    EXPECT_EQ(complaint_about(report), "");
    EXPECT_DOUBLE_EQ(report.at("series").at(0).at("target_loss"), 1.5 / 0.99);
    EXPECT_EQ(report.at("points").at(0).at("seconds_to_fit"), 18.0);
    EXPECT_EQ(to_json(report_of(report, "again")), report);
}

TEST(Report, HasItsFieldsInTheOrderOfTheSchema)
{
    const Json report = small_report();
    std::string keys;
    for (const auto& [key, value] : report.at("points").at(1).items()) {
        keys += key + " ";
    }
    EXPECT_EQ(keys,
              "series sweep machine fits memory epoch_seconds fidelity phases compute_seconds "
              "hbm_seconds communication_seconds host_seconds waiting_seconds idle_seconds speedup "
              "efficiency ici network counters ");
}

TEST(Report, AMissingFieldIsNamedWithWhatItIs)
{
    Json report = small_report();
    report.at("points").at(1).erase("idle_seconds");
    EXPECT_EQ(complaint_about(report),
              "r.json: /points/1: top level: missing field 'idle_seconds': What waits for nothing "
              "that can be named");
    report = small_report();
    report.erase("tool");
    EXPECT_EQ(complaint_about(report),
              "r.json: top level: missing field 'tool': The program that made the report");
}

TEST(Report, AnUnknownFieldIsNamed)
{
    Json report = small_report();
    report["points"][2]["machine"]["coers"] = 3;
    const std::string complaint = complaint_about(report);
    EXPECT_EQ(
        complaint.find("r.json: /points/2: /machine: unknown field 'coers'; did you mean 'cores'?"),
        0u)
        << complaint;
    report = small_report();
    report["serise"] = 1;
    EXPECT_NE(complaint_about(report).find("did you mean 'series'?"), std::string::npos);
}

TEST(Report, APointThatDoesNotFitHasItsMemoryOnly)
{
    Json report = small_report();
    report["points"][0]["epoch_seconds"] = 1.0;
    EXPECT_NE(complaint_about(report).find("/points/0: top level: unknown field 'epoch_seconds'"),
              std::string::npos);
}

TEST(Report, AMachineMayBeTwistedAndHaveFaults)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0)});
    parts.points[0].machine.twisted = true;
    parts.points[0].machine.faults = 2;
    Json report = to_json(make_report(parts));
    EXPECT_EQ(complaint_about(report), "");
    report["points"][0]["machine"]["faults"] = 0;
    EXPECT_NE(complaint_about(report), "") << "none is said by leaving it out";
}

TEST(Report, OneOfAnEarlierVersionNeedsNoStatementOnTheNetwork)
{
    Json report = small_report();
    report.at("points").at(1).erase("network");
    EXPECT_EQ(complaint_about(report), "");
}

TEST(Report, APointMayHaveFailed)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0), too_large_point(32)});
    parts.points[1].error = "crashed";
    EXPECT_EQ(complaint_about(to_json(make_report(parts))), "");
}

TEST(Report, WrongNumbersAreOurMistakeNotTheUsers)
{
    ReportParts parts = fake_parts({fake_point(16, 6.0)});
    parts.points[0].result->epoch.share(Share::hbm) = -1.0;
    EXPECT_THROW(files_of(make_report(parts), Form::full, 2), std::logic_error);
    parts = fake_parts({fake_point(16, 6.0)});
    parts.series.push_back({"again", {0}});
    EXPECT_THROW(make_report(parts), std::logic_error);
    parts.series = {};
    EXPECT_THROW(make_report(parts), std::logic_error);
}

TEST(Report, IsTheSameForTheSameParts)
{
    EXPECT_EQ(small_report().dump(), small_report().dump());
}

TEST(Report, EachPointWithoutAResultSaysWhy)
{
    Point failed = too_large_point(4);
    failed.fits = true;
    failed.memory.reset();
    failed.error = "its process ended";
    Point refused = failed;
    refused.no_result = NoResult{"refused", "no such mesh"};
    const Report report =
        make_report(fake_parts({too_large_point(2), failed, refused, fake_point(8, 1.0)}));
    const Json points = to_json(report).at("points");
    EXPECT_EQ(points.at(0).at("no_result"),
              Json({{"kind", "does_not_fit"}, {"why", "1.0 GB of 16.0 GB a core"}}));
    EXPECT_EQ(points.at(1).at("no_result"),
              Json({{"kind", "failed"}, {"why", "its process ended"}}));
    EXPECT_EQ(points.at(2).at("no_result"), Json({{"kind", "refused"}, {"why", "no such mesh"}}));
    EXPECT_FALSE(points.at(3).contains("no_result"));
    validate_report(to_json(report), "report.json", NewFields::refused);
    EXPECT_EQ(missing_in_words(report.points),
              "1 was refused, 1 failed, 1 does not fit into memory");
}

} // namespace
} // namespace alxsim::report
