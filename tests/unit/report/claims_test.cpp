// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include "base/input_error.h"
#include "fake_report.h"
#include "report/comparisons.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

/// T(N) = work/N + constant, from 8 to `cores_last` cores.
ReportParts amdahl(double work, double constant, std::int64_t cores_last)
{
    std::vector<Point> points;
    for (std::int64_t cores = 8; cores <= cores_last; cores *= 2) {
        points.push_back(fake_point(
            cores, {{"solve", work / static_cast<double>(cores)}, {"gather", constant}}));
    }
    return fake_parts(points);
}

Json verdict_on(ReportParts parts)
{
    const Series series = make_series(parts.series[0], parts.points);
    const Hypothesis hypothesis{"bend", linear_then_flat, "base", {}, {}, {}, {}};
    return json_of(judge_hypothesis(hypothesis, {series}, parts.points));
}

/// Two draws of every point: `fast` and `slow` times its central time.
ReportParts drawn(ReportParts parts, double fast, double slow)
{
    for (Point& point : parts.points) {
        point.result->drawn = Drawn{{fast * point.seconds(), slow * point.seconds()}, {}, {}};
    }
    return parts;
}

TEST(LinearThenFlat, HoldsForAmdahlsCurve)
{
    const Json verdict = verdict_on(amdahl(640, 2, 1024));
    EXPECT_TRUE(verdict.at("holds")) << verdict.dump(2);
    EXPECT_EQ(verdict.at("verdict"), "held");
    EXPECT_EQ(verdict.at("name"), "bend");
    const Json& figures = verdict.at("figures");
    EXPECT_EQ(figures.at("sweet_spot_cores"), 256)
        << "(640/128 + 2)/(640/256 + 2) - 1 = 0.56, then 0.38";
    EXPECT_GE(figures.at("median_gain_up_to_sweet_spot"), 0.75);
    EXPECT_NEAR(figures.at("largest_gain_after_sweet_spot").get<double>(), 4.5 / 3.25 - 1, 1e-12);
    ASSERT_EQ(figures.at("terms_responsible").size(), 1u);
    EXPECT_EQ(figures.at("terms_responsible").at(0).at("phase"), "gather");
    EXPECT_EQ(figures.at("why"),
              "With central values time falls nearly linearly up to 256 cores (median gain "
              "0.833); beyond, no step gains more than 0.385. What shrinks least from 256 to 1024 "
              "cores: gather "
              "(2 s -> 2 s, 76% of the last epoch).");
}

TEST(LinearThenFlat, IsNotRefutedByACurveThatStaysLinear)
{
    const Json verdict = verdict_on(amdahl(640, 0, 64));
    EXPECT_EQ(verdict.at("verdict"), "not flat yet");
    EXPECT_TRUE(verdict.at("holds").is_null());
    const std::string why = verdict.at("figures").at("why");
    EXPECT_NE(why.find("not flat yet within this range"), std::string::npos) << why;
    EXPECT_FALSE(verdict.at("figures").contains("largest_gain_after_sweet_spot"));
}

TEST(LinearThenFlat, IsRefutedWhereTheFirstStepAlreadyFails)
{
    const Json verdict = verdict_on(amdahl(8, 2, 64));
    EXPECT_FALSE(verdict.at("holds"));
    EXPECT_EQ(verdict.at("figures").at("sweet_spot_cores"), 8);
    const std::string why = verdict.at("figures").at("why");
    EXPECT_NE(why.find("past its sweet spot from the start"), std::string::npos) << why;
    EXPECT_NE(why.find("gather"), std::string::npos) << why;
}

TEST(LinearThenFlat, IsRefutedWhereTheRiseIsNotLinearOrALaterStepGains)
{
    const Json slow =
        verdict_on(fake_parts({fake_point(8, 6.0), fake_point(16, 3.8), fake_point(32, 3.6)}));
    EXPECT_FALSE(slow.at("holds"));
    const std::string why_slow = slow.at("figures").at("why");
    EXPECT_NE(why_slow.find("median gain is only 0.579"), std::string::npos) << why_slow;

    const Json later = verdict_on(fake_parts(
        {fake_point(8, 6.0), fake_point(16, 3.0), fake_point(32, 2.8), fake_point(64, 1.4)}));
    EXPECT_FALSE(later.at("holds"));
    const std::string why_later = later.at("figures").at("why");
    EXPECT_NE(why_later.find("beyond 16 cores a step still gains 1"), std::string::npos)
        << why_later;
}

TEST(LinearThenFlat, NeedsThreeFittingPoints)
{
    ReportParts parts = fake_parts({too_large_point(4), fake_point(8, 6.0), fake_point(16, 3.0)});
    const Json verdict = verdict_on(parts);
    EXPECT_EQ(verdict.at("verdict"), "nothing to judge");
    EXPECT_TRUE(verdict.at("holds").is_null());
}

