// SPDX-License-Identifier: Apache-2.0
#include "experiments/validate/validate.h"

#include <gtest/gtest.h>

#include <vector>

/// What is said of the errors of many rows.
namespace alxsim::experiments {
namespace {

Json row(const char* topic, const char* kind, const char* check, const Json& error)
{
    return {{"topic", topic}, {"kind", kind}, {"check", check}, {"error", error}};
}

Json predicted(const char* topic, const std::vector<double>& errors)
{
    Json rows = Json::array();
    for (const double error : errors) {
        rows.push_back(row(topic, "predicted", "near", error));
    }
    return rows;
}

TEST(ErrorStatistics, AreOfTheSizeOfErrors)
{
    const Json all = error_statistics(
        predicted("a", {-0.01, 0.02, -0.03, 0.04, -0.05, 0.06, -0.07, 0.08, -0.09, 0.10}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.at(0).at("topic"), "a");
    EXPECT_EQ(all.at(1).at("topic"), "all");
    for (const Json& one : all) {
        EXPECT_EQ(one.at("count"), 10);
        EXPECT_DOUBLE_EQ(one.at("median"), 0.055);
        EXPECT_DOUBLE_EQ(one.at("percentile_90"), 0.09);
        EXPECT_DOUBLE_EQ(one.at("largest"), 0.10);
    }
}

TEST(ErrorStatistics, OfOneRowAreItsError)
{
    const Json one = error_statistics(predicted("a", {-0.2})).front();
    for (const char* figure : {"median", "percentile_90", "largest"}) {
        EXPECT_DOUBLE_EQ(one.at(figure), 0.2) << figure;
    }
}

TEST(ErrorStatistics, LeaveOutWhatIsNoPredictionOfAnAmount)
{
    Json rows = predicted("a", {0.1});
    rows.push_back(row("b", "calibrated", "near", 0.5));
    rows.push_back(row("b", "predicted", "at_most", -0.9));
    rows.push_back(row("b", "predicted", "equal", 0.0));
    rows.push_back(row("b", "predicted", "near", nullptr)); // does not fit
    const Json all = error_statistics(rows);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.back().at("count"), 1);
    EXPECT_EQ(error_statistics(Json::array()), Json::array());
}

TEST(ErrorStatistics, GoTopicByTopicAndOverAll)
{
    Json rows = predicted("a", {0.1});
    rows.push_back(row("b", "predicted", "near", 0.3));
    const Json all = error_statistics(rows);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_DOUBLE_EQ(all.at(0).at("largest"), 0.1);
    EXPECT_DOUBLE_EQ(all.at(1).at("largest"), 0.3);
    EXPECT_DOUBLE_EQ(all.at(2).at("median"), 0.2);
}

} // namespace
} // namespace alxsim::experiments
