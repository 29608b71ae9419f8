// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/validate/validate.h"

#include <gtest/gtest.h>

#include <vector>

/// What is said of the errors of many rows.
namespace alxsim::experiments {
namespace {

ValidatedRow row(const char* topic, const char* kind, const char* check,
                 std::optional<double> error)
{
    ValidatedRow row;
    row.topic = topic;
    row.kind = kind;
    row.check = check;
    row.error = error;
    return row;
}

std::vector<ValidatedRow> predicted(const char* topic, const std::vector<double>& errors)
{
    std::vector<ValidatedRow> rows;
    for (const double error : errors) {
        rows.push_back(row(topic, "predicted", "near", error));
    }
    return rows;
}

TEST(ErrorStatistics, AreOfTheSizeOfErrors)
{
    const std::vector<ErrorStatistics> all = error_statistics(
        predicted("a", {-0.01, 0.02, -0.03, 0.04, -0.05, 0.06, -0.07, 0.08, -0.09, 0.10}));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.at(0).topic, "a");
    EXPECT_EQ(all.at(1).topic, "all");
    for (const ErrorStatistics& one : all) {
        EXPECT_EQ(one.count, 10U);
        EXPECT_DOUBLE_EQ(one.median, 0.055);
        EXPECT_DOUBLE_EQ(one.percentile_90, 0.09);
        EXPECT_DOUBLE_EQ(one.largest, 0.10);
    }
}

TEST(ErrorStatistics, OfOneRowAreItsError)
{
    const ErrorStatistics one = error_statistics(predicted("a", {-0.2})).front();
    EXPECT_DOUBLE_EQ(one.median, 0.2);
    EXPECT_DOUBLE_EQ(one.percentile_90, 0.2);
    EXPECT_DOUBLE_EQ(one.largest, 0.2);
}

TEST(ErrorStatistics, LeaveOutWhatIsNoPredictionOfAnAmount)
{
    std::vector<ValidatedRow> rows = predicted("a", {0.1});
    rows.push_back(row("b", "calibrated", "near", 0.5));
    rows.push_back(row("b", "predicted", "at_most", -0.9));
    rows.push_back(row("b", "predicted", "equal", 0.0));
    rows.push_back(row("b", "predicted", "near", {})); // does not fit
    const std::vector<ErrorStatistics> all = error_statistics(rows);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.back().count, 1U);
    EXPECT_TRUE(error_statistics({}).empty());
}

TEST(ErrorStatistics, GoTopicByTopicAndOverAll)
{
    std::vector<ValidatedRow> rows = predicted("a", {0.1});
    rows.push_back(row("b", "predicted", "near", 0.3));
    const std::vector<ErrorStatistics> all = error_statistics(rows);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_DOUBLE_EQ(all.at(0).largest, 0.1);
    EXPECT_DOUBLE_EQ(all.at(1).largest, 0.3);
    EXPECT_DOUBLE_EQ(all.at(2).median, 0.2);
}

} // namespace
} // namespace alxsim::experiments