TEST(LinearThenFlat, IsJudgedInEveryDraw)
{
    ReportParts parts = drawn(amdahl(640, 2, 1024), 1, 1);
    // A second world in which nothing shrinks.
    for (Point& point : parts.points) {
        point.result->drawn->seconds[1] = 82;
    }
    const Json verdict = verdict_on(parts);
    EXPECT_EQ(verdict.at("draws"), 2);
    EXPECT_EQ(verdict.at("share"), 0.5);
    EXPECT_NE(verdict.at("figures").at("why").get<std::string>().find("True in 50% of 2 draws"),
              std::string::npos);
}

TEST(SweetSpot, HasADistributionOverDraws)
{
    ReportParts parts = drawn(amdahl(640, 2, 1024), 1, 1);
    for (Point& point : parts.points) {
        point.result->drawn->seconds[1] = 82;
    }
    const Json spot = json_of(*make_series(parts.series[0], parts.points).sweet_spot);
    EXPECT_EQ(spot.at("cores_p05"), 8);
    EXPECT_EQ(spot.at("high"), 256);
    EXPECT_EQ(spot.at("shares"), (Json{{"8", 0.5}, {"256", 0.5}}));
}

/// Earlier programs wrote "low", "median", "high"; later ones may write the others alone.
TEST(SweetSpot, IsReadUnderFormerAndPresentNames)
{
    ReportParts parts = drawn(amdahl(640, 2, 1024), 1, 1);
    const Json spot = json_of(*make_series(parts.series[0], parts.points).sweet_spot);
    const std::vector<std::string> present{"cores_p05", "cores_p50", "cores_p95"};
    const std::vector<std::string> former{"low", "median", "high"};
    for (const std::vector<std::string>& without : {present, former}) {
        Json told = spot;
        for (const std::string& name : without) {
            ASSERT_EQ(told.erase(name), 1U) << name;
        }
        SweetSpot read;
        read_json(told, read);
        EXPECT_EQ(json_of(read), spot);
    }
}

class StudyClaim : public testing::Test {
protected:
    StudyClaim() : parts_(amdahl(640, 2, 1024))
    {
        series_.push_back(make_series(parts_.series[0], parts_.points));
    }

    Json judge(const std::string& value, const std::string& is, const Json& than,
               const Json& where = Json::object())
    {
        const auto hypothesis = value_of_json<Hypothesis>({{"name", "n"},
                                                           {"claim", "c"},
                                                           {"series", "base"},
                                                           {"where", where},
                                                           {"value", value},
                                                           {"is", is},
                                                           {"than", than}});
        return json_of(judge_hypothesis(hypothesis, series_, parts_.points));
    }

    ReportParts parts_;
    std::vector<Series> series_;
};

TEST_F(StudyClaim, IsHeldAgainstEveryPointInItsRange)
{
    const std::string share = "communication_seconds/epoch_seconds";
    EXPECT_EQ(judge(share, ">", 0.5, {{"min_cores", 512}}).at("holds"), true);
    const Json refuted = judge(share, ">", 0.5);
    EXPECT_EQ(refuted.at("holds"), false);
    EXPECT_EQ(refuted.at("figures").at("comparisons").size(), 8u);
    EXPECT_EQ(refuted.at("figures").at("failing"), 6);
    const std::string why = refuted.at("figures").at("why");
    EXPECT_EQ(why.find("With central values it fails at 6 of 8 points: "
                       "communication_seconds/epoch_seconds is 0.0244 at 8 cores, not > 0.5; "),
              0u)
        << why;
}

TEST_F(StudyClaim, IsJudgedInEveryDraw)
{
    parts_ = drawn(parts_, 0.5, 2);
    const Json verdict = judge("epoch_seconds", "<", 80);
    EXPECT_EQ(verdict.at("share"), 0.5) << "41 s and 164 s at 8 cores";
    EXPECT_EQ(verdict.at("verdict"), "undecided");
    EXPECT_TRUE(verdict.at("holds").is_null());
    EXPECT_EQ(verdict.at("figures").at("comparisons").at(0).at("share"), 0.5);
    EXPECT_EQ(verdict.at("figures").at("comparisons").at(7).at("share"), 1.0);
    EXPECT_EQ(judge("speedup", ">=", 1).at("share"), 1.0) << "both points of a draw are one world";
}

TEST_F(StudyClaim, TellsTheNumberThatWasFoundAndTheOneClaimed)
{
    Hypothesis hypothesis{
        "n", "c", "base", {}, "communication_seconds/epoch_seconds", ">", Comparand{0.5, "", ""}};
    const auto told = [&] {
        return measured_in_words(judge_hypothesis(hypothesis, series_, parts_.points), hypothesis);
    };
    EXPECT_EQ(told(), "communication_seconds/epoch_seconds is 2.4% at 8 cores; claimed > 50%");
    hypothesis.where = PointRange{1024, {}, {}};
    hypothesis.value = "epoch_seconds";
    hypothesis.than->number = 0.02;
    EXPECT_EQ(told(), "epoch_seconds is 2.62 s at 1024 cores; claimed > 20 ms");
    for (Point& point : parts_.points) {
        point.sweep = {{"/workload/transformer/microbatches", 4}};
    }
    EXPECT_EQ(told(), "epoch_seconds is 2.62 s at 1024 cores, microbatches 4; claimed > 20 ms");
}

TEST_F(StudyClaim, OfWaitingSaysWhereNoRoleWaits)
{
    const std::string why = judge("waiting.bubble", ">", 1).at("figures").at("why");
    EXPECT_NE(why.find("waiting.bubble is 0 (no role waits in this job) at 8 cores, not > 1"),
              std::string::npos)
        << why;
}

TEST_F(StudyClaim, ThatDividesByNothingFails)
{
    const Json verdict = judge("idle_seconds/idle_seconds", "<", 1);
    EXPECT_EQ(verdict.at("holds"), false) << verdict.dump(1);
}

TEST_F(StudyClaim, MaySpeakOfTheSeriesAndOfAnother)
{
    EXPECT_EQ(judge("sweet_spot.cores", ">=", 256).at("holds"), true);
    EXPECT_EQ(judge("sweet_spot.cores", "==", 256).at("holds"), true);
    EXPECT_EQ(judge("sweet_spot.cores", "!=", 256).at("holds"), false);
    const Json other{{"series", "base"}, {"value", "sweet_spot.cores"}, {"times", 2}};
    EXPECT_EQ(judge("sweet_spot.cores", ">=", other).at("holds"), false);
    EXPECT_EQ(judge("phases.gather", "<=", Json{{"series", "base"}, {"value", "epoch_seconds"}})
                  .at("holds"),
              true);
}

TEST_F(StudyClaim, MaySpeakOfWhatIsWaitedForAndOfAxes)
{
    for (Point& point : parts_.points) {
        point.result->epoch.waiting = Waiting{2, 1, 0};
        point.result->epoch.communication = {{"data+dcn", {4, 2, 1}}};
    }
    EXPECT_EQ(judge("waiting.bubble/waiting.straggler", "==", 2).at("holds"), true);
    EXPECT_EQ(judge("communication.data+dcn.exposed", "<", 2).at("holds"), false);
}

TEST_F(StudyClaim, FindsNoneOfWhatAPointDoesNotWaitFor)
{
    parts_.points.front().result->epoch.waiting = Waiting{2, 1, 0};
    EXPECT_EQ(judge("waiting.bubble", ">=", 0).at("figures").at("comparisons").size(),
              parts_.points.size());
    EXPECT_EQ(judge("waiting.bubble", ">", 0).at("figures").at("failing"),
              parts_.points.size() - 1);
    EXPECT_THROW(judge("communication.dtaa.total", "<", 1), InputError)
        << "axes that no point has are a typing error, not 0";
}

TEST_F(StudyClaim, ThatCannotBeJudgedSaysWhyBesideThoseThatCan)
{
    Hypothesis broken{"broken", "c", "base", {}, "communication.dtaa.total", "<", Comparand{}};
    broken.than->number = 1;
    Hypothesis sound = broken;
    sound.value = "epoch_seconds";
    for (Point& point : parts_.points) {
        point.result->epoch.communication = {{"data", {4, 2, 1}}};
    }
    const std::vector<Judgement> all = judge_all({broken, sound}, series_, parts_.points);
    EXPECT_EQ(all.at(0).verdict, "nothing to judge");
    EXPECT_NE(all.at(0).why().find("its points communicate along data."), std::string::npos)
        << all.at(0).why();
    EXPECT_NE(all.at(0).why().find("communication.dtaa.total"), std::string::npos)
        << all.at(0).why();
    EXPECT_EQ(all.at(1).verdict, "refuted");
}

TEST_F(StudyClaim, TellsRowIssueFromTheBandwidthOfTheHbm)
{
    for (Point& point : parts_.points) {
        if (point.result) {
            point.result->epoch.share(Share::hbm) = 3;
        }
    }
    parts_.points.front().result->epoch.row_issue = 2;
    EXPECT_EQ(judge("row_issue_seconds", ">", 0).at("figures").at("failing"), 7)
        << "where no rows are issued, that takes no time";
}

TEST_F(StudyClaim, WithNothingToJudgeByIsNeitherHeldNorRefuted)
{
    EXPECT_TRUE(judge("epoch_seconds", ">", 0, {{"min_cores", 4096}}).at("holds").is_null());
}

TEST_F(StudyClaim, ThatNamesWhatDoesNotExistIsAnInputError)
{
    EXPECT_THROW(judge("epoch_second", ">", 0), InputError);
    EXPECT_THROW(judge("epoch_seconds", "about", 0), InputError);
    EXPECT_THROW(judge("epoch_seconds", ">", {{"series", "bass"}, {"value", "x"}}), InputError);
}

} // namespace
} // namespace alxsim::report
